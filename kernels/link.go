package kernels

import (
	"fmt"
	"slices"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// linker writes the programs of checked signals.
type linker struct {
	c     *compiler
	out   *Compiled
	roots []expr.Ref
	uses  []nodeUse
	inner []expr.Ref // of the references, in the remote graph
	main  *emitter
}

// emit writes the program of checked signals, and that of the instruments they refer to.
func (c *compiler) emit() (*Compiled, []Error) {
	l := linker{c: c, out: &Compiled{}}
	for i := range c.checked {
		for _, root := range c.checked[i].parts() {
			if root != expr.None {
				l.roots = append(l.roots, root)
			}
		}
	}
	l.references()
	l.clocks()
	if len(c.errors) > 0 {
		return nil, c.errors
	}
	l.uses = usesOf(c.graph, c.catalogue, l.referenceOf)
	l.out.Program = l.build(l.signals)
	if len(l.inner) > 0 && len(c.errors) == 0 {
		l.out.ReferenceProgram = l.build(l.remote)
	}
	if len(c.errors) > 0 {
		return nil, c.errors
	}
	return l.out, nil
}

// build finishes the program of an emitter and holds it to the bounds.
func (l *linker) build(write func() *emitter) *program.Program {
	p, err := write().b.Build()
	if err == nil {
		err = l.c.options.bound(p)
	}
	if err != nil {
		l.c.fail(-1, "program", "", expr.Error{Message: err.Error()})
	}
	return p
}

// references lists what other instruments contribute, in the order of the graph.
func (l *linker) references() {
	g := l.c.graph
	for ref := range reachable(g, l.roots...) {
		n := &g.Nodes[ref]
		if n.Op != expr.OpReference || l.referenceOf(n) >= 0 {
			continue
		}
		output := slices.Index(l.inner, n.Remote.Ref)
		if output < 0 {
			output = len(l.inner)
			l.inner = append(l.inner, n.Remote.Ref)
		}
		l.out.References = append(l.out.References, Reference{
			Venue: n.Remote.Instrument.Venue, Symbol: n.Remote.Instrument.Symbol, Text: g.Remote.Text(n.Remote.Ref),
			Quarter: program.SlotQuartersBase + len(l.out.References), Output: program.RowFirst + output, Bit: output,
		})
	}
	if n := len(l.out.References); n > MaxReferences {
		l.c.fail(-1, "program", "", expr.Error{
			Message: fmt.Sprintf("%d expressions over other instruments", n), Hint: fmt.Sprintf("the limit is %d", MaxReferences),
		})
	}
}

// referenceOf is the index of the reference that a node reads, -1 if it is not listed.
func (l *linker) referenceOf(n *expr.Node) int {
	return slices.IndexFunc(l.out.References, func(r Reference) bool {
		return r.Venue == n.Remote.Instrument.Venue && r.Symbol == n.Remote.Instrument.Symbol && l.inner[r.Bit] == n.Remote.Ref
	})
}

// clocks lists the periods, in the order of the signals.
func (l *linker) clocks() {
	for i := range l.c.checked {
		ns := l.c.checked[i].on.ClockNs
		if ns == 0 || slices.Contains(l.out.Clocks, ns) {
			continue
		}
		l.out.Clocks = append(l.out.Clocks, ns)
		if len(l.out.Clocks) > MaxClocks {
			text := l.c.specs[i].On[0]
			l.c.fail(i, "on[0]", text, expr.Error{
				Length: len(text), Message: "this is one clock too many", Hint: fmt.Sprintf("signals may have %d different periods", MaxClocks),
			})
			return
		}
	}
}

// signals emits the program of the signals and describes it.
func (l *linker) signals() *emitter {
	c := l.c
	e := newEmitter(c.graph, c.catalogue, c.options.SubIntervals)
	e.uses, e.clocks = l.uses, l.out.Clocks
	for _, r := range l.out.References {
		e.slots = append(e.slots, r.Quarter)
	}
	l.main = e
	var words rowWords
	for i := range c.checked {
		s := &c.checked[i]
		exit := value{isTrue: e.never()}
		if s.exit != expr.None {
			exit = e.node(s.exit)
		}
		words.add(e.b, i, l.evaluated(s), e.node(s.when), exit)
	}
	fires := words.emit(e.b)
	for i := range c.checked {
		l.out.Signals = append(l.out.Signals, l.signal(i, signalMask(e.b, fires, i)))
	}
	l.params()
	for ref := range reachable(c.graph, l.roots...) {
		l.out.Nodes = append(l.out.Nodes, describe(c.graph, ref, l.uses))
		l.session(&c.graph.Nodes[ref])
	}
	if c.probe != nil {
		c.probe(l)
	}
	return e
}

// evaluated is a signal's value, fresh on the slots that evaluate the signal.
func (l *linker) evaluated(s *checkedSignal) value {
	e := l.main
	v := e.node(s.value)
	switch {
	case s.on.ClockNs > 0:
		v.fresh = e.clock(s.on.ClockNs)
	case !s.on.Self:
		theirs := e.never()
		for _, k := range l.live(s) {
			theirs = e.b.Or(theirs, e.auxBit(l.out.References[k].Quarter, ReferenceFresh))
		}
		v.fresh = e.b.And(v.fresh, theirs)
	}
	return v
}

// live are the references whose ticks evaluate a signal.
func (l *linker) live(s *checkedSignal) []int {
	return slices.DeleteFunc(l.read(s), func(k int) bool {
		r := l.out.References[k]
		return !slices.Contains(s.on.Live, expr.Instrument{Venue: r.Venue, Symbol: r.Symbol})
	})
}

// read are the references that a signal depends on.
func (l *linker) read(s *checkedSignal) []int {
	var list []int
	for k := range l.out.References {
		for _, root := range s.parts() {
			if root != expr.None && l.uses[root].references>>k&1 != 0 && !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	return list
}

// signal emits the outputs of one signal where it fires, and describes it.
func (l *linker) signal(i int, fires program.Value) CompiledSignal {
	s, spec, g, b := &l.c.checked[i], &l.c.specs[i], l.c.graph, l.main.b
	out := CompiledSignal{
		Name: spec.Name, HasExit: s.exit != expr.None, OnGap: spec.OnGap, References: l.read(s), OnReferences: l.live(s),
		Clock: slices.Index(l.out.Clocks, s.on.ClockNs),
		Value: describe(g, s.value, l.uses), When: describe(g, s.when, l.uses), Exit: describe(g, s.exit, l.uses),
		Side: describe(g, s.side, l.uses), Strength: describe(g, s.strength, l.uses),
	}
	output := func(ref expr.Ref) int {
		if ref == expr.None {
			return -1
		}
		quarter := b.AllocRow()
		b.Emit(quarter, fires, l.main.node(ref).number)
		return quarter
	}
	out.ValueQuarter, out.SideQuarter, out.StrengthQuarter = output(s.value), output(s.side), output(s.strength)
	for _, ref := range s.parts() {
		if ref != expr.None {
			out.UsesQuote = out.UsesQuote || l.uses[ref].quote
			out.UsesTrade = out.UsesTrade || l.uses[ref].trade
		}
	}
	return out
}

// params lists the state words of the parameters with overrides that the program uses.
func (l *linker) params() {
	for i := range l.c.specs {
		for _, p := range l.c.specs[i].Params {
			word, used := l.main.params[l.c.specs[i].Name+"."+p.Name]
			if !used {
				continue
			}
			constant, _ := expr.ParseConstant(p.Text)
			l.out.Params = append(l.out.Params, Param{Signal: i, Name: p.Name, Word: word, Default: constant.Value})
		}
	}
}

// session notes whether a node's window is the session.
func (l *linker) session(n *expr.Node) {
	for _, s := range n.Settings {
		l.out.UsesSession = l.out.UsesSession || s.Session
	}
}

// remote emits the program of the referenced instruments.
func (l *linker) remote() *emitter {
	g := l.c.graph.Remote
	e := newEmitter(g, l.c.catalogue, l.c.options.SubIntervals)
	var fresh bitWord
	for bit, ref := range l.inner {
		v := e.node(ref)
		fresh.set(bit, v.fresh)
		e.b.Emit(e.b.AllocRow(), e.b.ConstM(true), v.number)
	}
	e.b.EmitMask(program.RowWhen, fresh.value(e.b))
	for ref := range reachable(g, l.inner...) {
		l.out.ReferenceNodes = append(l.out.ReferenceNodes, describe(g, ref, e.uses))
		l.session(&g.Nodes[ref])
	}
	return e
}

func describe(g *expr.Graph, ref expr.Ref, uses []nodeUse) Expression {
	if ref == expr.None {
		return Expression{}
	}
	n := &g.Nodes[ref]
	return Expression{
		Text: g.Text(ref), Hash: n.Hash, Stateful: n.Stateful, UsesQuote: uses[ref].quote, UsesTrade: uses[ref].trade,
	}
}
