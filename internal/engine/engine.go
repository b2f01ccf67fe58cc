package engine

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/ring"
	"github.com/sigengine/sigengine/risk"
)

// Ports are what an engine is connected to. All but Clock may be nil.
type Ports struct {
	Clock    feed.Clock
	Sink     Sink
	Ticks    *journal.TickAppender
	Outcomes *journal.OutcomeAppender
	// JournalErr reports that the journal failed under its stop policy; it is asked once a turn.
	JournalErr func() error
	Timing     *Timing
	// Refusals gets refused signals, as many as package risk hands on, on the desk's goroutine. nil: they are only counted.
	Refusals RefusalSink
	// Latched is told, on the desk's goroutine, what is killed, reduced and latched, whenever that has changed.
	Latched func(risk.Latches)
	// Observe sees every event on the desk's goroutine, before the desk takes it. It slows the engine: explanations and tests
	// have use for it.
	Observe func(Observation)
}

// Engine is one partition's engine. See the package documentation for who may call what.
type Engine struct {
	config Config
	clock  feed.Clock
	ports  Ports
	timing *Timing
	counts Counts

	// Live input.
	inlets  []*feed.Inlet
	control *feed.Inlet
	ids     map[feed.Symbol]uint32
	handles [][]uint32 // by source, by handle: id + 1, 0 while unknown
	turnAt  int        // the inlet that the next turn begins with
	parker  *ring.Parker
	lastNs  int64 // when something was last sequenced
	flushNs int64 // when the journal was last flushed

	sequencer *sequencer
	lanes     []*lane
	orders    *ring.Ring[order]
	desk      *deskStage
	decided   *decided
	pipeline  pipeline
	gpus      []*gpuSet
	gpuEnded  bool  // their part is closed
	gpuErr    error // of the end
	startErr  error // a device did not start

	commands sync.Mutex // the control inlet has many callers
	notes    notes
	stopping atomic.Bool
	state    atomic.Uint32 // a risk.State, as the desk had it last
	restored bool          // the state came from elsewhere
}

// New returns an engine that has not started.
func New(config Config, ports Ports) (*Engine, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config.Desk.Instruments = config.Instruments
	e := &Engine{
		config: config, clock: ports.Clock, ports: ports, timing: ports.Timing,
		ids:    make(map[feed.Symbol]uint32, config.Instruments),
		parker: ring.NewParker(),
	}
	if e.clock == nil {
		return nil, fmt.Errorf("%w: no clock", ErrConfig)
	}
	if err := e.build(); err != nil {
		return nil, errors.Join(err, e.closeGPU())
	}
	return e, e.addControl()
}

// build makes lanes, order ring, desk and pipeline.
func (e *Engine) build() error {
	lanes := e.config.Lanes
	if e.config.Program == nil {
		lanes = 0
	}
	perLane := (e.config.Instruments + e.config.Lanes - 1) / e.config.Lanes
	for i := range lanes {
		l, err := newLane(e.config.Program, e.config.LaneSlots, perLane)
		if err != nil {
			return fmt.Errorf("engine: %w", err)
		}
		l.number = i
		l.begin(e.config.laneStart)
		e.lanes = append(e.lanes, l)
	}
	if err := e.buildGPU(perLane); err != nil {
		return err
	}
	var err error
	if e.orders, err = ring.New(make([]order, e.config.LaneSlots)); err != nil {
		return fmt.Errorf("engine: order ring: %w", err)
	}
	if e.sequencer, err = newSequencer(&e.config, e.lanes, e.orders, &e.counts); err != nil {
		return fmt.Errorf("engine: references: %w", err)
	}
	e.decided = newDecided(e.ports, &e.counts)
	if e.desk, err = newDeskStage(e, e.decided); err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	if e.config.fused() {
		e.pipeline = &fused{e: e}
	} else {
		e.pipeline = newStaged(e)
	}
	e.state.Store(uint32(e.desk.desk.StateNow()))
	e.sequencer.room = e.pipeline.room
	if e.ports.Ticks != nil {
		e.sequencer.sequence = e.ports.Ticks.NextSeq() - 1
	}
	return nil
}

