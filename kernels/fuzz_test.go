package kernels

import (
	"math"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// FuzzCompile holds for any texts: no panic; mistakes lie inside their text; what compiles runs, gives the same
// rows in batches of 1 and 7, and writes only finite numbers and the canonical NaN.
func FuzzCompile(f *testing.F) {
	for _, spec := range sixSpecs(f) {
		f.Add(spec.Value, spec.When, spec.Side, false)
	}
	f.Add("ema(mid, 3) / (price - 100)", "not (value == 1) or true", "1e308 * mid", true)
	f.Add("prev(prev(where(mid > price, 1, bid / 0.0001), 2), 3)", "crosses(value, ofi(2))", "-sign(aggressor)", true)
	f.Add("mide", "value >", "2s", false)
	slots := market(2, 60)
	slots[20], slots[40] = slots[20].gap(), slots[40].gap()
	f.Fuzz(func(t *testing.T, value, when, side string, hold bool) {
		spec := SignalSpec{Name: "fuzzed", Value: value, When: when, Side: side}
		if hold {
			spec.OnGap = expr.GapHold
		}
		c, errs := Compile([]SignalSpec{spec}, Options{SampleLimit: 1000})
		if (c == nil) != (len(errs) > 0) {
			t.Fatal("neither a program nor a mistake")
		}
		for _, e := range errs {
			if m := e.Mistake; m.Offset < 0 || m.Length < 0 || m.Offset+m.Length > len(e.Text) {
				t.Fatalf("%+v", e)
			}
		}
		if c == nil {
			return
		}
		rows := run(t, c.Program, slots, 1)
		for i, other := range run(t, c.Program, slots, 7) {
			if !sameRow(rows[i], other) {
				t.Fatalf("tick %d: %+v and %+v", i, rows[i], other)
			}
			for _, out := range rows[i].out {
				if math.IsInf(out, 0) || math.IsNaN(out) && math.Float64bits(out) != program.CanonicalNaN {
					t.Fatalf("tick %d: %x", i, math.Float64bits(out))
				}
			}
		}
	})
}

// FuzzCompileOn is FuzzCompile for clocks, other instruments, lets and parameters; the program of the other instruments
// is run as well.
func FuzzCompileOn(f *testing.F) {
	f.Add("price - of(ref(\"cme\", \"ES\"), x)", "value > p", "self, ref(\"cme\", \"ES\")", "ema(mid, 3)", "2.5", true)
	f.Add("sma(price, session) + x", "diff(value) > p", "clock(1s)", "of(ref(\"cme\", \"ES\"), sma(mid, p))", "3", false)
	f.Add("price", "cooldown(hysteresis(x, p, 1), 2s)", "clock(p)", "session", "2s", false)
	f.Add("x + of(x, mid)", "count(x > 1, p) > p", "self, x", "ref(\"cme\", \"ES\")", "4 * 5bp", true)
	slots := market(2, 60)
	for i := range slots {
		slots[i] = slots[i].with(remoteValue{float64(i), uint32(i) % 4}, remoteValue{undef, uint32(i) % 3})
		if i%5 == 0 {
			slots[i].ctl, slots[i].clocks = program.CtlClockEvaluation, 1
		}
	}
	slots[20], slots[40], slots[30] = slots[20].gap(), slots[40].gap(), slots[30].session()
	f.Fuzz(func(t *testing.T, value, when, on, let, param string, overridden bool) {
		spec := SignalSpec{Name: "fuzzed", Value: value, When: when, On: []string{on}, Params: []ParamSpec{{"p", param, overridden}}}
		c, errs := Compile([]SignalSpec{spec}, Options{SampleLimit: 1000, Lets: []LetSpec{{"x", let}}})
		if (c == nil) != (len(errs) > 0) {
			t.Fatal("neither a program nor a mistake")
		}
		for _, e := range errs {
			if m := e.Mistake; m.Offset < 0 || m.Length < 0 || m.Offset+m.Length > len(e.Text) {
				t.Fatalf("%+v", e)
			}
		}
		if c == nil {
			return
		}
		programs := []*program.Program{c.Program}
		if c.ReferenceProgram != nil {
			programs = append(programs, c.ReferenceProgram)
		}
		for _, p := range programs {
			rows := run(t, p, slots, 1)
			for i, other := range run(t, p, slots, 7) {
				if !sameRow(rows[i], other) {
					t.Fatalf("tick %d: %+v and %+v", i, rows[i], other)
				}
				for _, out := range rows[i].out {
					if math.IsInf(out, 0) || math.IsNaN(out) && math.Float64bits(out) != program.CanonicalNaN {
						t.Fatalf("tick %d: %x", i, math.Float64bits(out))
					}
				}
			}
		}
	})
}
