package program

import "math"

// Sample windows keep two stacks in one ring of N ("flip"). Slots pos..N-1 hold suffix aggregates: slot i aggregates the
// samples i..N-1 of the previous lap. Slots 0..pos-1 hold the samples of this lap, aggregated in run.
//
//	ring   | x x x x x | s s s s s s |      window = s[pos] joined with run
//	       0          pos            N
//
// When a push fills the ring, every slot becomes a suffix aggregate, newest to oldest, and the lap begins anew. Nothing
// is ever subtracted, so a value that has left leaves no trace. A push costs O(1), every N-th one O(N).

// sumSamples advances a sample sum. State: pos, full, run, ring.
func sumSamples(st []uint64, n int, push, reset, x uint64) (sum, count, warm uint64) {
	if reset != 0 && st[0]|st[1] != 0 {
		clear(st)
	}
	ring := st[sumSamplesHead:][:n]
	if push != 0 {
		pos := st[0]
		ring[pos] = canonicalBits(x)
		st[2] = addCanonical(st[2], ring[pos])
		pos++
		if pos == uint64(n) {
			acc := 0.0
			for i := n - 1; i >= 0; i-- {
				acc += f64(ring[i])
				ring[i] = Canonical(acc)
			}
			pos, st[1], st[2] = 0, 1, 0
		}
		st[0] = pos
	}
	if st[1] == 0 {
		return st[2], math.Float64bits(float64(int64(st[0]))), 0
	}
	return addCanonical(ring[st[0]], st[2]), math.Float64bits(float64(n)), maskTrue
}

func addCanonical(a, b uint64) uint64 {
	return Canonical(math.Float64frombits(a) + math.Float64frombits(b))
}

// momentsSamples advances sample moments; newest is the newest sample relative to m's base. State: pos, full, base, run
// mean, run m2, ring of (x or suffix mean, suffix m2).
func momentsSamples(st []uint64, n int, push, reset, x uint64) (m moments, newest float64, warm uint64) {
	if reset != 0 && st[0]|st[1] != 0 {
		clear(st)
	}
	ring := st[momSamplesHead:][:2*n]
	if push != 0 {
		pushMoments(st, ring, n, canonicalBits(x))
	}
	pos := int(st[0])
	run := moments{
		base: math.Float64frombits(st[2]),
		n:    float64(pos),
		mean: math.Float64frombits(st[3]),
		m2:   math.Float64frombits(st[4]),
	}
	if pos > 0 {
		newest = math.Float64frombits(ring[2*pos-2]) - run.base
	}
	if st[1] == 0 {
		return run, newest, 0
	}
	if pos == 0 {
		newest = math.Float64frombits(ring[2*n-2]) // the mean of the newest alone
	}
	old := moments{
		base: run.base,
		n:    float64(n - pos),
		mean: math.Float64frombits(ring[2*pos]),
		m2:   math.Float64frombits(ring[2*pos+1]),
	}
	return old.joined(run), newest, maskTrue
}

func pushMoments(st, ring []uint64, n int, x uint64) {
	pos := st[0]
	if pos|st[1] == 0 || st[2] == CanonicalNaN {
		st[2] = x // the first defined sample, until a flip finds a newer one
	}
	ring[2*pos], ring[2*pos+1] = x, 0
	run := moments{n: float64(int64(pos)), mean: math.Float64frombits(st[3]), m2: math.Float64frombits(st[4])}
	run = run.add(math.Float64frombits(x) - math.Float64frombits(st[2]))
	st[3], st[4] = Canonical(run.mean), Canonical(run.m2)
	pos++
	if pos == uint64(n) {
		flipMoments(st, ring, n)
		return
	}
	st[0] = pos
}

// flipMoments turns the samples into suffix aggregates around the newest defined sample.
func flipMoments(st, ring []uint64, n int) {
	for i := n - 1; i >= 0; i-- {
		if ring[2*i] != CanonicalNaN {
			st[2] = ring[2*i]
			break
		}
	}
	base := math.Float64frombits(st[2])
	var acc moments
	for i := n - 1; i >= 0; i-- {
		acc = acc.add(math.Float64frombits(ring[2*i]) - base)
		ring[2*i], ring[2*i+1] = Canonical(acc.mean), Canonical(acc.m2)
	}
	st[0], st[1], st[3], st[4] = 0, 1, 0, 0
}

// lagSamples advances a lag. State: pos, count, ring of n+1; slot pos is the oldest when full.
func lagSamples(st []uint64, n int, push, reset, x uint64) (value, warm uint64) {
	if reset != 0 && st[1] != 0 {
		clear(st)
	}
	ring := st[lagHead:][:n+1]
	if push != 0 {
		pos := st[0]
		ring[pos] = canonicalBits(x)
		pos++
		if pos == uint64(n+1) {
			pos = 0
		}
		st[0] = pos
		st[1] = min(st[1]+1, uint64(n+1))
	}
	if st[1] != uint64(n+1) {
		return CanonicalNaN, 0
	}
	return ring[st[0]], maskTrue
}
