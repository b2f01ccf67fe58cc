package risk

import (
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
	Output   uint64        // output sequence, if it decides

	Bid, Ask, Last       float64 // with the event, NaN if unknown
	Halted               bool
	GapQuote, GapTrade   bool  // a gap, and no quote or trade since
	Quoted               bool  // there was a quote
	QuoteAgeNs           int64 // of the last quote
	StaleNs              int64 // the limit, 0: none
	UsesQuote, UsesTrade bool
	Passed               bool  // an enter or update has passed before
	SincePassedNs        int64 // since the last that passed
	ThrottleNs           int64 // the limit, 0: none
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

// Explain says what Apply would do with one signal at an event that has a slot. It changes nothing. It repeats the
// desk's rules in the plainest form, on purpose: that the two agree is tested.
func (d *Desk) Explain(event *Event, fired Fired, index int) Explanation {
	rule, m := &d.rules[index], d.markets[event.Instrument]
	pair := d.pairs[d.Pair(index, event.Instrument)]
	switch event.Kind {
	case feed.KindQuote:
		m.bid, m.ask = event.F[0], event.F[2]
	case feed.KindTrade:
		m.last = event.F[0]
	}
	if event.Kind.IsMarketData() {
		if event.QuoteFresh {
			m.quoteNs, m.quoted, m.gapQuote = event.EngineNs, true, false
		}
		if event.TradeFresh {
			m.gapTrade = false
		}
	}
	x := Explanation{
		Signal: rule.Name, When: fired.When>>index&1 != 0, Exit: fired.Exit>>index&1 != 0, Suppressed: fired.Suppressed>>index&1 != 0,
		Bid: m.bid, Ask: m.ask, Last: m.last, Halted: m.halted, GapQuote: m.gapQuote, GapTrade: m.gapTrade,
		Quoted: m.quoted, StaleNs: d.config.StaleNs, UsesQuote: rule.UsesQuote, UsesTrade: rule.UsesTrade,
		Passed: pair.passed, ThrottleNs: rule.ThrottleNs, ClockTrails: event.ClockTrails,
		KilledBy: Killers{
			ConfigAll: d.config.KillAll, ConfigSignal: d.config.KillSignals>>index&1 != 0, ConfigInstrument: m.killedByConfig,
			OperatorAll: d.killAll, OperatorSignal: d.killSignals>>index&1 != 0, OperatorInstrument: m.killed,
		},
	}
	if m.quoted {
		x.QuoteAgeNs = event.EngineNs - m.quoteNs
	}
	if pair.passed {
		x.SincePassedNs = event.EngineNs - pair.passedNs
	}
	if d.open[event.Instrument]>>index&1 != 0 {
		x.Lapsed = rule.ExpiresNs > 0 && event.EngineNs > pair.validUntilNs
		x.Open = !x.Lapsed
		if rule.ExpiresNs > 0 {
			x.ValidUntilNs = pair.validUntilNs
		}
	}
	x.judge(&d.config)
	x.decide(pair.outputSequence + 1)
	return x
}

// judge asks every gate.
func (x *Explanation) judge(c *Config) {
	uses := x.UsesQuote || x.UsesTrade
	x.Verdicts = [GateCount]Verdict{
		GateKill:     {Asked: true, Refuses: x.KilledBy.Any()},
		GateClock:    {Asked: c.GatesOn, Refuses: x.ClockTrails},
		GateHalted:   {Asked: c.GatesOn, Refuses: x.Halted},
		GateGap:      {Asked: c.GatesOn && uses, Refuses: x.UsesQuote && x.GapQuote || x.UsesTrade && x.GapTrade},
		GateStale:    {Asked: c.GatesOn && x.UsesQuote && x.StaleNs > 0, Refuses: !x.Quoted || x.QuoteAgeNs > x.StaleNs},
		GateCrossed:  {Asked: c.GatesOn && c.RefuseCrossed, Refuses: x.Bid > x.Ask},
		GateLocked:   {Asked: c.GatesOn && c.RefuseLocked, Refuses: x.Bid == x.Ask},
		GateThrottle: {Asked: x.ThrottleNs > 0, Refuses: x.Passed && x.SincePassedNs < x.ThrottleNs},
	}
	for gate := range x.Verdicts {
		v := &x.Verdicts[gate]
		v.Refuses = v.Asked && v.Refuses
		if v.Refuses && x.Refused == GateNone {
			x.Refused = Gate(gate)
		}
	}
}

// decide says what comes of it.
func (x *Explanation) decide(output uint64) {
	switch {
	case x.Exit && x.Open:
		x.Decides, x.Action = true, signal.ActionExit
	case !x.When || x.Refused != GateNone:
		return
	case x.Open:
		x.Decides, x.Action = true, signal.ActionUpdate
	default:
		x.Decides, x.Action = true, signal.ActionEnter
	}
	x.Output = output
}
