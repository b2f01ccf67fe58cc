package engine

import (
	"errors"
	"strconv"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels/program"
)

// Probe is an engine whose parts a benchmark drives by hand: lanes alone, staged and polled with nothing before or after, or a
// whole turn with the time of each part. It decides nothing that is kept.
//
//	Stage ─► slot ─► CPU or GPU ─► row ─► Poll           (ProbeLane: no sequencer, no desk)
//	Turn: ticks ─► sequencer ─► lanes ─► desk, timed
//
// One goroutine may use the whole, or several one lane each. Close before the device is closed.
type Probe struct {
	e         *Engine
	recording *Recording
	lanes     []ProbeLane
}

// NewProbe starts an engine in which so many instruments are known: instrument i is in lane i modulo lanes. The
// configuration's mode is not used.
func NewProbe(config Config, instruments int) (*Probe, error) {
	config.Mode, config.Instruments = ModeFused, instruments
	e, err := New(config, Ports{Clock: feed.NewManualClock(0)})
	if err != nil {
		return nil, err
	}
	p := &Probe{e: e, recording: e.Record()}
	if err := e.fault(); err != nil {
		return nil, errors.Join(err, p.recording.Close())
	}
	for i := range instruments {
		symbol := feed.Symbol{Venue: "probe", Name: "I" + strconv.Itoa(i)}
		if err := p.recording.Define(uint32(i), 1, symbol); err != nil {
			return nil, errors.Join(err, p.recording.Close())
		}
		if i%config.Batch == config.Batch-1 {
			e.pipeline.kick()
		}
	}
	e.pipeline.kick()
	for _, l := range e.lanes {
		p.lanes = append(p.lanes, ProbeLane{references: &e.sequencer.references, l: l, count: uint32(len(e.lanes))})
	}
	return p, e.fault()
}

// Lanes returns the number of lanes.
func (p *Probe) Lanes() int { return len(p.lanes) }

// Lane returns a lane.
func (p *Probe) Lane(i int) *ProbeLane { return &p.lanes[i] }

// Stage stages a tick of any instrument, and reports whether its lane had room.
func (p *Probe) Stage(tick *feed.Tick) bool {
	return p.lanes[tick.Instrument%uint32(len(p.lanes))].Stage(tick)
}

// Poll takes rows of all lanes until none is missing, or a lane has failed.
func (p *Probe) Poll() error {
	for missing := true; missing; {
		missing = false
		for i := range p.lanes {
			l := &p.lanes[i]
			if l.Waiting() == 0 {
				continue
			}
			l.Poll()
			missing = missing || l.Waiting() > 0
		}
		if err := p.e.laneErr(); err != nil {
			return err
		}
	}
	return nil
}

// Err returns why a lane cannot go on, or nil.
func (p *Probe) Err() error { return p.e.laneErr() }

// TurnTimes is what the parts of a turn took, in nanoseconds.
type TurnTimes struct{ Sequence, Lanes, Desk int64 }

// Turn runs ticks of source 1 through sequencer, lanes and desk, at most the lanes' room of them.
func (p *Probe) Turn(clock feed.Clock, ticks []feed.Tick) (TurnTimes, error) {
	e := p.e
	at0 := clock.NowNs()
	for i := range ticks {
		e.sequencer.apply(&ticks[i])
	}
	e.sequencer.publish()
	at1 := clock.NowNs()
	for _, l := range e.lanes {
		l.computeAll()
	}
	at2 := clock.NowNs()
	e.desk.drain()
	at3 := clock.NowNs()
	return TurnTimes{at1 - at0, at2 - at1, at3 - at2}, e.fault()
}

// Close ends the lanes and, on a device, the kernel.
func (p *Probe) Close() error {
	return p.recording.Close()
}

// ProbeLane is one lane of a Probe. One goroutine.
type ProbeLane struct {
	references *references
	l          *lane
	count      uint32 // lanes
	fired      uint64
}

// Stage writes a tick, an event of its own, into the lane's next slot, and reports whether there was room.
func (p *ProbeLane) Stage(tick *feed.Tick) bool {
	l := p.l
	if l.full() {
		return false
	}
	control := uint32(tick.Kind) | uint32(classOf(tick.Kind))<<freshShift
	slot := l.stage(&tick.F, tick.Instrument/p.count, control, 0, tick.ReceiveNs)
	p.references.write(l, slot, tick.Instrument, 0)
	return true
}

// Poll takes the rows that are whole and frees their slots. It returns how many they were.
func (p *ProbeLane) Poll() uint64 {
	l := p.l
	l.staged.Store(l.stagedBy)
	from := l.computed.Load()
	n := l.compute(l.mask + 1)
	for slot := from; slot != from+n; slot++ {
		p.fired += l.rowsOf(slot)[slot&l.mask].Value & 1
	}
	l.consumed.Store(from + n)
	return n
}

// Waiting returns how many slots have no row yet.
func (p *ProbeLane) Waiting() uint64 { return p.l.stagedBy - p.l.computed.Load() }

// Fired returns in how many of the rows taken the first signal fired.
func (p *ProbeLane) Fired() uint64 { return p.fired }

// Slot is a tick, an event of its own, as a lane holds it, with no references and no stamps that mean anything: for a
// program of another language that runs the same kernel.
func Slot(p *program.Program, tick *feed.Tick) []program.Quarter {
	l := lane{memory: program.Lane{In: make([]program.Quarter, p.SlotQuarters)}}
	l.stage(&tick.F, tick.Instrument, uint32(tick.Kind)|uint32(classOf(tick.Kind))<<freshShift, 0, tick.ReceiveNs)
	return l.memory.In
}

// EnableWord is the state word of an instrument that says which signals it has, a bit each.
const EnableWord = enableWord
