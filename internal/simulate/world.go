package simulate

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/replay/journal"
)

// Options say how to simulate. The zero value is the plan's own.
type Options struct {
	PerfectConn bool      // the output connection never refuses
	NoConsumer  bool      // nobody decodes what is published, which changes nothing and is quicker
	Events      io.Writer // gets a line an event; nil: none

	sabotage sabotage // breaks the harness or the engine, to see that Check notices
}

// Result is a finished simulation.
type Result struct {
	Plan    Plan
	Runs    []*Run
	Trace   string // hash of every event
	Journal string // hash of every journal's bytes
	Lost    [feeds]uint64
	Healthy [feeds]uint64 // messages carried since the faults stopped
	Steps   int           // of the clock
}

// Refused returns how many signals the connection refused, or the publisher because they were too old.
func (r *Result) Refused() uint64 {
	var refused uint64
	for _, run := range r.Runs {
		refused += run.Engine.SinkErrors
	}
	return refused
}

// world is a simulation under way.
type world struct {
	plan    Plan
	options Options
	nowNs   int64 // true time
	offset  int64 // the engine's clock beside true time
	mostNs  int64 // the engine's clock, at most so far
	clock   *feed.ManualClock
	trace   *trace
	time    chance
	chances struct{ source, process, store chance }
	bus     *bus
	process *process
	quiet   bool
	downFor int // turns until a dead process is started again
	result  Result
}

// Simulate runs a plan to its end. An error is a fault of the simulator or a process that could not start; broken contracts
// are Check's to find.
func Simulate(plan Plan, options Options) (*Result, error) {
	w := &world{plan: plan, options: options, nowNs: startNs, mostNs: startNs, clock: feed.NewManualClock(startNs), time: newChance(plan.Seed, streamTime)}
	w.chances.source = newChance(plan.Seed, streamSource)
	w.chances.process = newChance(plan.Seed, streamProcess)
	w.chances.store = newChance(plan.Seed, streamStore)
	w.trace = newTrace(w, options.Events)
	w.result.Plan = plan
	var err error
	if w.bus, err = newBus(w); err != nil {
		return nil, err
	}
	if err := w.restart(); err != nil {
		return nil, err
	}
	for range plan.Turns {
		w.faults()
		if err := w.turn(); err != nil {
			return nil, err
		}
	}
	if err := w.heal(); err != nil {
		return nil, err
	}
	for range plan.QuietTurns {
		if err := w.turn(); err != nil {
			return nil, err
		}
	}
	w.stop()
	w.result.Trace, w.result.Lost, w.result.Healthy = w.trace.sum(), w.bus.lost, w.bus.healthy
	w.result.Journal, err = w.journalHash()
	return &w.result, err
}

// turn is one step of the world.
func (w *world) turn() error {
	w.advance(int64(w.time.between(1, 2*turnNs)))
	w.bus.turn()
	w.advance(int64(w.time.between(0, 20_000)))
	if w.process.ended {
		if w.downFor--; w.downFor > 0 {
			return nil
		}
		return w.restart()
	}
	w.process.turn(w.chances.process)
	if w.process.ended {
		w.crash()
	}
	return nil
}

func (w *world) advance(ns int64) {
	w.nowNs += ns
	w.clock.Set(w.nowNs + w.offset)
	w.mostNs = max(w.mostNs, w.nowNs+w.offset)
}

// restart starts the process anew.
func (w *world) restart() error {
	p, err := start(w, uint64(len(w.result.Runs)+1))
	if err != nil {
		return err
	}
	w.process = p
	w.result.Runs = append(w.result.Runs, p.run)
	if w.quiet {
		p.run.Quiet = 0
	}
	return nil
}

// faults lets this turn's faults happen.
func (w *world) faults() {
	p, c := &w.plan, w.time
	if c.hits(p.ClockStep) {
		w.stepClock(c)
	}
	if c.hits(p.Disconnect) {
		w.bus.disconnect(int64(c.between(1, 60)) * turnNs)
	}
	if c.hits(p.Burst) {
		w.bus.burst()
	}
	if w.process.ended {
		return
	}
	w.faultsInside(w.chances.source)
	if w.chances.store.hits(p.StoreFail) {
		if w.chances.store.coin() {
			w.process.run.Store.FailAfter(int64(w.chances.store.below(20_000)))
		} else {
			w.process.run.Store.FailSyncs(true)
		}
		w.trace.event("store fails")
	}
	if c.hits(p.Kill) {
		w.process.kill(w.chances.store, c.coin())
		w.downFor = c.between(1, 40)
		w.bus.clear()
	}
}

