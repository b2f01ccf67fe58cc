package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/ring"
)

const controlSlots = 1024

// Run sequences what the sources offer until all of them have closed, Stop is called or ctx ends; then it finishes
// what is queued and returns. The error is the journal's, if that failed under its stop policy.
func (e *Engine) Run(ctx context.Context) error {
	unhook := context.AfterFunc(ctx, e.Stop)
	defer unhook()
	stepper := e.Steps()
	waiter := ring.NewWaiter(e.config.Wait, e.parker)
	for {
		switch progress, err := stepper.Step(); progress {
		case Ended:
			waiter.Busy()
			if closeErr := stepper.Close(); err == nil {
				err = closeErr
			}
			return err
		case Worked:
			waiter.Busy()
		case Idle:
			waiter.Idle(e.idleFor(stepper.nowNs))
		}
	}
}

// Stop asks Run to finish what is queued and return. Any goroutine.
func (e *Engine) Stop() {
	e.stopping.Store(true)
	e.parker.Wake()
}

// rest sequences what was queued when the engine was stopped.
func (e *Engine) rest() error {
	for _, inlet := range e.inlets {
		for left := inlet.Queued(); left > 0; {
			n := e.drain(inlet, min(left, e.config.Batch), e.timing.now())
			e.pipeline.kick()
			if n == 0 {
				break
			}
			left -= n
		}
	}
	return e.fault()
}

// fault returns why the engine must stop: its devices did not start or were lost, or its journal failed.
func (e *Engine) fault() error {
	if err := e.laneErr(); err != nil {
		return err
	}
	if e.gpuErr != nil {
		return e.gpuErr
	}
	return e.journalErr()
}

func (e *Engine) journalErr() error {
	if e.ports.JournalErr == nil {
		return nil
	}
	if err := e.ports.JournalErr(); err != nil {
		return fmt.Errorf("engine: stopped, because what is published must be recorded: %w", err)
	}
	return nil
}

// turn sequences up to most ticks, every inlet in turn, and sends the batch on. It returns how many it was.
func (e *Engine) turn(most int) int {
	n := 0
	startNs := e.timing.now()
	n += e.drain(e.control, most, startNs)
	sources := e.inlets[1:]
	for i := range sources {
		if n >= most {
			break
		}
		n += e.drain(sources[(e.turnAt+i)%len(sources)], most-n, startNs)
	}
	if len(sources) > 0 {
		e.turnAt = (e.turnAt + 1) % len(sources)
	}
	if n == 0 {
		return 0
	}
	e.counts.Turns.Add(1)
	e.timing.sequenced(startNs, e.timing.now(), n)
	e.pipeline.kick()
	return n
}

// drain sequences up to most ticks of one inlet.
func (e *Engine) drain(inlet *feed.Inlet, most int, nowNs int64) int {
	ticks, venue := inlet.Poll(most)
	if reason, lost, hole := inlet.Hole(); hole {
		return e.hole(inlet, reason, lost)
	}
	if len(ticks) == 0 {
		return 0
	}
	e.timing.arrived(nowNs, ticks[0].ReceiveNs, len(ticks))
	for i := range ticks {
		e.sequence(&ticks[i], venue[i])
	}
	inlet.Release(len(ticks))
	return len(ticks)
}

// hole handles a loss: market data that is queued may be older than the loss or newer, so none of it is used, and
// one Gap tick says so. What is not market data, such as a halt, is kept.
func (e *Engine) hole(inlet *feed.Inlet, reason feed.GapReason, lost uint64) int {
	n := 0
	for left := inlet.Queued(); left > 0; {
		ticks, venue := inlet.Poll(left)
		for i := range ticks {
			if ticks[i].Kind.IsMarketData() {
				e.counts.Discarded.Add(1)
				continue
			}
			e.sequence(&ticks[i], venue[i])
			n++
		}
		left -= len(ticks)
		inlet.Release(len(ticks))
	}
	gap := feed.Tick{
		ReceiveNs: e.clock.NowNs(), Instrument: feed.AllInstruments, Kind: feed.KindGap, Source: inlet.Source(),
		F: [4]float64{float64(reason), float64(lost)},
	}
	e.number(&gap, 0)
	return n + 1
}

// sequence translates the source's handle and numbers the tick. The tick is changed in place.
func (e *Engine) sequence(tick *feed.Tick, venue uint64) {
	if tick.Instrument != feed.AllInstruments {
		id, ok := e.instrument(tick.Source, tick.Instrument)
		if !ok {
			e.counts.InstrumentsFull.Add(1)
			return
		}
		tick.Instrument = id
	}
	e.number(tick, venue)
}

