package kernels

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

func compileErrors(t *testing.T, options Options, specs ...SignalSpec) []string {
	t.Helper()
	c, errs := Compile(specs, options)
	if (c == nil) != (len(errs) > 0) {
		t.Fatalf("program %v with %d errors", c != nil, len(errs))
	}
	var lines []string
	for _, e := range errs {
		if e.Mistake.Offset+e.Mistake.Length > len(e.Text) {
			t.Errorf("%v lies outside its text %q", e.Mistake, e.Text)
		}
		lines = append(lines, fmt.Sprintf("%d %s: %s", e.Signal, e.Part, e.Mistake.Message))
	}
	return lines
}

func TestCompileErrors(t *testing.T) {
	good := func(name string) SignalSpec { return SignalSpec{Name: name, Value: "mid", When: "value > 1"} }
	many := make([]SignalSpec, MaxSignals+1)
	for i := range many {
		many[i] = good(fmt.Sprintf("s%d", i))
	}
	for _, c := range []struct {
		name  string
		specs []SignalSpec
		want  []string
	}{
		{"none", nil, []string{"-1 program: 0 signals"}},
		{"too many", many, []string{"-1 program: 65 signals"}},
		{"as many as fit", many[:MaxSignals], nil},
		{"no name, no value, no when", []SignalSpec{{}}, []string{"0 name: a signal needs a name", "0 value: value is missing", "0 when: when is missing"}},
		{"blank value", []SignalSpec{{Name: "a", Value: " ", When: "true"}}, []string{"0 value: expression is empty"}},
		{"a name twice", []SignalSpec{good("a"), good("b"), good("a")}, []string{"2 name: name a is already that of signal 1"}},
		{"a field's name", []SignalSpec{good("mid")}, []string{`0 name: "mid" is a field`}},
		{
			"a constant value",
			[]SignalSpec{{Name: "a", Value: "1 + 2", When: "value > 1"}},
			[]string{"0 value: value is constant, so no tick ever updates it"},
		},
		{"one mistake is not two", []SignalSpec{
			{Name: "a", Value: "mide", When: "value > 1", Exit: "value < 1", Side: "sign(value)"},
			{Name: "b", Value: "a + 1", When: "a > 1"},
		}, []string{"0 value: unknown name mide"}},
		{"all parts", []SignalSpec{{Name: "a", Value: "mid > 1", When: "mid", Exit: "1", Side: "true", Strength: "bid <"}}, []string{
			"0 value: value must be a number, and this is a condition",
			"0 when: when must be a condition, and this is a number",
			"0 exit: exit must be a condition, and this is a number",
			"0 side: side must be a number, and this is a condition",
			"0 strength: expression ends too early",
		}},
		{"cycles", []SignalSpec{
			{Name: "a", Value: "a + b", When: "b > a"},
			{Name: "b", Value: "a * value", When: "true"},
		}, []string{
			"0 value: signal a uses itself", "0 value: signal b is defined later",
			"0 when: signal b is defined later", "0 when: signal a refers to itself by name",
			"1 value: value cannot be used in value",
		}},
		{"an earlier signal", []SignalSpec{good("a"), {Name: "b", Value: "a * 2", When: "a > value", Exit: "a < 1", Side: "a", Strength: "a"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := compileErrors(t, Options{}, c.specs...)
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestCompileBounds(t *testing.T) {
	wide := SignalSpec{Name: "a", Value: "sma(mid, 101)", When: "true"}
	got := compileErrors(t, Options{SampleLimit: 100}, wide)
	if len(got) != 1 || got[0] != "0 value: window is too large: the limit is 100 samples" {
		t.Error(got)
	}
	got = compileErrors(t, Options{StateWordsLimit: 100}, wide)
	if len(got) != 1 || !strings.HasPrefix(got[0], "-1 program: 107 state words an instrument, the limit is 100") {
		t.Error(got)
	}
	got = compileErrors(t, Options{InstructionLimit: 20}, wide)
	if len(got) != 1 || !strings.HasSuffix(got[0], "instructions, the limit is 20: use fewer or shorter signals") {
		t.Error(got)
	}
	long := SignalSpec{Name: "a", Value: "mid" + strings.Repeat(" + mid", 2000), When: "true"}
	if got = compileErrors(t, Options{}, long); got != nil {
		t.Error(got)
	}
}

func TestErrorText(t *testing.T) {
	_, errs := Compile([]SignalSpec{{Name: "a", Value: "mide", When: "true"}}, Options{})
	if got := errs[0].Error(); got != "kernels: signal 0, value: unknown name mide (did you mean mid?)" {
		t.Error(got)
	}
	_, errs = Compile(nil, Options{})
	if got := errs[0].Error(); got != "kernels: 0 signals (a program holds 1 to 64)" {
		t.Error(got)
	}
}

func TestSharedState(t *testing.T) {
	words := func(specs ...SignalSpec) int { return mustCompile(t, specs...).Program.StateWords }
	one := SignalSpec{Name: "a", Value: "sma(mid - bid, 100)", When: "true"}
	same := SignalSpec{Name: "b", Value: "2 * sma((mid - bid), w=100)", When: "sma(mid - bid, 100) > 1"}
	held := same
	held.OnGap = expr.GapHold
	if alone, both := words(one), words(one, same); both != alone {
		t.Errorf("equal expressions have state of their own: %d and %d words", alone, both)
	}
	if alone, both := words(one), words(one, held); both < alone+100 {
		t.Errorf("state is shared between gap policies: %d and %d words", alone, both)
	}
	if alone, both := words(watch("std(mid, 50)")), words(watch("std(mid, 50) + zscore(mid, 50)")); both > alone+1 {
		t.Errorf("std and zscore have windows of their own: %d and %d words", alone, both)
	}
	if alone, both := words(watch("prev(mid)")), words(watch("prev(mid) + diff(mid)")); both != alone {
		t.Errorf("prev and diff have state of their own: %d and %d words", alone, both)
	}
}

// TestPoliciesKeepApart runs the same expression under both policies in one program.
func TestPoliciesKeepApart(t *testing.T) {
	hold := SignalSpec{Name: "held", Value: "diff(price)", When: "true", OnGap: expr.GapHold}
	rewarm := SignalSpec{Name: "rewarmed", Value: "diff(price)", When: "true"}
	c := mustCompile(t, hold, rewarm)
	rows := run(t, c.Program, []slot{tradeTick(1, 1, 0), tradeTick(4, 1, 0).gap()}, 1)
	if rows[1].when != 1 || rows[1].suppressed != 2 || rows[1].out[0] != 3 {
		t.Errorf("%+v", rows[1])
	}
}

func TestUses(t *testing.T) {
	for _, c := range []struct {
		spec         SignalSpec
		quote, trade bool
	}{
		{SignalSpec{Value: "mid", When: "true"}, true, false},
		{SignalSpec{Value: "price", When: "true"}, false, true},
		{SignalSpec{Value: "price", When: "price > bid"}, true, true},
		{SignalSpec{Value: "mid", When: "true", Exit: "size > 2"}, true, true},
		{SignalSpec{Value: "mid", When: "true", Side: "aggressor"}, true, true},
		{SignalSpec{Value: "mid", When: "true", Strength: "size"}, true, true},
		{SignalSpec{Value: "ofi(3)", When: "true"}, true, false},
		{SignalSpec{Value: "imbalance", When: "value > 0"}, true, false},
	} {
		c.spec.Name = "a"
		s := mustCompile(t, c.spec).Signals[0]
		if s.UsesQuote != c.quote || s.UsesTrade != c.trade {
			t.Errorf("%+v: quote %t, trade %t", c.spec, s.UsesQuote, s.UsesTrade)
		}
	}
}

func TestCompiledDescribesItself(t *testing.T) {
	c := mustCompile(t,
		SignalSpec{Name: "a", Value: "ema(mid, 3)", When: "value > 1"},
		SignalSpec{Name: "b", Value: "a - price", When: "value > 1", Exit: "value < 0", Side: "1", Strength: "abs(value)", OnGap: expr.GapHold},
	)
	a, b := c.Signals[0], c.Signals[1]
	if a.ValueQuarter != 3 || a.SideQuarter != -1 || a.StrengthQuarter != -1 || a.HasExit || a.Exit != (Expression{}) {
		t.Errorf("%+v", a)
	}
	if b.ValueQuarter != 4 || b.SideQuarter != 5 || b.StrengthQuarter != 6 || !b.HasExit || b.OnGap != expr.GapHold {
		t.Errorf("%+v", b)
	}
	if b.Value.Text != "(ema(mid, 3) - price)" || !b.Value.UsesQuote || !b.Value.UsesTrade || b.Value.Stateful {
		t.Errorf("%+v", b.Value)
	}
	if c.Program.RowQuarters != 7 {
		t.Errorf("%d row quarters", c.Program.RowQuarters)
	}
	found := false
	for _, n := range c.Nodes {
		found = found || n.Hash == a.Value.Hash && n.Text == "ema(mid, 3)" && n.Stateful && n.UsesQuote && !n.UsesTrade
	}
	if !found {
		t.Errorf("ema(mid, 3) is not among %+v", c.Nodes)
	}
}

// TestMasks holds the bits of a row to their definition, by hand.
func TestMasks(t *testing.T) {
	c := mustCompile(t, SignalSpec{Name: "a", Value: "1 / price", When: "size > 1", Exit: "size < -1", Side: "-sign(value)"})
	for _, k := range []struct {
		name                   string
		price, size            float64
		when, exit, suppressed uint64
	}{
		{"when", 2, 5, 1, 0, 0},
		{"exit", 2, -5, 0, 1, 0},
		{"neither", 2, 0, 0, 0, 0},
		{"when is undefined", 2, undef, 0, 0, 1},
		{"value is undefined, when is true", 0, 5, 0, 0, 1},
		{"value is undefined, exit is true", 0, -5, 0, 0, 1},
		{"value is undefined, nothing is wanted", 0, 0, 0, 0, 0},
		{"both are undefined", 0, undef, 0, 0, 1},
	} {
		r := run(t, c.Program, []slot{tradeTick(k.price, k.size, 0)}, 1)[0]
		if r.when != k.when || r.exit != k.exit || r.suppressed != k.suppressed {
			t.Errorf("%s: %+v", k.name, r)
		}
		if fired := k.when|k.exit != 0; fired && (r.out[0] != 0.5 || r.out[1] != -1) || !fired && math.Float64bits(r.out[0]) != unwritten {
			t.Errorf("%s: outputs %v", k.name, r.out)
		}
	}
}

// TestEveryBit gives each of 64 signals its own tick on which it alone fires.
func TestEveryBit(t *testing.T) {
	specs := make([]SignalSpec, MaxSignals)
	slots := make([]slot, MaxSignals)
	for i := range specs {
		specs[i] = SignalSpec{Name: fmt.Sprintf("s%d", i), Value: "price + size - size", When: fmt.Sprintf("value == %d", i), Exit: fmt.Sprintf("size == %d", i)}
		slots[i] = tradeTick(float64(i), float64(MaxSignals-1-i), 0)
	}
	c := mustCompile(t, specs...)
	for i, r := range run(t, c.Program, slots, 64) {
		if r.when != 1<<i || r.exit != 1<<(MaxSignals-1-i) || r.suppressed != 0 || r.out[i] != float64(i) {
			t.Errorf("tick %d: %+v", i, r)
		}
	}
}

// TestEnableMask turns signals off for one instrument: they are neither fired nor suppressed, but state steps.
func TestEnableMask(t *testing.T) {
	c := mustCompile(t, watch("diff(price)"), SignalSpec{Name: "b", Value: "price", When: "1 / (price - price) > 0"})
	ex, err := program.NewExecutor(c.Program, 1)
	if err != nil {
		t.Fatal(err)
	}
	lane := &program.Lane{In: make([]program.Quarter, c.Program.SlotQuarters*4), Out: make([]program.Quarter, c.Program.RowQuarters*4), Capacity: 4}
	for n, enabled := range []uint64{0, 2, 3, 1} {
		ex.SetWord(0, 0, enabled)
		stage(lane, uint64(n), tradeTick(float64(n*n), 1, 0))
		ex.Run(lane, uint64(n), uint64(n)+1)
		r := readRow(c.Program, lane, uint64(n))
		wantWhen, wantSuppressed := enabled&1, enabled&2
		if r.when != wantWhen || r.suppressed != wantSuppressed {
			t.Errorf("tick %d enabled %d: %+v", n, enabled, r)
		}
		if enabled&1 != 0 && r.out[0] != float64(2*n-1) {
			t.Errorf("tick %d: the state did not step while disabled: %v", n, r.out[0])
		}
	}
}

func TestCompileIsDeterministic(t *testing.T) {
	specs := sixSpecs(t)
	first := mustCompile(t, specs...)
	for range 5 {
		again := mustCompile(t, specs...)
		if again.Program.String() != first.Program.String() || fmt.Sprint(again.Nodes) != fmt.Sprint(first.Nodes) {
			t.Fatal("compiling twice gives two programs")
		}
	}
}
