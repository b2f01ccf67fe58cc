package exact

// shortestHalfLife keeps the quotient in range; after 1 ns nothing is left of less.
const shortestHalfLife = 0x1p-20

// decay is 2^(-dt/halfLife), dt being in ns and rounded to a float64: 1 where dt <= 0, undefined unless halfLife > 0.
func decay[F, I, M any](m machine[F, I, M], dtNs I, halfLifeNs F) F {
	dt := m.toFloat(dtNs)
	dt = m.choose(m.less(dt, m.float(0)), m.float(0), dt)
	long := m.choose(m.less(halfLifeNs, m.float(shortestHalfLife)), m.float(shortestHalfLife), halfLifeNs)
	high, low := quotient(m, m.sub(m.float(0), dt), m.float(0), long, m.float(0))
	return m.choose(m.less(m.float(0), halfLifeNs), exp2(m, high, low), undefined(m))
}
