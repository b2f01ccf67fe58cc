package kernels

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/internal/testdata"
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// readCapture reads the best quotes and trades of a genuine Binance capture, timed by receipt.
func readCapture(t *testing.T, name string) []slot {
	t.Helper()
	f, err := os.Open(testdata.Shared(t, "captures", "hftbacktest", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var slots []slot
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		at, raw, _ := strings.Cut(lines.Text(), " ")
		ns, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		var message struct {
			Stream string
			Data   map[string]any
		}
		if err := json.Unmarshal([]byte(raw), &message); err != nil {
			continue // a snapshot in line
		}
		number := func(key string) float64 {
			text, _ := message.Data[key].(string)
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatalf("%s of %s: %v", key, raw, err)
			}
			return x
		}
		switch {
		case strings.HasSuffix(message.Stream, "@bookTicker"):
			slots = append(slots, quoteTick(number("b"), number("B"), number("a"), number("A")).at(ns))
		case strings.HasSuffix(message.Stream, "@trade"):
			side := 1.0
			if message.Data["m"] == true { // the buyer was the maker
				side = -1
			}
			slots = append(slots, tradeTick(number("p"), number("q"), side).at(ns))
		}
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	return slots
}

// TestAgainstReferenceOnCaptures holds operators to the plain evaluator on real quotes and trades, where sums are
// not exact and prices are large beside their moves.
func TestAgainstReferenceOnCaptures(t *testing.T) {
	values := []string{
		"ofi(1s)", "ofi(50)", "zscore(microprice - ema(mid, 50), 2s)", "std(mid, 100)", "std(price, 500ms, ddof=1)",
		"imbalance - sma(imbalance, 500ms)", "sma(size * sign(aggressor), 50) / sma(size, 50)", "diff(mid, 8)",
		"zscore(price, 100)", "prev(microprice, 20) - prev(price)",
	}
	for _, name := range []string{"binance_spot_btcusdt_20240808.head6000.jsonl", "binance_usdm_btcusdt_20240808.head5000.jsonl"} {
		t.Run(name, func(t *testing.T) {
			slots := readCapture(t, name)
			if len(slots) < 4000 {
				t.Fatalf("only %d ticks", len(slots))
			}
			for _, value := range values {
				got := runValue(t, watch(value), slots, 64)
				want, fresh := referenceValue(t, value, slots)
				defined := 0
				for i := range slots {
					if !fresh[i] {
						want[i] = notFresh
					}
					if !near(got[i], want[i]) && !(got[i] != got[i] && want[i] != want[i]) {
						t.Fatalf("%s, tick %d: %v, want %v", value, i, got[i], want[i])
					}
					if fresh[i] && isDefined(want[i]) {
						defined++
					}
				}
				if defined < 300 {
					t.Errorf("%s is defined on %d ticks only: the test shows little", value, defined)
				}
			}
		})
	}
}

func referenceValue(t *testing.T, text string, slots []slot) (values []float64, fresh []bool) {
	t.Helper()
	tree, mistake := expr.Parse(text)
	if mistake != nil {
		t.Fatal(expr.Render(text, *mistake))
	}
	g := expr.NewGraph()
	root, mistakes := expr.Check(g, tree, NewCatalogue().names, expr.Env{Part: "value", Value: expr.None})
	if len(mistakes) > 0 {
		t.Fatal(expr.Render(text, mistakes[0]))
	}
	r := newReference(g)
	for _, s := range slots {
		v := r.tick(s)[root]
		values, fresh = append(values, v.number), append(fresh, v.fresh)
	}
	return values, fresh
}

// TestNearTellsApart keeps the comparison of these tests honest.
func TestNearTellsApart(t *testing.T) {
	canonical := math.Float64frombits(program.CanonicalNaN)
	for _, c := range []struct {
		a, b float64
		want bool
	}{{1, 1, true}, {1, 1 + 1e-6, false}, {1e9, 1e9 + 0.1, true}, {canonical, undef, true}, {1, undef, false}, {canonical, 1, false}, {-canonical, undef, false}} {
		if near(c.a, c.b) != c.want {
			t.Errorf("near(%v, %v) is not %t", c.a, c.b, c.want)
		}
	}
}
