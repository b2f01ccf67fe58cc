package program

import "math"

// rankSamples advances the rank of the newest sample among the last n: how many are less, and half of the others that equal
// it. A push looks at them all. State: pos, count, rank, ring.
func rankSamples(st []uint64, n int, push, reset, x uint64) (rank, count, warm uint64) {
	if reset != 0 && st[1] != 0 {
		clear(st)
	}
	if push != 0 {
		ring := st[rankHead:][:n]
		pos := st[0]
		ring[pos] = canonicalBits(x)
		st[1] = min(st[1]+1, uint64(n))
		st[2] = rankIn(ring[:st[1]], f64(ring[pos]))
		if pos++; pos == uint64(n) {
			pos = 0
		}
		st[0] = pos
	}
	if st[1] == 0 {
		return CanonicalNaN, 0, 0
	}
	return st[2], math.Float64bits(float64(int64(st[1]))), maskOf(st[1] == uint64(n))
}

// rankIn is the rank of x, which is one of the samples; undefined if one of them is.
func rankIn(samples []uint64, x float64) uint64 {
	var less, atMost, atLeast uint64 // maskOf is -1 for true
	for _, bits := range samples {
		v := f64(bits)
		less -= maskOf(v < x)
		atMost -= maskOf(v <= x)
		atLeast -= maskOf(v >= x)
	}
	if less+atLeast != uint64(len(samples)) {
		return CanonicalNaN
	}
	others := atMost - less - 1
	return math.Float64bits(float64(int64(less)) + float64(0.5*float64(int64(others))))
}
