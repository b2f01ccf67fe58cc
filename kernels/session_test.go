package kernels

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
	"pgregory.net/rapid"
)

func TestSessionWindows(t *testing.T) {
	p := prices(4, 2, 6, 8, 1, 3, 5)
	p[3] = p[3].session()
	p[5] = p[5].gap()
	u, n := undef, notFresh
	silent := []slot{tradeTick(4, 1, 0), statusTick().session(), tradeTick(6, 1, 0), clockTick(0, 0).session(), quoteTick(1, 1, 1, 1), tradeTick(undef, 1, 0), tradeTick(8, 1, 0)}
	runCases(t, []operatorCase{
		{"mean", "sma(price, session)", false, p, []float64{4, 3, 4, 8, 4.5, 3, 4}},
		{"mean over a held gap", "sma(price, session)", true, p, []float64{4, 3, 4, 8, 4.5, 4, 4.25}},
		{"std", "std(price, session)", true, p, []float64{0, 1, math.Sqrt(8.0 / 3), 0, 3.5, math.Sqrt(26.0 / 3), math.Sqrt(26.75 / 4)}},
		{"std, sample estimate", "std(price, w=session, ddof=1)", false, p, []float64{u, math.Sqrt2, 2, u, math.Sqrt(24.5), u, math.Sqrt2}},
		{"zscore", "zscore(price, session)", false, p, []float64{u, -1, 2 / math.Sqrt(8.0/3), u, -1, u, 1}},
		{"count", "count(price > 3, session)", true, p, []float64{1, 1, 2, 1, 1, 1, 2}},
		// The reset comes with whatever the next slot is; the window is then empty until its next sample.
		{"a reset on any slot", "sma(price, session) + mid - mid", false, silent, []float64{u, n, u, n, u, n, 8}},
		{"only sessions are anchored", "sma(price, 2)", false, p[:5], []float64{u, 3, 4, 7, 4.5}},
		{"ofi", "ofi(session)", false, []slot{quoteTick(10, 5, 12, 7), quoteTick(10, 8, 12, 7), quoteTick(10, 9, 12, 7), quoteTick(10, 11, 12, 7).session()}, []float64{u, 3, 4, 2}},
	})
}

