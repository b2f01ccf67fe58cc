package explain

import (
	"errors"
	"fmt"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/signal"
)

// Question is what is asked of a journal.
type Question struct {
	Seq        uint64
	Signals    []string       // none: all
	Instrument string         // venue.symbol; empty: the tick's own
	Config     *config.Config // instead of the journal's own; nil: the journal's
	Cancelled  func() error   // asked between blocks; an error ends the replay
}

// asking is a question on its way through a journal.
type asking struct {
	question Question
	place    *place
	run      uint64 // being replayed
	config   *config.Config
	target   uint32
	chosen   []int
	graph    *graph
	probe    *kernels.Probe
	history  []warming // by node: steps of the target so far
	answer   *Answer
	decided  []signal.Body
	others   []uint32
	slot     int   // slots of the target at the tick, in this pass
	reached  bool  // the pass has replayed the tick
	none     error // why there is nothing to say of the tick's own instrument
}

var errReached = errors.New("explain: reached")

// At explains one tick of a journal. The replay is the journal's own: same engine, same decisions.
func At(store journal.Store, q Question) (*Answer, error) {
	p, err := locate(store, q.Seq)
	if err != nil {
		return nil, err
	}
	if q.Config != nil {
		p.config = q.Config
	}
	if err := p.ready(); err != nil {
		return nil, err
	}
	a := &asking{question: q, place: p, config: p.config, answer: &Answer{Seq: q.Seq}}
	a.answer.Tick = a.tick()
	if err := a.choose(); err != nil {
		return nil, err
	}
	for from := expr.Ref(0); from != expr.None; from = a.probe.Next {
		if err := a.pass(store, from); err != nil {
			return nil, err
		}
	}
	a.records()
	return a.answer, a.complete()
}

// choose settles instrument and signals, or says why there is nothing to explain.
func (a *asking) choose() error {
	q, t := &a.question, &a.place.tick
	var err error
	switch {
	case q.Instrument != "":
		if a.target, err = a.place.instrument(q.Instrument); err != nil {
			return err
		}
	case t.Instrument != feed.AllInstruments:
		a.target = t.Instrument
	default:
		a.target = feed.AllInstruments // the first that has a slot
	}
	if a.chosen, err = choose(a.config, q.Signals); err != nil {
		return err
	}
	if a.target == feed.AllInstruments {
		return nil
	}
	if err = a.settle(); err != nil && q.Instrument == "" && t.Kind.IsMarketData() {
		a.none, err = err, nil // what it causes on others is the answer, if it causes anything
		a.target, a.answer.Instrument = feed.AllInstruments, ""
	}
	return err
}

// settle narrows the signals to those of the target.
func (a *asking) settle() error {
	symbol := a.place.symbols[a.target]
	a.answer.Instrument = symbol.Venue + "." + symbol.Name
	var applies []int
	for _, i := range a.chosen {
		if a.config.Signals[i].Applies(symbol.Venue, symbol.Name) {
			applies = append(applies, i)
		}
	}
	if len(applies) == 0 {
		e := &TickError{Seq: a.question.Seq, Reason: fmt.Sprintf("is of %s, which no signal is for", a.answer.Instrument)}
		e.Hint = "for: in the configuration says which instruments a signal has"
		if len(a.question.Signals) > 0 {
			e.Reason = fmt.Sprintf("is of %s, which signal %s is not for", a.answer.Instrument, a.question.Signals[0])
		}
		return e
	}
	a.chosen = applies
	return nil
}

// pass replays up to the tick with a probe of some of the nodes.
func (a *asking) pass(store journal.Store, from expr.Ref) error {
	specs, options := a.config.Specs(), a.config.Options()
	probe, mistakes := kernels.CompileProbe(specs, options, from)
	if len(mistakes) > 0 {
		return fmt.Errorf("explain: %w", &mistakes[0])
	}
	a.probe = probe
	if a.graph == nil {
		a.graph = newGraph(probe)
		if err := a.graph.measure(specs, options); err != nil {
			return err
		}
	}
	a.history, a.slot, a.others, a.decided, a.reached = make([]warming, len(probe.Nodes)), 0, nil, nil, false
	_, err := replay.Play(store, replay.Options{
		Config: a.question.Config, Sink: a, Cancelled: a.cancelled(), Prepare: a.prepare,
		Begin: func(run uint64) { a.run = run },
		Done:  func(_, last uint64) { a.reached = last >= a.question.Seq },
	})
	if err != nil && !errors.Is(err, errReached) {
		return err
	}
	return nil
}

func (a *asking) cancelled() func() error {
	return func() error {
		if a.reached {
			return errReached
		}
		if a.question.Cancelled != nil {
			return a.question.Cancelled()
		}
		return nil
	}
}

// prepare puts the probe in the program's place in the tick's run; the runs before have configurations of their own.
// Small batches: rows of a probe are long.
func (a *asking) prepare(_ *config.Config, e *engine.Config, ports *engine.Ports) error {
	if a.run != a.place.run {
		return nil
	}
	e.Program = a.probe.Compiled.Program
	e.Lanes, e.Batch, e.LaneSlots, e.Mode = 1, probeBatch, 2*probeBatch, engine.ModeFused
	ports.Observe = a.observe
	return nil
}

const probeBatch = 64

// observe sees every event. Those of the target count its nodes' steps; those at the tick are explained.
func (a *asking) observe(o engine.Observation) {
	e := &o.Event
	if !o.HasSlot() || e.Sequence > a.question.Seq {
		return
	}
	at := e.Sequence == a.question.Seq
	if at && a.target == feed.AllInstruments {
		before := a.target
		if a.target = e.Instrument; a.settle() != nil {
			a.target = before
			return
		}
	}
	if e.Instrument != a.target {
		if at {
			a.others = append(a.others, e.Instrument)
		}
		return
	}
	values := a.read(&o)
	if at {
		a.explain(&o, values)
	}
}

// read reads the nodes that this pass shows and counts their steps. What went missing starts the count afresh where it
// empties the state.
func (a *asking) read(o *engine.Observation) []nodeValue {
	gap := uint32(o.Slot(program.SlotF1).Aux)&program.CtlGap != 0
	values := make([]nodeValue, len(a.probe.Nodes))
	for ref := range a.probe.Nodes {
		n := &a.probe.Nodes[ref]
		if !n.Shown {
			continue
		}
		if node := &a.probe.Graph.Nodes[ref]; gap && node.Stateful && node.Gap == expr.GapRewarm {
			a.history[ref] = warming{}
		}
		values[ref] = readNode(n, o.Row)
		w := &a.history[ref]
		if values[ref].fresh {
			if w.steps == 0 {
				w.firstNs = o.Event.EngineNs
			}
			w.steps++
		}
		w.spanNs = o.Event.EngineNs - w.firstNs
	}
	return values
}

// Emit notes what was decided at the tick. It is the replay's sink.
func (a *asking) Emit(_ uint32, b *signal.Body, _ int64) uint8 {
	if b.Sequence == a.question.Seq {
		a.decided = append(a.decided, *b)
	}
	return 0
}

var _ engine.Sink = (*asking)(nil)
