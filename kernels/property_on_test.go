package kernels

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
	"pgregory.net/rapid"
)

// genOn draws a signal that a clock, another instrument or both evaluate, with what only these know.
func genOn(t *rapid.T, name string) SignalSpec {
	s := genSpec(t, name)
	s.On = rapid.SampledFrom([][]string{nil, {"clock(1s)"}, {"clock(2s)"}, {"self", `ref("v", "one")`}, {`ref("v", "one")`}, {`self, ref("v", "two")`, `ref("v", "one")`}}).Draw(t, "on")
	for _, symbol := range []string{"one", "two"} {
		if rapid.Bool().Draw(t, "reads "+symbol) || slices.ContainsFunc(s.On, func(text string) bool { return len(text) > 12 }) {
			s.Value += fmt.Sprintf(` + of(ref("v", %q), mid)`, symbol)
		}
	}
	s.Params = []ParamSpec{{Name: "p", Text: "2", Overridden: rapid.Bool().Draw(t, "overridden")}}
	extra := rapid.SampledFrom([]string{
		"value > p", "diff(value + mid) > p", `crosses(of(ref("v", "two"), price) + price, p)`, "sma(price, session) > p",
		`rising(mid - of(ref("v", "one"), mid) * p)`, "count(price > 10, session) > p",
		`hysteresis(price, of(ref("v", "two"), mid), p)`, "sma(value + price - price, 3) > p",
	}).Draw(t, "extra")
	s.When = "(" + s.When + ") or " + extra
	return s
}

// genOnSlots adds boundaries and ticks of the other instruments to ticks.
func genOnSlots(t *rapid.T) []slot {
	slots := genSlots(t)
	for i := range slots {
		s := &slots[i]
		for k := range s.refs {
			s.refs[k].value = rapid.SampledFrom([]float64{1, 2, 9, 10, 11, undef}).Draw(t, "reference")
			if rapid.IntRange(0, 15).Draw(t, "reference gap") == 0 {
				s.refs[k].aux |= ReferenceGap
			}
		}
		if rapid.IntRange(0, 20).Draw(t, "session reset") == 0 {
			*s = s.session()
		}
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0:
			s.ctl = s.ctl&(program.CtlGap|program.CtlSessionReset) | program.CtlClockEvaluation
			s.clocks = uint32(rapid.IntRange(1, 3).Draw(t, "clocks"))
		case 1:
			s.ctl = s.ctl&(program.CtlGap|program.CtlSessionReset) | program.CtlRefEvaluation
			for k := range s.refs {
				s.refs[k].aux |= uint32(rapid.IntRange(0, 1).Draw(t, "fresh")) * ReferenceFresh
			}
		}
	}
	return slots
}

// TestClocksAndReferencesAgainstReference holds programs with clocks, references, parameters and sessions to the plain
// evaluator, and batches to each other bit by bit.
func TestClocksAndReferencesAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		specs := []SignalSpec{genOn(t, "first"), genOn(t, "second")}
		c := compiler{specs: specs, options: Options{}.withDefaults(), catalogue: NewCatalogue(), graph: expr.NewGraph(), values: map[string]expr.Ref{}}
		for i := range specs {
			c.signal(i)
		}
		if len(c.errors) > 0 {
			t.Skip(c.errors[0].Mistake.Message)
		}
		compiled, errs := c.emit()
		if len(errs) > 0 {
			t.Skip(errs[0].Error())
		}
		if len(compiled.References) > len((slot{}).refs) {
			t.Skip("more references than slots have room for")
		}
		slots := genOnSlots(t)
		rows := run(t, compiled.Program, slots, 1)
		for _, batch := range []int{7, 64} {
			for i, other := range run(t, compiled.Program, slots, batch) {
				if !sameRow(rows[i], other) {
					t.Fatalf("tick %d: batch 1 gives %+v, batch %d %+v\n%+v", i, rows[i], batch, other, specs)
				}
			}
		}
		r := newReference(c.graph)
		r.clocks = compiled.Clocks
		r.remotes = func(n *expr.Node) int {
			at := slices.IndexFunc(compiled.References, func(x Reference) bool {
				return x.Symbol == n.Remote.Instrument.Symbol && x.Text == c.graph.Remote.Text(n.Remote.Ref)
			})
			return max(at, 0) // one that no signal uses is looked at by nobody
		}
		for i, s := range slots {
			values := r.tick(s)
			for k := range specs {
				seen := slices.Clone(values)
				seen[c.checked[k].value].fresh = isEvaluated(&c.checked[k], compiled, values, s)
				checkSignal(t, compiled, &c.checked[k], k, seen, rows[i], fmt.Sprintf("tick %d %+v of %+v", i, s, specs[k]))
			}
		}
	})
}

