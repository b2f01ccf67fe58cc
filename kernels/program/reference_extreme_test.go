package program

import "math"

func refIsExtreme(agg WindowAgg) bool { return agg == AggMin || agg == AggMax }

// refExtremeOf is the index of the extreme: the first undefined sample if there is one, else the last of the least (the
// greatest).
func refExtremeOf(agg WindowAgg, xs []float64) int {
	best := 0
	for i, x := range xs {
		switch {
		case math.IsNaN(x):
			return i
		case agg == AggMin && x <= xs[best], agg == AggMax && x >= xs[best]:
			best = i
		}
	}
	return best
}

// refJoinExtremes joins two (extreme, count), the older first.
func refJoinExtremes(agg WindowAgg, a, b []float64) []float64 {
	if a[1] == 0 {
		return []float64{b[0], b[1]}
	}
	if b[1] == 0 {
		return []float64{a[0], a[1]}
	}
	both := []float64{a[0], b[0]}
	return []float64{both[refExtremeOf(agg, both)], a[1] + b[1]}
}

// refExtreme keeps everything pushed since the last reset.
type refExtreme struct {
	n   int
	agg WindowAgg
	all []float64
}

func (r *refExtreme) tick(push, reset bool, x, _ float64, _ int64) []uint64 {
	if reset {
		r.all = nil
	}
	if push {
		r.all = append(r.all, refCanon(x))
	}
	window := r.all[max(0, len(r.all)-r.n):]
	if len(window) == 0 {
		return append(refBits(refNaN, refNaN), 0)
	}
	at := refExtremeOf(r.agg, window)
	age := float64(len(window) - 1 - at)
	if math.IsNaN(window[at]) {
		age = refNaN
	}
	return append(refBits(window[at], age), refMask(len(window) == r.n))
}

func (r *refExtreme) words() []uint64 {
	out := make([]uint64, 4+2*r.n)
	pos := len(r.all) % r.n
	lap := r.all[len(r.all)-pos:]
	out[0] = uint64(pos)
	if pos > 0 {
		at := refExtremeOf(r.agg, lap)
		out[2], out[3] = math.Float64bits(lap[at]), uint64(at)
	}
	for i, x := range lap {
		out[4+2*i], out[5+2*i] = math.Float64bits(x), uint64(i)
	}
	if len(r.all) < r.n {
		return out
	}
	out[1] = 1
	before := r.all[:len(r.all)-pos]
	before = before[len(before)-r.n:]
	for i := pos; i < r.n; i++ {
		at := i + refExtremeOf(r.agg, before[i:])
		out[4+2*i], out[5+2*i] = math.Float64bits(before[at]), uint64(at)
	}
	return out
}
