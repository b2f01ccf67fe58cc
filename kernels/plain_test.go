package kernels

import (
	"fmt"
	"math"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
	"pgregory.net/rapid"
)

// Rules of operators for the plain evaluator: each computes its value anew from all that was stepped since the last
// reset, as the definition says.

// plainStep is one step of an operator: its inputs then.
type plainStep struct {
	timeNs int64
	args   []refValue
}

func (s plainStep) x(i int) float64 { return s.args[i].number }

// plainCall is what a rule may know.
type plainCall struct {
	steps    []plainStep
	stepped  bool // on this tick
	settings []expr.Setting
	args     []refValue // now
	nowNs    int64
	ticks    []int64 // times of all ticks of the instrument
}

// plainRule is one operator's definition.
type plainRule struct {
	holds bool // not reset by a gap
	steps func(args []refValue) bool
	value func(c plainCall) refValue
}

// plainRules are the rules by operator, a family a table.
var plainRules = mergeRules(
	filterRules,
	volatilityRules,
	tradeRules,
	liquidityRules,
	barRules,
	relationRules,
	decayRules,
	windowedRules,
)

// ruleOf is the rule of a node, if its operator has one: an ema by time is an ewma.
func ruleOf(n *expr.Node) plainRule {
	if n.Name == "ema" && n.Settings[0].DurationNs > 0 {
		return plainRules["ewma"]
	}
	return plainRules[n.Name]
}

func mergeRules(tables ...map[string]plainRule) map[string]plainRule {
	all := map[string]plainRule{}
	for _, table := range tables {
		for name, rule := range table {
			if _, twice := all[name]; twice {
				panic("two rules for " + name)
			}
			all[name] = rule
		}
	}
	return all
}

// allDefined is the usual rule: an input is fresh and all are defined.
func allDefined(args []refValue) bool {
	fresh := false
	for _, a := range args {
		fresh = fresh || a.fresh
		if !isDefined(a.number) {
			return false
		}
	}
	return fresh
}

// plain evaluates a node by its rule.
func (in *refInstrument) plain(ref expr.Ref, rule plainRule, n *expr.Node, args []refValue, s slot) refValue {
	st := in.nodes[ref]
	if st == nil {
		st = &refState{}
		in.nodes[ref] = st
	}
	if s.ctl&program.CtlGap != 0 && n.Gap == expr.GapRewarm && !rule.holds {
		st.plain = nil
	}
	if s.ctl&program.CtlSessionReset != 0 && n.Name == "count" && n.Settings[0].Session {
		st.plain = nil
	}
	st.ticks = append(st.ticks, s.timeNs)
	steps := allDefined
	if rule.steps != nil {
		steps = rule.steps
	}
	stepped := steps(args)
	if stepped {
		st.plain = append(st.plain, plainStep{s.timeNs, args})
	}
	return rule.value(plainCall{st.plain, stepped, n.Settings, args, s.timeNs, st.ticks})
}

// number is a value that is fresh where the operator stepped.
func (c plainCall) number(x float64) refValue { return refValue{number: x, fresh: c.stepped} }

// statistic is a rule that makes pushes of steps and a number of what is in the window.
func statistic(setting int, pushes func(steps []plainStep) []refPush, of func(xs []float64, w expr.Setting) float64) plainRule {
	return plainRule{value: func(c plainCall) refValue {
		var kept refState
		for _, p := range pushes(c.steps) {
			if isDefined(finite(p.x)) {
				kept.pushes = append(kept.pushes, p)
			}
		}
		xs, warm := kept.contents(c.settings[setting], c.nowNs)
		if !warm {
			return c.number(math.NaN())
		}
		return c.number(of(xs, c.settings[setting]))
	}}
}

func plainSum(xs []float64, _ expr.Setting) float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}

func plainMean(xs []float64, w expr.Setting) float64 { return plainSum(xs, w) / float64(len(xs)) }

// each makes a push of every step.
func each(of func(s plainStep) float64) func([]plainStep) []refPush {
	return func(steps []plainStep) (pushes []refPush) {
		for _, s := range steps {
			pushes = append(pushes, refPush{s.timeNs, of(s)})
		}
		return pushes
	}
}