// isEvaluated says by the rules of the language whether a slot evaluates a signal.
func isEvaluated(signal *checkedSignal, c *Compiled, values []refValue, s slot) bool {
	if signal.on.ClockNs > 0 {
		return s.clocks>>slices.Index(c.Clocks, signal.on.ClockNs)&1 != 0
	}
	theirs := false
	for k, x := range c.References {
		live := slices.Contains(signal.on.Live, expr.Instrument{Venue: x.Venue, Symbol: x.Symbol})
		theirs = theirs || live && s.refs[k].aux&ReferenceFresh != 0
	}
	return values[signal.value].fresh && (signal.on.Self || theirs)
}

// TestOtherSlotsChangeNothing: boundaries and ticks of other instruments, which other signals may have asked for, leave
// no trace in a signal that did not.
func TestOtherSlotsChangeNothing(t *testing.T) {
	extras := []string{
		"sma(price, 64ns)", "std(mid, 640ns)", "sma(price, session)", "count(price > 10, 1000ns)", "only(price, size > 1)",
		"where(cooldown(price > 10, 64ns), 1, 0)", "where(hysteresis(price, 11, 10), 1, 0)", "since(price > 10)", "ofi(640ns)",
		"where(rising(mid), 1, 0)", "diff(price, 3)", "ema(mid, 3)",
	}
	rapid.Check(t, func(t *rapid.T) {
		spec := genSpec(t, "first")
		spec.Value += " + 0 * " + rapid.SampledFrom(extras).Draw(t, "extra")
		second := SignalSpec{Name: "second", Value: rapid.SampledFrom(extras).Draw(t, "second"), When: "true"}
		c, errs := Compile([]SignalSpec{spec, second}, Options{})
		if len(errs) > 0 {
			t.Skip(errs[0].Error())
		}
		slots := genSlots(t)
		var more []slot
		var places []int
		for i, s := range slots {
			for rapid.IntRange(0, 3).Draw(t, "inserted") == 0 {
				before := int64(0)
				if i > 0 {
					before = slots[i-1].timeNs
				}
				extra := clockTick(uint32(rapid.IntRange(1, 3).Draw(t, "clocks")), rapid.Int64Range(min(before, s.timeNs), s.timeNs).Draw(t, "time"))
				if len(more) > 0 {
					extra.timeNs = max(extra.timeNs, more[len(more)-1].timeNs)
				}
				more = append(more, extra.on(uint32(rapid.IntRange(0, 2).Draw(t, "instrument"))))
			}
			places = append(places, len(more))
			more = append(more, s)
		}
		rows, others := run(t, c.Program, slots, 7), run(t, c.Program, more, 7)
		for i, at := range places {
			if !sameRow(rows[i], others[at]) {
				t.Fatalf("tick %d %+v: %+v without other slots, %+v with them\n%+v %+v", i, slots[i], rows[i], others[at], spec, second)
			}
		}
		for at, s := range more {
			if r := others[at]; s.clocks != 0 && r.when|r.exit|r.suppressed != 0 {
				t.Fatalf("slot %d evaluates a signal: %+v", at, r)
			}
		}
	})
}