// faultsInside are stalls, refusals and operators.
func (w *world) faultsInside(c chance) {
	p := &w.plan
	for _, s := range w.process.sources {
		if c.hits(p.Stall) {
			s.stalled = c.between(1, 30)
		}
	}
	if c.hits(p.EngineStall) {
		w.process.stalled = c.between(1, 30)
	}
	if w.process.out.failing > 0 {
		w.process.out.failing--
	} else if c.hits(p.ConnFail / 4) {
		w.process.out.failing = c.between(1, 100)
	}
	if c.hits(p.Command) {
		i := c.below(feeds)
		symbol := w.bus.markets[i].Symbol(c.below(w.bus.markets[i].Len()))
		w.process.command(pick(c, feed.ControlKill, feed.ControlResume), pick(c, feed.ScopeAll, feed.ScopeInstrument, feed.ScopeSignal),
			symbol, c.below(len(w.process.run.Shape.Desk.Rules)))
	}
}

// stepClock sets the engine's clock: a little, an hour, either way, or to the true time.
func (w *world) stepClock(c chance) {
	const ms, hour = int64(1e6), int64(3600e9)
	switch c.below(6) {
	case 0:
		w.offset += 100 * ms
	case 1:
		w.offset -= 100 * ms
	case 2:
		w.offset += hour
	case 3:
		w.offset -= hour
	case 4:
		w.offset += int64(c.between(-2000, 2000)) * ms
	case 5:
		w.offset = 0
	}
	w.result.Steps++
	w.trace.event("clock", uint64(w.offset))
	w.advance(0)
}

// crash is what happens after a process ended by itself: its machine is set right and it will be started again.
func (w *world) crash() {
	w.process.run.Store.Crash(func(_ string, synced, written int) int { return w.chances.store.between(synced, written) })
	w.downFor = w.time.between(1, 40)
	w.bus.clear()
}

// heal ends the faults and does what an operator does: the clock is set to a time not before any that was seen, kills are
// lifted, a journal on a sick disk is left, and a process that corrupt data has poisoned is started anew.
func (w *world) heal() error {
	w.trace.event("quiet")
	w.quiet = true
	w.offset = max(w.offset, w.mostNs-w.nowNs)
	if w.bus.down {
		w.bus.connect()
	}
	p := w.process
	p.run.Store.FailAfter(math.MaxInt64)
	p.run.Store.FailSyncs(false)
	if !p.ended && p.poisoned() {
		p.kill(w.chances.store, false)
		w.bus.clear()
	}
	if p.ended {
		return w.restart()
	}
	p.run.Quiet, p.run.QuietAt = len(p.run.Emitted), p.engine.Counts().Sequenced.Load()
	p.stalled, p.out.failing = 0, 0
	for _, s := range p.sources {
		s.stalled = 0
	}
	if w.options.sabotage == sabotageMute {
		p.command(feed.ControlKill, feed.ScopeAll, feed.Symbol{}, 0)
		return nil
	}
	p.command(feed.ControlResume, feed.ScopeAll, feed.Symbol{}, 0)
	for i := range p.run.Shape.Desk.Rules {
		p.command(feed.ControlResume, feed.ScopeSignal, feed.Symbol{}, i)
	}
	for _, m := range w.bus.markets {
		for i := range m.Len() {
			p.command(feed.ControlResume, feed.ScopeInstrument, m.Symbol(i), 0)
		}
	}
	return nil
}

// stop ends the last process in good order: its sources handle what they have, close, and the engine finishes.
func (w *world) stop() {
	p := w.process
	for _, s := range p.sources {
		for len(s.pending) > 0 {
			s.handle(1)
			p.step()
		}
		s.inlet.Close()
	}
	for !p.ended {
		p.step()
	}
}

func (p *process) step() {
	if progress, err := p.stepper.Step(); progress == engine.Ended && !p.ended {
		p.run.Failed = err
		p.end()
	}
}

// journalHash hashes the bytes of all journals.
func (w *world) journalHash() (string, error) {
	h := sha256.New()
	for _, run := range w.result.Runs {
		files, err := run.Store.List()
		if err != nil {
			return "", err
		}
		for i := range files {
			name := journal.SegmentName(uint64(i) + 1)
			io.WriteString(h, name)
			h.Write(run.Store.Bytes(name))
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
