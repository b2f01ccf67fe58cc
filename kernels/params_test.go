package kernels

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

func TestLets(t *testing.T) {
	lets := []LetSpec{
		{"w", "30s"},
		{"n", "4 * 5"},
		{"base", "ema(mid, n)"},
		{"dev", "zscore(mid - base, w)"},
		{"calm", "spread < 5bp * mid"},
		{"anchor", "session"},
		{"es", `ref("cme", "ES")`},
		{"theirs", "of(es, base)"},
	}
	spec := SignalSpec{Name: "a", Value: "dev + sma(mid, anchor) - theirs", When: "value > n and calm"}
	c, errs := Compile([]SignalSpec{spec}, Options{Lets: lets})
	if len(errs) > 0 {
		t.Fatal(errs[0].Error())
	}
	plain := SignalSpec{
		Name: "a", Value: `zscore(mid - ema(mid, 20), 30s) + sma(mid, session) - of(ref("cme", "ES"), ema(mid, 20))`,
		When: "value > 20 and spread < 5bp * mid",
	}
	if want := mustCompile(t, plain); c.Program.String() != want.Program.String() || !reflect.DeepEqual(c.References, want.References) {
		t.Errorf("a let is not its text:\n%s", c.Program)
	}
	// In a clock signal a let steps with the clock.
	clocked := SignalSpec{Name: "a", Value: "mid", When: "base > 1 and dev > 1", On: []string{"clock(1s)"}}
	c, errs = Compile([]SignalSpec{clocked}, Options{Lets: lets})
	if len(errs) > 0 || !strings.Contains(c.Signals[0].When.Text, "ema(sampled(1s, mid), 20)") {
		t.Error(errs, c)
	}
	// A clock and the instruments in on may be named as well.
	named := SignalSpec{Name: "a", Value: "mid - theirs", When: "true", On: []string{"self", "es"}}
	if c, errs = Compile([]SignalSpec{named}, Options{Lets: lets}); len(errs) > 0 || len(c.Signals[0].OnReferences) != 1 {
		t.Error(errs)
	}
}

func TestLetsAreBounded(t *testing.T) {
	// Every let uses the one before twice: without memory this would take 2^200 steps.
	lets := []LetSpec{{"x0", "mid"}}
	for i := range 200 {
		before := lets[len(lets)-1].Name
		lets = append(lets, LetSpec{"x" + strings.Repeat("i", i%50) + string(rune('a'+i/50)), before + " + " + before})
	}
	_, errs := Compile([]SignalSpec{{Name: "s", Value: lets[len(lets)-1].Name, When: "true"}}, Options{Lets: lets})
	if len(errs) > 0 {
		t.Error(errs[0].Error())
	}
	many := make([]LetSpec, expr.MaxLets+1)
	if got := compileErrors(t, Options{Lets: many}, watch("mid")); len(got) != 1 || got[0] != "-1 program: 257 lets" {
		t.Error(got)
	}
}

