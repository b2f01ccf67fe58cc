package simulate

import (
	"errors"
	"slices"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
	"github.com/sigengine/sigengine/risk"
)

// Run is what is known of one life of the process: what it recorded, published and counted.
type Run struct {
	Number  uint64 // from 1
	Shape   engine.Config
	Store   *memstore.Store
	Marks   []Mark
	Emitted []Emission
	Hash    string // of what it decided
	Good    bool   // it ended in good order
	Failed  error  // its journal's
	Sources []SourceCount
	Engine  EngineCount
	Writer  journal.Stats
	Gates   [risk.GateCount]uint64 // refusals
	Quiet   int                    // first of Emitted after the faults had stopped; -1: it ended before
	QuietAt uint64                 // and how many ticks had been sequenced then

	Problems []Violation // found on the way
}

// Mark is a moment at which a source had lost something: no market data of it may be sequenced after the first After
// ticks before a Gap was.
type Mark struct {
	Source uint16
	After  uint64
}

// EngineCount are the engine's counters at the end of a run.
type EngineCount struct {
	Sequenced, Heartbeats, Gaps, Discarded, InstrumentsFull, LateDropped, Signals, SinkErrors, Commands uint64
	ControlQueued                                                                                       int
}

// process is one life of the engine.
type process struct {
	w       *world
	run     *Run
	engine  *engine.Engine
	stepper *engine.Stepper
	writer  *journal.Writer
	out     *outlet
	sources [feeds]*source
	stalled int // turns without a step
	ended   bool
}

