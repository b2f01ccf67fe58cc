package risk

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// Event is one sequenced tick as the desk sees it.
type Event struct {
	Sequence    uint64
	EngineNs    int64
	ExchangeNs  int64
	ReceiveNs   int64
	Instrument  uint32 // id, or feed.AllInstruments
	Source      uint16
	Kind        feed.Kind
	QuoteFresh  bool // the instrument's quote fields were updated by a finished event
	TradeFresh  bool
	Gap         bool // first tick of the instrument after a gap
	Reset       bool // first tick of the instrument after a session's reset
	Late        bool // behind engine time, under the exchange clock
	ClockTrails bool // receive time is behind engine time by more than the limit
	F           [4]float64
}

// Row is what the program computed at an event: a bit a signal, and the values of those that fired.
type Row interface {
	Value(quarter int) float64
}

// Fired is the head of a row: one bit a signal.
type Fired struct {
	When       uint64
	Exit       uint64
	Suppressed uint64 // would have been asked, but its value or condition was undefined
}

// Taker receives decided signals in order. The body is valid until Take returns.
type Taker interface {
	Take(pair uint32, body *signal.Body)
}

// Refuser is a Taker that also gets refusals, as many of them as docs/risk.md says; all are counted. The rejection is
// valid until Refuse returns.
type Refuser interface {
	Refuse(pair uint32, gate Gate, rejection *signal.Rejection)
}

// market is an instrument as last seen.
type market struct {
	bid, ask, last           float64
	bidSize, askSize         float64
	quoteNs, tradeNs, seenNs int64
	beganNs                  int64  // first market data since a reset, a gap or the beginning
	ticks                    uint32 // market data since then
	quotesSinceGap           uint32
	tradesSinceGap           uint32
	quoted, traded, seen     bool
	gapQuote, gapTrade       bool // a gap, and no quote or trade since
	halted                   bool
	killed, reduce           bool // by an operator
	killedByConfig           bool
	sources                  uint64 // bit a source that has sent it
	rate                     cell
	holding                  holding
	own                      *profile            // limits of the instrument itself
	prices                   *[priceCount]prices // nil: no gate follows its prices
	venue, symbol            string
}

func (m *market) mid() float64 { return float64(m.bid+m.ask) / 2 }

func (m *market) multiplier() float64 {
	if m.own.limits.Multiplier > 0 {
		return m.own.limits.Multiplier
	}
	return 1
}

// pairState is one signal on one instrument.
type pairState struct {
	outputSequence  uint64
	validUntilNs    int64
	passedNs        int64
	value           float64 // of the last that passed, as duplicates compare it
	refused         uint64
	refusedSecond   int64
	refusedInSecond uint32
	profile         uint16
	entries         entries
	passed          bool
	live            bool // the last decided was an enter or update
	sideSign        int8 // of the last that passed
}

// Desk decides. See the package documentation for its rules.
type Desk struct {
	config   Config
	rules    []Rule
	taker    Taker
	refuser  Refuser // nil: refusals are only counted
	markets  []market
	open     []uint64 // by instrument, a bit a signal
	latched  []uint64 // by instrument, a bit a signal: too many entries
	pairs    []pairState
	profiles []*profile
	byName   []uint32 // instrument ids in the order of their escaped names
	names    []string // escaped name by id

	lastSequence  uint64
	lastNs        int64
	killAll       bool
	reduceAll     bool
	stopped       bool // latched: too much was lost
	latchChanges  uint64
	fillSources   uint64 // sources that have sent fills, a bit each
	killSignals   uint64
	reduceSignals uint64
	facts         facts
	unreadNs      [feed.SourcesMax]int64 // by source: not believed before
	total         cell
	book          book
	most          most
	tightened     tightened
	asksFills     bool                  // a rule on some instrument is refused without news of fills
	totalRateNs   int64                 // of one signal, over all instruments
	references    [ReferencesMax]uint32 // id + 1 of Config.References, 0 while unknown
	hours         []hoursState

	rejectedSecond   int64
	rejectedInSecond uint32
	rejection        signal.Rejection
	body             signal.Body
	counts           *Counts
}

