package expr

import (
	"fmt"
	"slices"
)

// MaxLets is how many shared names there may be.
const MaxLets = 256

// Lets are expressions with names that every signal may use. A let stands for its text, checked anew in each place
// where it is used, so that gap policy, clock and instrument are those of the place; equal uses are one node. A let may
// use fields, operators and the lets before it.
type Lets struct {
	list []*let
	all  []string // also those after the list
}

type let struct {
	name string
	tree Expr // nil if it has a mistake
	at   int
	memo map[letPlace]Ref
}

// letPlace is what the meaning of a let depends on.
type letPlace struct {
	gap     GapPolicy
	clockNs int64
	remote  bool
	live    string
}

// NewLets announces the names in their order. Define gives them their texts.
func NewLets(names []string) *Lets { return &Lets{all: names} }

// Define gives the next let its text and returns the mistakes in it. A let with mistakes may be used without causing
// more of them. Of env it needs the bounds of windows.
func (l *Lets) Define(g *Graph, catalogue *Catalogue, text string, env Env) []Error {
	added := &let{name: l.all[len(l.list)], at: len(l.list), memo: map[letPlace]Ref{}}
	tree, parseError := Parse(text)
	if parseError != nil {
		l.list = append(l.list, added)
		return []Error{*parseError}
	}
	c := checker{graph: g, catalogue: catalogue, env: Env{
		Part: "let", Value: None, Lets: l, SampleLimit: env.SampleLimit, NoSession: env.NoSession,
	}}
	if c.env.SampleLimit <= 0 {
		c.env.SampleLimit = DefaultSampleLimit
	}
	switch e := c.literal(tree).(type) {
	case *Number: // of any unit
	case *Name:
		if e.Text != "session" {
			c.visit(tree)
		}
	case *Call:
		if e.Function == "ref" {
			c.instrument(tree)
		} else {
			c.visit(tree)
		}
	default:
		c.visit(tree)
	}
	if len(c.errors) == 0 {
		added.tree = tree
	}
	l.list = append(l.list, added)
	slices.SortStableFunc(c.errors, func(a, b Error) int { return a.Offset - b.Offset })
	return c.errors[:min(len(c.errors), maxErrors)]
}

func (l *Lets) find(name string) *let {
	if l == nil {
		return nil
	}
	for _, x := range l.list {
		if x.name == name {
			return x
		}
	}
	return nil
}

// before are the lets that one may use.
func (l *Lets) before(x *let) *Lets { return &Lets{list: l.list[:x.at], all: l.all} }

func (l *Lets) names() []string {
	if l == nil {
		return nil
	}
	return l.all[:len(l.list)]
}

// unknown reports a let that is not defined yet, if the name is one.
func (l *Lets) unknown(c *checker, e *Name) bool {
	if l == nil {
		return false
	}
	at := slices.Index(l.all, e.Text)
	switch {
	case at < 0:
		return false
	case at == len(l.list):
		c.fail(e.Span, "prev(x, 1) gives an earlier value of x", "let %s uses itself", e.Text)
	default:
		c.fail(e.Span, "move it above this one; a let may use earlier ones only", "let %s is defined later", e.Text)
	}
	return true
}

// let is a let used as a number or a condition.
func (c *checker) let(e *Name, l *let) Ref {
	if l.tree == nil {
		return None
	}
	place := letPlace{gap: c.env.Gap, clockNs: c.env.ClockNs, remote: c.remote != nil, live: fmt.Sprintf("%q", c.env.Live)}
	if ref, ok := l.memo[place]; ok {
		return ref
	}
	inner := checker{graph: c.graph, catalogue: c.catalogue, remote: c.remote, env: Env{
		Part: "let", Gap: c.env.Gap, Value: None, Lets: c.env.Lets.before(l), ClockNs: c.env.ClockNs, Live: c.env.Live,
		SampleLimit: c.env.SampleLimit, NoSession: c.env.NoSession,
	}}
	ref := inner.visit(l.tree)
	if len(inner.errors) > 0 {
		return c.fail(e.Span, inner.errors[0].Hint, "let %s: %s", l.name, inner.errors[0].Message)
	}
	l.memo[place] = ref
	return ref
}

// literal follows the names of lets and parameters to what they stand for, so that they may name windows and
// instruments as well as numbers.
func (c *checker) literal(e Expr) Expr {
	lets := c.env.Lets
	for params := c.env.Params; ; params = nil {
		n, ok := e.(*Name)
		if !ok {
			return e
		}
		if p := params[n.Text]; p != nil {
			p.Used = true
			if p.Overridden || p.Broken {
				return e
			}
			return p.tree
		}
		l := lets.find(n.Text)
		if l == nil || l.tree == nil {
			return e
		}
		e, lets = l.tree, lets.before(l)
	}
}
