package program

import "math"

// refWeighted keeps everything pushed since the last reset.
type refWeighted struct {
	n   int
	all []float64
}

// refWeightedForward folds weights 1, 2, ... over the samples, oldest first, and their plain sum.
func refWeightedForward(xs []float64) (weighted, plain float64) {
	for i, x := range xs {
		product := float64(float64(i+1) * x)
		weighted = refCanon(weighted + product)
		plain = refCanon(plain + x)
	}
	return weighted, plain
}

// refWeightedBackward is the same sum made of plain sums, newest first.
func refWeightedBackward(xs []float64) (weighted float64) {
	plain := 0.0
	for _, x := range refReversed(xs) {
		plain = refCanon(plain + x)
		weighted = refCanon(weighted + plain)
	}
	return weighted
}

// split is the samples since the last flip, and those of the lap before (nil before the first flip).
func refSplit(all []float64, n int) (lap, before []float64) {
	pos := len(all) % n
	lap = all[len(all)-pos:]
	if len(all) >= n {
		before = all[len(all)-pos-n : len(all)-pos]
	}
	return lap, before
}

func (r *refWeighted) tick(push, reset bool, x, _ float64, _ int64) []uint64 {
	if reset {
		r.all = nil
	}
	if push {
		r.all = append(r.all, refCanon(x))
	}
	lap, before := refSplit(r.all, r.n)
	run, plain := refWeightedForward(lap)
	if before == nil {
		weights := 0.0
		for i := range lap {
			weights += float64(i + 1)
		}
		return append(refBits(run, weights), 0)
	}
	old := before[len(lap):]
	lift := float64(float64(len(old)) * plain)
	weights := 0.0
	for i := range r.n {
		weights += float64(i + 1)
	}
	return append(refBits(refCanon(refWeightedBackward(old)+(run+lift)), weights), refMask(true))
}

func (r *refWeighted) words() []uint64 {
	lap, before := refSplit(r.all, r.n)
	run, plain := refWeightedForward(lap)
	out := append([]uint64{uint64(len(lap)), 0}, refBits(run, plain)...)
	out = append(out, refBits(lap...)...)
	if before == nil {
		return append(out, make([]uint64, r.n-len(lap))...)
	}
	out[1] = 1
	for i := len(lap); i < r.n; i++ {
		out = append(out, refBits(refWeightedBackward(before[i:]))...)
	}
	return out
}

// refRank keeps everything pushed since the last reset.
type refRank struct {
	n   int
	all []float64
}

func (r *refRank) rank() float64 {
	window := last(r.all, r.n)
	if len(window) == 0 {
		return 0
	}
	newest, rank := window[len(window)-1], 0.0
	for i, x := range window {
		switch {
		case math.IsNaN(x) || math.IsNaN(newest):
			return refNaN
		case x < newest:
			rank++
		case x == newest && i < len(window)-1:
			rank += 0.5
		}
	}
	return rank
}

func (r *refRank) tick(push, reset bool, x, _ float64, _ int64) []uint64 {
	if reset {
		r.all = nil
	}
	if push {
		r.all = append(r.all, refCanon(x))
	}
	if len(r.all) == 0 {
		return append(refBits(refNaN, 0), 0)
	}
	return append(refBits(r.rank(), float64(min(len(r.all), r.n))), refMask(len(r.all) >= r.n))
}

func (r *refRank) words() []uint64 {
	out := make([]uint64, 3+r.n)
	out[0], out[1] = uint64(len(r.all)%r.n), uint64(min(len(r.all), r.n))
	out[2] = math.Float64bits(r.rank())
	for i, x := range r.all {
		out[3+i%r.n] = math.Float64bits(x)
	}
	return out
}
