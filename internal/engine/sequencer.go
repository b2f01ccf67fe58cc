package engine

import (
	"math"
	"slices"
	"strings"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/ring"
	"github.com/sigengine/sigengine/risk"
)

// order is one sequenced tick on its way past the lanes to the desk.
type order struct {
	event  risk.Event
	lane   *lane // nil: the tick has no slot
	slot   uint64
	at     int64       // receive time, for latency only; 0: not measured
	define *definition // not nil: no tick, but an instrument made known

	command bool // the slot is a command to the device
}

// definition makes an instrument known to the desk, or adds a source to it.
type definition struct {
	id     uint32
	source uint16
	symbol feed.Symbol
	killed bool

	signals uint64 // that the instrument has, a bit each
}

// classes of fields, in the order of the control word's fresh bits.
const (
	classQuote = 1 << iota
	classTrade
	classBook

	freshShift = 18 // program.CtlFreshQuote is bit 18
	enableWord = 0  // state word of an instrument: which signals it has
)

// sequencer applies ticks in sequence order: engine time, gaps, events, lanes. Its state is a function of the
// ticks; live and replay share it.
type sequencer struct {
	config   *Config
	time     feed.EngineTime
	lanes    []*lane
	orders   *ring.Ring[order]
	pending  int // orders claimed, not committed
	sequence uint64

	from          []uint64 // by id: the sources that have named it, a bit each
	gapGeneration []uint32 // by source
	gapSeen       []uint32 // by source × Instruments + id
	openEvent     []uint8  // by source × Instruments + id: classes of the unfinished event
	byName        []uint32 // ids in the order of their escaped names
	names         []string // escaped name by id
	signals       []uint64 // by id: the signals it has
	fillSources   uint64   // sources that have sent fills, a bit each

	sessions   sessions
	clocks     clocks
	references references

	room   func() // publishes, and lets the stages after make room in lanes and order ring; set by the pipeline
	counts *Counts
}

func newSequencer(config *Config, lanes []*lane, orders *ring.Ring[order], counts *Counts) (s *sequencer, err error) {
	s = &sequencer{
		config:        config,
		time:          feed.EngineTime{Base: config.TimeBase},
		lanes:         lanes,
		orders:        orders,
		gapGeneration: make([]uint32, SourcesMax),
		gapSeen:       make([]uint32, SourcesMax*config.Instruments),
		openEvent:     make([]uint8, SourcesMax*config.Instruments),
		names:         make([]string, config.Instruments),
		signals:       make([]uint64, config.Instruments),
		from:          make([]uint64, config.Instruments),
		fillSources:   config.Desk.FillSources,
		sessions:      newSessions(config),
		clocks:        newClocks(config),
		counts:        counts,
	}
	s.references, err = newReferences(config)
	return s, err
}

// define prepares for the first tick of an instrument from a source. It is called when a name is first seen, and
// allocates.
func (s *sequencer) define(id uint32, source uint16, symbol feed.Symbol) {
	s.from[id] |= 1 << source
	s.gapSeen[s.key(source, id)] = s.gapGeneration[source]
	if len(s.lanes) == 0 {
		return
	}
	signals, killed := ^uint64(0), false
	if s.config.Applies != nil {
		signals, killed = s.config.Applies(symbol)
	}
	if s.names[id] == "" {
		s.name(id, symbol)
		s.signals[id] = signals
		s.references.define(id, symbol)
		s.setWords(id, symbol, signals)
	}
	o := s.claim()
	*o = order{define: &definition{id: id, source: source, symbol: symbol, killed: killed, signals: signals}}
	s.pending++
}

// setWords writes what the program reads as constants of the instrument: which signals it has, and its parameters.
func (s *sequencer) setWords(id uint32, symbol feed.Symbol, signals uint64) {
	s.setWord(id, enableWord, signals)
	if s.config.Parameters == nil {
		return
	}
	for _, p := range s.config.Parameters(symbol) {
		s.setWord(id, p.Word, math.Float64bits(p.Value))
	}
}

func (s *sequencer) setWord(id uint32, word int, value uint64) {
	count := uint32(len(s.lanes))
	l, index := s.lanes[id%count], id/count
	if l.gpu == nil {
		l.executor.SetWord(int(index), word, value)
		return
	}
	s.command(l, commandSet, index, value, uint64(word))
}

// name puts an instrument in the order of names.
func (s *sequencer) name(id uint32, symbol feed.Symbol) {
	if s.names[id] != "" {
		return
	}
	s.names[id] = risk.EscapedName(symbol)
	at, _ := slices.BinarySearchFunc(s.byName, s.names[id], func(other uint32, name string) int {
		return strings.Compare(s.names[other], name)
	})
	s.byName = slices.Insert(s.byName, at, id)
}

func (s *sequencer) key(source uint16, id uint32) int {
	return int(source)*s.config.Instruments + int(id)
}

