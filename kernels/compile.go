package kernels

import (
	"fmt"
	"slices"

	"github.com/sigengine/sigengine/kernels/expr"
)

// Compile turns signals into one program. It returns either the program or every mistake it found, those of lets
// first, then in the order of the specs and of their parts.
func Compile(specs []SignalSpec, options Options) (*Compiled, []Error) {
	c := newCompiler(specs, options)
	if !c.check() {
		return nil, c.errors
	}
	return c.emit()
}

func newCompiler(specs []SignalSpec, options Options) *compiler {
	return &compiler{
		specs: specs, options: options.withDefaults(), catalogue: NewCatalogue(), graph: expr.NewGraph(),
		values: map[string]expr.Ref{},
	}
}

// check adds all texts to the graph and reports whether they are free of mistakes.
func (c *compiler) check() bool {
	c.defineLets()
	if len(c.specs) == 0 || len(c.specs) > MaxSignals {
		c.fail(-1, "program", "", expr.Error{
			Message: fmt.Sprintf("%d signals", len(c.specs)), Hint: fmt.Sprintf("a program holds 1 to %d", MaxSignals),
		})
		return false
	}
	for i := range c.specs {
		c.signal(i)
	}
	return len(c.errors) == 0
}

// compiler is one run of Compile.
type compiler struct {
	specs     []SignalSpec
	options   Options
	catalogue *Catalogue
	graph     *expr.Graph
	lets      *expr.Lets
	values    map[string]expr.Ref // of the signals so far
	checked   []checkedSignal
	errors    []Error
	probe     func(*linker) // adds to the rows of the signals' program; nil for none
}

// checkedSignal is a signal's roots in the graph, expr.None where it has no such part, and what evaluates it.
type checkedSignal struct {
	value, when, exit, side, strength expr.Ref
	on                                expr.On
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
		Part: "value", Gap: spec.OnGap, Self: spec.Name, Value: expr.None, Names: c.values, Lets: c.lets,
		SampleLimit: c.options.SampleLimit, NoSession: c.options.NoSession,
	}
	for _, later := range c.specs[i+1:] {
		if _, known := c.values[later.Name]; !known {
			env.Later = append(env.Later, later.Name)
		}
	}
	before := len(c.errors)
	env.Params = c.params(i)
	s := checkedSignal{on: c.on(i, env)}
	env.Live, env.OnClock = s.on.Live, s.on.ClockNs > 0

	env.Vary = len(c.errors) == before // else what is missing of on would be a second mistake
	s.value = c.part(i, env, spec.Value)
	env.Vary = false
	env.Value = s.value
	if len(c.errors) > before || s.value == expr.None {
		env.Value = expr.Broken
	}
	env.ClockNs = s.on.ClockNs
	env.Part, env.Want = "when", expr.KindCondition
	s.when = c.part(i, env, spec.When)
	env.Part = "exit"
	s.exit = c.optional(i, env, spec.Exit)
	env.Part, env.Want = "side", expr.KindNumber
	s.side = c.optional(i, env, spec.Side)
	env.Part = "strength"
	s.strength = c.optional(i, env, spec.Strength)

	if len(c.errors) == before {
		c.unused(i, env, &s)
	}
	c.checked = append(c.checked, s)
	if _, taken := c.values[spec.Name]; !taken {
		c.values[spec.Name] = env.Value
	}
}

// name checks a signal's name. A wrong one is no reason not to check the rest.
func (c *compiler) name(i int) {
	name := c.specs[i].Name
	message := c.catalogue.CheckName(name)
	if message == "" && c.isLet(name) {
		message = fmt.Sprintf("name %s is already that of a let", name)
	}
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
