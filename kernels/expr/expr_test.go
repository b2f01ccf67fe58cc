package expr

import (
	"math"
	"strings"
	"testing"
)

func mustParse(t *testing.T, source string) Expr {
	t.Helper()
	e, err := Parse(source)
	if err != nil {
		t.Fatalf("%s", Render(source, *err))
	}
	return e
}

func mustCheck(t *testing.T, g *Graph, source string, gap GapPolicy) Ref {
	t.Helper()
	ref, errs := Check(g, mustParse(t, source), testCatalogue(), Env{Part: "value", Value: None, Gap: gap})
	if len(errs) > 0 {
		t.Fatalf("%s", Render(source, errs[0]))
	}
	return ref
}

func TestBounds(t *testing.T) {
	deep := func(open, inner, shut string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
	}
	for name, c := range map[string]struct{ source, want string }{
		"parentheses at the limit": {deep("(", "mid", ")", MaxDepth), ""},
		"parentheses":              {deep("(", "mid", ")", MaxDepth+1), "nested too deeply (limit 200)"},
		"calls":                    {deep("abs(", "mid", ")", MaxDepth+1), "nested too deeply (limit 200)"},
		"signs":                    {deep("-", "mid", "", MaxDepth+1), "nested too deeply (limit 200)"},
		"nots":                     {deep("not ", "true", "", MaxDepth+1), "nested too deeply (limit 200)"},
		"exclamation marks":        {deep("!", "true", "", MaxSourceBytes-4), "nested too deeply (limit 200)"},
		"a chain is not deep":      {"1" + strings.Repeat("+1", 4000), ""},
		"length at the limit":      {"1" + strings.Repeat(" ", MaxSourceBytes-1), ""},
		"length":                   {"1" + strings.Repeat(" ", MaxSourceBytes), "expression is too long: 16385 bytes"},
		"invalid UTF-8":            {"mid + \xff", "byte 0xff is not valid UTF-8"},
		"NUL":                      {"mid\x00", `unexpected character '\x00'`},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Parse(c.source)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if again := mustParse(t, String(e)); !Equal(e, again) {
					t.Error("printing changes it")
				}
				return
			}
			if err == nil || !strings.Contains(err.Message, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestSampleLimitIsASetting(t *testing.T) {
	_, errs := Check(NewGraph(), mustParse(t, "sma(mid, 101)"), testCatalogue(), Env{Value: None, SampleLimit: 100})
	if len(errs) != 1 || errs[0].Message != "window is too large: the limit is 100 samples" {
		t.Error(errs)
	}
}

func TestManyErrorsAreBounded(t *testing.T) {
	source := strings.Repeat("nope + ", 100) + "nope"
	_, errs := Check(NewGraph(), mustParse(t, source), testCatalogue(), Env{Value: None})
	if len(errs) != maxErrors {
		t.Errorf("%d errors", len(errs))
	}
}

func TestUnitsAreExact(t *testing.T) {
	for source, want := range map[string]float64{
		"5bp": 0.0005, "0.1bp": 0.00001, "2pct": 0.02, "33pct": 0.33, "7.7pct": 0.077, "1e3bp": 0.1, "2.5e-3pct": 0.000025,
		"1e9999999999999999999999bp": math.NaN(), "0.3": 0.3, ".1": 0.1, "1e-400": 0, "1e-9999999999999999999999bp": 0,
	} {
		e, err := Parse(source)
		if math.IsNaN(want) {
			if err == nil {
				t.Errorf("%s is accepted", source)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", source, err)
		} else if got := e.(*Number).Value; math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s is %v, want %v", source, got, want)
		}
	}
	for source, want := range map[string]int64{
		"1ns": 1, "1us": 1e3, "1ms": 1e6, "1s": 1e9, "5m": 300e9, "1h": 3600e9, "0.1s": 1e8, "0.0003s": 3e5, "1.5e-3ms": 1500, "0s": 0,
	} {
		if got := mustParse(t, source).(*Number).DurationNs; got != want {
			t.Errorf("%s is %d ns, want %d", source, got, want)
		}
	}
}

func TestEqualExpressionsAreOneNode(t *testing.T) {
	g := NewGraph()
	base := mustCheck(t, g, "sma(mid - bid, 2s)", GapRewarm)
	same := []string{"sma((mid) - bid, 2s)", "sma(w=2s, x=mid - bid)", "sma(mid - +bid, 2000ms)"}
	for _, source := range same {
		if ref := mustCheck(t, g, source, GapRewarm); ref != base {
			t.Errorf("%s is another node", source)
		}
	}
	for _, source := range []string{"sma(bid - mid, 2s)", "sma(mid - bid, 2)", "sma(mid - bid, 3s)", "ema(mid - bid, 2)"} {
		if ref := mustCheck(t, g, source, GapRewarm); ref == base {
			t.Errorf("%s is the same node", source)
		}
	}
	held := mustCheck(t, g, "sma(mid - bid, 2s)", GapHold)
	if held == base {
		t.Error("state under another gap policy is shared")
	}
	if g.Nodes[held].Args[0] != g.Nodes[base].Args[0] {
		t.Error("stateless parts are not shared between gap policies")
	}
	if got := g.Text(held); got != "sma@hold((mid - bid), 2s)" {
		t.Error(got)
	}
}

func TestHashDoesNotDependOnTheGraph(t *testing.T) {
	a, b := NewGraph(), NewGraph()
	mustCheck(t, b, "ema(bid, 7) * 3", GapRewarm)
	first, second := mustCheck(t, a, "zscore(mid, 30s)", GapRewarm), mustCheck(t, b, "zscore(mid, 30s)", GapRewarm)
	if a.Nodes[first].Hash != b.Nodes[second].Hash {
		t.Error("hash depends on what came before")
	}
}

func TestZeroesAreTold(t *testing.T) {
	g := NewGraph()
	if mustCheck(t, g, "mid + 0", GapRewarm) == mustCheck(t, g, "mid + -0", GapRewarm) {
		t.Error("0 and -0 are one constant")
	}
}

func TestTextIsBounded(t *testing.T) {
	g, catalogue := NewGraph(), testCatalogue()
	names := map[string]Ref{"s": mustCheck(t, g, "mid", GapRewarm)}
	for range 60 {
		names["s"], _ = Check(g, mustParse(t, "s + s"), catalogue, Env{Value: None, Names: names})
	}
	if text := g.Text(names["s"]); len(text) > textLimit+len("…") || !strings.HasSuffix(text, "…") {
		t.Errorf("%d bytes", len(text))
	}
	if len(g.Nodes) != 61 {
		t.Errorf("%d nodes", len(g.Nodes))
	}
}

func TestBrokenValueIsNotASecondMistake(t *testing.T) {
	env := Env{Part: "when", Want: KindCondition, Value: Broken, Names: map[string]Ref{"s": Broken}}
	ref, errs := Check(NewGraph(), mustParse(t, "value > 1 and ema(s, s) > 2"), testCatalogue(), env)
	if ref != None || len(errs) != 0 {
		t.Error(ref, errs)
	}
}

func TestNearest(t *testing.T) {
	candidates := []string{"ask", "bid", "ema", "imbalance", "mid", "sma"}
	for name, want := range map[string]string{
		"mdi": "mid", "mide": "mid", "imbalence": "imbalance", "imblance": "imbalance", "xyz": "", "": "", "maid": "mid",
		"sme": "sma", "a": "", strings.Repeat("mid", 40): "",
	} {
		if got := nearest(name, candidates); got != want {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"abc", "abc", 0},
		{"abc", "abd", 1},
		{"abc", "ab", 1},
		{"abc", "acb", 1},
		{"kitten", "sitting", 3},
		{"abc", "", 3},
		{"abcdef", "ghijkl", 6},
	} {
		if got := editDistance(c.a, c.b, 10); got != c.want {
			t.Errorf("%q %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := editDistance(c.b, c.a, 10); got != c.want {
			t.Errorf("%q %q: %d, want %d", c.b, c.a, got, c.want)
		}
		if got := editDistance(c.a, c.b, 2); got != min(c.want, 2) {
			t.Errorf("%q %q limited: %d", c.a, c.b, got)
		}
	}
}

func TestRenderIsSafeForTerminals(t *testing.T) {
	got := Render("mid + \x1b[31m", Error{Offset: 6, Length: 1, Message: "m"})
	if strings.ContainsRune(got, 0x1b) {
		t.Errorf("%q", got)
	}
	// Offsets outside the text do not panic: the error may come with the wrong text.
	_ = Render("a", Error{Offset: 99, Length: 5, Message: "m"})
	_ = Render("a", Error{Offset: -1, Length: -5, Message: "m"})
}
