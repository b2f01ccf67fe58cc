package kernels

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// outcomes writes what signal 0 did on each slot: its value where it fired, - where it was evaluated and did not, ?
// where it was suppressed, . where nothing is said of it. A signal without exit that is quiet looks the same evaluated
// or not, so tests give an exit that is the opposite of when: then - cannot be, and x is an exit.
func outcomes(t *testing.T, c *Compiled, slots []slot, batch int) string {
	t.Helper()
	var parts []string
	for _, r := range run(t, c.Program, slots, batch) {
		value := r.out[c.Signals[0].ValueQuarter-program.RowFirst]
		switch {
		case r.suppressed&1 != 0:
			parts = append(parts, "?")
		case r.when&1 != 0:
			parts = append(parts, fmt.Sprint(value))
		case r.exit&1 != 0:
			parts = append(parts, fmt.Sprintf("x%v", value))
		default:
			parts = append(parts, ".")
		}
	}
	return strings.Join(parts, " ")
}

// checkOutcomes runs in batches of 1, 7 and 64.
func checkOutcomes(t *testing.T, c *Compiled, slots []slot, want string) {
	t.Helper()
	for _, batch := range []int{1, 7, 64} {
		if got := outcomes(t, c, slots, batch); got != want {
			t.Errorf("batch %d:\n%s, want\n%s", batch, got, want)
		}
	}
}

func trade(price float64, ns int64) slot { return tradeTick(price, 1, 0).at(ns) }

// TestClockEvaluates: a clock signal is looked at on its boundaries and nowhere else, fresh or not.
func TestClockEvaluates(t *testing.T) {
	c := mustCompile(t,
		SignalSpec{Name: "a", Value: "price", When: "value > 5", Exit: "value <= 5", On: []string{"clock(1s)"}},
		SignalSpec{Name: "b", Value: "price", When: "true", On: []string{"clock(100ms)"}},
	)
	if want := []int64{second, second / 10}; !reflect.DeepEqual(c.Clocks, want) || c.Signals[0].Clock != 0 || c.Signals[1].Clock != 1 {
		t.Fatalf("%v, %+v", c.Clocks, c.Signals)
	}
	slots := []slot{
		clockTick(1, 0),          // nothing known yet: when is undefined
		trade(9, 1),              // a tick, no boundary
		clockTick(1, second),     // fires, though nothing is fresh
		clockTick(2, second+1),   // another clock's
		clockTick(3, 2*second),   // a boundary of both
		trade(3, 2*second),       // a tie: the boundary came before the tick
		clockTick(1, 3*second),   //
		statusTick().at(4e9),     //
		trade(8, 5*second).gap(), //
		clockTick(1, 6*second),   // fields hold over the gap
	}
	checkOutcomes(t, c, slots, "? . 9 . 9 . x3 . . 8")
}

// TestClockState: state in value steps on ticks, state in when steps at boundaries and sees the value of that moment.
func TestClockState(t *testing.T) {
	slots := []slot{
		trade(1, 1), trade(2, 2), clockTick(1, second),
		trade(9, second+1), trade(3, second+2), clockTick(1, 2*second),
		clockTick(1, 3*second), trade(4, 3*second+1), trade(1, 3*second+2), clockTick(1, 4*second),
	}
	on := []string{"clock(1s)"}
	for _, k := range []struct{ name, value, when, want string }{
		{"value steps on ticks", "diff(price)", "true", ". . 1 . . -6 -6 . . -3"},
		// Boundary values of price are 2, 3, 3, 1, so their changes are none, 1, 0, -2.
		{"when steps at boundaries", "price", "diff(price) > 0", ". . ? . . 3 x3 . . x1"},
		{"so does value in when", "price", "diff(value) > 0", ". . ? . . 3 x3 . . x1"},
		// 9 between the boundaries is not seen; 2, 3, 3 to 1 is.
		{"crosses at boundaries", "price", "crosses(value, 2.5)", ". . ? . . 3 x3 . . 1"},
		{"samples are boundaries", "price", "sma(value, 2) > 2.4", ". . ? . . 3 3 . . x1"},
		{"operators that read fields", "price", "count(rising(price), 2) > 0", ". . ? . . ? 3 . . x1"},
		{"through not and where", "price", "where(not (price < 3), diff(price), -1) > 0", ". . x2 . . 3 x3 . . x1"},
		{"cooldown counts boundaries", "price", "cooldown(value > 0, 2s)", ". . 2 . . x3 3 . . x1"},
	} {
		t.Run(k.name, func(t *testing.T) {
			spec := SignalSpec{Name: "a", Value: k.value, When: k.when, Exit: "not (" + k.when + ")", On: on}
			if k.value != "price" {
				spec.Exit = ""
			}
			checkOutcomes(t, mustCompile(t, spec), slots, k.want)
		})
	}
}

// TestClockSideAndStrength: they are computed as when is.
func TestClockSideAndStrength(t *testing.T) {
	c := mustCompile(t, SignalSpec{Name: "a", Value: "price", When: "true", Side: "diff(price)", Strength: "diff(value)", On: []string{"clock(1s)"}})
	slots := []slot{trade(1, 1), clockTick(1, second), trade(5, second+1), trade(3, second+2), clockTick(1, 2*second)}
	last := run(t, c.Program, slots, 1)[4]
	if want := []float64{3, 2, 2}; !reflect.DeepEqual(last.out, want) {
		t.Errorf("%v, want %v", last.out, want)
	}
}

