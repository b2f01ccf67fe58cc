package program

// moments2 is the moments of two series pushed together and c, the sum of the products of their deviations. Each series has
// a base of its own; x.n is y.n. It is large, so it is changed in place.
type moments2 struct {
	x, y moments
	c    float64
}

// push adds a sample (Welford).
func (m *moments2) push(x, y float64) {
	m.x, m.y = m.x.based(x), m.y.based(y)
	m.add(x-m.x.base, y-m.y.base)
}

// add adds deviations from the bases.
func (m *moments2) add(dx, dy float64) {
	delta := dx - m.x.mean
	m.x, m.y = m.x.add(dx), m.y.add(dy)
	m.c = m.c + float64(delta*(dy-m.y.mean))
}

// join makes m, the older samples, those and b, the newer (Chan, Golub, LeVeque). The result is relative to b's bases, and the
// moments have the bits that moments.joined gives.
func (m *moments2) join(b *moments2) {
	if b.x.n == 0 {
		return
	}
	if m.x.n == 0 {
		*m = *b
		return
	}
	dx := (b.x.base - m.x.base) + (b.x.mean - m.x.mean)
	dy := (b.y.base - m.y.base) + (b.y.mean - m.y.mean)
	n := m.x.n + b.x.n
	share := m.x.n / n
	weight := float64(b.x.n * share)
	m.c = (m.c + b.c) + float64(float64(dx*dy)*weight)
	m.x.m2 = (m.x.m2 + b.x.m2) + float64(float64(dx*dx)*weight)
	m.y.m2 = (m.y.m2 + b.y.m2) + float64(float64(dy*dy)*weight)
	m.x.mean = b.x.mean - float64(dx*share)
	m.y.mean = b.y.mean - float64(dy*share)
	m.x.base, m.x.n = b.x.base, n
	m.y.base, m.y.n = b.y.base, n
}

// product is c, undefined without samples.
func (m *moments2) product() uint64 {
	if m.x.n == 0 {
		return CanonicalNaN
	}
	return Canonical(m.c)
}
