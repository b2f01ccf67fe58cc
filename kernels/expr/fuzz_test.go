package expr

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

var fuzzSeeds = []string{
	"", "mid", "zscore(mid - ema(mid, 20), 30s)", "abs(value) > 2.5 and spread < 5bp * mid", "-sign(value)",
	"crosses(value, 0) && !(mid >= bid) || mid != bid", "std(mid, w=20, ddof=1)", "1e5s + .5 - 1.", "((((", "not not true",
	"a <= b < c", "mid ^ 2", "\xff", "f(x=1, 2)", "-1/0", "sma(mid, -2s)", "where(1 < 2, 1e-3, 2pct)", "1e999", "ofi(9999999h)",
	"prev(mid, 1)+prev(mid)", "mid\n+\tbid", "imbalance()", "let", "5e", "1..2",
	`mid - of(ref("cme", "ES 06-25"), ema(base, n))`, `of(x=mid, instrument=es) > own`, `"`, `ref("a")`, `of(of(es, mid), "\x7f")`,
	"vwap(session) + vwap(today) + sma(mid, half_minute)", "cooldown(mid > entry, d)", "bands(mid, k=own)", "clock(100ms), self", "session",
}

// FuzzParseCheck holds for any text: no panic, errors inside the text, printing and parsing again gives an
// equal tree, and checking that gives the same node.
func FuzzParseCheck(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add(seed)
	}
	catalogue := testCatalogue()
	f.Fuzz(func(t *testing.T, source string) {
		e, parseError := Parse(source)
		if parseError != nil {
			checkError(t, source, *parseError)
			return
		}
		printed := String(e)
		if len(printed) > MaxSourceBytes {
			return
		}
		again, parseError := Parse(printed)
		if parseError != nil || !Equal(e, again) {
			t.Fatalf("%q printed as %q: %v", source, printed, parseError)
		}
		for _, want := range []Kind{KindNumber, KindCondition} {
			g := NewGraph()
			env := Env{Part: "value", Want: want, Self: "flow", Value: None, Names: map[string]Ref{}}
			env.Lets, env.Params = testNames(g, catalogue)
			if want == KindCondition {
				env.ClockNs, env.Live = 1e9, []Instrument{{"cme", "ES"}}
			}
			ref, errs := Check(g, e, catalogue, env)
			for _, err := range errs {
				checkError(t, source, err)
			}
			same, _ := Check(g, again, catalogue, env)
			if ref != same || len(errs) > 0 && ref != None {
				t.Fatalf("%q gives node %d, its printed form %d, errors %v", source, ref, same, errs)
			}
			if ref != None {
				_ = g.Text(ref)
			}
		}
	})
}

// FuzzNames holds for the other texts of a configuration: constants, lets, what is on.
func FuzzNames(f *testing.F) {
	for _, seed := range append([]string{"self, clock(1s)", "30s", "4 * 5bp", `ref("a", "b"), self`, "first + 1", "clock(period=first)"}, fuzzSeeds...) {
		f.Add(seed)
	}
	catalogue := testCatalogue()
	f.Fuzz(func(t *testing.T, source string) {
		constant, err := ParseConstant(source)
		if err != nil {
			checkError(t, source, *err)
		} else if constant.Broken || constant.DurationNs < 0 || constant.DurationNs > 0 && constant.Value != 0 || math.IsNaN(constant.Value) || math.IsInf(constant.Value, 0) {
			t.Fatalf("%q is %+v", source, constant)
		}
		g := NewGraph()
		lets := NewLets([]string{"first", "second", "third"})
		lets.Define(g, catalogue, "ema(mid, 20)", Env{})
		for _, err := range lets.Define(g, catalogue, source, Env{}) {
			checkError(t, source, err)
		}
		var on On
		errs := on.Item(catalogue, source, Env{Lets: lets})
		for _, err := range errs {
			checkError(t, source, err)
		}
		if len(errs) == 0 && on.ClockNs > 0 && (on.Self || len(on.Live) > 0 || on.ClockNs < MinClockNs || on.ClockNs > MaxClockNs) {
			t.Fatalf("%q is %+v", source, on)
		}
		use, _ := Parse("mid + second")
		if ref, errs := Check(g, use, catalogue, Env{Part: "value", Value: None, Lets: lets}); ref != None && len(errs) == 0 {
			_ = g.Text(ref)
		}
	})
}