// buildGPU moves the lanes to devices, if the configuration has some.
func (e *Engine) buildGPU(perLane int) error {
	g := e.config.GPU
	if g == nil || len(e.lanes) == 0 {
		return nil
	}
	if len(g.Devices) == 0 {
		return fmt.Errorf("%w: a GPU executor without a device", ErrConfig)
	}
	for k, device := range g.Devices {
		var mine []*lane
		for i, l := range e.lanes {
			if i%len(g.Devices) == k {
				mine = append(mine, l)
			}
		}
		if len(mine) == 0 {
			continue
		}
		set, err := newGPUSet(&e.config, device, mine, perLane)
		if err != nil {
			return errors.Join(err, e.closeGPU())
		}
		e.gpus = append(e.gpus, set)
	}
	return nil
}

// startGPU begins resident kernels and followers.
func (e *Engine) startGPU() {
	for _, set := range e.gpus {
		if err := set.start(); err != nil {
			e.startFailed(err)
			return
		}
	}
	for _, set := range e.gpus {
		for _, g := range set.lanes {
			if g.follower != nil {
				g.follower.start()
			}
		}
	}
}

// endGPU closes the devices' part when the stages have ended, and keeps what went wrong.
func (e *Engine) endGPU() { e.gpuErr = errors.Join(e.gpuErr, e.closeGPU()) }

// closeGPU stops kernels and frees device memory, once. The lanes have nothing staged.
func (e *Engine) closeGPU() error {
	if e.gpuEnded {
		return nil
	}
	e.gpuEnded = true
	var errs []error
	for _, set := range e.gpus {
		err := set.close()
		if e.config.GPU.Follow && set.device.Lost() != nil {
			err = nil // the followers went on without it
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// laneErr returns why a lane cannot go on, or nil.
func (e *Engine) laneErr() error {
	if e.startErr != nil {
		return e.startErr
	}
	for _, l := range e.lanes {
		if err := l.failed.Load(); err != nil {
			return fmt.Errorf("%w: %w", ErrDeviceLost, *err)
		}
	}
	return nil
}

// Mismatches returns how many rows of devices differed from their followers', or could not be. It is 0, or a device computes
// wrongly: then DeviceLost says ErrMismatch. Any goroutine.
func (e *Engine) Mismatches() (n uint64) {
	for _, set := range e.gpus {
		for _, g := range set.lanes {
			n += g.wrong.Load()
		}
	}
	return n
}

// DeviceLost returns why a device is not used any more, or nil. With followers the engine goes on without. Any goroutine.
func (e *Engine) DeviceLost() error {
	for _, set := range e.gpus {
		if err := set.device.Lost(); err != nil {
			return err
		}
	}
	return nil
}

// addControl makes the inlet through which commands enter; it is source 0.
func (e *Engine) addControl() error {
	inlet, err := feed.NewInlet(feed.InletConfig{
		Name: "control", Slots: controlSlots, Instruments: e.config.Instruments, Full: feed.FullBlock,
	})
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	e.control = inlet
	return e.AddInlet(inlet)
}

// AddInlet adds a source. Its number is its place in the order of the calls, from 1. Before Run only.
func (e *Engine) AddInlet(inlet *feed.Inlet) error {
	if len(e.inlets) == SourcesMax {
		return fmt.Errorf("%w: more than %d sources", ErrConfig, SourcesMax-1)
	}
	inlet.Connect(uint16(len(e.inlets)), e.parker)
	e.inlets = append(e.inlets, inlet)
	e.handles = append(e.handles, make([]uint32, inlet.Symbols.Cap()))
	return nil
}

// Counts returns the engine's counters.
func (e *Engine) Counts() *Counts { return &e.counts }

// Rejections returns the desk's counters.
func (e *Engine) Rejections() *risk.Counts { return e.desk.desk.Counters() }

// State returns what the desk lets pass, as of the last event that it took. Any goroutine.
func (e *Engine) State() risk.State { return risk.State(e.state.Load()) }

// Inlets returns the sources in the order of their numbers; the first is the engine's own.
func (e *Engine) Inlets() []*feed.Inlet { return e.inlets }

// Fused reports whether one goroutine does everything.
func (e *Engine) Fused() bool { _, ok := e.pipeline.(*fused); return ok }

// OutputHash returns the hash of the decided signals and their number. Only after Run or Recording.Close returned.
func (e *Engine) OutputHash() (hash string, signals uint64) {
	return e.decided.hash.Sum(), e.decided.hash.Count()
}
