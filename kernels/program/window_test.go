package program

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// rig runs a program of one window, tick by tick: slot values 0 (and 1) are pushed on quotes, a gap resets.
type rig struct {
	ex   *Executor
	lane *Lane
	desc Window
	at   uint64
}

func newRig(tb testing.TB, desc Window) *rig {
	tb.Helper()
	p := windowProgram(tb, desc)
	ex, err := NewExecutor(p, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return &rig{ex: ex, lane: newLane(p, 16), desc: desc}
}

// outputs are a window's, warm as 1 or 0.
type outputs [maxOutputs]float64

// tick returns the window's outputs.
func (r *rig) tick(timeNs int64, ctl uint32, xs ...float64) (out outputs) {
	n, c := r.at%r.lane.Capacity, r.lane.Capacity
	for q, x := range xs {
		r.lane.In[uint64(q)*c+n].Value = math.Float64bits(x)
	}
	r.lane.In[c+n].Aux = ctl
	r.lane.In[4*c+n].Value = uint64(timeNs)
	r.ex.Run(r.lane, r.at, r.at+1)
	for k := range r.desc.Agg.Outputs() {
		out[k] = math.Float64frombits(r.lane.Out[uint64(RowFirst+k)*c+n].Value)
	}
	r.at++
	return out
}

func (r *rig) push(xs ...float64) outputs { return r.tick(0, CtlFreshQuote, xs...) }

// plainMoments is the two-pass mean and sum of squared deviations, exact until the last rounding.
func plainMoments(xs []float64) (mean, m2 float64) {
	num := func() *big.Float { return new(big.Float).SetPrec(320) }
	sum, n := num(), num().SetInt64(int64(len(xs)))
	for _, x := range xs {
		sum.Add(sum, num().SetFloat64(x))
	}
	center, squares := num().Quo(sum, n), num()
	for _, x := range xs {
		d := num().Sub(num().SetFloat64(x), center)
		squares.Add(squares, num().Mul(d, d))
	}
	mean, _ = center.Float64()
	m2, _ = squares.Float64()
	return mean, m2
}

// exactDeviation is the newest sample less the mean, rounded once.
func exactDeviation(xs []float64) float64 {
	num := func() *big.Float { return new(big.Float).SetPrec(320) }
	sum := num()
	for _, x := range xs {
		sum.Add(sum, num().SetFloat64(x))
	}
	sum.Quo(sum, num().SetInt64(int64(len(xs))))
	d, _ := num().Sub(num().SetFloat64(xs[len(xs)-1]), sum).Float64()
	return d
}

func plainSum(xs []float64) (sum, magnitude float64) {
	for _, x := range xs {
		sum += x
		magnitude += math.Abs(x)
	}
	return sum, magnitude
}

func last(xs []float64, n int) []float64 { return xs[max(0, len(xs)-n):] }

func within(got, want, tolerance float64) bool { return got == want || math.Abs(got-want) <= tolerance }

// markets are price paths that break careless arithmetic.
var markets = map[string]func(r *rand.Rand, i int) float64{
	"unit":       func(r *rand.Rand, _ int) float64 { return r.NormFloat64() },
	"huge":       func(r *rand.Rand, _ int) float64 { return 1e13 + float64(r.IntN(1000)) },
	"fine moves": func(r *rand.Rand, _ int) float64 { return 1e7 + float64(1e-6*float64(r.IntN(100))) },
	"level jump": func(r *rand.Rand, i int) float64 {
		if i < 150 {
			return 1e8 + float64(r.Float64())
		}
		return 10 + float64(1e-3*r.Float64())
	},
	"jump up": func(r *rand.Rand, i int) float64 {
		if i%211 < 100 {
			return 10 + float64(1e-3*r.Float64())
		}
		return 1e8 + float64(r.Float64())
	},
}

func TestSampleMomentsAgreeWithTwoPass(t *testing.T) {
	for name, market := range markets {
		for _, n := range []int{1, 2, 3, 20, 64, 101} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				r, rg := rand.New(rand.NewPCG(1, uint64(n))), newRig(t, SampleWindow(AggMoments, n))
				var xs []float64
				for i := range 500 {
					xs = append(xs, market(r, i))
					checkMoments(t, i, rg.push(xs[i]), last(xs, n), i+1 >= n)
				}
			})
		}
	}
}

func checkMoments(t *testing.T, i int, out outputs, window []float64, warm bool) {
	t.Helper()
	mean, m2 := plainMoments(window)
	largest := 0.0
	for _, x := range window {
		largest = max(largest, math.Abs(x))
	}
	deviation := exactDeviation(window)
	if !within(out[4], deviation, 1e-12*(math.Abs(deviation)+math.Sqrt(m2))) {
		t.Fatalf("tick %d: got newest deviation %v, want %v", i, out[4], deviation)
	}
	if !within(out[0], mean, 1e-12*largest) || !within(out[1], m2, 1e-12*m2) || out[2] != float64(len(window)) || (out[3] == 1) != warm {
		t.Fatalf("tick %d: got mean %v m2 %v count %v warm %v, want %v %v %d %v", i, out[0], out[1], out[2], out[3], mean, m2, len(window), warm)
	}
}

