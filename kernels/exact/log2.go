package exact

// log2Sum is log2(x) as high + low for a positive x, to about 2^-68 of its value: high has 26 bits. The significand is
// brought near 1 or 3/2, s = (m-c)/(m+c) is kept to 78 bits, and log2(m/c) = 2/(3 ln 2) s (3 + s² + s⁴ P(s²)). It is the
// scheme of the Sun library's pow. For other x the result is meaningless.
func log2Sum[F, I, M any](m machine[F, I, M], x F) (high, low F) {
	a, k := split(m, x, sqrtThreeQuartersBits)
	kf := m.toFloat(k)
	atOne := m.less(a, m.float(sqrtThreeHalves))
	center := m.choose(atOne, m.float(1), m.float(1.5))
	centerLog := m.choose(atOne, m.float(0), m.float(log2ThreeHalvesShort))
	centerLogLow := m.choose(atOne, m.float(0), m.float(log2ThreeHalvesLow))

	f, g := m.sub(a, center), m.add(a, center)
	s := m.div(f, g)
	sh := m.clear(s, lowBits)
	gh := m.clear(g, lowBits)
	gl := m.sub(a, m.sub(gh, center))
	sl := m.div(m.sub(m.sub(f, m.mul(sh, gh)), m.mul(sh, gl)), g)

	square := m.mul(s, s)
	rest := m.mul(m.mul(square, square), polynomial(m, square, log2Coefficients[:]))
	rest = m.add(rest, m.mul(sl, m.add(sh, s)))
	squareHigh := m.mul(sh, sh)
	factorHigh := m.clear(m.add(m.add(m.float(3), squareHigh), rest), lowBits)
	factorLow := m.sub(rest, m.sub(m.sub(factorHigh, m.float(3)), squareHigh))

	main := m.mul(sh, factorHigh) // exact
	small := m.add(m.mul(sl, factorHigh), m.mul(factorLow, s))
	logHigh := m.clear(m.add(main, small), lowBits)
	logLow := m.sub(small, m.sub(logHigh, main))
	main = m.mul(m.float(twoThirdsLog2EShort), logHigh) // exact
	small = m.add(m.mul(m.float(twoThirdsLog2EShortLow), logHigh), m.mul(logLow, m.float(twoThirdsLog2E)))
	small = m.add(small, centerLogLow)

	high = m.clear(m.add(m.add(m.add(main, small), centerLog), kf), lowBits)
	return high, m.sub(small, m.sub(m.sub(m.sub(high, kf), centerLog), main))
}

func log2[F, I, M any](m machine[F, I, M], x F) F {
	high, low := log2Sum(m, x)
	return m.choose(m.less(m.float(0), x), m.add(high, low), undefined(m))
}

func log10[F, I, M any](m machine[F, I, M], x F) F {
	high, low := log2Sum(m, x)
	main := m.mul(high, m.float(log10Of2Short)) // exact
	small := m.add(m.mul(low, m.float(log10Of2)), m.mul(high, m.float(log10Of2ShortLow)))
	return m.choose(m.less(m.float(0), x), m.add(main, small), undefined(m))
}
