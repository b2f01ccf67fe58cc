package program

import "math"

// moments is the count, mean and sum of squared deviations of some samples. The mean is kept relative to base, a sample
// near them, so that small moves of large prices lose no digits. base is the canonical NaN while every sample was
// undefined.
//
// A mean or m2 that is not finite never becomes finite again by adding or joining, so they are made canonical only where
// they are written to state or read as results.
type moments struct {
	base, n, mean, m2 float64
}

// push adds a sample (Welford).
func (m moments) push(x float64) moments {
	m = m.based(x)
	return m.add(x - m.base)
}

// based is m with a base fit for adding x: its first defined sample.
func (m moments) based(x float64) moments {
	if m.n == 0 {
		m.base, m.mean, m.m2 = x, 0, 0
	} else if math.IsNaN(m.base) {
		m.base = x
	}
	return m
}

// add adds a deviation from base.
func (m moments) add(d float64) moments {
	m.n++
	delta := d - m.mean
	m.mean = m.mean + delta/m.n
	m.m2 = m.m2 + float64(delta*(d-m.mean))
	return m
}

// joined is m, the older samples, with b, the newer (Chan, Golub, LeVeque). The result is relative to b's base.
func (m moments) joined(b moments) moments {
	if m.n == 0 {
		return b
	}
	if b.n == 0 {
		return m
	}
	n := m.n + b.n
	share := m.n / n
	delta := (b.base - m.base) + (b.mean - m.mean)
	return moments{
		base: b.base,
		n:    n,
		mean: b.mean - float64(delta*share),
		m2:   (m.m2 + b.m2) + float64(float64(delta*delta)*float64(b.n*share)),
	}
}

// center is the mean itself, undefined without samples.
func (m moments) center() uint64 {
	if m.n == 0 {
		return CanonicalNaN
	}
	return Canonical(m.base + m.mean)
}

// spread is the sum of squared deviations, undefined without samples.
func (m moments) spread() uint64 {
	if m.n == 0 {
		return CanonicalNaN
	}
	return Canonical(m.m2)
}

// deviation is the sample base + d less the mean, undefined without samples.
func (m moments) deviation(d float64) uint64 {
	if m.n == 0 {
		return CanonicalNaN
	}
	return Canonical(d - m.mean)
}