// start makes a process as internal/live does: a journal, which says first what a replay needs, the engine, its sources.
func start(w *world, number uint64) (*process, error) {
	c, err := config.Parse("simulated.yaml", []byte(w.plan.config()), nil)
	if err != nil {
		return nil, err
	}
	shape, _, err := setup.Engine(c)
	if err != nil {
		return nil, err
	}
	p := &process{w: w, run: &Run{Number: number, Shape: shape, Store: new(memstore.Store), Quiet: -1}}
	if err := p.openJournal(c); err != nil {
		return nil, err
	}
	if p.out, err = newOutlet(w, p.run, shape.Instruments*len(shape.Desk.Rules)); err != nil {
		return nil, err
	}
	p.engine, err = engine.New(w.options.sabotage.shape(shape), engine.Ports{
		Clock: w.clock, Sink: p.out, Ticks: p.writer.Ticks(), Outcomes: p.writer.Outcomes(),
		JournalErr: func() error {
			if p.writer.Failed() {
				return p.writer.Err()
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	for i := range p.sources {
		if p.sources[i], err = newSource(p, i); err != nil {
			return nil, err
		}
	}
	p.stepper = p.engine.Steps()
	w.trace.event("start", number)
	return p, nil
}

func (p *process) openJournal(c *config.Config) error {
	plan := &p.w.plan
	options := journalOptions(p.w.clock.NowNs)
	options.BlockBytes, options.TickBlocks, options.OutcomeBlocks = plan.BlockBytes, plan.TickBlocks, 2
	if plan.SyncBlocks {
		options.Sync = journal.SyncBlocks
	}
	if plan.ContinueOnError {
		options.OnError = journal.ErrorContinue
	}
	var err error
	if p.writer, err = journal.OpenWriter(p.run.Store, options); err != nil {
		return err
	}
	if err := p.writer.Ticks().Config(setup.Generation, "simulated.yaml", []byte(c.String())); err != nil {
		return err
	}
	p.writer.Ticks().Flush()
	return nil
}

func journalOptions(nowNs func() int64) journal.Options {
	return journal.Options{
		Partition: "simulated", NowNs: nowNs, Inline: true, SegmentBytes: 64 << 10, SyncEveryNs: 20_000_000,
	}
}

// receive, lost and mark do nothing once the process has ended.
func (p *process) receive(i int, m payload) {
	if !p.ended {
		p.sources[i].receive(m)
	}
}

func (p *process) lost(reason feed.GapReason) {
	for _, s := range p.sources {
		if !p.ended {
			s.lost(reason, 0)
		}
	}
}

func (p *process) mark(source uint16) {
	after := p.engine.Counts().Sequenced.Load()
	p.run.Marks = append(p.run.Marks, Mark{source, after})
	p.w.trace.event("mark", uint64(source), after)
}

// turn lets the sources decode and the engine sequence.
func (p *process) turn(c chance) {
	for _, s := range p.sources {
		s.look()
		if s.stalled > 0 {
			s.stalled--
			continue
		}
		s.handle(c.between(1, 64))
	}
	if p.stalled > 0 {
		p.stalled--
		return
	}
	for range c.between(1, 4) {
		failed := p.writer.Failed()
		progress, err := p.stepper.Step()
		if failed && progress != engine.Ended {
			p.run.problem("fail closed", "the engine went on after its journal had failed: %v", p.writer.Err())
		}
		p.w.trace.event("step", uint64(progress), p.engine.Counts().Sequenced.Load())
		if progress == engine.Ended {
			p.run.Failed = err
			p.end()
			return
		}
	}
	if c.coin() {
		p.writer.Poll()
	}
}

// poisoned reports whether the process must be started anew to be well: it has no journal any more, or it may have taken
// corrupt data for true, or has some on the way.
func (p *process) poisoned() bool {
	if p.writer.Err() != nil {
		return true
	}
	for i, s := range p.sources {
		if s.count.Unknown > 0 || p.w.bus.links[i].corrupted() || slices.ContainsFunc(s.pending, isUnknown) {
			return true
		}
	}
	return false
}

// command gives the engine an operator's word.
func (p *process) command(verb feed.ControlVerb, scope feed.ControlScope, symbol feed.Symbol, signal int) {
	err := p.engine.Command(engine.Command{Verb: verb, Scope: scope, Symbol: symbol, Signal: signal, By: "simulator", Reason: "by chance"})
	if err != nil && !errors.Is(err, feed.ErrSymbolsFull) {
		p.run.problem("command", "%v", err)
	}
	if err == nil {
		p.run.Engine.Commands++
	}
	p.w.trace.event("command", uint64(verb), uint64(scope), uint64(signal))
}

// end closes a process that has stopped by itself: because its journal failed, or its sources have closed.
func (p *process) end() {
	emitted := len(p.run.Emitted)
	p.stepper.Close()
	if len(p.run.Emitted) != emitted {
		p.run.problem("fail closed", "%d signals were published after the journal had failed", len(p.run.Emitted)-emitted)
	}
	p.count()
	if err := p.writer.Err(); err == nil {
		p.finish()
	}
	err := p.writer.Close()
	p.run.Writer = p.writer.Stats()
	p.run.Good = err == nil && p.run.Failed == nil
	if err == nil && p.run.Failed != nil {
		p.run.problem("journal", "the engine stopped for %v, but the journal closed well", p.run.Failed)
	}
}

// finish writes the blob that says that the run ended in good order.
func (p *process) finish() {
	hash, signals := p.engine.OutputHash()
	text, err := replay.EncodeEnd(replay.End{Signals: signals, OutputHash: hash})
	if err == nil {
		err = p.writer.Ticks().Blob(replay.EndBlob, text)
	}
	if err != nil {
		p.run.problem("journal", "end blob: %v", err)
	}
}

// kill ends the process where it stands. What it had written survives, or, if the power failed, what was synced and a
// part of the rest.
func (p *process) kill(c chance, power bool) {
	p.count()
	p.run.Writer = p.writer.Stats()
	p.run.Store.Crash(func(_ string, synced, written int) int {
		if power {
			return c.between(synced, written)
		}
		return written
	})
	p.w.trace.event("kill", p.run.Number)
}

// count takes the counters when nothing moves any more.
func (p *process) count() {
	p.ended = true
	c := p.engine.Counts()
	e := &p.run.Engine
	e.Sequenced, e.Heartbeats, e.Gaps = c.Sequenced.Load(), c.Heartbeats.Load(), c.Gaps.Load()
	e.Discarded, e.InstrumentsFull, e.LateDropped = c.Discarded.Load(), c.InstrumentsFull.Load(), c.LateDropped.Load()
	e.Signals, e.SinkErrors = c.Signals.Load(), c.SinkErrors.Load()
	for gate := range p.run.Gates {
		p.run.Gates[gate] = p.engine.Rejections().Rejected[gate].Load()
	}
	e.ControlQueued = p.engine.Inlets()[0].Queued()
	p.run.Hash, _ = p.engine.OutputHash()
	for _, s := range p.sources {
		p.run.Sources = append(p.run.Sources, s.settle())
	}
}