func TestSampleSumsAgreeWithPlainSums(t *testing.T) {
	for name, market := range markets {
		for _, n := range []int{1, 2, 7, 100} {
			r, rg, whole := rand.New(rand.NewPCG(2, uint64(n))), newRig(t, SampleWindow(AggSum, n)), newRig(t, SampleWindow(AggSum, n))
			var xs, ints []float64
			for i := range 400 {
				xs, ints = append(xs, market(r, i)), append(ints, float64(r.IntN(1<<40)-1<<39))
				out := rg.push(xs[i])
				sum, magnitude := plainSum(last(xs, n))
				if !within(out[0], sum, 1e-12*magnitude) || out[1] != float64(min(i+1, n)) || (out[2] == 1) != (i+1 >= n) {
					t.Fatalf("%s/%d tick %d: got %v, want sum %v", name, n, i, out, sum)
				}
				out = whole.push(ints[i])
				if sum, _ := plainSum(last(ints, n)); out[0] != sum {
					t.Fatalf("integers/%d tick %d: got %v, want %v exactly", n, i, out[0], sum)
				}
			}
		}
	}
}

func TestFlatWindowsAreExactlyZero(t *testing.T) {
	for _, price := range []float64{0.1, 1e13 + 0.3, 1e-9, -37.63, 0.0016} {
		samples := newRig(t, SampleWindow(AggMoments, 30))
		duration := newRig(t, DurationWindow(AggMoments, 640, 64))
		for i := range 300 {
			x := price
			if i < 20 {
				x = price * float64(1+i) // leaves both windows
			}
			s, d := samples.push(x), duration.tick(int64(i)*7, CtlFreshQuote, x)
			if i >= 50 && (s[1] != 0 || s[0] != x || s[4] != 0) {
				t.Fatalf("price %v samples tick %d: %v", price, i, s)
			}
			if i >= 120 && (d[1] != 0 || d[0] != x || d[4] != 0) {
				t.Fatalf("price %v duration tick %d: %v", price, i, d)
			}
		}
	}
}

func TestBadValuesLeaveNoTrace(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, math.MaxFloat64} {
		for _, n := range []int{1, 2, 5, 32} {
			for first := range 2 * n {
				moment, sum := newRig(t, SampleWindow(AggMoments, n)), newRig(t, SampleWindow(AggSum, n))
				var xs []float64
				for i := range first + 3*n + 3 {
					x := 100 + float64(float64(i%7)*0.25)
					if i == first || i == first+1 {
						x = bad
					}
					xs = append(xs, x)
					m, s := moment.push(x), sum.push(x)
					if i >= first && i < first+1+n {
						continue
					}
					checkMoments(t, i, m, last(xs, n), i+1 >= n)
					if plain, _ := plainSum(last(xs, n)); s[0] != plain {
						t.Fatalf("bad %v n %d first %d tick %d: sum %v, want %v", bad, n, first, i, s[0], plain)
					}
				}
			}
		}
	}
}

func TestUndefinedWhileBadValueIsInside(t *testing.T) {
	rg := newRig(t, SampleWindow(AggSum, 4))
	for i := range 40 {
		x := float64(i)
		if i%10 == 3 {
			x = math.Inf(1)
		}
		out := rg.push(x)
		if inside := i%10 >= 3 && i%10 < 7; math.IsNaN(out[0]) != inside {
			t.Fatalf("tick %d: sum %v, bad value inside %v", i, out[0], inside)
		}
		if math.IsNaN(out[0]) && math.Float64bits(out[0]) != CanonicalNaN {
			t.Fatalf("tick %d: NaN bits %#x", i, math.Float64bits(out[0]))
		}
	}
}

func TestLag(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		rg := newRig(t, SampleWindow(AggLag, n))
		var xs []float64
		for i := range 60 {
			ctl := uint32(0)
			if i%3 != 1 {
				ctl = CtlFreshQuote
			}
			if i == 30 {
				ctl |= CtlGap
				xs = nil
			}
			if ctl&CtlFreshQuote != 0 {
				xs = append(xs, float64(i))
			}
			out := rg.tick(0, ctl, float64(i))
			warm := len(xs) > n
			if (out[1] == 1) != warm || warm && out[0] != xs[len(xs)-1-n] || !warm && !math.IsNaN(out[0]) {
				t.Fatalf("lag %d tick %d: got %v of %v", n, i, out, xs)
			}
		}
	}
}

func TestResetEmptiesToTheInitialState(t *testing.T) {
	for _, desc := range []Window{
		SampleWindow(AggSum, 4), SampleWindow(AggMoments, 4), SampleWindow(AggLag, 4),
		SampleWindow(AggMin, 4), SampleWindow(AggMax, 4), SampleWindow(AggWeighted, 4), SampleWindow(AggRank, 4), SampleWindow(AggMoments2, 4),
		SampleWindow(AggAbsdev, 4),
		DurationWindow(AggSum, 100, 7), DurationWindow(AggMoments, 100, 7),
		DurationWindow(AggMin, 100, 7), DurationWindow(AggMax, 100, 7), DurationWindow(AggMoments2, 100, 7),
	} {
		rg := newRig(t, desc)
		for pushes := range 12 {
			for i := range pushes {
				rg.tick(int64(i*13), CtlFreshQuote, float64(i)+0.1)
			}
			rg.tick(999, CtlGap, 5)
			for off, bits := range rg.ex.SnapshotState() {
				if bits != 0 {
					t.Fatalf("%v after %d pushes and a reset: word %d is %#x", desc, pushes, off, bits)
				}
			}
		}
		out := rg.tick(1000, CtlGap|CtlFreshQuote, 5)
		if desc.Agg == AggSum && (out[0] != 5 || out[1] != 1) {
			t.Fatalf("%v: reset and push on one tick gave %v", desc, out)
		}
	}
}