func TestLetMistakes(t *testing.T) {
	spec := func(value string) SignalSpec { return SignalSpec{Name: "s", Value: value, When: "true"} }
	for _, k := range []struct {
		name  string
		lets  []LetSpec
		value string
		want  []string
	}{
		{"a mistake in a let is said once", []LetSpec{{"a", "mide"}, {"b", "a + 1"}}, "a + b", []string{"-1 let.a: unknown name mide"}},
		{"also if it is not used", []LetSpec{{"a", "sma(mid, 0)"}}, "mid", []string{"-1 let.a: window must be positive"}},
		{"itself", []LetSpec{{"a", "a + 1"}}, "mid", []string{"-1 let.a: let a uses itself"}},
		{"a cycle", []LetSpec{{"a", "b"}, {"b", "a"}}, "mid", []string{"-1 let.a: let b is defined later"}},
		{"a signal", []LetSpec{{"a", "s"}}, "mid", []string{"-1 let.a: unknown name s"}},
		{"value", []LetSpec{{"a", "value"}}, "mid", []string{"-1 let.a: value cannot be used in let"}},
		{"names", []LetSpec{{"mid", "bid"}, {"ema", "bid"}, {"of", "bid"}, {"s", "bid"}, {"x", "bid"}, {"x", "ask"}, {"", "mid"}}, "mid", []string{
			`-1 let.mid: "mid" is a field`, `-1 let.ema: "ema" is an operator`, `-1 let.of: "of" is a word of the language`,
			"-1 let.x: let x is given twice", "-1 let.: a signal needs a name", "0 name: name s is already that of a let",
		}},
		{"empty", []LetSpec{{"a", " "}}, "mid", []string{"-1 let.a: expression is empty"}},
		{"a duration is no number", []LetSpec{{"w", "2s"}}, "mid + w", []string{"0 value: let w: a duration does not fit here"}},
		{"nor a condition", []LetSpec{{"c", "mid > 1"}}, "mid + c", []string{"0 value: a condition is used as a number"}},
		{"no window", []LetSpec{{"w", "2.5"}}, "sma(mid, w)", []string{"0 value: window must be a whole number of samples"}},
		{"of inside of", []LetSpec{{"r", `of(ref("a", "b"), mid)`}}, `mid + of(ref("c", "d"), r)`, []string{"0 value: let r: of cannot be used inside of"}},
		{"no arguments", []LetSpec{{"r", "mid"}}, "r(1)", []string{"0 value: r is a name and takes no arguments"}},
		{"misspelt", []LetSpec{{"baseline", "mid"}}, "basline", []string{"0 value: unknown name basline"}},
		{"an instrument that is none", []LetSpec{{"r", `ref("a")`}}, "mid", []string{"-1 let.r: ref needs its argument symbol"}},
	} {
		t.Run(k.name, func(t *testing.T) {
			got := compileErrors(t, Options{Lets: k.lets}, spec(k.value))
			if strings.Join(got, "\n") != strings.Join(k.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(k.want, "\n"))
			}
		})
	}
}

func TestParams(t *testing.T) {
	params := []ParamSpec{{Name: "n", Text: "3"}, {Name: "w", Text: "2m"}, {Name: "entry", Text: "5bp * 2"}}
	c := mustCompile(t, SignalSpec{Name: "a", Value: "sma(mid, n) - sma(mid, w)", When: "value > entry", Params: params})
	plain := mustCompile(t, SignalSpec{Name: "a", Value: "sma(mid, 3) - sma(mid, 2m)", When: "value > 5bp * 2"})
	if c.Program.String() != plain.Program.String() || len(c.Params) != 0 {
		t.Error("a parameter without overrides is not its constant")
	}
}

// TestParamWords: a parameter with overrides is a state word; instruments have their own.
func TestParamWords(t *testing.T) {
	spec := SignalSpec{
		Name: "a", Value: "price", When: "value > entry", Exit: "value < -entry",
		Params: []ParamSpec{{Name: "entry", Text: "2.5", Overridden: true}},
	}
	other := spec
	other.Name, other.Params = "b", []ParamSpec{{Name: "entry", Text: "7", Overridden: true}}
	c := mustCompile(t, spec, other)
	if len(c.Params) != 2 || c.Params[0].Default != 2.5 || c.Params[1].Default != 7 || c.Params[1].Signal != 1 || c.Params[0].Word == c.Params[1].Word {
		t.Fatalf("%+v", c.Params)
	}
	for i, p := range c.Params {
		if got := c.Program.Init[p.Word]; got != math.Float64bits(p.Default) {
			t.Errorf("parameter %d starts as %x", i, got)
		}
	}
	ex, err := program.NewExecutor(c.Program, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		ex.SetWord(i, 0, 3)
	}
	ex.SetWord(1, c.Params[0].Word, math.Float64bits(4))
	lane := &program.Lane{In: make([]program.Quarter, c.Program.SlotQuarters*8), Out: make([]program.Quarter, c.Program.RowQuarters*8), Capacity: 8}
	slots := []slot{tradeTick(3, 1, 0), tradeTick(3, 1, 0).on(1), tradeTick(5, 1, 0).on(1), tradeTick(8, 1, 0).on(1), tradeTick(-3, 1, 0), tradeTick(-3, 1, 0).on(1)}
	for n, s := range slots {
		stage(lane, uint64(n), s)
	}
	ex.Run(lane, 0, uint64(len(slots)))
	for n, want := range []struct{ when, exit uint64 }{{1, 0}, {0, 0}, {1, 0}, {3, 0}, {0, 1}, {0, 0}} {
		if r := readRow(c.Program, lane, uint64(n)); r.when != want.when || r.exit != want.exit {
			t.Errorf("slot %d: %+v, want %+v", n, r, want)
		}
	}
	if got := ex.Word(1, c.Params[0].Word); got != math.Float64bits(4) {
		t.Errorf("the program changed a parameter: %x", got)
	}
}

