package program

import "math"

// refWindow is a window kept as plain lists. words writes it the way the executor's state words must look.
type refWindow interface {
	tick(push, reset bool, x, y float64, timeNs int64) []uint64
	words() []uint64
}

func newRefWindow(w Window) refWindow {
	switch {
	case w.Agg == AggLag:
		return &refLag{n: w.N}
	case w.Agg == AggMoments2 && w.Kind == WindowSamples:
		return &refPairs{n: w.N}
	case w.Agg == AggWeighted:
		return &refWeighted{n: w.N}
	case w.Agg == AggRank:
		return &refRank{n: w.N}
	case w.Agg == AggAbsdev:
		return &refAbsdev{n: w.N}
	case w.Agg == AggMin || w.Agg == AggMax:
		if w.Kind == WindowSamples {
			return &refExtreme{n: w.N, agg: w.Agg}
		}
		return &refDuration{w: w}
	case w.Kind == WindowSamples:
		return &refSamples{n: w.N, agg: w.Agg, base: math.NaN()}
	}
	return &refDuration{w: w}
}

var refNaN = math.Float64frombits(0x7ff8000000000000)

func refMask(v bool) uint64 {
	if v {
		return ^uint64(0)
	}
	return 0
}

func refBits(values ...float64) (bits []uint64) {
	for _, v := range values {
		bits = append(bits, math.Float64bits(v))
	}
	return bits
}

// refSum folds in the order given.
func refSum(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum = refCanon(sum + x)
	}
	return sum
}

// refMoments folds deviations from base in the order given, by Welford.
func refMoments(xs []float64, base float64) (mean, m2 float64) {
	for i, x := range xs {
		d := x - base
		delta := d - mean
		mean = refCanon(mean + delta/float64(i+1))
		product := float64(delta * (d - mean))
		m2 = refCanon(m2 + product)
	}
	return mean, m2
}

func refReversed(xs []float64) (out []float64) {
	for i := len(xs) - 1; i >= 0; i-- {
		out = append(out, xs[i])
	}
	return out
}

// refSamples: lap holds the samples since the last flip, last those of the lap before it.
type refSamples struct {
	n         int
	agg       WindowAgg
	lap, last []float64
	base      float64
	newest    float64
}

func (r *refSamples) tick(push, reset bool, x, _ float64, _ int64) []uint64 {
	if reset {
		r.lap, r.last, r.base = nil, nil, math.NaN()
	}
	if push {
		r.lap, r.newest = append(r.lap, refCanon(x)), refCanon(x)
		if math.IsNaN(r.base) {
			r.base = refCanon(x)
		}
	}
	if len(r.lap) == r.n {
		for _, x := range r.lap {
			if !math.IsNaN(x) {
				r.base = x
			}
		}
		r.last, r.lap = r.lap, nil
	}
	count := len(r.lap)
	if r.last != nil {
		count = r.n
	}
	if r.agg == AggSum {
		sum := refSum(r.lap)
		if r.last != nil {
			sum = refCanon(refSum(refReversed(r.last[len(r.lap):])) + sum)
		}
		return append(refBits(sum, float64(count)), refMask(count == r.n))
	}
	mean, m2 := r.joined(count)
	out := append(refBits(refCanon(r.base+mean), m2, float64(count)), refMask(count == r.n))
	return append(out, refBits(refCanon((r.newest-r.base)-mean))...)
}

func (r *refSamples) joined(count int) (mean, m2 float64) {
	mean, m2 = refMoments(r.lap, r.base)
	if count == 0 {
		return refNaN, refNaN
	}
	if r.last != nil {
		old := r.last[len(r.lap):]
		oldMean, oldM2 := refMoments(refReversed(old), r.base)
		if len(r.lap) == 0 {
			mean, m2 = oldMean, oldM2
		} else {
			na, nb := float64(len(old)), float64(len(r.lap))
			mean, m2 = refJoin(na, r.base, oldMean, oldM2, nb, r.base, mean, m2)
		}
	}
	return mean, m2
}

// refJoin is Chan's rule, older first; the mean it returns is relative to the newer base.
func refJoin(na, baseA, ma, m2a, nb, baseB, mb, m2b float64) (mean, m2 float64) {
	delta := (baseB - baseA) + (mb - ma)
	share := na / (na + nb)
	shift := float64(delta * share)
	square := float64(delta * delta)
	weight := float64(nb * share)
	extra := float64(square * weight)
	return refCanon(mb - shift), refCanon((m2a + m2b) + extra)
}

func (r *refSamples) words() []uint64 {
	full := uint64(0)
	if r.last != nil {
		full = 1
	}
	out := []uint64{uint64(len(r.lap)), full}
	if r.agg == AggSum {
		out = append(out, refBits(refSum(r.lap))...)
	} else {
		base := r.base
		if len(r.lap) == 0 && r.last == nil {
			base = 0
		}
		mean, m2 := refMoments(r.lap, r.base)
		out = append(out, refBits(refCanon(base), mean, m2)...)
	}
	for i := range r.n {
		var slot []float64
		switch {
		case i < len(r.lap):
			slot = []float64{r.lap[i], 0}
		case r.last == nil:
			slot = []float64{0, 0}
		case r.agg == AggSum:
			slot = []float64{refSum(refReversed(r.last[i:]))}
		default:
			mean, m2 := refMoments(refReversed(r.last[i:]), r.base)
			slot = []float64{mean, m2}
		}
		if r.agg == AggSum {
			slot = slot[:1]
		}
		out = append(out, refBits(slot...)...)
	}
	return out
}

// refLag keeps everything pushed since the last reset.
type refLag struct {
	n   int
	all []float64
}

func (r *refLag) tick(push, reset bool, x, _ float64, _ int64) []uint64 {
	if reset {
		r.all = nil
	}
	if push {
		r.all = append(r.all, refCanon(x))
	}
	if len(r.all) <= r.n {
		return []uint64{0x7ff8000000000000, 0}
	}
	return append(refBits(r.all[len(r.all)-1-r.n]), refMask(true))
}

func (r *refLag) words() []uint64 {
	size := r.n + 1
	out := make([]uint64, 2+size)
	out[0], out[1] = uint64(len(r.all)%size), uint64(min(len(r.all), size))
	for i, x := range r.all {
		out[2+i%size] = math.Float64bits(x)
	}
	return out
}