// Counts are a desk's counters. Loads are safe from any goroutine.
type Counts struct {
	Decided    [5]atomic.Uint64 // by signal.Action
	Rejected   [GateCount]atomic.Uint64
	Suppressed atomic.Uint64
}

// NewDesk returns a desk with nothing open. The taker gets what it decides.
func NewDesk(config Config, taker Taker) (*Desk, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	d := &Desk{
		config:  config,
		rules:   slices.Clone(config.Rules),
		taker:   taker,
		markets: make([]market, config.Instruments),
		open:    make([]uint64, config.Instruments),
		latched: make([]uint64, config.Instruments),
		pairs:   make([]pairState, config.Instruments*len(config.Rules)),
		byName:  make([]uint32, 0, config.Instruments),
		names:   make([]string, config.Instruments),
		hours:   make([]hoursState, len(config.Hours)),
		counts:  &Counts{},

		fillSources: config.FillSources, totalRateNs: config.TotalRateNs,
	}
	d.refuser, _ = taker.(Refuser)
	b := &config.Budget
	d.most = most{limitOf(b.Gross), limitOf(b.Net), limitOf(b.Drawdown), limitOf(b.DayLoss)}
	for i := range d.markets {
		m := &d.markets[i]
		m.bid, m.ask, m.last = feed.NaN(), feed.NaN(), feed.NaN()
		m.quotesSinceGap, m.tradesSinceGap = math.MaxUint32, math.MaxUint32
	}
	return d, nil
}

// Counters returns the desk's counters.
func (d *Desk) Counters() *Counts { return d.counts }

// Pair returns the index of a signal on an instrument: the key of everything kept for the two.
func (d *Desk) Pair(signalIndex int, instrument uint32) uint32 {
	return instrument*uint32(len(d.rules)) + uint32(signalIndex)
}

// Apply takes the next event in sequence order. fired and row are those of the event's slot, zero and nil if
// it had none.
func (d *Desk) Apply(event *Event, fired Fired, row Row) {
	switch event.Kind {
	case feed.KindGap:
		d.gap(event)
	case feed.KindStatus:
		d.status(event)
	case feed.KindControl:
		d.control(event)
	case feed.KindFill:
		if d.fill(event) {
			d.stop(event)
		}
	case feed.KindQuote, feed.KindTrade, feed.KindDepth:
		if d.see(event, &d.markets[event.Instrument]) {
			d.stop(event)
		}
		d.signals(event, fired, row)
	default:
		d.signals(event, fired, row)
	}
	d.lastSequence, d.lastNs = max(d.lastSequence, event.Sequence), max(d.lastNs, event.EngineNs)
}

// signals decides what fired, in the order of signals.
func (d *Desk) signals(event *Event, fired Fired, row Row) {
	if fired.Suppressed != 0 {
		d.counts.Suppressed.Add(uint64(bits.OnesCount64(fired.Suppressed)))
	}
	for left := fired.When | fired.Exit; left != 0; left &= left - 1 {
		index := bits.TrailingZeros64(left)
		d.fire(event, index, fired.When>>index&1 != 0, fired.Exit>>index&1 != 0, row)
	}
}

// fire decides one signal that fired on the event's instrument.
func (d *Desk) fire(event *Event, index int, when, exit bool, row Row) {
	isOpen := d.isOpen(event.Instrument, index, event.EngineNs)
	if exit && isOpen {
		d.leave(event, index, row)
		return
	}
	if !when {
		return
	}
	q := d.question(event, index, isOpen, row)
	action := signal.ActionEnter
	if isOpen {
		action = signal.ActionUpdate
	}
	if gate := d.ask(&q); gate != GateNone {
		if gate == GateRepeat {
			d.setLatch(event.Instrument, 1<<index)
		}
		d.refuse(event, event.Instrument, index, gate, action, row)
		return
	}
	d.charge(&q)
	if q.rule.ExpiresNs > 0 {
		q.pair.validUntilNs = saturatingAdd(event.EngineNs, q.rule.ExpiresNs)
	}
	if !isOpen && q.rule.opens() {
		d.open[event.Instrument] |= 1 << index
	}
	d.decide(event, event.Instrument, index, action, signal.ReasonNone, row)
}

