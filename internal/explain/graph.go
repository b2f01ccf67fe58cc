package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
)

// graph is a probe's graph with what is said of its nodes.
type graph struct {
	probe *kernels.Probe
	reads []reads   // by node
	warm  []warming // by node, once measured
	uses  []int     // by node: nodes and parts that read it
}

func newGraph(p *kernels.Probe) *graph {
	g := &graph{probe: p, uses: make([]int, len(p.Graph.Nodes)), warm: make([]warming, len(p.Graph.Nodes))}
	g.reads = readsOf(p)
	for ref := range p.Graph.Nodes {
		if p.Nodes[ref].Used {
			for _, arg := range p.Graph.Nodes[ref].Args {
				g.uses[arg]++
			}
		}
	}
	for i := range p.Signals {
		for _, part := range parts(&p.Signals[i]) {
			g.uses[part.ref]++
		}
	}
	return g
}

type part struct {
	name string
	ref  expr.Ref
}

// parts are those that a signal has.
func parts(s *kernels.ProbedSignal) []part {
	all := []part{{"value", s.Value}, {"when", s.When}, {"exit", s.Exit}, {"side", s.Side}, {"strength", s.Strength}}
	return slices.DeleteFunc(all, func(p part) bool { return p.ref == expr.None })
}

// signal explains one signal but for its cost.
func (g *graph) signal(c *config.Config, i int) Signal {
	spec, compiled, probed := &c.Signals[i], &g.probe.Compiled.Signals[i], &g.probe.Signals[i]
	s := Signal{
		Name: spec.Name, OnGap: compiled.OnGap.String(), Limits: limits(spec),
		Evaluated: g.evaluated(i), WarmUp: g.warmUpSentence(probed.Value),
	}
	for _, pattern := range spec.For {
		s.For = append(s.For, pattern.String())
	}
	for _, p := range parts(probed) {
		s.Parts = append(s.Parts, Part{Name: p.name, Text: g.probe.Graph.Text(p.ref), Node: int(p.ref)})
	}
	return s
}

// limits says what bounds decisions in time.
func limits(s *config.Signal) string {
	var out []string
	for _, l := range []struct {
		name string
		ns   int64
	}{{"throttle", int64(s.Throttle)}, {"expires", int64(s.Expires)}, {"horizon", int64(s.Horizon)}} {
		if l.ns > 0 {
			out = append(out, l.name+" "+durationText(l.ns))
		}
	}
	return strings.Join(out, ", ")
}

// below are the nodes that roots need, arguments first.
func (g *graph) below(roots []expr.Ref) []expr.Ref {
	needed := make([]bool, len(g.probe.Graph.Nodes))
	for _, root := range roots {
		needed[root] = true
	}
	for ref := len(needed) - 1; ref >= 0; ref-- {
		if needed[ref] {
			for _, arg := range g.probe.Graph.Nodes[ref].Args {
				needed[arg] = true
			}
		}
	}
	var out []expr.Ref
	for ref, is := range needed {
		if is {
			out = append(out, expr.Ref(ref))
		}
	}
	return out
}

// nodes describes what roots need, and the operators among it.
func (g *graph) nodes(roots []expr.Ref) (nodes []Node, operators []Operator) {
	for _, ref := range g.below(roots) {
		n := &g.probe.Graph.Nodes[ref]
		node := Node{
			ID: int(ref), Text: g.probe.Graph.Text(ref), Form: g.form(ref), Kind: n.Kind.String(), Name: nodeName(n),
			State: n.Stateful, Reads: g.reads[ref].String(), Uses: g.uses[ref], WarmUp: g.warmUpText(ref),
		}
		for _, arg := range n.Args {
			node.Args = append(node.Args, int(arg))
		}
		var settings []string
		for _, s := range n.Settings {
			settings = append(settings, s.String())
		}
		node.Window = strings.Join(settings, ", ")
		node.Doc = g.doc(n)
		nodes = append(nodes, node)
		if n.Op == expr.OpCall && !slices.ContainsFunc(operators, func(o Operator) bool { return o.Name == n.Name }) {
			o := g.probe.Catalogue.Operator(n.Name)
			operators = append(operators, Operator{
				Name: o.Name, Usage: o.Usage(), Summary: o.Doc.Summary, Formula: o.Doc.Formula, Source: o.Doc.Source,
				Convention: o.Doc.Convention, WarmUp: o.Doc.WarmUp,
			})
		}
	}
	slices.SortFunc(operators, func(a, b Operator) int { return strings.Compare(a.Name, b.Name) })
	return nodes, operators
}

// doc is one line on what a node is.
func (g *graph) doc(n *expr.Node) string {
	switch n.Op {
	case expr.OpCall:
		return g.probe.Catalogue.Operator(n.Name).Doc.Summary
	case expr.OpField:
		return g.probe.Catalogue.Field(n.Name).Doc
	case expr.OpParam:
		return "parameter, " + number(n.Value) + " unless an override says otherwise"
	case expr.OpSampled:
		return "as it is at a boundary of the clock of " + durationText(n.PeriodNs)
	case expr.OpReference:
		return g.probe.Graph.Remote.Text(n.Remote.Ref) + " on the ticks of " + n.Remote.Instrument.Venue + " " + n.Remote.Instrument.Symbol
	}
	return ""
}

var signs = map[expr.Op]string{
	expr.OpNeg: "-", expr.OpNot: "not", expr.OpAdd: "+", expr.OpSub: "-", expr.OpMul: "*", expr.OpDiv: "/", expr.OpLess: "<",
	expr.OpLessEqual: "<=", expr.OpEqual: "==", expr.OpAnd: "and", expr.OpOr: "or", expr.OpConst: "constant",
	expr.OpBool: "constant", expr.OpSampled: "sampled", expr.OpReference: "of",
}

func nodeName(n *expr.Node) string {
	if sign, ok := signs[n.Op]; ok {
		return sign
	}
	return n.Name
}

// form writes a node with its arguments as #id, leaves and constants as they are.
func (g *graph) form(ref expr.Ref) string {
	n := &g.probe.Graph.Nodes[ref]
	switch n.Op {
	case expr.OpConst, expr.OpBool, expr.OpField, expr.OpParam, expr.OpReference:
		return g.probe.Graph.Text(ref)
	case expr.OpSampled:
		return "sampled(" + durationText(n.PeriodNs) + ", " + g.argument(n.Args[0]) + ")"
	case expr.OpNeg:
		return "-" + g.argument(n.Args[0])
	case expr.OpNot:
		return "not " + g.argument(n.Args[0])
	case expr.OpCall:
		var args []string
		for _, arg := range n.Args {
			args = append(args, g.argument(arg))
		}
		for _, s := range n.Settings {
			args = append(args, s.String())
		}
		return n.Name + "(" + strings.Join(args, ", ") + ")"
	}
	return g.argument(n.Args[0]) + " " + nodeName(n) + " " + g.argument(n.Args[1])
}

// argument is a leaf's text or a node's id.
func (g *graph) argument(ref expr.Ref) string {
	if g.leaf(ref) {
		return g.probe.Graph.Text(ref)
	}
	return fmt.Sprintf("#%d", ref)
}

// leaf reports whether a node has nothing below it.
func (g *graph) leaf(ref expr.Ref) bool {
	n := &g.probe.Graph.Nodes[ref]
	return len(n.Args) == 0 && n.Op != expr.OpCall
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
