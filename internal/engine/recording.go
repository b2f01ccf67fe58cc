package engine

import (
	"errors"
	"fmt"

	"github.com/sigengine/sigengine/feed"
)

// ErrRecording says that recorded input does not fit: out of sequence, or of an instrument not defined.
var ErrRecording = errors.New("engine: recorded input does not fit")

// Recording feeds an engine without sources from recorded ticks: the same sequencer, lanes and desk as live. One
// goroutine; Close before the results are read.
type Recording struct {
	e       *Engine
	batch   int
	defined []bool // by source × Instruments + id
	started bool
}

// Record starts a recording. Run must not be called on the same engine.
func (e *Engine) Record() *Recording {
	e.startGPU()
	e.pipeline.start()
	r := &Recording{e: e, started: e.restored, defined: make([]bool, SourcesMax*e.config.Instruments)}
	for _, id := range e.sequencer.byName { // restored
		for source := range uint16(SourcesMax) {
			r.defined[e.sequencer.key(source, id)] = e.sequencer.from[id]>>source&1 != 0
		}
	}
	return r
}

// Define makes an instrument known, or gives it another source, before the next tick.
func (r *Recording) Define(id uint32, source uint16, symbol feed.Symbol) error {
	if int(id) >= r.e.config.Instruments || source >= SourcesMax {
		return fmt.Errorf("%w: instrument %d of source %d; there is room for %d instruments and %d sources",
			ErrRecording, id, source, r.e.config.Instruments, SourcesMax)
	}
	key := r.e.sequencer.key(source, id)
	known, ok := r.e.ids[symbol]
	if ok && known != id || !ok && r.e.sequencer.from[id] != 0 {
		return fmt.Errorf("%w: instrument %d is %s %s and another", ErrRecording, id, symbol.Venue, symbol.Name)
	}
	if r.defined[key] {
		return nil // segments repeat definitions
	}
	if !ok {
		r.e.ids[symbol] = id
		r.e.counts.Instruments.Add(1)
	}
	r.defined[key] = true
	r.e.sequencer.define(id, source, symbol)
	return nil
}

// Tick applies the next recorded tick. The tick is not changed.
func (r *Recording) Tick(tick *feed.Tick) error {
	e := r.e
	if r.started && tick.Seq != e.sequencer.sequence+1 {
		return fmt.Errorf("%w: tick %d after %d", ErrRecording, tick.Seq, e.sequencer.sequence)
	}
	if err := r.check(tick); err != nil {
		return err
	}
	if r.batch == 0 && len(e.gpus) > 0 {
		if err := e.fault(); err != nil {
			return err
		}
	}
	r.started = true
	e.counts.Sequenced.Add(1)
	e.sequencer.apply(tick)
	r.batch++
	if r.batch >= e.config.Batch {
		r.batch = 0
		e.counts.Turns.Add(1)
		e.pipeline.kick()
	}
	return nil
}

func (r *Recording) check(tick *feed.Tick) error {
	if tick.Source >= SourcesMax {
		return fmt.Errorf("%w: tick %d is of source %d, the most is %d", ErrRecording, tick.Seq, tick.Source, SourcesMax-1)
	}
	if tick.Instrument == feed.AllInstruments {
		if tick.Kind.IsMarketData() || tick.Kind == feed.KindStatus {
			return fmt.Errorf("%w: tick %d, a %s, names no instrument", ErrRecording, tick.Seq, tick.Kind)
		}
		return nil
	}
	if int(tick.Instrument) >= r.e.config.Instruments || !r.defined[r.e.sequencer.key(tick.Source, tick.Instrument)] {
		return fmt.Errorf("%w: tick %d names instrument %d of source %d, which is not defined",
			ErrRecording, tick.Seq, tick.Instrument, tick.Source)
	}
	return nil
}

// Close finishes what is queued. The engine's results may be read afterwards, if the error, a device's, is nil.
func (r *Recording) Close() error {
	r.e.pipeline.finish()
	r.e.endGPU()
	r.e.flush()
	r.e.timing.close()
	return errors.Join(r.e.laneErr(), r.e.gpuErr)
}
