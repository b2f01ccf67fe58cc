package program

import "math"

// weightedSamples advances a sum of samples weighted by age: the oldest 1, the newest n. State: pos, full, run, run plain
// sum, ring of x or suffix weighted sum.
//
// Older samples in front leave the weights of newer ones to grow: run joined behind na older samples has na added to each
// of its weights, and a suffix that takes in one older sample has its plain sum added.
func weightedSamples(st []uint64, n int, push, reset, x uint64) (sum, weights, warm uint64) {
	if reset != 0 && st[0]|st[1] != 0 {
		clear(st)
	}
	ring := st[wgtSamplesHead:][:n]
	if push != 0 {
		pos := st[0]
		ring[pos] = canonicalBits(x)
		weight := float64(int64(pos + 1))
		st[2] = Canonical(f64(st[2]) + float64(weight*f64(ring[pos])))
		st[3] = addCanonical(st[3], ring[pos])
		st[0] = pos + 1
		if pos+1 == uint64(n) {
			flipWeighted(ring)
			st[0], st[1], st[2], st[3] = 0, 1, 0, 0
		}
	}
	pos := int(st[0])
	if st[1] == 0 {
		return st[2], weightsOf(pos), 0
	}
	lifted := f64(st[2]) + float64(float64(n-pos)*f64(st[3]))
	return Canonical(f64(ring[pos]) + lifted), weightsOf(n), maskTrue
}

// flipWeighted turns samples into suffix weighted sums, newest to oldest.
func flipWeighted(ring []uint64) {
	var plain, weighted float64
	for i := len(ring) - 1; i >= 0; i-- {
		plain += f64(ring[i])
		weighted += plain
		ring[i] = Canonical(weighted)
	}
}

// weightsOf is 1 + 2 + ... + n.
func weightsOf(n int) uint64 { return math.Float64bits(float64(n * (n + 1) / 2)) }
