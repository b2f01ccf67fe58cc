package explain

import (
	"encoding/json"
	"fmt"

	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/signal"
)

// Number is a number in JSON; nil stands for undefined.
type Number float64

func numberOf(v float64) *Number {
	if v-v != 0 {
		return nil
	}
	n := Number(v)
	return &n
}

func (n *Number) String() string {
	if n == nil {
		return "undefined"
	}
	return number(float64(*n))
}

// Evaluation is one slot of the instrument at the tick.
type Evaluation struct {
	Cause    string        `json:"cause"`
	EngineNs int64         `json:"engine_ns"`
	Gap      bool          `json:"gap"` // something went missing before it
	Nodes    []NodeState   `json:"nodes"`
	Signals  []SignalState `json:"signals"`
}

// NodeState is a node at the tick.
type NodeState struct {
	ID      int     `json:"id"`
	Form    string  `json:"form"`
	Text    string  `json:"text"`
	Kind    string  `json:"kind"`
	Value   *Number `json:"value,omitempty"` // of a number, absent if undefined
	State   string  `json:"state"`           // defined, true, false, or undefined
	Fresh   bool    `json:"fresh"`
	Missing string  `json:"missing,omitempty"` // why it is undefined
	Args    []int   `json:"args,omitempty"`
}

// SignalState is a signal at the tick.
type SignalState struct {
	Name      string          `json:"name"`
	Parts     []Part          `json:"parts"`
	Evaluated bool            `json:"evaluated"`
	When      bool            `json:"when"` // fired
	Exit      bool            `json:"exit"`
	Suppress  bool            `json:"suppressed"`
	Open      bool            `json:"open"` // before the tick
	Gates     []Gate          `json:"gates"`
	Outcome   string          `json:"outcome"`           // in one sentence
	Decided   json.RawMessage `json:"decided,omitempty"` // the record
}

// explain adds what a pass shows of a slot to the answer.
func (a *asking) explain(o *engine.Observation, values []nodeValue) {
	at := a.slot
	a.slot++
	if at == len(a.answer.Evaluations) {
		a.answer.Evaluations = append(a.answer.Evaluations, a.evaluation(o))
	}
	e := &a.answer.Evaluations[at]
	var roots []expr.Ref
	for _, i := range a.chosen {
		for _, p := range parts(&a.probe.Signals[i]) {
			roots = append(roots, p.ref)
		}
	}
	for _, ref := range a.graph.below(roots) {
		if a.probe.Nodes[ref].Shown {
			e.Nodes = append(e.Nodes, a.node(ref, values))
		}
	}
}

// evaluation is a slot without its nodes.
func (a *asking) evaluation(o *engine.Observation) Evaluation {
	control := o.Slot(program.SlotF1).Aux
	e := Evaluation{EngineNs: o.Event.EngineNs, Gap: control&program.CtlGap != 0, Cause: "the tick itself"}
	switch {
	case control&program.CtlClockEvaluation != 0:
		e.Cause = "a boundary of"
		for k, period := range a.probe.Compiled.Clocks {
			if o.Slot(kernels.ClockAuxQuarter).Aux>>k&1 != 0 {
				e.Cause += " clock(" + durationText(period) + ")"
			}
		}
		e.Cause += ", passed before the tick"
	case control&program.CtlRefEvaluation != 0:
		e.Cause = "the tick of a referenced instrument"
	}
	for _, i := range a.chosen {
		e.Signals = append(e.Signals, a.signal(o, i))
	}
	return e
}

func (a *asking) signal(o *engine.Observation, i int) SignalState {
	probed := &a.probe.Signals[i]
	x := o.Explain(i)
	s := SignalState{
		Name: a.config.Signals[i].Name, Evaluated: probed.Evaluated.Get(o.Row), When: x.When, Exit: x.Exit, Suppress: x.Suppressed,
		Open: x.Open, Gates: gates(&x, a.config), Outcome: outcome(&x, probed.Evaluated.Get(o.Row), a.probe.Compiled.Signals[i].Clock >= 0),
	}
	for _, p := range parts(probed) {
		s.Parts = append(s.Parts, Part{Name: p.name, Text: a.probe.Graph.Text(p.ref), Node: int(p.ref)})
	}
	return s
}

// records puts the decided records where their signals are.
func (a *asking) records() {
	for i := range a.decided {
		body := &a.decided[i]
		record := signal.AppendJSON(nil, body, nil)
		if body.Action == signal.ActionWithdraw {
			a.answer.Withdrawn = append(a.answer.Withdrawn, record)
			continue
		}
		for e := range a.answer.Evaluations {
			a.answer.Evaluations[e].record(body, a.answer.Instrument, record)
		}
	}
}

func (e *Evaluation) record(body *signal.Body, instrument string, record []byte) {
	if body.Venue+"."+body.Symbol != instrument {
		return
	}
	for i := range e.Signals {
		if s := &e.Signals[i]; s.Name == body.Signal && (s.When || s.Exit) {
			s.Decided = record
		}
	}
}

func (a *asking) node(ref expr.Ref, values []nodeValue) NodeState {
	n, v := &a.probe.Graph.Nodes[ref], &values[ref]
	s := NodeState{
		ID: int(ref), Form: a.graph.form(ref), Text: a.probe.Graph.Text(ref), Kind: n.Kind.String(), Fresh: v.fresh, State: "undefined",
	}
	for _, arg := range n.Args {
		s.Args = append(s.Args, int(arg))
	}
	switch {
	case v.isTrue:
		s.State = "true"
	case v.isFalse:
		s.State = "false"
	case v.defined():
		s.State, s.Value = "defined", numberOf(v.number)
	default:
		s.Missing = a.missing(ref, values)
	}
	return s
}

// missing says why a node is undefined.
func (a *asking) missing(ref expr.Ref, values []nodeValue) string {
	n := &a.probe.Graph.Nodes[ref]
	for _, arg := range n.Args {
		if a.probe.Nodes[arg].Shown && !values[arg].defined() {
			return fmt.Sprintf("%s is undefined", a.graph.argument(arg))
		}
	}
	need, known := a.graph.needs(ref)
	have := &a.history[ref]
	switch {
	case known && need.spanNs > 0 && have.steps == 0:
		return fmt.Sprintf("warming: no step yet; it needs %s after its first", durationText(need.spanNs))
	case known && need.spanNs > have.spanNs:
		return fmt.Sprintf("warming: %s of %s since its first step", durationText(have.spanNs), durationText(need.spanNs))
	case known && need.steps > have.steps:
		return fmt.Sprintf("warming: step %d of %d", have.steps, need.steps)
	case n.Stateful:
		return "its state has no value for it (a flat, empty or unusual input; see the operator)"
	case n.Op == expr.OpField:
		return "not seen yet, or the side is absent"
	case n.Op == expr.OpReference:
		return "the referenced instrument has no value yet"
	}
	return "its inputs are defined, the result is not a finite number"
}