func TestParamMistakes(t *testing.T) {
	for _, k := range []struct {
		name   string
		params []ParamSpec
		value  string
		when   string
		want   []string
	}{
		{"window", []ParamSpec{{"n", "20", true}}, "sma(mid, n)", "true", []string{"0 value: parameter n has overrides, and argument w of sma is the same for all instruments"}},
		{"window of it", []ParamSpec{{"n", "20", true}}, "sma(mid, 2 * n)", "true", []string{"0 value: parameter n has overrides, and argument w of sma is the same for all instruments"}},
		{"duration", []ParamSpec{{"w", "2s", true}}, "sma(mid, w)", "true", []string{"0 params.w: parameter w is a duration, and has overrides"}},
		{"duration as number", []ParamSpec{{"w", "2s", false}}, "mid + w", "true", []string{"0 value: parameter w is a duration and does not fit here"}},
		{"too large a window", []ParamSpec{{"n", "1e9", false}}, "sma(mid, n)", "true", []string{"0 value: window is too large: the limit is 65536 samples"}},
		{"not used", []ParamSpec{{"n", "2", false}}, "mid", "true", []string{"0 params.n: parameter n is not used by the signal"}},
		{"not constant", []ParamSpec{{"n", "mid", false}}, "mid", "value > n", []string{"0 params.n: unknown name mid"}},
		{"a condition", []ParamSpec{{"n", "1 > 0", false}}, "mid", "value > n", []string{"0 params.n: a condition is used as a number"}},
		{"broken", []ParamSpec{{"n", "2 +", false}}, "sma(mid, n)", "value > n", []string{"0 params.n: expression ends too early"}},
		{"negative duration", []ParamSpec{{"n", "-2s", false}}, "sma(mid, n)", "true", []string{"0 params.n: duration must be above 0 and at most 8784h"}},
		{"division by zero", []ParamSpec{{"n", "1/0", false}}, "mid", "value > n", []string{"0 params.n: division by zero is always undefined"}},
		{"names", []ParamSpec{{"mid", "1", false}, {"x", "1", false}, {"x", "2", false}, {"a", "1", false}, {"value", "1", false}}, "mid", "value > x", []string{
			`0 params.mid: "mid" is a field`, "0 params.x: parameter x is given twice", "0 params.a: name a is already that of signal 1",
			`0 params.value: "value" is a word of the language`,
		}},
		{"misspelt", []ParamSpec{{"entry", "1", false}}, "mid", "value > entyr", []string{"0 when: unknown name entyr"}},
		{"called", []ParamSpec{{"entry", "1", false}}, "mid", "entry(2) > 1", []string{"0 when: entry is a name and takes no arguments"}},
	} {
		t.Run(k.name, func(t *testing.T) {
			got := compileErrors(t, Options{}, SignalSpec{Name: "a", Value: k.value, When: k.when, Params: k.params})
			if strings.Join(got, "\n") != strings.Join(k.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(k.want, "\n"))
			}
		})
	}
}

// TestParamsOfOthers: a signal reads another's value with the other's parameters in it.
func TestParamsOfOthers(t *testing.T) {
	p := []ParamSpec{{"k", "2", true}}
	c := mustCompile(t,
		SignalSpec{Name: "a", Value: "price * k", When: "true", Params: p},
		SignalSpec{Name: "b", Value: "sma(a, 2) * k", When: "true", Params: []ParamSpec{{"k", "10", true}}},
	)
	rows := run(t, c.Program, prices(1, 2), 1)
	if rows[1].out[0] != 4 || rows[1].out[1] != 30 {
		t.Errorf("%+v", rows)
	}
}
