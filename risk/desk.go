package risk

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// Event is one sequenced tick as the desk sees it.
type Event struct {
	Sequence    uint64
	EngineNs    int64
	ExchangeNs  int64
	Instrument  uint32 // id, or feed.AllInstruments
	Source      uint16
	Kind        feed.Kind
	QuoteFresh  bool // the instrument's quote fields were updated by a finished event
	TradeFresh  bool
	Gap         bool // first tick of the instrument after a gap
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

// market is an instrument as last seen.
type market struct {
	bid, ask, last     float64
	quoteNs            int64
	quoted             bool
	gapQuote, gapTrade bool // a gap, and no quote or trade since
	halted             bool
	killed             bool
	killedByConfig     bool
	sources            uint64 // bit a source that has sent it
	venue, symbol      string
}

// pairState is one signal on one instrument.
type pairState struct {
	outputSequence uint64
	validUntilNs   int64
	passedNs       int64
	passed         bool
}

// Desk decides. See the package documentation for its rules.
type Desk struct {
	config      Config
	rules       []Rule
	taker       Taker
	markets     []market
	open        []uint64 // by instrument, a bit a signal
	pairs       []pairState
	byName      []uint32 // instrument ids in the order of their escaped names
	names       []string // escaped name by id
	killAll     bool
	killSignals uint64
	body        signal.Body
	counts      Counts
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
		pairs:   make([]pairState, config.Instruments*len(config.Rules)),
		byName:  make([]uint32, 0, config.Instruments),
		names:   make([]string, config.Instruments),
	}
	for i := range d.markets {
		d.markets[i].bid, d.markets[i].ask, d.markets[i].last = feed.NaN(), feed.NaN(), feed.NaN()
	}
	return d, nil
}

// Counters returns the desk's counters.
func (d *Desk) Counters() *Counts { return &d.counts }

// Define makes an instrument known, or adds a source to it. killed is the configuration's word on it.
// It is called before the first event of the instrument, in sequence order.
func (d *Desk) Define(id uint32, symbol feed.Symbol, source uint16, killed bool) {
	m := &d.markets[id]
	m.sources |= 1 << source
	if m.symbol != "" {
		return
	}
	m.venue, m.symbol, m.killedByConfig = symbol.Venue, symbol.Name, killed
	d.names[id] = EscapedName(symbol)
	at, _ := slices.BinarySearchFunc(d.byName, d.names[id], func(other uint32, name string) int {
		return strings.Compare(d.names[other], name)
	})
	d.byName = slices.Insert(d.byName, at, id)
}

// EscapedName is what orders instruments where an order across them is needed.
func EscapedName(symbol feed.Symbol) string {
	name := signal.AppendEscaped(nil, symbol.Venue)
	return string(signal.AppendEscaped(append(name, '.'), symbol.Name))
}

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
		return
	case feed.KindStatus:
		d.status(event)
		return
	case feed.KindControl:
		d.control(event)
		return
	case feed.KindQuote, feed.KindTrade, feed.KindDepth:
		d.see(event)
	}
	if fired.Suppressed != 0 {
		d.counts.Suppressed.Add(uint64(bits.OnesCount64(fired.Suppressed)))
	}
	for left := fired.When | fired.Exit; left != 0; left &= left - 1 {
		index := bits.TrailingZeros64(left)
		d.fire(event, index, fired.When>>index&1 != 0, fired.Exit>>index&1 != 0, row)
	}
}

// see updates the instrument's market from a quote or trade.
func (d *Desk) see(event *Event) {
	m := &d.markets[event.Instrument]
	switch event.Kind {
	case feed.KindQuote:
		m.bid, m.ask = event.F[0], event.F[2]
	case feed.KindTrade:
		m.last = event.F[0]
	}
	if event.QuoteFresh {
		m.quoteNs, m.quoted, m.gapQuote = event.EngineNs, true, false
	}
	if event.TradeFresh {
		m.gapTrade = false
	}
}

// fire decides one signal that fired on the event's instrument.
func (d *Desk) fire(event *Event, index int, when, exit bool, row Row) {
	pair := d.Pair(index, event.Instrument)
	rule := &d.rules[index]
	isOpen := d.isOpen(event.Instrument, index, event.EngineNs)
	if exit && isOpen {
		d.open[event.Instrument] &^= 1 << index
		d.decide(event, event.Instrument, index, signal.ActionExit, signal.ReasonNone, row)
		return
	}
	if !when {
		return
	}
	m := &d.markets[event.Instrument]
	if gate := d.ask(event, m, index, pair); gate != GateNone {
		d.counts.Rejected[gate].Add(1)
		return
	}
	state := &d.pairs[pair]
	state.passed, state.passedNs = true, event.EngineNs
	if rule.ExpiresNs > 0 {
		state.validUntilNs = saturatingAdd(event.EngineNs, rule.ExpiresNs)
	}
	action := signal.ActionEnter
	if isOpen {
		action = signal.ActionUpdate
	} else if rule.opens() {
		d.open[event.Instrument] |= 1 << index
	}
	d.decide(event, event.Instrument, index, action, signal.ReasonNone, row)
}

// isOpen reports whether a pair is open, closing it if its valid-until has passed.
func (d *Desk) isOpen(instrument uint32, index int, nowNs int64) bool {
	if d.open[instrument]>>index&1 == 0 {
		return false
	}
	if d.rules[index].ExpiresNs > 0 && nowNs > d.pairs[d.Pair(index, instrument)].validUntilNs {
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
	if rule.ExpiresNs > 0 && (action == signal.ActionEnter || action == signal.ActionUpdate) {
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

func saturatingAdd(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
