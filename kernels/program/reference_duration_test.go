package program

import (
	"math"
	"math/big"
)

// refDuration keeps every sample since the last reset with the number of its sub-interval.
type refDuration struct {
	w          Window
	begun      bool
	cur, start int64
	pushes     []refPush
	newest     float64
}

type refPush struct {
	j    int64
	x, y float64
}

// refFloor divides towards minus infinity, by way of integers of any size.
func refFloor(timeNs, stepNs int64) int64 {
	q, m := new(big.Int), new(big.Int)
	q.DivMod(big.NewInt(timeNs), big.NewInt(stepNs), m) // Euclidean: the step is positive, so this is floor
	return q.Int64()
}

func (r *refDuration) tick(push, reset bool, x, y float64, timeNs int64) []uint64 {
	if reset {
		*r = refDuration{w: r.w}
	}
	j := refFloor(timeNs, r.w.StepNs)
	if r.begun && j > r.cur {
		r.cur = j
	}
	if push {
		if !r.begun {
			r.begun, r.cur, r.start = true, j, j
		}
		r.newest = refCanon(x)
		r.pushes = append(r.pushes, refPush{r.cur, refCanon(x), refCanon(y)})
	}
	warm := r.begun && new(big.Int).Sub(big.NewInt(r.cur), big.NewInt(r.start)).Cmp(big.NewInt(int64(r.w.Sub))) >= 0
	closed, open := r.total(), r.entry(r.cur)
	if refIsExtreme(r.w.Agg) {
		all := refJoinExtremes(r.w.Agg, closed, open)
		if all[1] == 0 {
			all[0] = refNaN
		}
		return append(refBits(all[0], refNaN), refMask(warm))
	}
	if r.w.Agg == AggMoments2 {
		return refPairOutputs(refJoinPairs(closed, open), warm)
	}
	if r.w.Agg == AggSum {
		return append(refBits(refCanon(closed[0]+open[0]), closed[1]+open[1]), refMask(warm))
	}
	all := refJoinEntries(closed, open)
	mean, m2, newest := refNaN, refNaN, refNaN
	if all[1] > 0 {
		mean, m2, newest = refCanon(all[0]+all[2]), all[3], refCanon((r.newest-all[0])-all[2])
	}
	out := append(refBits(mean, m2, all[1]), refMask(warm))
	return append(out, refBits(newest)...)
}

// entry is the aggregate of one sub-interval: (sum, count) or (base, n, mean, m2).
func (r *refDuration) entry(j int64) []float64 {
	var xs, ys []float64
	base := refNaN
	for _, p := range r.pushes {
		if p.j == j {
			xs, ys = append(xs, p.x), append(ys, p.y)
			if math.IsNaN(base) {
				base = p.x
			}
		}
	}
	if refIsExtreme(r.w.Agg) {
		if len(xs) == 0 {
			return []float64{0, 0}
		}
		return []float64{xs[refExtremeOf(r.w.Agg, xs)], float64(len(xs))}
	}
	if r.w.Agg == AggMoments2 {
		return refPairOf(xs, ys, refFirst(xs), refFirst(ys))
	}
	if r.w.Agg == AggSum {
		return []float64{refSum(xs), float64(len(xs))}
	}
	if len(xs) == 0 {
		return []float64{0, 0, 0, 0}
	}
	mean, m2 := refMoments(xs, base)
	return []float64{base, float64(len(xs)), mean, m2}
}

// total is the closed sub-intervals joined oldest to newest.
func (r *refDuration) total() []float64 {
	total := make([]float64, len(r.entry(0)))
	for k := int64(r.w.Sub) - 1; k >= 1; k-- {
		if r.cur < math.MinInt64+k {
			continue
		}
		e := r.entry(r.cur - k)
		if refIsExtreme(r.w.Agg) {
			total = refJoinExtremes(r.w.Agg, total, e)
		} else if r.w.Agg == AggMoments2 {
			total = refJoinPairs(total, e)
		} else if r.w.Agg == AggSum {
			total[0], total[1] = refCanon(total[0]+e[0]), total[1]+e[1]
		} else {
			total = refJoinEntries(total, e)
		}
	}
	return total
}

func refJoinEntries(a, b []float64) []float64 {
	if a[1] == 0 {
		return b
	}
	if b[1] == 0 {
		return a
	}
	mean, m2 := refJoin(a[1], a[0], a[2], a[3], b[1], b[0], b[2], b[3])
	return []float64{b[0], a[1] + b[1], mean, m2}
}

func (r *refDuration) words() []uint64 {
	width := len(r.entry(0))
	out := make([]uint64, 3+width*(1+r.w.Sub))
	if r.w.Agg == AggMoments {
		out = append(out, math.Float64bits(r.newest))
	}
	if !r.begun {
		return out
	}
	out[0], out[1], out[2] = uint64(r.cur), uint64(r.start), 1
	copy(out[3:], refBits(r.total()...))
	for k := range int64(r.w.Sub) {
		if r.cur < math.MinInt64+k {
			continue
		}
		j := r.cur - k
		m := new(big.Int).Mod(big.NewInt(j), big.NewInt(int64(r.w.Sub))).Int64()
		copy(out[3+width*(1+int(m)):], refBits(r.entry(j)...))
	}
	return out
}
