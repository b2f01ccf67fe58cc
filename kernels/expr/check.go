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

	SampleLimit int64 // the largest sample window, DefaultSampleLimit if 0
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
			return c.fail(e.Where(), "use a field, as in mid or price", "%s is constant, so no tick ever updates it", c.env.Part)
		}
		return ref
	}
	if c.env.Want == KindCondition {
		return c.fail(e.Where(), hintCompare, "%s must be a condition, and this is a number", c.env.Part)
	}
	return c.fail(e.Where(), hintWhere, "%s must be a number, and this is a condition", c.env.Part)
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

func (c *checker) name(e *Name) Ref {
	if c.catalogue.fields[e.Text] {
		return c.field(e.Text)
	}
	if o := c.catalogue.operators[e.Text]; o != nil {
		if len(o.Params) > 0 {
			return c.fail(e.Span, "", "%s is an operator and needs arguments: %s", e.Text, o.Usage())
		}
		return c.node(o, nil, nil)
	}
	if e.Text == "value" {
		if c.env.Value == None {
			return c.fail(e.Span, "value is for when, exit, side and strength", "value cannot be used in %s", c.env.Part)
		}
		return unbroken(c.env.Value)
	}
	if ref, ok := c.env.Names[e.Text]; ok {
		return unbroken(ref)
	}
	return c.unknownName(e)
}

func unbroken(ref Ref) Ref {
	if ref == Broken {
		return None
	}
	return ref
}

func (c *checker) field(name string) Ref {
	return c.graph.intern(Node{Op: OpField, Kind: KindNumber, Name: name})
}

func (c *checker) unknownName(e *Name) Ref {
	switch {
	case e.Text == c.env.Self && c.env.Value == None:
		return c.fail(e.Span, "prev(x, 1) gives an earlier value of x", "signal %s uses itself", e.Text)
	case e.Text == c.env.Self:
		return c.fail(e.Span, "write value", "signal %s refers to itself by name", e.Text)
	case slices.Contains(c.env.Later, e.Text):
		return c.fail(e.Span, "move it above this one; a signal may use earlier ones only",
			"signal %s is defined later", e.Text)
	case Reserved(e.Text):
		return c.fail(e.Span, "", "%s is a word kept by the language, not a name", e.Text)
	}
	candidates := slices.Clone(c.catalogue.names)
	for name := range c.env.Names { // order-free: sorted below
		candidates = append(candidates, name)
	}
	if c.env.Value != None {
		candidates = append(candidates, "value")
	}
	candidates = append(candidates, c.catalogue.functions...)
	slices.Sort(candidates)
	return c.fail(e.Span, didYouMean(e.Text, candidates), "unknown name %s", quoteShort(e.Text))
}

func didYouMean(name string, candidates []string) string {
	if near := nearest(name, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// quoteShort keeps messages short where a name is absurdly long.
func quoteShort(name string) string {
	if len(name) > maxSuggestBytes {
		name = name[:maxSuggestBytes] + "…"
	}
	return name
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