// question gathers what gates look at.
func (d *Desk) question(event *Event, index int, isOpen bool, row Row) question {
	id := event.Instrument
	first := d.Pair(0, id)
	q := question{
		event: event, market: &d.markets[id], pairs: d.pairs[first : first+uint32(len(d.rules))],
		open: d.open[id], latched: d.latched[id], isOpen: isOpen,
	}
	d.ofRule(&q, index, row)
	return q
}

// ofRule makes it a question about one rule.
func (d *Desk) ofRule(q *question, index int, row Row) {
	q.index, q.rule, q.pair = index, &d.rules[index], &q.pairs[index]
	q.profile = d.profiles[q.pair.profile]
	q.value, q.side = feed.NaN(), feed.NaN()
	if row == nil {
		return
	}
	q.value = row.Value(q.rule.ValueQuarter)
	if q.rule.SideQuarter >= 0 {
		q.side = row.Value(q.rule.SideQuarter)
	}
}

// leave decides an exit. It passes every gate but two: out of sequence nothing is decided; and a value that is not a
// number is no exit, but a withdraw, so that nobody is left in what the engine does not vouch for.
func (d *Desk) leave(event *Event, index int, row Row) {
	id := event.Instrument
	switch {
	case d.disordered(event):
		d.refuse(event, event.Instrument, index, GateSequence, signal.ActionExit, row)
	case !finite(row.Value(d.rules[index].ValueQuarter)):
		d.refuse(event, event.Instrument, index, GateValue, signal.ActionExit, row)
		d.withdraw(event, id, 1<<index, signal.ReasonValue)
	default:
		d.open[id] &^= 1 << index
		d.decide(event, id, index, signal.ActionExit, signal.ReasonNone, row)
	}
}

// isOpen reports whether a pair is open, closing it if its valid-until has passed.
func (d *Desk) isOpen(instrument uint32, index int, nowNs int64) bool {
	if d.open[instrument]>>index&1 == 0 {
		return false
	}
	if d.rules[index].ExpiresNs > 0 && max(nowNs, d.lastNs) > d.pairs[d.Pair(index, instrument)].validUntilNs {
		d.open[instrument] &^= 1 << index
		return false
	}
	return true
}

// decide numbers a signal, writes its record and hands it to the taker.
func (d *Desk) decide(event *Event, instrument uint32, index int, action signal.Action, reason signal.Reason, row Row) {
	pair := d.Pair(index, instrument)
	state, rule, m := &d.pairs[pair], &d.rules[index], &d.markets[instrument]
	state.outputSequence++
	b := &d.body
	*b = signal.Body{
		Version: signal.Version, Partition: d.config.Partition, Generation: d.config.Generation,
		Sequence: event.Sequence, OutputSequence: state.outputSequence,
		Signal: rule.Name, Venue: m.venue, Symbol: m.symbol,
		ExchangeNs: event.ExchangeNs, EngineNs: event.EngineNs,
		Action: action, Reason: reason, HorizonNs: rule.HorizonNs,
		Value: feed.NaN(), Side: feed.NaN(), Strength: feed.NaN(),
		Bid: m.bid, Ask: m.ask, Last: m.last, Flags: d.flags(event, m),
	}
	if action != signal.ActionEnter && action != signal.ActionUpdate {
		state.live = false
	} else if rule.ExpiresNs > 0 {
		b.ValidUntilNs = state.validUntilNs
	}
	if row != nil {
		b.Value = row.Value(rule.ValueQuarter)
		if rule.SideQuarter >= 0 {
			b.Side = row.Value(rule.SideQuarter)
		}
		if rule.StrengthQuarter >= 0 {
			b.Strength = row.Value(rule.StrengthQuarter)
		}
	}
	d.counts.Decided[action].Add(1)
	d.taker.Take(pair, b)
}
