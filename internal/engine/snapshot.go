package engine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sigengine/sigengine/feed"
)

// Errors of states.
var (
	// ErrSnapshot says that no state can be taken.
	ErrSnapshot = errors.New("engine: no snapshot")
	// ErrRestore says that a state is not one of this engine. The engine must not be used.
	ErrRestore = errors.New("engine: the state does not fit")
)

// State is everything that decides, at a point between two ticks: an engine that it is restored into decides on as the one it
// was taken from. It is kept by instrument, so it depends on neither lanes, mode, batch nor device. Its parts are in the forms
// of docs/snapshot.md.
type State struct {
	Sequence uint64            // of the last tick applied
	EngineNs int64             // engine time then
	Signals  uint64            // decided up to there
	Program  [sha256.Size]byte // of the programs, see Fingerprint

	Instruments []byte // names, and the sources of each
	Sequencer   []byte // gaps, events, sessions, clocks, references
	Executor    []byte // the program's state words
	Desk        []byte // see risk.Desk
	Output      []byte // see signal.OutputHash
	Counters    []byte
}

// Fingerprint is the hash of a configuration's programs: of the lanes, and of references.
func (c *Config) Fingerprint() [sha256.Size]byte {
	h := sha256.New()
	if c.Program != nil {
		sum := c.Program.Fingerprint()
		h.Write(sum[:])
	}
	if c.References.Program != nil {
		sum := c.References.Program.Fingerprint()
		h.Write(sum[:])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Snapshot takes the state after the last tick. It waits until that is decided.
func (r *Recording) Snapshot() (*State, error) { return r.e.snapshot() }

// Snapshot takes the state between two steps. It waits until what was sequenced is decided, and nothing is sequenced meanwhile:
// where that is too long, let another engine replay the journal behind this one, and take its state.
func (s *Stepper) Snapshot() (*State, error) { return s.e.snapshot() }

// snapshot runs on the sequencer's goroutine.
func (e *Engine) snapshot() (*State, error) {
	if len(e.lanes) == 0 {
		return nil, fmt.Errorf("%w: there is no program, so there is no state", ErrSnapshot)
	}
	for _, l := range e.lanes {
		if l.gpu != nil && l.gpu.follower == nil {
			return nil, fmt.Errorf("%w: lane %d runs on a GPU and is not followed; with a follower its state is taken from there, "+
				"or take the snapshot from the journal on the CPU", ErrSnapshot, l.number)
		}
	}
	if err := e.settle(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	s := &State{
		Sequence: e.sequencer.sequence, EngineNs: e.sequencer.time.NowNs(), Signals: e.decided.hash.Count(),
		Program: e.config.Fingerprint(), Desk: e.desk.desk.AppendState(nil),
	}
	var err error
	if s.Output, err = e.decided.hash.AppendState(nil); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	ids := e.sequencer.defined()
	s.Instruments = e.appendInstruments(ids)
	for part, code := range e.parts(ids) {
		c := coder{writing: true}
		code(&c)
		*[]*[]byte{&s.Sequencer, &s.Executor, &s.Counters}[part] = c.b
	}
	return s, nil
}

// parts are those of a state that the engine codes in place, in the order of State's fields: sequencer, executor, counters.
func (e *Engine) parts(ids []uint32) []func(*coder) {
	return []func(*coder){
		func(c *coder) { e.sequencer.code(c, ids) },
		func(c *coder) { e.codeExecutors(c, ids) },
		func(c *coder) { e.codeCounters(c) },
	}
}

// settle returns when everything sequenced was decided, and followers have caught up. From then until the sequencer's next
// tick nobody writes what it reads here: the order ring's cursor, and the followers', say so.
func (e *Engine) settle() error {
	e.pipeline.settle()
	if err := e.fault(); err != nil {
		return err
	}
	if e.desk.ended {
		return ErrDeviceLost
	}
	for _, l := range e.lanes {
		for l.gpu != nil && l.gpu.follower.followed.Load() != l.stagedBy {
			if err := e.laneErr(); err != nil {
				return err
			}
			time.Sleep(followerNap)
		}
	}
	if e.Mismatches() > 0 {
		return ErrMismatch // what was decided from those rows cannot be known
	}
	return nil
}

// defined returns the instruments that are known, by id.
func (s *sequencer) defined() []uint32 { return slices.Sorted(slices.Values(s.byName)) }

// Restore puts a state in the place of a new engine's, which was made with the configuration of the engine that it was taken
// from; lanes, mode, batch and devices may differ. It is called once, after AddInlet and before Run, Steps or Record; the next
// tick is that after State.Sequence. If the error is not nil the engine must not be used.
func (e *Engine) Restore(s *State) error {
	switch {
	case len(e.lanes) == 0 || s.Program != e.config.Fingerprint():
		return fmt.Errorf("%w: it is of another program", ErrRestore)
	case e.sequencer.sequence != 0 && e.sequencer.sequence != s.Sequence:
		return fmt.Errorf("%w: it is of tick %d, and the journal goes on after tick %d", ErrRestore, s.Sequence, e.sequencer.sequence)
	case len(e.ids) > 0:
		return fmt.Errorf("%w: the engine knows instruments already", ErrRestore)
	}
	if err := e.restoreInstruments(s.Instruments); err != nil {
		return err
	}
	if err := e.desk.desk.LoadState(s.Desk); err != nil {
		return fmt.Errorf("%w: %w", ErrRestore, err)
	}
	if err := e.decided.hash.LoadState(s.Output); err != nil {
		return fmt.Errorf("%w: %w", ErrRestore, err)
	}
	ids := e.sequencer.defined()
	for part, code := range e.parts(ids) {
		c := coder{b: [][]byte{s.Sequencer, s.Executor, s.Counters}[part]}
		code(&c)
		if err := c.end(); err != nil {
			return err
		}
	}
	e.sequencer.sequence = s.Sequence
	e.sequencer.time.Resume(s.EngineNs)
	e.restored = true
	e.state.Store(uint32(e.desk.desk.StateNow()))
	if e.desk.latched != nil {
		e.desk.latched(e.desk.desk.Latches())
	}
	return e.loadDevices()
}

// appendInstruments writes who the instruments are.
func (e *Engine) appendInstruments(ids []uint32) []byte {
	c := coder{writing: true}
	count := uint32(len(ids))
	c.u32(&count)
	for _, id := range ids {
		symbol := e.desk.desk.Symbol(id)
		c.u32(&id)
		c.u64(&e.sequencer.from[id])
		c.text(&symbol.Venue)
		c.text(&symbol.Name)
	}
	return c.b
}

// restoreInstruments makes the instruments of a state known to everything, in the order of their ids. Nothing runs yet, so
// the desk is told at once.
func (e *Engine) restoreInstruments(b []byte) error {
	c := coder{b: b}
	var count uint32
	c.u32(&count)
	for next := uint32(0); count > 0 && c.err == nil; count-- {
		var id uint32
		var sources uint64
		var symbol feed.Symbol
		c.u32(&id)
		c.u64(&sources)
		c.text(&symbol.Venue)
		c.text(&symbol.Name)
		_, known := e.ids[symbol]
		if c.err == nil && (id < next || int(id) >= e.config.Instruments || sources == 0 || known) {
			c.fail(fmt.Sprintf("instrument %d; there is room for %d", id, e.config.Instruments))
		}
		if c.err != nil {
			break
		}
		next = id + 1
		e.ids[symbol] = id
		e.counts.Instruments.Add(1)
		e.sequencer.redefine(id, sources, symbol, e.desk.define)
	}
	return c.end()
}

// redefine makes an instrument known again, with all its sources. Its state words come with the state.
func (s *sequencer) redefine(id uint32, sources uint64, symbol feed.Symbol, desk func(*definition)) {
	s.from[id] = sources
	signals, killed := ^uint64(0), false
	if s.config.Applies != nil {
		signals, killed = s.config.Applies(symbol)
	}
	s.name(id, symbol)
	s.signals[id] = signals
	s.references.define(id, symbol)
	for source := range uint16(SourcesMax) {
		if sources>>source&1 != 0 {
			desk(&definition{id: id, source: source, symbol: symbol, killed: killed, signals: signals})
		}
	}
}