// apply takes the next tick, whose Seq and Instrument are set.
func (s *sequencer) apply(tick *feed.Tick) {
	s.sequence = tick.Seq
	nowNs, lateNs := s.time.Advance(tick)
	s.sessions.advance(nowNs)
	if s.clocks.due(nowNs) {
		s.boundaries(tick, nowNs)
	}
	switch tick.Kind {
	case feed.KindQuote, feed.KindTrade, feed.KindDepth:
		if lateNs > 0 {
			s.counts.Late.Add(1)
			if s.config.LateDropNs > 0 && lateNs > s.config.LateDropNs {
				s.counts.LateDropped.Add(1)
				if tick.Flags&feed.FlagMore == 0 {
					s.openEvent[s.key(tick.Source, tick.Instrument)] = 0 // its event ends all the same
				}
				return
			}
		}
		s.market(tick, nowNs, lateNs > 0)
	case feed.KindGap:
		s.gap(tick)
		s.pass(tick, nowNs)
	case feed.KindStatus:
		if feed.Status(feed.Code(tick.F[0])) == feed.StatusReset {
			s.sessions.resetOne(tick.Instrument)
		}
		s.pass(tick, nowNs)
	case feed.KindFill:
		s.fillSources |= 1 << tick.Source
		s.pass(tick, nowNs)
	case feed.KindControl:
		s.pass(tick, nowNs)
	case feed.KindHeartbeat:
		s.counts.Heartbeats.Add(1)
	default:
		s.counts.Unused.Add(1)
	}
}

// gap marks every instrument that the gap concerns: the next slot of each, whoever causes it, carries the flag.
func (s *sequencer) gap(tick *feed.Tick) {
	s.counts.Gaps.Add(1)
	if s.fillSources>>tick.Source&1 != 0 {
		return // no market data is missing
	}
	if tick.Instrument == feed.AllInstruments {
		s.gapGeneration[tick.Source]++
		return
	}
	s.gapSeen[s.key(tick.Source, tick.Instrument)] = s.gapGeneration[tick.Source] - 1
}

// market stages a market data tick into its instrument's lane, and what follows from it.
func (s *sequencer) market(tick *feed.Tick, nowNs int64, late bool) {
	if len(s.lanes) == 0 {
		return
	}
	s.fillSources &^= 1 << tick.Source
	control, fresh, gap := s.control(tick)
	refresh := s.references.follow(tick, control, nowNs)
	s.stage(tick.Instrument, &tick.F, control, 0, refresh, risk.Event{
		Sequence: tick.Seq, EngineNs: nowNs, ExchangeNs: tick.ExchangeNs, ReceiveNs: tick.ReceiveNs,
		Instrument: tick.Instrument, Source: tick.Source, Kind: tick.Kind,
		QuoteFresh: fresh&classQuote != 0, TradeFresh: fresh&classTrade != 0,
		Gap: gap, Reset: control&program.CtlSessionReset != 0, Late: late, ClockTrails: s.clockTrails(tick),
	}, tick.ReceiveNs)
	if refresh != 0 {
		s.dependents(tick, refresh, nowNs)
	}
}

func (s *sequencer) clockTrails(tick *feed.Tick) bool {
	return s.config.ClockTrailsNs > 0 && s.time.ClockTrails(tick, s.config.ClockTrailsNs)
}

// stage writes one slot of an instrument and its order. clocks are those whose boundary it is; fresh are the references
// that the tick updated.
func (s *sequencer) stage(id uint32, values *[4]float64, control, clocks, fresh uint32, event risk.Event, receiveNs int64) {
	o := s.claim()
	count := uint32(len(s.lanes))
	l := s.lanes[id%count]
	for l.full() {
		s.counts.LaneFull.Add(1)
		s.room() // commits what is pending; the entry claimed here stays where it is
	}
	*o = order{event: event, at: receiveNs, lane: l}
	o.slot = l.stage(values, id/count, control, clocks, event.EngineNs)
	s.references.write(l, o.slot, id, fresh)
	s.pending++
}

// control makes the control word: kind, flags, and what the sequence so far says about the instrument.
func (s *sequencer) control(tick *feed.Tick) (control uint32, fresh uint8, gap bool) {
	key := s.key(tick.Source, tick.Instrument)
	control = uint32(tick.Kind) | uint32(tick.Flags)<<program.CtlFlagsShift
	if gap = s.anyGap(tick.Instrument); gap {
		control |= program.CtlGap
	}
	control |= s.session(tick.Instrument)
	fresh = s.openEvent[key] | classOf(tick.Kind)
	if tick.Flags&feed.FlagMore != 0 {
		s.openEvent[key] = fresh
		return control, 0, gap
	}
	s.openEvent[key] = 0
	return control | uint32(fresh)<<freshShift, fresh, gap
}

func classOf(kind feed.Kind) uint8 {
	switch kind {
	case feed.KindQuote:
		return classQuote
	case feed.KindTrade:
		return classTrade
	}
	return classBook
}

// pass sends a tick that belongs to no slot to the desk.
func (s *sequencer) pass(tick *feed.Tick, nowNs int64) {
	if len(s.lanes) == 0 {
		return
	}
	o := s.claim()
	*o = order{at: tick.ReceiveNs, event: risk.Event{
		Sequence: tick.Seq, EngineNs: nowNs, ExchangeNs: tick.ExchangeNs, ReceiveNs: tick.ReceiveNs,
		Instrument: tick.Instrument, Source: tick.Source, Kind: tick.Kind, F: tick.F,
	}}
	s.pending++
}

// claim returns the next free entry of the order ring.
func (s *sequencer) claim() *order {
	for {
		if o, ok := s.orders.ClaimAt(s.pending); ok {
			return o
		}
		s.counts.OrdersFull.Add(1)
		s.room()
	}
}

// publish makes the batch's slots and orders visible to the stages after.
func (s *sequencer) publish() {
	for _, l := range s.lanes {
		if l.staged.Load() != l.stagedBy {
			l.staged.Store(l.stagedBy)
		}
	}
	if s.pending > 0 {
		s.orders.Commit(s.pending)
		s.pending = 0
	}
}