// number assigns the next sequence, journals and applies.
func (e *Engine) number(tick *feed.Tick, venue uint64) {
	tick.Seq = e.sequencer.sequence + 1
	if tick.Kind == feed.KindControl && tick.F[3] > 0 {
		e.journalNote(tick)
	}
	if e.ports.Ticks != nil {
		e.ports.Ticks.Append(tick, venue)
	}
	e.counts.Sequenced.Add(1)
	e.sequencer.apply(tick)
}

// instrument returns the id of a source's handle.
func (e *Engine) instrument(source uint16, handle uint32) (uint32, bool) {
	if id := e.handles[source][handle]; id != 0 {
		return id - 1, true
	}
	return e.introduce(source, handle)
}

// introduce gives an instrument its id, or a known one another source. It allocates.
func (e *Engine) introduce(source uint16, handle uint32) (uint32, bool) {
	symbol := e.inlets[source].Symbols.At(handle)
	id, known := e.ids[symbol]
	if !known {
		if len(e.ids) == e.config.Instruments {
			return 0, false
		}
		id = uint32(len(e.ids))
		e.ids[symbol] = id
		e.counts.Instruments.Add(1)
	}
	e.handles[source][handle] = id + 1
	if e.ports.Ticks != nil {
		// A name that passed the symbol table fits a definition.
		if err := e.ports.Ticks.Define(journal.Definition{
			ID: id, Source: source, Class: journal.ClassInstrument, Venue: symbol.Venue, Symbol: symbol.Name,
		}); err != nil {
			panic(fmt.Sprintf("engine: %v", err))
		}
	}
	e.sequencer.define(id, source, symbol)
	return id, true
}

// heartbeatDue sequences a heartbeat if nothing was sequenced for long enough.
func (e *Engine) heartbeatDue(nowNs int64) bool {
	if e.config.HeartbeatNs == 0 || !passed(e.lastNs, nowNs, e.config.HeartbeatNs) {
		return false
	}
	e.lastNs = nowNs
	beat := feed.Tick{ReceiveNs: nowNs, Instrument: feed.AllInstruments, Kind: feed.KindHeartbeat}
	e.number(&beat, 0)
	e.sequencer.ping()
	e.pipeline.kick() // the boundaries it passed
	return true
}

// idleFor returns how long the engine may sleep unless woken.
func (e *Engine) idleFor(nowNs int64) time.Duration {
	idle := e.config.HeartbeatNs - max(nowNs-e.lastNs, 0)
	if e.config.HeartbeatNs == 0 {
		idle = int64(idleNs)
	}
	if e.ports.Ticks != nil {
		idle = min(idle, max(e.config.FlushNs, int64(time.Millisecond)))
	}
	return time.Duration(max(idle, int64(100*time.Microsecond)))
}

const idleNs = 10 * time.Millisecond

// flushDue hands over the journal's partial blocks every FlushNs.
func (e *Engine) flushDue(nowNs int64) {
	if passed(e.flushNs, nowNs, e.config.FlushNs) {
		e.flushNs = nowNs
		if e.ports.Ticks != nil {
			e.ports.Ticks.Flush()
		}
		if e.Fused() && e.ports.Outcomes != nil {
			e.ports.Outcomes.Flush()
		}
	}
}

// flush hands over what is left when the stages have ended.
func (e *Engine) flush() {
	if e.ports.Ticks != nil {
		e.ports.Ticks.Flush()
	}
	if e.ports.Outcomes != nil {
		e.ports.Outcomes.Flush()
	}
}

// idle is called by a sequencer that has nothing to do.
func (e *Engine) idle() {
	e.timing.idleSequencer()
	if e.Fused() {
		e.timing.idleDesk()
		for i := range e.lanes {
			e.timing.idleLane(i)
		}
	}
}

// idleDesk is called by a desk that has nothing to do.
func (e *Engine) idleDesk() {
	if e.ports.Outcomes != nil {
		e.ports.Outcomes.Flush()
	}
}

// allDone reports that every source but the engine's own has closed and was drained.
func (e *Engine) allDone() bool {
	if len(e.inlets) == 1 {
		return false
	}
	for _, inlet := range e.inlets[1:] {
		if !inlet.Done() {
			return false
		}
	}
	return true
}
