package expr

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

var fuzzSeeds = []string{
	"", "mid", "zscore(mid - ema(mid, 20), 30s)", "abs(value) > 2.5 and spread < 5bp * mid", "-sign(value)",
	"crosses(value, 0) && !(mid >= bid) || mid != bid", "std(mid, w=20, ddof=1)", "1e5s + .5 - 1.", "((((", "not not true",
	"a <= b < c", "mid ^ 2", "\xff", "f(x=1, 2)", "-1/0", "sma(mid, -2s)", "where(1 < 2, 1e-3, 2pct)", "1e999", "ofi(9999999h)",
	"prev(mid, 1)+prev(mid)", "mid\n+\tbid", "imbalance()", "let", "5e", "1..2",
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
			env := Env{Part: "value", Want: want, Value: None, Names: map[string]Ref{}}
			ref, errs := Check(g, e, catalogue, env)
			for _, err := range errs {
				checkError(t, source, err)
			}
			same, _ := Check(g, again, catalogue, env)
			if ref != same || (ref == None) != (len(errs) > 0) {
				t.Fatalf("%q gives node %d, its printed form %d, errors %v", source, ref, same, errs)
			}
			if ref != None {
				_ = g.Text(ref)
			}
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
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
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
	case 3:
		op := rapid.SampledFrom([]string{"-", "+", "not"}).Draw(t, "unary")
		return &Unary{Op: op, Operand: genExpr(t, depth-1)}
	case 4:
		ops := []string{"or", "and", "<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/"}
		op := rapid.SampledFrom(ops).Draw(t, "binary")
		return &Binary{Op: op, Left: genExpr(t, depth-1), Right: genExpr(t, depth-1)}
	}
	c := &Call{Function: rapid.SampledFrom([]string{"abs", "ema", "std", "where", "nope"}).Draw(t, "function")}
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
	sources := []string{"1", "2", "1s", "true", "false", "a", "b", "-a", "+a", "not a", "a + b", "a - b", "b + a", "f()", "f(a)", "f(x=a)", "g(a)", "f(b)"}
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
