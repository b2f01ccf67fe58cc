package program

import "math"

// A pair aggregate in the reference is a list: base x, base y, n, mean x, mean y, m2 x, m2 y, c.

// refPairOf folds samples of two series in the order given.
func refPairOf(xs, ys []float64, baseX, baseY float64) []float64 {
	if len(xs) == 0 {
		return make([]float64, 8)
	}
	c := 0.0
	for i := range xs {
		meanX, _ := refMoments(xs[:i], baseX)
		meanY, _ := refMoments(ys[:i+1], baseY)
		deviation := (xs[i] - baseX) - meanX
		product := float64(deviation * ((ys[i] - baseY) - meanY))
		c = refCanon(c + product)
	}
	meanX, m2x := refMoments(xs, baseX)
	meanY, m2y := refMoments(ys, baseY)
	return []float64{baseX, baseY, float64(len(xs)), meanX, meanY, m2x, m2y, c}
}

// refFirst is the first defined sample.
func refFirst(xs []float64) float64 {
	for _, x := range xs {
		if !math.IsNaN(x) {
			return x
		}
	}
	return refNaN
}

func refJoinPairs(a, b []float64) []float64 {
	if a[2] == 0 {
		return b
	}
	if b[2] == 0 {
		return a
	}
	meanX, m2x := refJoin(a[2], a[0], a[3], a[5], b[2], b[0], b[3], b[5])
	meanY, m2y := refJoin(a[2], a[1], a[4], a[6], b[2], b[1], b[4], b[6])
	dx := (b[0] - a[0]) + (b[3] - a[3])
	dy := (b[1] - a[1]) + (b[4] - a[4])
	product := float64(dx * dy)
	weight := float64(b[2] * (a[2] / (a[2] + b[2])))
	extra := float64(product * weight)
	return []float64{b[0], b[1], a[2] + b[2], meanX, meanY, m2x, m2y, refCanon((a[7] + b[7]) + extra)}
}

func refPairOutputs(p []float64, warm bool) []uint64 {
	if p[2] == 0 {
		return append(refBits(refNaN, refNaN, refNaN, refNaN, refNaN, 0), refMask(warm))
	}
	return append(refBits(refCanon(p[0]+p[3]), refCanon(p[1]+p[4]), p[5], p[6], p[7], p[2]), refMask(warm))
}

// refPairs keeps everything pushed since the last reset.
type refPairs struct {
	n      int
	xs, ys []float64
}

// base is the newest defined sample before the last flip; if there is none, the first defined one after.
func (r *refPairs) base(all []float64) float64 {
	flipped := len(all) - len(all)%r.n
	if base := refFirst(refReversed(all[:flipped])); !math.IsNaN(base) {
		return base
	}
	return refFirst(all[flipped:])
}

func (r *refPairs) tick(push, reset bool, x, y float64, _ int64) []uint64 {
	if reset {
		r.xs, r.ys = nil, nil
	}
	if push {
		r.xs, r.ys = append(r.xs, refCanon(x)), append(r.ys, refCanon(y))
	}
	lapX, beforeX := refSplit(r.xs, r.n)
	lapY, beforeY := refSplit(r.ys, r.n)
	all := refPairOf(lapX, lapY, r.base(r.xs), r.base(r.ys))
	if beforeX != nil {
		oldX, oldY := refReversed(beforeX[len(lapX):]), refReversed(beforeY[len(lapY):])
		all = refJoinPairs(refPairOf(oldX, oldY, r.base(r.xs), r.base(r.ys)), all)
	}
	return refPairOutputs(all, beforeX != nil)
}

func (r *refPairs) words() []uint64 {
	lapX, beforeX := refSplit(r.xs, r.n)
	lapY, beforeY := refSplit(r.ys, r.n)
	out := make([]uint64, 4, 9+5*r.n)
	out[0] = uint64(len(lapX))
	if beforeX != nil {
		out[1] = 1
	}
	baseX, baseY := r.base(r.xs), r.base(r.ys)
	if len(r.xs) > 0 {
		out[2], out[3] = math.Float64bits(baseX), math.Float64bits(baseY)
	}
	out = append(out, refBits(refPairOf(lapX, lapY, baseX, baseY)[3:]...)...)
	for i := range r.n {
		switch {
		case i < len(lapX):
			out = append(out, refBits(lapX[i], lapY[i], 0, 0, 0)...)
		case beforeX == nil:
			out = append(out, make([]uint64, 5)...)
		default:
			out = append(out, refBits(refPairOf(refReversed(beforeX[i:]), refReversed(beforeY[i:]), baseX, baseY)[3:]...)...)
		}
	}
	return out
}
