package program

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactProduct is the sum of the products of deviations from the means, exact until the last rounding.
func exactProduct(xs, ys []float64) float64 {
	num := func() *big.Float { return new(big.Float).SetPrec(320) }
	n, sumX, sumY, c := num().SetInt64(int64(len(xs))), num(), num(), num()
	for i := range xs {
		sumX.Add(sumX, num().SetFloat64(xs[i]))
		sumY.Add(sumY, num().SetFloat64(ys[i]))
	}
	sumX.Quo(sumX, n)
	sumY.Quo(sumY, n)
	for i := range xs {
		dx := num().Sub(num().SetFloat64(xs[i]), sumX)
		dy := num().Sub(num().SetFloat64(ys[i]), sumY)
		c.Add(c, num().Mul(dx, dy))
	}
	product, _ := c.Float64()
	return product
}

// pairTolerance bounds the errors of c in units of sqrt(m2x m2y), of a correlation, and of a beta in units of
// sqrt(m2y/m2x). TestPairsAgreeWithTwoPass prints the largest seen with -v.
const pairTolerance = 1e-14

// checkPairs checks one tick and returns the largest of the three errors.
func checkPairs(t *testing.T, i int, out outputs, xs, ys []float64, warm bool) float64 {
	t.Helper()
	meanX, m2x := plainMoments(xs)
	meanY, m2y := plainMoments(ys)
	c, scale := exactProduct(xs, ys), math.Sqrt(m2x)*math.Sqrt(m2y)
	if !within(out[0], meanX, 1e-12*largest(xs)) || !within(out[1], meanY, 1e-12*largest(ys)) ||
		!within(out[2], m2x, 1e-12*m2x) || !within(out[3], m2y, 1e-12*m2y) || !within(out[4], c, pairTolerance*scale) ||
		out[5] != float64(len(xs)) || (out[6] == 1) != warm {
		t.Fatalf("tick %d: got %v, want mean %v %v m2 %v %v c %v count %d warm %v", i, out, meanX, meanY, m2x, m2y, c, len(xs), warm)
	}
	if scale == 0 {
		if out[4] != 0 {
			t.Fatalf("tick %d: a flat input gave c %v", i, out[4])
		}
		return 0
	}
	correlation := out[4]/math.Sqrt(out[2])/math.Sqrt(out[3]) - c/scale
	beta := (out[4]/out[2] - c/m2x) * math.Sqrt(m2x) / math.Sqrt(m2y)
	if math.Abs(correlation) > pairTolerance || math.Abs(beta) > pairTolerance {
		t.Fatalf("tick %d: correlation is off by %g, beta by %g", i, correlation, beta)
	}
	return max(math.Abs(out[4]-c)/scale, math.Abs(correlation), math.Abs(beta))
}

func largest(xs []float64) (most float64) {
	for _, x := range xs {
		most = max(most, math.Abs(x))
	}
	return most
}

// second makes the other series of a pair: related, unrelated, flat, opposite, jumping back as x jumps.
var second = map[string]func(r *rand.Rand, i int, x float64) float64{
	"related":   func(r *rand.Rand, _ int, x float64) float64 { return 2*x + float64(1e-7*r.NormFloat64()) },
	"unrelated": func(r *rand.Rand, _ int, _ float64) float64 { return 1e13 + float64(r.IntN(50)) },
	"flat":      func(*rand.Rand, int, float64) float64 { return 0.1 },
	"opposite":  func(_ *rand.Rand, _ int, x float64) float64 { return -x },
	"jumping":   func(r *rand.Rand, i int, _ float64) float64 { return markets["level jump"](r, 290-i) },
}

func TestPairsAgreeWithTwoPass(t *testing.T) {
	for name, market := range markets {
		for other, partner := range second {
			t.Run(name+"/"+other, func(t *testing.T) {
				for _, n := range []int{1, 2, 20, 101} {
					worst := max(samplePairs(t, n, market, partner), durationPairs(t, n, market, partner))
					t.Logf("window %d: largest error %.2g", n, worst)
				}
			})
		}
	}
}

func samplePairs(t *testing.T, n int, market func(*rand.Rand, int) float64, partner func(*rand.Rand, int, float64) float64) (worst float64) {
	r, rg := rand.New(rand.NewPCG(8, uint64(n))), newRig(t, SampleWindow(AggMoments2, n))
	var xs, ys []float64
	for i := range 300 {
		x := market(r, i)
		xs, ys = append(xs, x), append(ys, partner(r, i, x))
		worst = max(worst, checkPairs(t, i, rg.push(x, ys[i]), last(xs, n), last(ys, n), i+1 >= n))
	}
	return worst
}