// TestClockGap: a gap that a boundary carries rewarms what is sampled.
func TestClockGap(t *testing.T) {
	slots := []slot{trade(1, 1), clockTick(1, second), trade(2, second+1), clockTick(1, 2*second).gap(), clockTick(1, 3*second)}
	spec := SignalSpec{Name: "a", Value: "price", When: "diff(value) >= 0", On: []string{"clock(1s)"}}
	checkOutcomes(t, mustCompile(t, spec), slots, ". ? . ? 2")
	spec.OnGap = expr.GapHold
	checkOutcomes(t, mustCompile(t, spec), slots, ". ? . 2 2")
}

// TestClocksKeepApart: equal texts share state only under equal clocks.
func TestClocksKeepApart(t *testing.T) {
	spec := func(name string, on ...string) SignalSpec {
		return SignalSpec{Name: name, Value: "price", When: "sma(price, 100) > 1", On: on}
	}
	words := func(specs ...SignalSpec) int { return mustCompile(t, specs...).Program.StateWords }
	ticks, slow, fast := words(spec("a")), words(spec("a", "clock(1s)")), words(spec("a", "clock(1s)"), spec("b", "clock(1s)"))
	if fast != slow {
		t.Errorf("equal clocks: %d and %d words", slow, fast)
	}
	if both := words(spec("a", "clock(1s)"), spec("b", "clock(2s)")); both < slow+100 {
		t.Errorf("state is shared between clocks: %d and %d words", slow, both)
	}
	if both := words(spec("a"), spec("b", "clock(1s)")); both < ticks+100 {
		t.Errorf("state is shared between ticks and a clock: %d and %d words", ticks, both)
	}
	a := mustCompile(t, spec("a", "clock(1s)"))
	if text := a.Signals[0].When.Text; text != "(1 < sma(sampled(1s, price), 100))" {
		t.Error(text)
	}
}

// TestClockUsesEarlierSignal: another signal's value is sampled too.
func TestClockUsesEarlierSignal(t *testing.T) {
	c := mustCompile(t,
		SignalSpec{Name: "clocked", Value: "price", When: "diff(price) > 0", Exit: "diff(price) <= 0", On: []string{"clock(1s)"}},
		SignalSpec{Name: "ticks", Value: "diff(price)", When: "true"},
		SignalSpec{Name: "both", Value: "price", When: "diff(ticks) > 0", On: []string{"clock(1s)"}},
	)
	slots := []slot{trade(1, 1), trade(2, 2), clockTick(1, second), trade(5, second+1), trade(8, second+2), clockTick(1, 2*second)}
	rows := run(t, c.Program, slots, 1)
	if rows[2].suppressed != 1|4 || rows[5].when != 1|4 || rows[4].when != 2 {
		t.Errorf("%+v", rows)
	}
}

func TestClockMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"clock(100)":                 "argument period of clock is a duration",
		"clock(1us)":                 "the period of a clock is 1ms to 24h",
		"clock(25h)":                 "the period of a clock is 1ms to 24h",
		"clock()":                    "clock needs its argument period",
		"clock(period=1s, 2s)":       "a positional argument follows a named one",
		"clock(1s), self":            "a clock stands alone",
		"self, clock(1s)":            "a clock stands alone",
		"clock(1s), clock(2s)":       "a clock stands alone",
		"":                           "on is empty",
		"self,":                      "expression ends too early",
		"mid":                        "this does not say what evaluates a signal",
		"1s":                         "this does not say what evaluates a signal",
		"selv":                       "this does not say what evaluates a signal",
		"self self":                  `unexpected "self"`,
		"self, self":                 "self is given twice",
		`ref("cme")`:                 "ref needs its argument symbol",
		`ref(cme, "ES")`:             "argument venue of ref is a text",
		`ref("cme", "")`:             "the symbol is empty",
		`ref("cme", "ES)`:            "unclosed text",
		`ref("a","b"), ref("a","b")`: `ref("a", "b") is given twice`,
		`clock(1s), ref("a","b")`:    "a clock stands alone",
	} {
		_, errs := Compile([]SignalSpec{{Name: "a", Value: "mid", When: "true", On: []string{text}}}, Options{})
		if len(errs) == 0 || errs[0].Mistake.Message != want || errs[0].Part != "on[0]" {
			t.Errorf("%s: %+v, want %q", text, errs, want)
		}
		for _, e := range errs {
			if e.Mistake.Offset+e.Mistake.Length > len(e.Text) {
				t.Errorf("%s: outside the text: %+v", text, e)
			}
		}
	}
	specs := make([]SignalSpec, MaxClocks+1)
	for i := range specs {
		specs[i] = SignalSpec{Name: fmt.Sprintf("s%d", i), Value: "mid", When: "true", On: []string{fmt.Sprintf("clock(%ds)", i+1)}}
	}
	if _, errs := Compile(specs, Options{}); len(errs) != 1 || errs[0].Signal != MaxClocks || errs[0].Mistake.Message != "this is one clock too many" {
		t.Errorf("%+v", errs)
	}
	mustCompile(t, specs[:MaxClocks]...)
}

// TestConstantOnAClock: only what varies can be a value; another instrument's does.
func TestConstantOnAClock(t *testing.T) {
	spec := SignalSpec{Name: "a", Value: "1 + 1", When: "true", On: []string{"clock(1s)"}}
	if got := compileErrors(t, Options{}, spec); len(got) != 1 || !strings.Contains(got[0], "value is constant") {
		t.Error(got)
	}
	spec.Value = `of(ref("cme", "ES"), mid)`
	c := mustCompile(t, spec)
	slots := []slot{trade(1, 1).with(remoteValue{value: 4}), clockTick(1, second).with(remoteValue{value: 5}), clockTick(1, 2*second).with(remoteValue{value: math.NaN()})}
	checkOutcomes(t, c, slots, ". 5 ?")
}
