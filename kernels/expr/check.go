package expr

import (
	"fmt"
	"slices"
)

// Env is what surrounds one text: which names it may use and what it must give.
type Env struct {
	Part  string         // "value", "when", ...: named in messages
	Want  Kind           // what the text must give
	Vary  bool           // the text must use a field, directly or not
	Gap   GapPolicy      // of the state it makes
	Self  string         // the signal's own name
	Value Ref            // the signal's value, or None where it may not be used (in value itself)
	Names map[string]Ref // earlier signals, by name
	Later []string       // signals defined later: a mistake, but a known name

	Lets    *Lets                // shared names, may be nil
	Params  map[string]*Constant // the signal's own names
	ClockNs int64                // if positive, what is read is sampled at the boundaries of this clock
	OnClock bool                 // a clock evaluates the signal, so its value need not vary
	Live    []Instrument         // those whose ticks evaluate the signal

	SampleLimit int64 // the largest sample window, DefaultSampleLimit if 0
	NoSession   bool  // no session is configured, so it cannot be a window
	NoRemote    bool  // there are no other instruments
}

// Bounds of windows.
const (
	DefaultSampleLimit = 65536
	MaxDurationNs      = 366 * 24 * 3600 * int64(1e9)
)

// maxErrors is how many mistakes Check reports for one text.
const maxErrors = 20

// Check gives the tree its meaning and adds it to the graph. With mistakes it returns None and all of them, in
// the order of the text; nodes that were added then are unused and harmless. It returns None without an error only
// where the text is right but uses a Broken value.
func Check(g *Graph, root Expr, catalogue *Catalogue, env Env) (Ref, []Error) {
	if env.SampleLimit <= 0 {
		env.SampleLimit = DefaultSampleLimit
	}
	c := checker{graph: g, catalogue: catalogue, env: env}
	ref := c.root(root)
	if len(c.errors) == 0 {
		return ref, nil
	}
	slices.SortStableFunc(c.errors, func(a, b Error) int { return a.Offset - b.Offset })
	return None, c.errors[:min(len(c.errors), maxErrors)]
}

type checker struct {
	graph     *Graph
	catalogue *Catalogue
	env       Env
	errors    []Error
	remote    *Instrument // inside of(ref(…), …)
}

func (c *checker) fail(s Span, hint, format string, args ...any) Ref {
	c.errors = append(c.errors, Error{Offset: s.Offset, Length: s.Length, Message: fmt.Sprintf(format, args...), Hint: hint})
	return None
}

const (
	hintWhere    = "write where(c, 1, 0) to make a number of condition c"
	hintCompare  = "compare it, as in x > 0"
	hintDuration = "durations are for windows, as in sma(mid, 2s)"
)

func (c *checker) root(e Expr) Ref {
	ref := c.visit(e)
	if ref == None {
		return None
	}
	if n := &c.graph.Nodes[ref]; n.Kind == c.env.Want {
		if c.env.Vary && !n.Varies {
			return c.constantRoot(e, ref)
		}
		return ref
	}
	if c.env.Want == KindCondition {
		return c.fail(e.Where(), hintCompare, "%s must be a condition, and this is a number", c.env.Part)
	}
	return c.fail(e.Where(), hintWhere, "%s must be a number, and this is a condition", c.env.Part)
}

// constantRoot judges a value that no tick of the instrument itself updates.
func (c *checker) constantRoot(e Expr, ref Ref) Ref {
	remote, found := c.remoteIn(ref)
	switch {
	case !found:
		return c.fail(e.Where(), "use a field, as in mid or price", "%s is constant, so no tick ever updates it", c.env.Part)
	case !c.env.OnClock:
		return c.fail(e.Where(), "add on: [self, '"+remote.String()+"'], or on: clock(100ms)",
			"%s reads only another instrument, whose ticks do not evaluate the signal", c.env.Part)
	}
	return ref
}

// visit returns the node of e, or None after reporting why there is none.
func (c *checker) visit(e Expr) Ref {
	switch e := e.(type) {
	case *Number:
		if e.Unit.IsDuration() {
			return c.fail(e.Span, hintDuration, "a duration does not fit here")
		}
		return c.number(e.Value)
	case *Bool:
		return c.boolean(e.Value)
	case *Text:
		return c.fail(e.Span, `text names a venue or a symbol, as in ref("cme", "ES")`, "a text does not fit here")
	case *Name:
		return c.name(e)
	case *Unary:
		return c.unary(e)
	case *Binary:
		return c.binary(e)
	case *Call:
		return c.call(e)
	}
	panic(fmt.Sprintf("expr: unknown tree node %T", e))
}

func (c *checker) number(value float64) Ref {
	return c.graph.intern(Node{Op: OpConst, Kind: KindNumber, Value: value})
}

func (c *checker) boolean(value bool) Ref {
	n := Node{Op: OpBool, Kind: KindCondition}
	if value {
		n.Value = 1
	}
	return c.graph.intern(n)
}

// operand visits e and holds it to a kind.
func (c *checker) operand(e Expr, want Kind) Ref {
	ref := c.visit(e)
	if ref == None || c.graph.Nodes[ref].Kind == want {
		return ref
	}
	if want == KindCondition {
		return c.fail(e.Where(), hintCompare, "a number is used as a condition")
	}
	return c.fail(e.Where(), hintWhere, "a condition is used as a number")
}

func (c *checker) unary(e *Unary) Ref {
	if e.Op == "not" {
		ref := c.operand(e.Operand, KindCondition)
		if ref == None {
			return None
		}
		if n := &c.graph.Nodes[ref]; n.Op == OpBool {
			return c.boolean(n.Value == 0)
		}
		return c.graph.intern(Node{Op: OpNot, Kind: KindCondition, Args: []Ref{ref}})
	}
	ref := c.operand(e.Operand, KindNumber)
	if ref == None || e.Op == "+" {
		return ref
	}
	if value, ok := c.graph.constant(ref); ok {
		return c.number(-value)
	}
	return c.graph.intern(Node{Op: OpNeg, Kind: KindNumber, Args: []Ref{ref}})
}