// rollProgram emits the outputs of one session window over trades' prices (and sizes).
func rollProgram(t testing.TB, agg program.WindowAgg) *program.Program {
	t.Helper()
	c := NewCatalogue()
	e := newEmitter(expr.NewGraph(), c, program.DefaultWindowSub)
	x, y := c.field["price"].emit(e), c.field["size"].emit(e)
	inputs := []program.Value{x.number, y.number}[:agg.Inputs()]
	out := e.roll(agg, expr.Setting{Session: true}, e.b.And(x.fresh, e.b.Defined(x.number)), e.ctlBit(program.CtlGap), inputs...)
	if again := e.roll(agg, expr.Setting{Session: true}, e.b.And(x.fresh, e.b.Defined(x.number)), e.ctlBit(program.CtlGap), inputs...); &again[0] != &out[0] {
		t.Error("equal windows are made twice")
	}
	for i, typ := range agg.Outputs() {
		v := out[i]
		if typ == program.M {
			v = e.b.Sel(v, e.b.ConstF(1), e.b.ConstF(0))
		}
		e.b.Emit(e.b.AllocRow(), e.b.ConstM(true), v)
	}
	p, err := e.b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSessionWindowsAgainstPlain recomputes every output from the samples since the last reset.
func TestSessionWindowsAgainstPlain(t *testing.T) {
	for _, agg := range []program.WindowAgg{program.AggSum, program.AggMoments, program.AggMoments2, program.AggMin, program.AggMax} {
		p := rollProgram(t, agg)
		rapid.Check(t, func(t *rapid.T) {
			var xs, ys []float64
			slots := make([]slot, rapid.IntRange(1, 100).Draw(t, "ticks"))
			for i := range slots {
				slots[i] = tradeTick(float64(rapid.IntRange(0, 9).Draw(t, "price")), float64(rapid.IntRange(0, 9).Draw(t, "size")), 0)
				switch rapid.IntRange(0, 19).Draw(t, "kind") {
				case 0:
					slots[i] = slots[i].session()
				case 1:
					slots[i] = slots[i].gap()
				case 2:
					slots[i] = statusTick().session()
				case 3:
					slots[i] = statusTick()
				}
			}
			rows := run(t, p, slots, 1)
			other := run(t, p, slots, 64)
			for i, s := range slots {
				if s.ctl&(program.CtlSessionReset|program.CtlGap) != 0 {
					xs, ys = nil, nil
				}
				if s.ctl&program.CtlFreshTrade != 0 {
					xs, ys = append(xs, s.f[0]), append(ys, s.f[1])
				}
				want := plainSession(agg, xs, ys)
				for k := range want {
					if got := rows[i].out[k]; len(xs) == 0 && k != len(want)-1 {
						continue // not warm: whatever it is, nobody looks
					} else if math.Abs(got-want[k]) > 1e-9 {
						t.Fatalf("%s of %v, %v: output %d is %v, want %v", agg, xs, ys, k, got, want[k])
					}
				}
				if !sameRow(rows[i], other[i]) {
					t.Fatalf("tick %d depends on the batch", i)
				}
			}
		})
	}
}

func plainSession(agg program.WindowAgg, xs, ys []float64) []float64 {
	n, warm := float64(len(xs)), 0.0
	if len(xs) > 0 {
		warm = 1
	}
	mean := func(v []float64) (m float64) {
		for _, x := range v {
			m += x / n
		}
		return m
	}
	products := func(a, b []float64) (s float64) {
		for i := range a {
			s += (a[i] - mean(a)) * (b[i] - mean(b))
		}
		return s
	}
	switch agg {
	case program.AggSum:
		return []float64{mean(xs) * n, n, warm}
	case program.AggMoments2:
		return []float64{mean(xs), mean(ys), products(xs, xs), products(ys, ys), products(xs, ys), n, warm}
	case program.AggMoments:
		want := []float64{mean(xs), products(xs, xs), n, 0, 0}
		if want[3] = warm; len(xs) > 0 {
			want[4] = xs[len(xs)-1] - mean(xs)
		}
		return want
	}
	best, age := math.NaN(), 0.0
	for _, x := range xs {
		age++
		if agg == program.AggMin && !(x > best) || agg == program.AggMax && !(x < best) {
			best, age = x, 0
		}
	}
	return []float64{best, age, warm}
}

// TestSessionSumKeepsSmallSamples: a sum of small samples after large ones is exact to the last bit or nearly.
func TestSessionSumKeepsSmallSamples(t *testing.T) {
	p := rollProgram(t, program.AggSum)
	var slots []slot
	exact := new(big.Float).SetPrec(2000)
	for i := range 5000 {
		x := 0.1 + float64(i%7)*1e-9
		if i%100 == 0 {
			x = 1e13 / 3
		}
		if i%100 == 50 {
			x = -1e13 / 3
		}
		slots = append(slots, tradeTick(x, 1, 0))
		exact.Add(exact, new(big.Float).SetFloat64(x))
	}
	want, _ := exact.Float64()
	if got := run(t, p, slots, 64)[len(slots)-1].out[0]; math.Abs(got-want) > 1e-15*math.Abs(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSessionOverflow: a sum that overflows starts again, so that no undefined value stays.
func TestSessionOverflow(t *testing.T) {
	p := prices(1e308, 1e308, 2, 4)
	runCases(t, []operatorCase{{"sum", "sma(price, session)", false, p, []float64{1e308, undef, 2, 3}}})
}

func TestSessionMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"session + 1":           "session is a window, not a number",
		"wma(mid, session)":     "session is a window, and argument n of wma is none",
		"std(mid, 20, session)": "session is a window, and argument ddof of std is none",
		"sma(mid, session())":   "unknown operator session",
		"sma(session, 20)":      "session is a window, not a number",
	} {
		got := compileErrors(t, Options{}, watch(text))
		if len(got) != 1 || !strings.HasSuffix(got[0], "value: "+want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := compileErrors(t, Options{NoSession: true}, watch("sma(mid, session)")); len(got) != 1 || got[0] != "0 value: no session is configured" {
		t.Error(got)
	}
	if c := mustCompile(t, watch("sma(mid, 2)")); c.UsesSession {
		t.Error("no session is used")
	}
	if c := mustCompile(t, watch(`mid + of(ref("a", "b"), sma(mid, session))`)); !c.UsesSession {
		t.Error("a reference's session is not noticed")
	}
}
