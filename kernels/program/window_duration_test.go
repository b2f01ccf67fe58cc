package program

import (
	"math"
	"math/rand/v2"
	"testing"
)

// stamped is a sample and the number of its sub-interval.
type stamped struct {
	j int64
	x float64
}

// TestDurationWindowsAgreeWithPlainRecomputation walks through silence, jumps over many sub-intervals, and time that
// stands, and recomputes each window from the kept samples.
func TestDurationWindowsAgreeWithPlainRecomputation(t *testing.T) {
	for name, market := range markets {
		for _, shape := range []struct {
			length int64
			sub    int
		}{{1000, 64}, {1000, 7}, {64, 64}, {50, 1}, {90, 2}} {
			for _, start := range []int64{0, -5000, 1_700_000_000_000_000_000} {
				r := rand.New(rand.NewPCG(uint64(shape.sub), uint64(start)))
				sums := newRig(t, DurationWindow(AggSum, shape.length, shape.sub))
				moms := newRig(t, DurationWindow(AggMoments, shape.length, shape.sub))
				step := sums.desc.StepNs
				if step != (shape.length+int64(shape.sub)-1)/int64(shape.sub) {
					t.Fatalf("step %d for %v", step, shape)
				}
				walkDuration(t, name, r, market, start, sums, moms)
			}
		}
	}
}

func walkDuration(t *testing.T, name string, r *rand.Rand, market func(*rand.Rand, int) float64, now int64, sums, moms *rig) {
	t.Helper()
	step, sub := sums.desc.StepNs, int64(sums.desc.Sub)
	var kept []stamped
	var first int64
	for i := range 400 {
		switch r.IntN(12) {
		case 0:
			now += step * sub * int64(r.IntN(3)) // silence, up to beyond the window
		case 1:
			now += step * int64(r.IntN(9))
		case 2, 3, 4:
			now += int64(r.IntN(int(step)))
		}
		j := int64(math.Floor(float64(now%step) / float64(step)))
		j += now / step
		ctl, x := uint32(0), market(r, i)
		if r.IntN(3) != 0 {
			ctl = CtlFreshQuote
			if len(kept) == 0 {
				first = j
			}
			kept = append(kept, stamped{j, x})
		}
		var window []float64
		for _, s := range kept {
			if s.j > j-sub {
				window = append(window, s.x)
			}
		}
		warm := len(kept) > 0 && j-first >= sub
		s, m := sums.tick(now, ctl, x), moms.tick(now, ctl, x)
		sum, magnitude := plainSum(window)
		if !within(s[0], sum, 1e-12*magnitude) || s[1] != float64(len(window)) || (s[2] == 1) != warm {
			t.Fatalf("%s step %d sub %d tick %d: got %v, want sum %v count %d warm %v", name, step, sub, i, s, sum, len(window), warm)
		}
		if len(window) > 0 {
			checkMoments(t, i, m, window, warm)
		} else if !math.IsNaN(m[0]) || !math.IsNaN(m[1]) || m[2] != 0 || (m[3] == 1) != warm {
			t.Fatalf("%s tick %d: empty window gave %v", name, i, m)
		}
	}
}

func TestDurationTimeBackwardsCountsAsNow(t *testing.T) {
	straight, wavering := newRig(t, DurationWindow(AggMoments, 640, 64)), newRig(t, DurationWindow(AggMoments, 640, 64))
	for i := range 400 {
		now := int64(i) * 3
		back := now
		if i%2 == 1 {
			back = (int64(i-1)*3)/10*10 - int64(i) // before the open sub-interval
			now = int64(i-1) * 3
		}
		a, b := straight.tick(now, CtlFreshQuote, float64(i)), wavering.tick(back, CtlFreshQuote, float64(i))
		if a != b {
			t.Fatalf("tick %d: %v and %v", i, a, b)
		}
	}
}

func TestDurationExtremeTimes(t *testing.T) {
	rg := newRig(t, Window{Kind: WindowDuration, Agg: AggSum, StepNs: 3, Sub: 5})
	for i, tick := range []struct {
		time       int64
		sum, count float64
		warm       float64
	}{
		{math.MinInt64, 1, 1, 0},
		{math.MinInt64 + 1, 2, 2, 0},
		{-1, 1, 1, 1},
		{0, 2, 2, 1},
		{11, 3, 3, 1},
		{14, 3, 3, 1},
		{math.MaxInt64, 1, 1, 1},
		{math.MinInt64, 2, 2, 1}, // time does not go back
	} {
		if out := rg.tick(tick.time, CtlFreshQuote, 1); out != (outputs{tick.sum, tick.count, tick.warm}) {
			t.Fatalf("tick %d at %d: got %v", i, tick.time, out)
		}
	}
}

func TestDurationBadValueLeavesWithItsSubInterval(t *testing.T) {
	sums, moms := newRig(t, DurationWindow(AggSum, 50, 5)), newRig(t, DurationWindow(AggMoments, 50, 5))
	for i := range 60 {
		x := float64(i)
		if i == 23 {
			x = math.NaN()
		}
		s, m := sums.tick(int64(i*5), CtlFreshQuote, x), moms.tick(int64(i*5), CtlFreshQuote, x)
		inside := i >= 23 && i*5/10-23*5/10 < 5
		if math.IsNaN(s[0]) != inside || math.IsNaN(m[0]) != inside || math.IsNaN(m[1]) != inside {
			t.Fatalf("tick %d: sum %v moments %v, bad value inside %v", i, s, m, inside)
		}
	}
}