func durationPairs(t *testing.T, n int, market func(*rand.Rand, int) float64, partner func(*rand.Rand, int, float64) float64) (worst float64) {
	r, rg := rand.New(rand.NewPCG(9, uint64(n))), newRig(t, DurationWindow(AggMoments2, int64(n)*10, 8))
	step := rg.desc.StepNs
	var xs, ys []float64
	var js []int64
	now := int64(-500)
	for i := range 300 {
		now += int64(r.IntN(20))
		if r.IntN(60) == 0 {
			now += step * int64(r.IntN(12))
		}
		x := market(r, i)
		xs, ys, js = append(xs, x), append(ys, partner(r, i, x)), append(js, refFloor(now, step))
		from := 0
		for js[from] <= js[i]-8 {
			from++
		}
		out := rg.tick(now, CtlFreshQuote, x, ys[i])
		worst = max(worst, checkPairs(t, i, out, xs[from:], ys[from:], js[i]-js[0] >= 8))
	}
	return worst
}

// TestPairsContainMoments: each series' outputs have the bits of moments of it alone, and c of a series with itself those
// of m2.
func TestPairsContainMoments(t *testing.T) {
	for _, shape := range []func(agg WindowAgg) Window{
		func(agg WindowAgg) Window { return SampleWindow(agg, 13) },
		func(agg WindowAgg) Window { return DurationWindow(agg, 200, 9) },
	} {
		r := rand.New(rand.NewPCG(10, 10))
		pair, same := newRig(t, shape(AggMoments2)), newRig(t, shape(AggMoments2))
		alone := [2]*rig{newRig(t, shape(AggMoments)), newRig(t, shape(AggMoments))}
		for i := range 400 {
			x, y, now := r.NormFloat64(), 1e7+float64(1e-6*r.NormFloat64()), int64(i*i/10)
			p, s := pair.tick(now, CtlFreshQuote, x, y), same.tick(now, CtlFreshQuote, x, x)
			a, b := alone[0].tick(now, CtlFreshQuote, x), alone[1].tick(now, CtlFreshQuote, y)
			if fmt.Sprint(p[0], p[2], p[1], p[3], p[5]) != fmt.Sprint(a[0], a[1], b[0], b[1], a[2]) {
				t.Fatalf("tick %d: pair %v, alone %v and %v", i, p, a, b)
			}
			if s[4] != s[2] || s[4] != s[3] {
				t.Fatalf("tick %d: c of x and x is %v, m2 %v", i, s[4], s[2])
			}
		}
	}
}

func TestPairsUndefined(t *testing.T) {
	samples, duration := newRig(t, SampleWindow(AggMoments2, 5)), newRig(t, DurationWindow(AggMoments2, 50, 5))
	for _, rg := range []*rig{samples, duration} {
		if out := rg.tick(0, 0, 1, 1); !math.IsNaN(out[0]) || !math.IsNaN(out[2]) || !math.IsNaN(out[4]) || out[5] != 0 || out[6] != 0 {
			t.Fatalf("nothing pushed gave %v", out)
		}
	}
	for i := range 100 {
		x, y := float64(i%9), float64(i%7)
		if i%20 == 7 {
			x = math.Inf(1)
		}
		if i%20 == 9 {
			y = math.NaN()
		}
		badX, badY := i%20 >= 7 && i%20 < 12, i%20 >= 9 && i%20 < 14
		for _, rg := range []*rig{samples, duration} {
			out := rg.tick(int64(i*10), CtlFreshQuote, x, y)
			if math.IsNaN(out[0]) != badX || math.IsNaN(out[2]) != badX || math.IsNaN(out[1]) != badY || math.IsNaN(out[3]) != badY ||
				math.IsNaN(out[4]) != (badX || badY) {
				t.Fatalf("tick %d: %v, bad x inside %v, bad y inside %v", i, out, badX, badY)
			}
		}
	}
}

func TestPairsInLongWindows(t *testing.T) {
	const n = 5000
	for name, market := range markets {
		r, worst := rand.New(rand.NewPCG(11, 11)), 0.0
		samples, duration := newRig(t, SampleWindow(AggMoments2, n)), newRig(t, DurationWindow(AggMoments2, n, 50))
		var xs, ys []float64
		for i := range 3 * n {
			x := market(r, i)
			xs, ys = append(xs, x), append(ys, second["related"](r, i, x)+r.NormFloat64())
			s, d := samples.push(x, ys[i]), duration.tick(int64(i), CtlFreshQuote, x, ys[i])
			if i%1999 != 1998 {
				continue
			}
			open := min(i+1, n-n/50+i%(n/50)+1)
			worst = max(worst, checkPairs(t, i, s, last(xs, n), last(ys, n), i+1 >= n))
			worst = max(worst, checkPairs(t, i, d, last(xs, open), last(ys, open), i >= n))
		}
		t.Logf("%s: largest error %.2g", name, worst)
	}
}
