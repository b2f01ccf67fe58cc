package program

import (
	"math"
	"math/rand/v2"
	"testing"
)

// plainExtreme is the extreme of the samples, oldest first, and the pushes since it was last seen.
func plainExtreme(agg WindowAgg, xs []float64) (value, age float64) {
	value = xs[0]
	for _, x := range xs {
		if agg == AggMin {
			value = min(value, x)
		} else {
			value = max(value, x)
		}
	}
	for xs[len(xs)-1-int(age)] != value {
		age++
	}
	return value, age
}

func TestSampleExtremesAgreeWithPlainSearch(t *testing.T) {
	for _, agg := range []WindowAgg{AggMin, AggMax} {
		for name, market := range markets {
			for _, n := range []int{1, 2, 3, 20, 101} {
				r, rg := rand.New(rand.NewPCG(3, uint64(n))), newRig(t, SampleWindow(agg, n))
				var xs []float64
				for i := range 500 {
					x := market(r, i)
					switch r.IntN(3) {
					case 0: // repeats: ties
						x = math.Floor(x)
					case 1:
						if out := rg.tick(0, 0, x); len(xs) > 0 && i > 0 {
							checkExtreme(t, name, i, agg, out, last(xs, n), len(xs) >= n)
						}
					}
					xs = append(xs, x)
					checkExtreme(t, name, i, agg, rg.push(x), last(xs, n), len(xs) >= n)
				}
			}
		}
	}
}

func checkExtreme(t *testing.T, name string, i int, agg WindowAgg, out outputs, window []float64, warm bool) {
	t.Helper()
	value, age := plainExtreme(agg, window)
	if out[0] != value || out[1] != age || (out[2] == 1) != warm {
		t.Fatalf("%s %s of %d tick %d: got %v, want %v aged %v warm %v", name, agg, len(window), i, out, value, age, warm)
	}
}

// TestDurationExtremesAgreeWithPlainSearch walks through silence and jumps of time.
func TestDurationExtremesAgreeWithPlainSearch(t *testing.T) {
	for _, agg := range []WindowAgg{AggMin, AggMax} {
		for name, market := range markets {
			for _, sub := range []int{1, 7, 64} {
				r, rg := rand.New(rand.NewPCG(4, uint64(sub))), newRig(t, DurationWindow(agg, 640, sub))
				step, now := rg.desc.StepNs, int64(-3000)
				var xs []float64
				var js []int64
				for i := range 400 {
					switch r.IntN(12) {
					case 0:
						now += step * int64(r.IntN(2*sub))
					case 1, 2, 3:
						now += int64(r.IntN(int(step)))
					}
					j, ctl, x := refFloor(now, step), uint32(0), market(r, i)
					if r.IntN(3) != 0 {
						ctl, xs, js = CtlFreshQuote, append(xs, x), append(js, j)
					}
					out, from := rg.tick(now, ctl, x), 0
					for from < len(js) && js[from] <= j-int64(sub) {
						from++
					}
					want := math.NaN()
					if from < len(xs) {
						want, _ = plainExtreme(agg, xs[from:])
					}
					warm := len(js) > 0 && j-js[0] >= int64(sub)
					if math.Float64bits(out[0]) != Canonical(want) || !math.IsNaN(out[1]) || (out[2] == 1) != warm {
						t.Fatalf("%s %s sub %d tick %d: got %v, want %v warm %v", name, agg, sub, i, out, want, warm)
					}
				}
			}
		}
	}
}

func TestExtremesUndefined(t *testing.T) {
	for _, agg := range []WindowAgg{AggMin, AggMax} {
		samples, duration := newRig(t, SampleWindow(agg, 5)), newRig(t, DurationWindow(agg, 50, 5))
		for _, rg := range []*rig{samples, duration} {
			if out := rg.tick(0, 0, 1); !math.IsNaN(out[0]) || !math.IsNaN(out[1]) || out[2] != 0 {
				t.Fatalf("%s: nothing pushed gave %v", agg, out)
			}
		}
		for i := range 80 {
			x := float64(i % 9)
			if i%20 == 7 {
				x = math.Inf(1 - 2*(i/20%2))
			}
			s, d := samples.tick(int64(i*10), CtlFreshQuote, x), duration.tick(int64(i*10), CtlFreshQuote, x)
			inside := i%20 >= 7 && i%20 < 12
			if math.IsNaN(s[0]) != inside || math.IsNaN(s[1]) != inside || math.IsNaN(d[0]) != inside || !math.IsNaN(d[1]) {
				t.Fatalf("%s tick %d: samples %v duration %v, bad value inside %v", agg, i, s, d, inside)
			}
			if !inside && s[0] != d[0] {
				t.Fatalf("%s tick %d: samples %v, duration %v over the same", agg, i, s, d)
			}
		}
		if out := duration.tick(5000, 0, 1); !math.IsNaN(out[0]) || out[2] != 1 {
			t.Fatalf("%s: empty warm window gave %v", agg, out)
		}
	}
}
