package explain

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
)

// warming is when a node first had a value on a made-up market.
type warming struct {
	known          bool
	steps          int // updates of the node, the one that made it defined included
	firstNs        int64
	spanNs         int64 // since its first update
	quotes, trades int   // so far
	nowNs          int64 // since the first tick
}

// The bounds of a made-up market.
const (
	marketTicksLeast = 600
	marketTicksMost  = 200_000
	marketStepNs     = 1e6
)

// measure runs the signals on a made-up market until every node has had a value: at first densely, then, for what needs
// more time (windows over bars and over clocks), sparsely.
func (g *graph) measure(specs []kernels.SignalSpec, options kernels.Options) error {
	counts, spanNs := g.sizes()
	ticks := min(max(marketTicksLeast, 9*counts), marketTicksMost)
	for probe := g.probe; ; {
		for _, span := range []float64{1.5 * spanNs, 1.5 * spanNs * float64(2+counts)} {
			if err := g.measureOn(probe, ticks, max(marketStepNs, int64(min(span/float64(ticks), 1<<50)))); err != nil {
				return err
			}
		}
		if probe.Next == expr.None {
			return nil
		}
		next, mistakes := kernels.CompileProbe(specs, options, probe.Next)
		if len(mistakes) > 0 {
			return fmt.Errorf("explain: %w", &mistakes[0])
		}
		probe = next
	}
}

// sizes adds up the settings of all nodes: samples and time.
func (g *graph) sizes() (samples int, spanNs float64) {
	for ref := range g.probe.Graph.Nodes {
		if n := &g.probe.Graph.Nodes[ref]; g.probe.Nodes[ref].Used {
			spanNs += float64(n.PeriodNs)
			for _, s := range n.Settings {
				samples += int(min(s.Count, marketTicksMost))
				spanNs += float64(s.DurationNs)
			}
		}
	}
	return samples, spanNs
}

// measureOn notes the first value of every node that a probe shows and that is not measured yet.
func (g *graph) measureOn(probe *kernels.Probe, ticks int, stepNs int64) error {
	var open []int
	for ref := range probe.Nodes {
		if probe.Nodes[ref].Shown && !g.warm[ref].known {
			open = append(open, ref)
			g.warm[ref] = warming{}
		}
	}
	m, err := newMarket(probe.Compiled, stepNs)
	if err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	for n := 0; n < ticks && len(open) > 0; n++ {
		m.tick(n, func() {
			still := open[:0]
			for _, ref := range open {
				w := &g.warm[ref]
				if v := readNode(&probe.Nodes[ref], m.row); v.note(w, m.nowNs) {
					w.quotes, w.trades, w.nowNs = m.quotes, m.trades, m.nowNs-stepNs
				} else {
					still = append(still, ref)
				}
			}
			open = still
		})
	}
	return nil
}

// nodeValue is what a row shows of a node.
type nodeValue struct {
	number          float64
	condition       bool
	fresh           bool
	isTrue, isFalse bool
}

func (v *nodeValue) defined() bool {
	if v.condition {
		return v.isTrue || v.isFalse
	}
	return v.number-v.number == 0
}

func readNode(n *kernels.ProbedNode, row func(int) uint64) nodeValue {
	v := nodeValue{fresh: n.Fresh.Get(row)}
	if n.Number >= 0 {
		v.number = math.Float64frombits(row(n.Number))
		return v
	}
	v.condition, v.isTrue, v.isFalse = true, n.True.Get(row), n.False.Get(row)
	return v
}

// note counts an update and reports whether the node is defined now.
func (v *nodeValue) note(w *warming, nowNs int64) bool {
	if v.fresh {
		if w.steps == 0 {
			w.firstNs = nowNs
		}
		w.steps++
	}
	if v.defined() {
		w.known, w.spanNs = true, nowNs-w.firstNs
	}
	return w.known
}

// need is what a node waits for before it has a value.
type need struct {
	steps  int
	spanNs int64 // instead, if positive
}

// needs says what a node with state waits for once its inputs are defined; false if that is not known.
func (g *graph) needs(ref expr.Ref) (need, bool) {
	n, w := &g.probe.Graph.Nodes[ref], &g.warm[ref]
	if !n.Stateful || !w.known {
		return need{}, false
	}
	if w.steps > 1 {
		for _, s := range n.Settings {
			if s.DurationNs > 0 {
				return need{spanNs: s.DurationNs}, true
			}
		}
	}
	return need{steps: max(w.steps, 1)}, true
}

// warmUpText says in a few words when a node with state has a value.
func (g *graph) warmUpText(ref expr.Ref) string {
	need, known := g.needs(ref)
	switch {
	case !known:
		return ""
	case need.spanNs > 0:
		return durationText(need.spanNs) + " after its first step"
	case need.steps == 1:
		return "at its first step"
	}
	return fmt.Sprintf("at step %d", need.steps)
}

// warmUpSentence says when a signal's value is defined.
func (g *graph) warmUpSentence(ref expr.Ref) string {
	if !g.warm[ref].known {
		return "Its value was not defined within the made-up market that this is measured on; the operators below say what each needs."
	}
	text := "Its value is defined " + g.warmUpWhen(ref)
	if others := g.remotes(ref); len(others) > 0 {
		text += ", once there is a value of " + strings.Join(others, " and of ")
	}
	return text + "."
}

func (g *graph) warmUpWhen(ref expr.Ref) string {
	w, r := &g.warm[ref], g.reads[ref]
	for _, below := range g.below([]expr.Ref{ref}) {
		if need, known := g.needs(below); known && need.spanNs > 0 || r.clockNs > 0 {
			return fmt.Sprintf("after about %s of engine time, if ticks keep coming", roughly(w.nowNs))
		}
	}
	switch {
	case r.quote && r.trade:
		return fmt.Sprintf("after %s and %s that come in turn", plural(w.quotes, "quote"), plural(w.trades, "trade"))
	case r.quote:
		return fmt.Sprintf("from the %s on", ordinal(w.quotes, "quote"))
	case r.trade:
		return fmt.Sprintf("from the %s on", ordinal(w.trades, "trade"))
	case w.steps > 1:
		return "after " + plural(w.steps, "update")
	}
	return "at once"
}

// remotes are the texts of what a node reads of other instruments.
func (g *graph) remotes(ref expr.Ref) []string {
	var out []string
	for _, below := range g.below([]expr.Ref{ref}) {
		if n := &g.probe.Graph.Nodes[below]; n.Op == expr.OpReference {
			out = append(out, g.probe.Graph.Remote.Text(n.Remote.Ref)+" on "+n.Remote.Instrument.Venue+" "+n.Remote.Instrument.Symbol)
		}
	}
	return out
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func ordinal(n int, what string) string {
	switch n {
	case 0, 1:
		return "first " + what
	case 2:
		return "second " + what
	case 3:
		return "third " + what
	}
	return fmt.Sprintf("%s number %d", what, n)
}

// roughly rounds a duration to two digits.
func roughly(ns int64) string {
	unit := time.Duration(1)
	for time.Duration(ns) >= 100*unit {
		unit *= 10
	}
	return durationText(int64(time.Duration(ns).Round(unit)))
}
