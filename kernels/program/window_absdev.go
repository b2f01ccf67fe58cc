package program

import "math"

// absdevSamples advances the mean absolute deviation of the last n samples from their mean. A push looks at them all,
// relative to the newest, oldest first. State: pos, count, mean absolute deviation, newest less mean, ring.
func absdevSamples(st []uint64, n int, push, reset, x uint64) (deviation, newest, warm uint64) {
	if reset != 0 && st[1] != 0 {
		clear(st)
	}
	if push != 0 {
		ring := st[absdevHead:][:n]
		pos := int(st[0])
		ring[pos] = canonicalBits(x)
		if pos++; pos == n {
			pos = 0
		}
		st[0], st[1] = uint64(pos), min(st[1]+1, uint64(n))
		if st[1] == uint64(n) {
			st[2], st[3] = absdevOf(ring[pos:], ring[:pos])
		}
	}
	if st[1] != uint64(n) {
		return CanonicalNaN, CanonicalNaN, 0
	}
	return st[2], st[3], maskTrue
}

// absdevOf looks at the samples of a full ring, the older part first; the newest is the last.
func absdevOf(older, newer []uint64) (deviation, newest uint64) {
	last := older
	if len(newer) > 0 {
		last = newer
	}
	base := f64(last[len(last)-1])
	n := float64(len(older) + len(newer))
	sum := 0.0
	for _, part := range [2][]uint64{older, newer} {
		for _, bits := range part {
			sum += f64(bits) - base
		}
	}
	mean, total := sum/n, 0.0
	for _, part := range [2][]uint64{older, newer} {
		for _, bits := range part {
			total += math.Abs((f64(bits) - base) - mean)
		}
	}
	return Canonical(total / n), Canonical(-mean)
}