// pairs makes a push of every step but the first, with the step before.
func pairs(of func(before, s plainStep) float64) func([]plainStep) []refPush {
	return func(steps []plainStep) (pushes []refPush) {
		for i := 1; i < len(steps); i++ {
			pushes = append(pushes, refPush{steps[i].timeNs, of(steps[i-1], steps[i])})
		}
		return pushes
	}
}

func plainReturn(before, s plainStep) float64 { return (s.x(0) - before.x(0)) / before.x(0) }

// checkAgainstPlain runs one expression in batches of 1, 7 and 64, which must agree to the bit, and compares it with
// the plain evaluator.
func checkAgainstPlain(t *rapid.T, value string, policy expr.GapPolicy, slots []slot) {
	specs := []SignalSpec{{Name: "watched", Value: value, When: "true", OnGap: policy}}
	c := compiler{specs: specs, options: Options{}.withDefaults(), catalogue: NewCatalogue(), graph: expr.NewGraph(), values: map[string]expr.Ref{}}
	c.signal(0)
	if len(c.errors) > 0 {
		t.Fatalf("%s: %s", value, c.errors[0].Mistake.Message)
	}
	compiled, errs := c.emit()
	if len(errs) > 0 {
		t.Fatal(errs[0].Error())
	}
	rows := run(t, compiled.Program, slots, 1)
	for _, batch := range []int{7, 64} {
		for i, other := range run(t, compiled.Program, slots, batch) {
			if !sameRow(rows[i], other) {
				t.Fatalf("%s, tick %d: batch 1 gives %+v, batch %d %+v", value, i, rows[i], batch, other)
			}
		}
	}
	r := newReference(c.graph)
	for i, s := range slots {
		values := r.tick(s)
		checkSignal(t, compiled, &c.checked[0], 0, values, rows[i], fmt.Sprintf("tick %d %+v of %s", i, s, value))
	}
}

// checkRules draws expressions of the templates, in which X is an exact series, N a small count, W a window and D a
// duration.
func checkRules(t *testing.T, templates ...string) {
	checkRulesOn(t, genSlots, templates...)
}

// checkRulesWithoutGaps is checkRules for operators whose rule does not know of gaps.
func checkRulesWithoutGaps(t *testing.T, templates ...string) {
	checkRulesOn(t, func(t *rapid.T) []slot {
		slots := genSlots(t)
		for i := range slots {
			slots[i].ctl &^= program.CtlGap
		}
		return slots
	}, templates...)
}

func checkRulesOn(t *testing.T, gen func(*rapid.T) []slot, templates ...string) {
	rapid.Check(t, func(t *rapid.T) {
		template := rapid.SampledFrom(templates).Draw(t, "template")
		text := ""
		for _, r := range template {
			switch r {
			case 'X':
				text += rapid.SampledFrom([]string{"mid", "price", "bid", "size", "spread", "(price - mid)", "(bid + size)"}).Draw(t, "x")
			case 'N':
				text += fmt.Sprint(rapid.IntRange(1, 6).Draw(t, "n"))
			case 'W':
				text += genWindow(t)
			case 'D':
				text += rapid.SampledFrom([]string{"1ns", "64ns", "640ns", "1000ns"}).Draw(t, "duration")
			default:
				text += string(r)
			}
		}
		checkAgainstPlain(t, text, expr.GapPolicy(rapid.IntRange(0, 1).Draw(t, "on gap")), gen(t))
	})
}

// TestEveryRuleIsOfAnOperator keeps the rules of names that are, and these families complete.
func TestEveryRuleIsOfAnOperator(t *testing.T) {
	c := NewCatalogue()
	for name := range plainRules {
		if c.operator[name] == nil {
			t.Errorf("a rule for %s, which is no operator", name)
		}
	}
	for _, family := range [][]Operator{
		volatility(), rangeVolatility(), decays(), windowed(), relations(), tradeFlow(), liquidity(), intensities(), sampling(), bars(),
	} {
		for _, o := range family {
			if plainRules[o.Name].value == nil {
				t.Errorf("no rule for %s", o.Name)
			}
		}
	}
}
