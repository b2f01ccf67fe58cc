package kernels

import (
	"math"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// Probe is a program that decides what the program of the same signals decides and also shows its nodes: each row has
// the signals' quarters where Compile has them, and behind them every node's value and freshness.
type Probe struct {
	Compiled  *Compiled
	Catalogue *Catalogue
	Graph     *expr.Graph
	Signals   []ProbedSignal
	Nodes     []ProbedNode // by node of the graph
	Next      expr.Ref     // the first node that did not fit a row: probe again from there; expr.None if all did
}

// ProbedSignal is a signal's parts in the graph, expr.None where it has no such part.
type ProbedSignal struct {
	Value, When, Exit, Side, Strength expr.Ref
	Self                              bool      // ticks of its own instrument evaluate it, if they make its value fresh
	Evaluated                         ProbedBit // the slot evaluates it, if the instrument has it
}

// ProbedNode is where a row shows a node.
type ProbedNode struct {
	Used               bool // by a signal
	Shown              bool // by this program; the places below count only then
	Number             int  // row quarter, -1 for a condition
	Fresh, True, False ProbedBit
}

// ProbedBit is one bit of a row: bit Shift of the whole number in a quarter.
type ProbedBit struct{ Quarter, Shift int }

// Get reads the bit; row gives the value of a quarter.
func (b ProbedBit) Get(row func(quarter int) uint64) bool {
	return uint64(math.Float64frombits(row(b.Quarter)))>>b.Shift&1 != 0
}

// probeBits is how many bits a quarter holds: a float64 holds whole numbers below 2^53 exactly.
const probeBits = 52

// probeInstructions is how much larger than a program its probe may be.
const probeInstructions = 8

// CompileProbe compiles signals and shows the nodes from one on, 0 for the first. The signals must be free of mistakes.
func CompileProbe(specs []SignalSpec, options Options, from expr.Ref) (*Probe, []Error) {
	c := newCompiler(specs, options)
	c.options.InstructionLimit *= probeInstructions
	if !c.check() {
		return nil, c.errors
	}
	p := &prober{out: &Probe{Catalogue: c.catalogue, Graph: c.graph, Next: expr.None}, from: from}
	c.probe = p.show
	compiled, errors := c.emit()
	if len(errors) > 0 {
		return nil, errors
	}
	p.out.Compiled = compiled
	return p.out, nil
}

// prober adds what a probe shows to rows.
type prober struct {
	out   *Probe
	from  expr.Ref
	e     *emitter
	rows  int // quarters so far
	word  program.Value
	next  ProbedBit
	begun bool
}

func (p *prober) show(l *linker) {
	p.e = l.main
	p.out.Nodes = make([]ProbedNode, len(l.c.graph.Nodes))
	for i := range l.c.checked {
		s := &l.c.checked[i]
		p.out.Signals = append(p.out.Signals, ProbedSignal{
			Value: s.value, When: s.when, Exit: s.exit, Side: s.side, Strength: s.strength, Self: s.on.Self || s.on.ClockNs > 0,
			Evaluated: p.bit(l.evaluated(s).fresh),
		})
	}
	for ref := range reachable(l.c.graph, l.roots...) {
		n := &p.out.Nodes[ref]
		n.Used = true
		switch {
		case ref < p.from:
		case p.rows+probeReserve > program.MaxRowQuarter:
			if p.out.Next == expr.None {
				p.out.Next = ref
			}
		default:
			p.node(n, ref)
		}
	}
	p.flush()
}

// probeReserve is what one more node may need: a number, and a word for each of three bits.
const probeReserve = 4

func (p *prober) node(n *ProbedNode, ref expr.Ref) {
	v := p.e.node(ref)
	n.Shown, n.Number = true, -1
	n.Fresh = p.bit(v.fresh)
	if p.e.graph.Nodes[ref].Kind == expr.KindCondition {
		n.True, n.False = p.bit(v.isTrue), p.bit(v.isFalse)
		return
	}
	n.Number = p.emit(v.number)
}

func (p *prober) emit(v program.Value) int {
	quarter := p.e.b.AllocRow()
	p.rows = quarter + 1
	p.e.b.Emit(quarter, p.e.b.ConstM(true), v)
	return quarter
}

// bit collects a mask into a word.
func (p *prober) bit(mask program.Value) ProbedBit {
	if p.begun && p.next.Shift == probeBits {
		p.flush()
	}
	b := p.e.b
	if !p.begun {
		p.begun, p.word, p.next = true, b.ConstI(0), ProbedBit{Quarter: b.AllocRow()}
		p.rows = p.next.Quarter + 1
	}
	at := p.next
	p.word = b.Or(p.word, b.And(b.ConstI(1<<at.Shift), mask))
	p.next.Shift++
	return at
}

// flush writes the word.
func (p *prober) flush() {
	if p.begun {
		p.e.b.Emit(p.next.Quarter, p.e.b.ConstM(true), p.e.b.I2F(p.word))
		p.begun = false
	}
}

// Operator returns the operator of a name, nil if there is none.
func (c *Catalogue) Operator(name string) *Operator { return c.operator[name] }

// Field returns the field of a name, nil if there is none.
func (c *Catalogue) Field(name string) *Field { return c.field[name] }
