package program

import (
	"math"
	"math/rand/v2"
	"testing"
)

// refAbsdev keeps everything pushed since the last reset.
type refAbsdev struct {
	n   int
	all []float64
}

// of is the deviation of the last n and the newest less their mean, in the documented order.
func (r *refAbsdev) of() (deviation, newest float64) {
	window := last(r.all, r.n)
	base, sum, total := window[r.n-1], 0.0, 0.0
	for _, x := range window {
		sum += x - base
	}
	mean := sum / float64(r.n)
	for _, x := range window {
		total += math.Abs(x - base - mean)
	}
	return refCanon(total / float64(r.n)), refCanon(-mean)
}

func (r *refAbsdev) tick(push, reset bool, x, _ float64, _ int64) []uint64 {
	if reset {
		r.all = nil
	}
	if push {
		r.all = append(r.all, refCanon(x))
	}
	if len(r.all) < r.n {
		return append(refBits(refNaN, refNaN), 0)
	}
	return append(refBits(r.of()), refMask(true))
}

func (r *refAbsdev) words() []uint64 {
	out := make([]uint64, 4+r.n)
	out[0], out[1] = uint64(len(r.all)%r.n), uint64(min(len(r.all), r.n))
	if len(r.all) >= r.n {
		copy(out[2:4], refBits(r.of()))
	}
	for i, x := range r.all {
		out[4+i%r.n] = math.Float64bits(x)
	}
	return out
}

// TestAbsdevAgreesWithTheDefinition compares with the plain mean, and lets a bad sample pass through.
func TestAbsdevAgreesWithTheDefinition(t *testing.T) {
	for _, n := range []int{1, 2, 7, MaxRankSamples} {
		r, rg := rand.New(rand.NewPCG(9, uint64(n))), newRig(t, SampleWindow(AggAbsdev, n))
		var xs []float64
		for i := range 2*n + 40 {
			x := 1000 + r.NormFloat64()
			if i == n+3 {
				x = math.Inf(1)
			}
			xs = append(xs, x)
			out := rg.push(x)
			window := last(xs, n)
			mean, total := 0.0, 0.0
			for _, x := range window {
				mean += x / float64(n)
			}
			for _, x := range window {
				total += math.Abs(x-mean) / float64(n)
			}
			switch bad := i >= n+3 && i < 2*n+3; {
			case i+1 < n || bad:
				if !math.IsNaN(out[0]) || !math.IsNaN(out[1]) {
					t.Fatalf("absdev of %d tick %d: %v, want undefined", n, i, out)
				}
			case math.Abs(out[0]-total) > 1e-9 || math.Abs(out[1]-(x-mean)) > 1e-9 || out[2] != 1:
				t.Fatalf("absdev of %d tick %d: %v, want %v %v", n, i, out, total, x-mean)
			}
		}
	}
}
