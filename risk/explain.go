package risk

import (
	"slices"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// Explanation is what a Desk makes of one signal at one event, with the numbers it looks at.
type Explanation struct {
	Signal     string
	When, Exit bool // fired
	Suppressed bool // its value or condition was undefined

	Open         bool  // before the event
	ValidUntilNs int64 // of the open pair, 0 if it does not end
	Lapsed       bool  // it was open until valid-until passed

	Verdicts [GateCount]Verdict // by gate; that of GateNone says nothing
	Refused  Gate               // the first that refuses an enter or update, GateNone if all let it pass
	Decides  bool
	Action   signal.Action // if it decides
	Reason   signal.Reason // of a withdraw
	Output   uint64        // output sequence, if it decides

	Limits Limits // of the signal on the instrument

	Value, Side          float64 // NaN if unknown
	Bid, Ask, Last       float64 // with the event, NaN if unknown
	BidSize, AskSize     float64
	Reference, Move      float64 // of the collar and of velocity; NaN if unknown
	Position             float64
	Gross, Net, Profit   float64 // money, over all instruments
	Halted               bool
	GapQuote, GapTrade   bool  // a gap, and no quote or trade since
	Quoted               bool  // there was a quote
	QuoteAgeNs           int64 // of the last quote
	StaleNs              int64 // the limit, 0: none
	ReferenceStale       bool  // another instrument that it uses is silent for too long
	UsesQuote, UsesTrade bool
	Entries              uint32 // within the window of repeated entries
	Latched              bool   // by repeated entries
	Passed               bool   // an enter or update has passed before
	SincePassedNs        int64  // since the last that passed
	ThrottleNs           int64  // the limit, 0: none
	KilledBy             Killers
	ClockTrails          bool
}

// Verdict is what one gate says of an enter or update, whether or not another refuses it first.
type Verdict struct {
	Asked   bool // false: the configuration or the signal has no use for the gate
	Refuses bool
}

// Killers says who stops a signal on an instrument.
type Killers struct {
	ConfigAll, ConfigSignal, ConfigInstrument       bool
	OperatorAll, OperatorSignal, OperatorInstrument bool
}

// Any reports whether anybody does.
func (k Killers) Any() bool { return k != Killers{} }

// Explain says what Apply would do with one signal at an event that has a slot, and its row. It changes nothing: what
// the event and the signals before this one change is changed in copies.
func (d *Desk) Explain(event *Event, fired Fired, row Row, index int) Explanation {
	after, m, id := *d, d.markets[event.Instrument], event.Instrument
	if m.prices != nil {
		prices := *m.prices
		m.prices = &prices
	}
	after.hours = slices.Clone(d.hours)
	first := d.Pair(0, id)
	q := question{
		event: event, market: &m, pairs: slices.Clone(d.pairs[first : first+uint32(len(d.rules))]),
		open: d.open[id], latched: d.latched[id],
	}
	if event.Kind.IsMarketData() && after.see(event, &m) && !d.stopped {
		after.stopped, q.open = true, 0
	}
	for before := range index {
		if bit := uint64(1) << before; (fired.When|fired.Exit)&bit != 0 {
			x := after.explain(&q, fired, row, before)
			after.follow(&q, &x)
		}
	}
	return after.explain(&q, fired, row, index)
}

// follow changes a question as a signal that is decided would.
func (d *Desk) follow(q *question, x *Explanation) {
	bit := uint64(1) << q.index
	if x.Lapsed {
		q.open &^= bit
	}
	switch {
	case !x.Decides:
	case x.Action == signal.ActionExit || x.Action == signal.ActionWithdraw:
		q.open &^= bit
	default:
		d.charge(q)
		if q.rule.ExpiresNs > 0 {
			q.pair.validUntilNs = saturatingAdd(q.event.EngineNs, q.rule.ExpiresNs)
		}
		if q.rule.opens() {
			q.open |= bit
		}
	}
}

// explain answers for one rule.
func (d *Desk) explain(q *question, fired Fired, row Row, index int) Explanation {
	d.ofRule(q, index, row)
	isOpen := q.open>>index&1 != 0
	lapsed := isOpen && q.rule.ExpiresNs > 0 && max(q.event.EngineNs, d.lastNs) > q.pair.validUntilNs
	q.isOpen = isOpen && !lapsed
	x := d.looked(q)
	x.When, x.Exit, x.Suppressed = fired.When>>index&1 != 0, fired.Exit>>index&1 != 0, fired.Suppressed>>index&1 != 0
	x.Open, x.Lapsed = q.isOpen, lapsed
	if isOpen && q.rule.ExpiresNs > 0 {
		x.ValidUntilNs = q.pair.validUntilNs
	}
	d.judge(&x, q)
	x.decide(q)
	return x
}

// judge asks every gate.
func (d *Desk) judge(x *Explanation, q *question) {
	for _, gate := range Order {
		v := &x.Verdicts[gate]
		v.Asked = q.profile.asked.has(gate)
		v.Refuses = v.Asked && d.refuses(gate, q)
		if v.Refuses && x.Refused == GateNone {
			x.Refused = gate
		}
	}
}

// decide says what comes of it.
func (x *Explanation) decide(q *question) {
	switch {
	case x.Exit && x.Open:
		if x.Verdicts[GateSequence].Refuses {
			x.Refused = GateSequence
			return
		}
		x.Decides, x.Action, x.Refused = true, signal.ActionExit, GateNone
		if !finite(q.value) {
			x.Action, x.Reason, x.Refused = signal.ActionWithdraw, signal.ReasonValue, GateValue
		}
	case !x.When || x.Refused != GateNone:
		return
	case x.Open:
		x.Decides, x.Action = true, signal.ActionUpdate
	default:
		x.Decides, x.Action = true, signal.ActionEnter
	}
	x.Output = q.pair.outputSequence + 1
}

// looked gathers the numbers.
func (d *Desk) looked(q *question) Explanation {
	m, l, nowNs, index := q.market, &q.profile.limits, q.event.EngineNs, q.index
	x := Explanation{
		Signal: q.rule.Name, Limits: *l, Value: q.value, Side: q.side,
		Bid: m.bid, Ask: m.ask, Last: m.last, BidSize: m.bidSize, AskSize: m.askSize, Reference: feed.NaN(), Move: feed.NaN(),
		Position: m.holding.position, Gross: float64(d.book.gross) / moneyUnit, Net: float64(d.book.net) / moneyUnit,
		Profit: float64(d.book.profit()) / moneyUnit,
		Halted: m.halted, GapQuote: m.gapQuote, GapTrade: m.gapTrade,
		Quoted: m.quoted, StaleNs: l.StaleNs, UsesQuote: q.rule.UsesQuote, UsesTrade: q.rule.UsesTrade,
		Passed: q.pair.passed, ThrottleNs: q.rule.ThrottleNs, ClockTrails: q.event.ClockTrails,
		Latched: q.latched>>index&1 != 0,
		KilledBy: Killers{
			ConfigAll: d.config.KillAll, ConfigSignal: d.config.KillSignals>>index&1 != 0, ConfigInstrument: m.killedByConfig,
			OperatorAll: d.killAll, OperatorSignal: d.killSignals>>index&1 != 0, OperatorInstrument: m.killed,
		},
	}
	x.ReferenceStale = d.staleReference(q)
	if m.quoted {
		x.QuoteAgeNs = nowNs - m.quoteNs
	}
	if q.pair.passed {
		x.SincePassedNs = nowNs - q.pair.passedNs
	}
	if l.RepeatCount > 0 {
		x.Entries = q.pair.entries.within(nowNs, l.RepeatWindowNs)
	}
	if which := q.rule.priced(); which != priceNone && m.prices != nil && m.prices[which].known {
		x.Reference = m.prices[which].reference
		if hold := m.own.limits.VelocityHoldNs; hold > 0 {
			x.Move = m.prices[which].fastest(nowNs, hold)
		}
	}
	return x
}
