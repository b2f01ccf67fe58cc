package exact

const (
	significandBits = 1<<52 - 1
	oneBits         = 0x3FF << 52
	leastNormal     = 0x1p-1022
)

// split returns k and s with x = 2^k s and s in [from, 2 from), for a positive x, subnormal or not, and from in (1/2, 1].
// from is given by its bits. For other x they are meaningless.
func split[F, I, M any](m machine[F, I, M], x F, from int64) (s F, k I) {
	tiny := m.less(x, m.float(leastNormal))
	x = m.choose(tiny, m.mul(x, m.float(0x1p54)), x)
	bias := m.chooseInteger(tiny, m.integer(1023+54), m.integer(1023))
	shifted := m.addInteger(m.bits(x), m.integer(oneBits-from))
	k = m.subInteger(m.shiftRight(shifted, 52), bias)
	return m.fromBits(m.addInteger(m.andBits(shifted, m.integer(significandBits)), m.integer(from))), k
}

// logReduced is k ln2High + low + log(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)), low being small, by the formula of the
// Sun library: log(1+f) = f - (f²/2 - s (f²/2 + R)), s = f/(2+f), where R stands for the series of the logarithm in s².
func logReduced[F, I, M any](m machine[F, I, M], f, kf, low F) F {
	s := m.div(f, m.add(m.float(2), f))
	square := m.mul(s, s)
	series := m.mul(square, polynomial(m, square, logCoefficients[:]))
	half := m.mul(m.mul(m.float(0.5), f), f)
	small := m.add(m.mul(s, m.add(half, series)), low)
	return m.sub(m.mul(kf, m.float(ln2High)), m.sub(m.sub(half, small), f))
}

func log[F, I, M any](m machine[F, I, M], x F) F {
	s, k := split(m, x, sqrtHalfBits)
	kf := m.toFloat(k)
	y := logReduced(m, m.sub(s, m.float(1)), kf, m.mul(kf, m.float(ln2Low)))
	return m.choose(m.less(m.float(0), x), y, undefined(m))
}

// log1p takes the logarithm of u = 1 + x rounded, and makes good what the rounding lost unless u is near 1, where f = x.
func log1p[F, I, M any](m machine[F, I, M], x F) F {
	u, lost := sum(m, m.float(1), x)
	s, k := split(m, u, sqrtHalfBits)
	near := m.integersEqual(k, m.integer(0))
	f := m.choose(near, x, m.sub(s, m.float(1)))
	c := m.choose(near, m.float(0), m.div(lost, u))
	kf := m.toFloat(k)
	y := logReduced(m, f, kf, m.add(m.mul(kf, m.float(ln2Low)), c))
	return m.choose(m.less(m.float(-1), x), y, undefined(m))
}
