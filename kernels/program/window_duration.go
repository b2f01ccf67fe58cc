package program

import "math"

// Duration windows keep Sub sub-intervals of StepNs of engine time, numbered floor(time/StepNs), number j in ring entry
// j mod Sub. The newest, cur, is open; the Sub-1 before it are closed and their total is kept.
//
//	... | cur-Sub+1 | ... | cur-1 | cur |      window = closed total joined with entry cur
//	     `------ closed --------'  open
//
// Every slot, pushed or not, advances to its time: entries passed over are emptied (at most Sub) and the closed total is
// made again, oldest to newest. Nothing happens before the first push after a reset; a time before cur counts as cur.
// Head words: cur, start (the number of the first push), begun.

// subInterval is floor(timeNs / stepNs).
func subInterval(timeNs, stepNs int64) int64 {
	j := timeNs / stepNs
	if timeNs%stepNs < 0 {
		j--
	}
	return j
}

// entryOf is j mod sub, never negative.
func entryOf(j int64, sub int) int {
	if sub&(sub-1) == 0 {
		return int(j) & (sub - 1)
	}
	r := int(j % int64(sub))
	if r < 0 {
		r += sub
	}
	return r
}

// advanceDuration begins the window where it must and moves it to timeNs. It returns the entry that is open, and
// whether the closed total must be made again. words is the size of a ring entry.
func advanceDuration(st []uint64, w *Window, words int, timeNs int64, push, reset uint64) (entry int, closed bool) {
	if reset != 0 && st[2] != 0 {
		clear(st)
	}
	if st[2] == 0 {
		if push == 0 {
			return 0, false
		}
		j := subInterval(timeNs, w.StepNs)
		st[0], st[1], st[2] = uint64(j), uint64(j), 1
		return entryOf(j, w.Sub), false
	}
	cur := int64(st[0])
	if cur >= 0 && timeNs >= 0 && timeNs-cur*w.StepNs < w.StepNs {
		return entryOf(cur, w.Sub), false // still open; spares the division
	}
	j := subInterval(timeNs, w.StepNs)
	if j <= cur {
		return entryOf(cur, w.Sub), false
	}
	passed := int(min(uint64(j-cur), uint64(w.Sub)))
	ring := st[durHead+words:]
	entry = entryOf(j, w.Sub)
	for k, e := 0, entry; k < passed; k++ {
		clear(ring[words*e:][:words])
		if e--; e < 0 {
			e = w.Sub - 1
		}
	}
	st[0] = uint64(j)
	return entry, true
}

// warmDuration is the mask: Sub sub-intervals have closed since the first push.
func warmDuration(st []uint64, sub int) uint64 {
	return maskOf(st[2] != 0 && st[0]-st[1] >= uint64(sub))
}

// sumDuration advances a duration sum. State: head, closed sum, closed count, ring of (sum, count).
func sumDuration(st []uint64, w *Window, timeNs int64, push, reset, x uint64) (sum, count, warm uint64) {
	entry, closed := advanceDuration(st, w, 2, timeNs, push, reset)
	total, ring := st[durHead:][:2], st[durHead+2:][:2*w.Sub]
	if closed {
		var s, c float64
		for k, e := 1, entry; k < w.Sub; k++ {
			if e++; e == w.Sub {
				e = 0
			}
			s += f64(ring[2*e])
			c += f64(ring[2*e+1])
		}
		total[0], total[1] = Canonical(s), Canonical(c)
	}
	open := ring[2*entry:][:2]
	if push != 0 {
		open[0] = addCanonical(open[0], canonicalBits(x))
		open[1] = addCanonical(open[1], math.Float64bits(1))
	}
	return addCanonical(total[0], open[0]), addCanonical(total[1], open[1]), warmDuration(st, w.Sub)
}

// momentsDuration advances duration moments; newest is the newest sample relative to m's base. State: head, closed moments,
// ring of moments, each (base, n, mean, m2), newest sample.
func momentsDuration(st []uint64, w *Window, timeNs int64, push, reset, x uint64) (m moments, newest float64, warm uint64) {
	entry, closed := advanceDuration(st, w, 4, timeNs, push, reset)
	ring, last := st[durHead+4:][:4*w.Sub], &st[durHead+4+4*w.Sub]
	if closed {
		var acc moments
		for k, e := 1, entry; k < w.Sub; k++ {
			if e++; e == w.Sub {
				e = 0
			}
			acc = acc.joined(momentsAt(ring[4*e:]))
		}
		acc.put(st[durHead:])
	}
	open := momentsAt(ring[4*entry:])
	if push != 0 {
		*last = canonicalBits(x)
		open = open.push(math.Float64frombits(*last))
		open.put(ring[4*entry:])
	}
	m = momentsAt(st[durHead:]).joined(open)
	return m, math.Float64frombits(*last) - m.base, warmDuration(st, w.Sub)
}

func momentsAt(st []uint64) moments {
	st = st[:4]
	return moments{
		base: math.Float64frombits(st[0]),
		n:    math.Float64frombits(st[1]),
		mean: math.Float64frombits(st[2]),
		m2:   math.Float64frombits(st[3]),
	}
}

func (m moments) put(st []uint64) {
	st = st[:4]
	st[0], st[1] = math.Float64bits(m.base), math.Float64bits(m.n)
	st[2], st[3] = Canonical(m.mean), Canonical(m.m2)
}
