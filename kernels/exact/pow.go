package exact

// exponentLimit bounds exponents in pow: past it every result but 1 is zero or undefined, as |log2 x| >= 2^-53.
const exponentLimit = 0x1p64

func pow[F, I, M any](m machine[F, I, M], x, y F) F {
	size := m.magnitude(x)
	logHigh, logLow := log2Sum(m, size)
	clamped := m.choose(m.less(m.float(exponentLimit), y), m.float(exponentLimit), y)
	clamped = m.choose(m.less(y, m.float(-exponentLimit)), m.float(-exponentLimit), clamped)
	yh, yl := cut(m, clamped)
	main := m.mul(yh, logHigh) // exact
	small := m.add(m.mul(yl, logHigh), m.mul(clamped, logLow))
	power, k := exp2Reduced(m, main, small)
	result := saturate(m, m.add(main, small), scale(m, power, k), -1080, 1030)

	zero, positive := m.float(0), m.less(m.float(0), y)
	result = m.choose(m.equal(x, zero), m.choose(positive, zero, undefined(m)), result)
	whole, odd := wholeAndOdd(m, m.magnitude(y))
	sign := m.andBits(m.bits(x), m.integer(signBit))
	result = m.flip(result, m.chooseInteger(odd, sign, m.integer(0)))
	defined := m.or(m.lessEqual(zero, x), m.and(m.less(x, zero), whole))
	result = m.choose(defined, result, undefined(m))
	return m.choose(m.and(m.equal(y, zero), m.equal(x, x)), m.float(1), result)
}

// wholeAndOdd says whether y >= 0 is an integer, and an odd one.
func wholeAndOdd[F, I, M any](m machine[F, I, M], y F) (whole, odd M) {
	const unitSpacing = 0x1p52 // from here on every number is an integer
	isWhole := func(y F) M {
		limit := m.float(unitSpacing)
		return m.or(m.lessEqual(limit, y), m.equal(m.sub(m.add(y, limit), limit), y))
	}
	whole = isWhole(y)
	halfWhole := isWhole(m.mul(y, m.float(0.5)))
	return whole, m.andNot(whole, halfWhole)
}
