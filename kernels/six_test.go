package kernels

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
)

var update = flag.Bool("update", false, "rewrite goldens and docs/language.md")

// golden compares text with a file of testdata, or rewrites it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			t.Fatalf("%s:%d: got %q (run go test -update if it should change)", path, i+1, a[i])
		}
	}
	t.Fatalf("%s has more lines than it should", path)
}

// sixSpecs reads the frozen programs of the benchmarks.
func sixSpecs(t testing.TB) []SignalSpec {
	t.Helper()
	data, err := os.ReadFile("../bench/programs/six.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return parseSpecs(t, data)
}

func TestSixListing(t *testing.T) {
	specs := sixSpecs(t)
	if len(specs) != 6 {
		t.Fatalf("%d signals", len(specs))
	}
	c := mustCompile(t, specs...)
	var b strings.Builder
	for i, s := range c.Signals {
		fmt.Fprintf(&b, "# signal %d %s: value quarter %d, side %d, strength %d, exit %t, quotes %t, trades %t\n",
			i, s.Name, s.ValueQuarter, s.SideQuarter, s.StrengthQuarter, s.HasExit, s.UsesQuote, s.UsesTrade)
		for _, part := range []struct {
			name string
			e    Expression
		}{{"value", s.Value}, {"when", s.When}, {"exit", s.Exit}, {"side", s.Side}, {"strength", s.Strength}} {
			if part.e.Text != "" {
				fmt.Fprintf(&b, "#   %s %x %s\n", part.name, part.e.Hash[:8], part.e.Text)
			}
		}
	}
	p := c.Program
	fmt.Fprintf(&b, "# before %d, recur %d, after %d instructions; %d windows; %d state words\n",
		len(p.Before), len(p.Recur), len(p.After), len(p.Windows), p.StateWords)
	golden(t, "testdata/six.listing", b.String()+p.String())
}

// TestSixUseEveryKindOfOperator keeps the frozen programs a fair measure.
func TestSixUseEveryKindOfOperator(t *testing.T) {
	used := map[string]bool{}
	durations, samples := 0, 0
	for _, s := range sixSpecs(t) {
		for _, text := range []string{s.Value, s.When, s.Exit, s.Side} {
			if text == "" {
				continue
			}
			tree, err := expr.Parse(text)
			if err != nil {
				t.Fatal(expr.Render(text, *err))
			}
			walk(tree, func(e expr.Expr) {
				switch e := e.(type) {
				case *expr.Call:
					used[e.Function] = true
				case *expr.Name:
					used[e.Text] = true
				case *expr.Number:
					if e.Unit.IsDuration() {
						durations++
					} else {
						samples++
					}
				}
			})
		}
	}
	for _, name := range []string{"abs", "sign", "where", "prev", "diff", "ema", "sma", "std", "zscore", "imbalance", "ofi", "crosses"} {
		if !used[name] {
			t.Errorf("%s is not used", name)
		}
	}
	if durations == 0 || samples == 0 || !used["price"] && !used["size"] {
		t.Error("no window of time, no window of samples or no trade field")
	}
}

func walk(e expr.Expr, visit func(expr.Expr)) {
	visit(e)
	switch e := e.(type) {
	case *expr.Unary:
		walk(e.Operand, visit)
	case *expr.Binary:
		walk(e.Left, visit)
		walk(e.Right, visit)
	case *expr.Call:
		for _, a := range e.Args {
			walk(a.Value, visit)
		}
	}
}