func checkError(t *testing.T, source string, err Error) {
	t.Helper()
	if err.Offset < 0 || err.Length < 0 || err.Offset+err.Length > len(source) || err.Message == "" {
		t.Fatalf("%q: error outside the text: %+v", source, err)
	}
	if Render(source, err) == "" {
		t.Fatal("renders as nothing")
	}
}

// genExpr draws a tree of any shape, right or wrong in meaning.
func genExpr(t *rapid.T, depth int) Expr {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 3
	}
	switch kind {
	case 0:
		text := rapid.SampledFrom([]string{"0", "1", "2.5", ".5", "1e-3", "20", "2s", "100ms", "5bp", "2pct", "5m"}).Draw(t, "number")
		n, err := parseNumber(token{tokenNumber, 0, text})
		if err != nil {
			t.Fatal(err)
		}
		return n
	case 1:
		return &Name{Text: rapid.SampledFrom([]string{"mid", "bid", "nope", "imbalance", "value", "notx"}).Draw(t, "name")}
	case 2:
		return &Bool{Value: rapid.Bool().Draw(t, "bool")}
	case 6:
		return &Text{Value: rapid.StringMatching(`[ -!#-~é]{0,5}`).Draw(t, "text")}
	case 3:
		op := rapid.SampledFrom([]string{"-", "+", "not"}).Draw(t, "unary")
		return &Unary{Op: op, Operand: genExpr(t, depth-1)}
	case 4:
		ops := []string{"or", "and", "<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/"}
		op := rapid.SampledFrom(ops).Draw(t, "binary")
		return &Binary{Op: op, Left: genExpr(t, depth-1), Right: genExpr(t, depth-1)}
	}
	c := &Call{Function: rapid.SampledFrom([]string{"abs", "ema", "std", "where", "nope", "of", "ref"}).Draw(t, "function")}
	named := false
	for i := range rapid.IntRange(0, 3).Draw(t, "arguments") {
		a := Argument{Value: genExpr(t, depth-1)}
		named = named || rapid.Bool().Draw(t, "named")
		if named {
			a.Name = fmt.Sprintf("x%d", i)
		}
		c.Args = append(c.Args, a)
	}
	return c
}

func TestPrintParseAnyTree(t *testing.T) {
	catalogue := testCatalogue()
	rapid.Check(t, func(t *rapid.T) {
		e := genExpr(t, 5)
		printed := String(e)
		again, err := Parse(printed)
		if err != nil {
			t.Fatalf("%s", Render(printed, *err))
		}
		if !Equal(e, again) {
			t.Fatalf("%s becomes %s", printed, String(again))
		}
		_, errs := Check(NewGraph(), again, catalogue, Env{Part: "value", Value: None})
		for _, err := range errs {
			if err.Offset < 0 || err.Length <= 0 || err.Offset+err.Length > len(printed) {
				t.Fatalf("%q: %+v", printed, err)
			}
		}
	})
}

func TestEqualTellsTreesApart(t *testing.T) {
	sources := []string{"1", "2", "1s", "true", "false", "a", "b", "-a", "+a", "not a", "a + b", "a - b", "b + a", `"a"`, `"b"`, "f()", "f(a)", "f(x=a)", "g(a)", "f(b)"}
	for i, a := range sources {
		for j, b := range sources {
			x, _ := Parse(a)
			y, _ := Parse(b)
			if Equal(x, y) != (i == j) {
				t.Errorf("Equal(%s, %s) = %t", a, b, Equal(x, y))
			}
		}
	}
}
