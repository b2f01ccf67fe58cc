package kernels

import (
	"fmt"
	"slices"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// Compile turns signals into one program. It returns either the program or every mistake it found, in the order
// of the specs and of their parts.
func Compile(specs []SignalSpec, options Options) (*Compiled, []Error) {
	c := compiler{
		specs: specs, options: options.withDefaults(), catalogue: NewCatalogue(), graph: expr.NewGraph(),
		values: map[string]expr.Ref{},
	}
	if len(specs) == 0 || len(specs) > MaxSignals {
		c.fail(-1, "program", "", expr.Error{
			Message: fmt.Sprintf("%d signals", len(specs)), Hint: fmt.Sprintf("a program holds 1 to %d", MaxSignals),
		})
		return nil, c.errors
	}
	for i := range specs {
		c.signal(i)
	}
	if len(c.errors) > 0 {
		return nil, c.errors
	}
	return c.emit()
}

// compiler is one run of Compile.
type compiler struct {
	specs     []SignalSpec
	options   Options
	catalogue *Catalogue
	graph     *expr.Graph
	values    map[string]expr.Ref // of the signals so far
	checked   []checkedSignal
	errors    []Error
}

// checkedSignal is a signal's roots in the graph, expr.None where it has no such part.
type checkedSignal struct {
	value, when, exit, side, strength expr.Ref
}

// parts are the roots in the order of the specification.
func (s *checkedSignal) parts() [5]expr.Ref {
	return [5]expr.Ref{s.value, s.when, s.exit, s.side, s.strength}
}

func (c *compiler) fail(signal int, part, text string, err expr.Error) {
	c.errors = append(c.errors, Error{Signal: signal, Part: part, Text: text, Mistake: err})
}

func (c *compiler) signal(i int) {
	spec := &c.specs[i]
	c.name(i)
	env := expr.Env{
		Part: "value", Vary: true, Gap: spec.OnGap, Self: spec.Name, Value: expr.None, Names: c.values,
		SampleLimit: c.options.SampleLimit,
	}
	for _, later := range c.specs[i+1:] {
		if _, known := c.values[later.Name]; !known {
			env.Later = append(env.Later, later.Name)
		}
	}
	before := len(c.errors)
	s := checkedSignal{value: c.part(i, env, spec.Value)}
	env.Vary = false
	env.Value = s.value
	if len(c.errors) > before || s.value == expr.None {
		env.Value = expr.Broken
	}
	env.Part, env.Want = "when", expr.KindCondition
	s.when = c.part(i, env, spec.When)
	env.Part = "exit"
	s.exit = c.optional(i, env, spec.Exit)
	env.Part, env.Want = "side", expr.KindNumber
	s.side = c.optional(i, env, spec.Side)
	env.Part = "strength"
	s.strength = c.optional(i, env, spec.Strength)

	c.checked = append(c.checked, s)
	if _, taken := c.values[spec.Name]; !taken {
		c.values[spec.Name] = env.Value
	}
}

// name checks a signal's name. A wrong one is no reason not to check the rest.
func (c *compiler) name(i int) {
	name := c.specs[i].Name
	message := c.catalogue.CheckName(name)
	if message == "" {
		first := slices.IndexFunc(c.specs, func(s SignalSpec) bool { return s.Name == name })
		if first == i {
			return
		}
		message = fmt.Sprintf("name %s is already that of signal %d", name, first+1)
	}
	c.fail(i, "name", name, expr.Error{Length: len(name), Message: message})
}

func (c *compiler) optional(i int, env expr.Env, text string) expr.Ref {
	if text == "" {
		return expr.None
	}
	return c.part(i, env, text)
}

func (c *compiler) part(i int, env expr.Env, text string) expr.Ref {
	tree, parseError := expr.Parse(text)
	if parseError != nil {
		if text == "" {
			parseError.Message = env.Part + " is missing"
		}
		c.fail(i, env.Part, text, *parseError)
		return expr.None
	}
	ref, errs := expr.Check(c.graph, tree, c.catalogue.names, env)
	for _, err := range errs {
		c.fail(i, env.Part, text, err)
	}
	return ref
}

// emit writes the program of checked signals.
func (c *compiler) emit() (*Compiled, []Error) {
	e := newEmitter(c.graph, c.catalogue, c.options.SubIntervals)
	out := &Compiled{}
	uses := c.uses()
	var words rowWords
	for i := range c.checked {
		s := &c.checked[i]
		exit := value{isTrue: e.never()}
		if s.exit != expr.None {
			exit = e.node(s.exit)
		}
		words.add(e.b, i, e.node(s.value), e.node(s.when), exit)
	}
	fires := words.emit(e.b)
	for i := range c.checked {
		out.Signals = append(out.Signals, c.emitSignal(e, i, signalMask(e.b, fires, i), uses))
	}
	p, err := e.b.Build()
	if err == nil {
		err = c.options.bound(p)
	}
	if err != nil {
		c.fail(-1, "program", "", expr.Error{Message: err.Error()})
		return nil, c.errors
	}
	out.Program = p
	for ref := range c.graph.Nodes {
		if _, used := e.done[expr.Ref(ref)]; used {
			out.Nodes = append(out.Nodes, c.describe(expr.Ref(ref), uses))
		}
	}
	return out, nil
}

// emitSignal emits the outputs of one signal where it fires, and describes it.
func (c *compiler) emitSignal(e *emitter, i int, fires program.Value, uses []nodeUse) CompiledSignal {
	s, spec := &c.checked[i], &c.specs[i]
	out := CompiledSignal{
		Name: spec.Name, HasExit: s.exit != expr.None, OnGap: spec.OnGap, Clock: -1,
		Value: c.describe(s.value, uses), When: c.describe(s.when, uses), Exit: c.describe(s.exit, uses),
		Side: c.describe(s.side, uses), Strength: c.describe(s.strength, uses),
	}
	output := func(ref expr.Ref) int {
		if ref == expr.None {
			return -1
		}
		quarter := e.b.AllocRow()
		e.b.Emit(quarter, fires, e.node(ref).number)
		return quarter
	}
	out.ValueQuarter, out.SideQuarter, out.StrengthQuarter = output(s.value), output(s.side), output(s.strength)
	for _, ref := range s.parts() {
		if ref != expr.None {
			out.UsesQuote = out.UsesQuote || uses[ref].quote
			out.UsesTrade = out.UsesTrade || uses[ref].trade
		}
	}
	return out
}

// nodeUse says which ticks a node depends on.
type nodeUse struct{ quote, trade bool }

func (c *compiler) uses() []nodeUse {
	uses := make([]nodeUse, len(c.graph.Nodes))
	for i := range c.graph.Nodes {
		n := &c.graph.Nodes[i]
		if n.Op == expr.OpField {
			source := c.catalogue.field[n.Name].Source
			uses[i] = nodeUse{quote: source == FromQuote, trade: source == FromTrade}
		}
		for _, arg := range n.Args {
			uses[i].quote = uses[i].quote || uses[arg].quote
			uses[i].trade = uses[i].trade || uses[arg].trade
		}
	}
	return uses
}

func (c *compiler) describe(ref expr.Ref, uses []nodeUse) Expression {
	if ref == expr.None {
		return Expression{}
	}
	n := &c.graph.Nodes[ref]
	return Expression{
		Text: c.graph.Text(ref), Hash: n.Hash, Stateful: n.Stateful, UsesQuote: uses[ref].quote, UsesTrade: uses[ref].trade,
	}
}
