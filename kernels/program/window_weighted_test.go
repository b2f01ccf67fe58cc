package program

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactWeighted is the weighted sum, rounded once, and the sum of its terms' magnitudes.
func exactWeighted(xs []float64) (sum, magnitude float64) {
	exact := new(big.Float).SetPrec(320)
	for i, x := range xs {
		w := float64(i + 1)
		exact.Add(exact, new(big.Float).SetPrec(320).Mul(big.NewFloat(w), big.NewFloat(x)))
		magnitude += float64(w * math.Abs(x))
	}
	sum, _ = exact.Float64()
	return sum, magnitude
}

func TestWeightedAgreesWithExactSums(t *testing.T) {
	for name, market := range markets {
		for _, n := range []int{1, 2, 7, 100} {
			r, rg, whole := rand.New(rand.NewPCG(5, uint64(n))), newRig(t, SampleWindow(AggWeighted, n)), newRig(t, SampleWindow(AggWeighted, n))
			var xs, ints []float64
			for i := range 400 {
				xs, ints = append(xs, market(r, i)), append(ints, float64(r.IntN(1<<30)-1<<29))
				out, k := rg.push(xs[i]), min(i+1, n)
				sum, magnitude := exactWeighted(last(xs, n))
				if !within(out[0], sum, 4e-15*magnitude) || out[1] != float64(k*(k+1)/2) || (out[2] == 1) != (i+1 >= n) {
					t.Fatalf("%s/%d tick %d: got %v, want sum %v", name, n, i, out, sum)
				}
				out = whole.push(ints[i])
				if sum, _ := exactWeighted(last(ints, n)); out[0] != sum {
					t.Fatalf("integers/%d tick %d: got %v, want %v exactly", n, i, out[0], sum)
				}
			}
		}
	}
}

func TestRankAgreesWithCounting(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, MaxRankSamples} {
		r, rg := rand.New(rand.NewPCG(6, uint64(n))), newRig(t, SampleWindow(AggRank, n))
		var xs []float64
		for i := range 2*n + 50 {
			xs = append(xs, float64(r.IntN(1+n/3)))
			out, twice := rg.push(xs[i]), -1 // the newest equals itself
			for _, x := range last(xs, n) {
				switch {
				case x < xs[i]:
					twice += 2
				case x == xs[i]:
					twice++
				}
			}
			if out[0] != float64(twice)/2 || out[1] != float64(min(i+1, n)) || (out[2] == 1) != (i+1 >= n) {
				t.Fatalf("rank in %d tick %d: got %v, want %v", n, i, out, float64(twice)/2)
			}
			if again := rg.tick(0, 0, 1e9); again != out {
				t.Fatalf("rank in %d tick %d: no push changed %v to %v", n, i, out, again)
			}
		}
	}
}

func TestWeightedAndRankUndefined(t *testing.T) {
	for _, agg := range []WindowAgg{AggWeighted, AggRank} {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			rg := newRig(t, SampleWindow(agg, 5))
			empty := rg.tick(0, 0, 1)
			if empty[1] != 0 || empty[2] != 0 || math.IsNaN(empty[0]) != (agg == AggRank) {
				t.Fatalf("%s: empty window gave %v", agg, empty)
			}
			for i := range 100 {
				x := float64(i % 7)
				if i%20 == 7 || i%20 == 8 {
					x = bad
				}
				out := rg.push(x)
				if inside := i%20 >= 7 && i%20 < 13; math.IsNaN(out[0]) != inside {
					t.Fatalf("%s tick %d: %v, %v inside %v", agg, i, out, bad, inside)
				}
			}
		}
	}
}
