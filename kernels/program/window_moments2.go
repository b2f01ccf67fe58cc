package program

// mom2Ring is the words of a slot of a sample window: x or mean x, y or mean y, m2 x, m2 y, c.
const mom2Ring = 5

// mom2Entry is the words of an entry of a duration window: base x, base y, n, mean x, mean y, m2 x, m2 y, c.
const mom2Entry = 8

// moments2Samples advances sample moments of two inputs. State: pos, full, base x, base y, run (mean x, mean y, m2 x, m2 y,
// c), ring of the same.
func moments2Samples(m *moments2, st []uint64, n int, push, reset, x, y uint64) (warm uint64) {
	if reset != 0 && st[0]|st[1] != 0 {
		clear(st)
	}
	ring := st[mom2SamplesHead:][:mom2Ring*n]
	if push != 0 {
		pushMoments2(st, ring, n, canonicalBits(x), canonicalBits(y))
	}
	pos := int(st[0])
	var run moments2
	run.get(st, st[4:], float64(pos))
	if st[1] == 0 {
		*m = run
		return 0
	}
	m.get(st, ring[mom2Ring*pos:], float64(n-pos))
	m.join(&run)
	return maskTrue
}

// get reads the count's moments kept in slot; st has the bases.
func (m *moments2) get(st, slot []uint64, count float64) {
	slot = slot[:mom2Ring]
	m.x = moments{base: f64(st[2]), n: count, mean: f64(slot[0]), m2: f64(slot[2])}
	m.y = moments{base: f64(st[3]), n: count, mean: f64(slot[1]), m2: f64(slot[3])}
	m.c = f64(slot[4])
}

// set writes the moments but for bases and counts.
func (m *moments2) set(slot []uint64) {
	slot = slot[:mom2Ring]
	slot[0], slot[1] = Canonical(m.x.mean), Canonical(m.y.mean)
	slot[2], slot[3] = Canonical(m.x.m2), Canonical(m.y.m2)
	slot[4] = Canonical(m.c)
}

func pushMoments2(st, ring []uint64, n int, x, y uint64) {
	pos := st[0]
	first := pos|st[1] == 0
	if first || st[2] == CanonicalNaN {
		st[2] = x // the first defined sample, until a flip finds a newer one
	}
	if first || st[3] == CanonicalNaN {
		st[3] = y
	}
	slot := ring[mom2Ring*pos:][:mom2Ring]
	slot[0], slot[1], slot[2], slot[3], slot[4] = x, y, 0, 0, 0
	var run moments2
	run.get(st, st[4:], float64(int64(pos)))
	run.add(f64(x)-f64(st[2]), f64(y)-f64(st[3]))
	run.set(st[4:])
	st[0] = pos + 1
	if st[0] == uint64(n) {
		flipMoments2(st, ring)
	}
}

// flipMoments2 turns the samples into suffix aggregates around the newest defined sample of each input.
func flipMoments2(st, ring []uint64) {
	st[2], st[3] = newestDefined(ring, 0, st[2]), newestDefined(ring, 1, st[3])
	baseX, baseY := f64(st[2]), f64(st[3])
	var acc moments2
	for i := len(ring) - mom2Ring; i >= 0; i -= mom2Ring {
		acc.add(f64(ring[i])-baseX, f64(ring[i+1])-baseY)
		acc.set(ring[i:])
	}
	clear(st[4:mom2SamplesHead])
	st[0], st[1] = 0, 1
}

// newestDefined is the newest defined sample of an input, or old if there is none.
func newestDefined(ring []uint64, input int, old uint64) uint64 {
	for i := len(ring) - mom2Ring; i >= 0; i -= mom2Ring {
		if ring[i+input] != CanonicalNaN {
			return ring[i+input]
		}
	}
	return old
}

// moments2Duration advances duration moments of two inputs. State: head, closed moments, ring of moments.
func moments2Duration(m *moments2, st []uint64, w *Window, timeNs int64, push, reset, x, y uint64) (warm uint64) {
	entry, closed := advanceDuration(st, w, mom2Entry, timeNs, push, reset)
	ring := st[durHead+mom2Entry:][:mom2Entry*w.Sub]
	var next moments2
	if closed {
		for k, e := 1, entry; k < w.Sub; k++ {
			if e++; e == w.Sub {
				e = 0
			}
			next.load(ring[mom2Entry*e:])
			m.join(&next)
		}
		m.store(st[durHead:])
	}
	next.load(ring[mom2Entry*entry:])
	if push != 0 {
		next.push(f64(canonicalBits(x)), f64(canonicalBits(y)))
		next.store(ring[mom2Entry*entry:])
	}
	m.load(st[durHead:])
	m.join(&next)
	return warmDuration(st, w.Sub)
}

func (m *moments2) load(st []uint64) {
	st = st[:mom2Entry]
	m.x = moments{base: f64(st[0]), n: f64(st[2]), mean: f64(st[3]), m2: f64(st[5])}
	m.y = moments{base: f64(st[1]), n: f64(st[2]), mean: f64(st[4]), m2: f64(st[6])}
	m.c = f64(st[7])
}

func (m *moments2) store(st []uint64) {
	st = st[:mom2Entry]
	st[0], st[1], st[2] = Canonical(m.x.base), Canonical(m.y.base), Canonical(m.x.n)
	m.set(st[3:])
}
