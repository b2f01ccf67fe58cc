package program

import "math"

// extreme is the least or greatest of n samples. An undefined sample wins over all others, so that the window is
// undefined while one is inside; of equal samples the newer wins, so that ages count from the most recent.
type extreme struct {
	value uint64
	n     float64
}

// joined is e, the older samples, with b, the newer.
func (e extreme) joined(b extreme, least bool) extreme {
	switch {
	case e.n == 0:
		return b
	case b.n == 0:
		return e
	case !olderWins(e.value, b.value, least):
		e.value = b.value
	}
	e.n += b.n
	return e
}

// olderWins reports whether the older of two canonical values is the extreme of both.
func olderWins(older, newer uint64, least bool) bool {
	a, b := math.Float64frombits(older), math.Float64frombits(newer)
	if least {
		return a < b || a != a
	}
	return a > b || a != a
}

// extremeSamples advances the least or greatest of the last samples and its age in pushes. State: pos, full, run, run at,
// ring of (x or suffix extreme, its slot).
func extremeSamples(st []uint64, w *Window, push, reset, x uint64) (value, age, warm uint64) {
	if reset != 0 && st[0]|st[1] != 0 {
		clear(st)
	}
	n, least := uint64(w.N), w.Agg == AggMin
	ring := st[extSamplesHead:][:2*n]
	if push != 0 {
		pos := st[0]
		x = canonicalBits(x)
		ring[2*pos], ring[2*pos+1] = x, pos
		if pos == 0 || !olderWins(st[2], x, least) {
			st[2], st[3] = x, pos
		}
		st[0] = pos + 1
		if pos+1 == n {
			flipExtremes(ring, least)
			st[0], st[1], st[2], st[3] = 0, 1, 0, 0
		}
	}
	pos := st[0]
	switch {
	case st[1] == 0 && pos == 0:
		return CanonicalNaN, CanonicalNaN, 0
	case st[1] == 0:
		return st[2], ageOf(st[2], pos-1-st[3]), 0
	case pos == 0 || olderWins(ring[2*pos], st[2], least):
		return ring[2*pos], ageOf(ring[2*pos], n-1-ring[2*pos+1]+pos), maskTrue
	}
	return st[2], ageOf(st[2], pos-1-st[3]), maskTrue
}

// flipExtremes turns samples into suffix extremes, newest to oldest.
func flipExtremes(ring []uint64, least bool) {
	for i := len(ring) - 4; i >= 0; i -= 2 {
		if !olderWins(ring[i], ring[i+2], least) {
			ring[i], ring[i+1] = ring[i+2], ring[i+3]
		}
	}
}

// ageOf is an age as a number, undefined for an undefined extreme.
func ageOf(value, pushes uint64) uint64 {
	if value == CanonicalNaN {
		return CanonicalNaN
	}
	return math.Float64bits(float64(int64(pushes)))
}

// extremeDuration advances the least or greatest of a duration. State: head, closed extreme, closed count, ring of
// (extreme, count).
func extremeDuration(st []uint64, w *Window, timeNs int64, push, reset, x uint64) (value, warm uint64) {
	entry, closed := advanceDuration(st, w, 2, timeNs, push, reset)
	ring, least := st[durHead+2:][:2*w.Sub], w.Agg == AggMin
	if closed {
		var acc extreme
		for k, e := 1, entry; k < w.Sub; k++ {
			if e++; e == w.Sub {
				e = 0
			}
			acc = acc.joined(extremeAt(ring[2*e:]), least)
		}
		acc.put(st[durHead:])
	}
	open := extremeAt(ring[2*entry:])
	if push != 0 {
		open = open.joined(extreme{value: canonicalBits(x), n: 1}, least)
		open.put(ring[2*entry:])
	}
	all := extremeAt(st[durHead:]).joined(open, least)
	if all.n == 0 {
		all.value = CanonicalNaN
	}
	return all.value, warmDuration(st, w.Sub)
}

func extremeAt(st []uint64) extreme {
	return extreme{value: st[0], n: math.Float64frombits(st[1])}
}

func (e extreme) put(st []uint64) { st[0], st[1] = e.value, math.Float64bits(e.n) }
