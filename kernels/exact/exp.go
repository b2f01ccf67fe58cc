package exact

import "math"

// roundMagic added to a number below 2^51 rounds it to an integer, which then stands in the low bits of the sum.
const roundMagic = 3 << 51

// Past these the exponential overflows, or is less than half of the least subnormal.
const (
	expHighest = 710
	expLowest  = -746
)

// round returns x, |x| < 2^51, rounded to an integer: as a number and as an integer. For other x they are meaningless.
func round[F, I, M any](m machine[F, I, M], x F) (F, I) {
	shifted := m.add(x, m.float(roundMagic))
	return m.sub(shifted, m.float(roundMagic)), m.subInteger(m.bits(shifted), m.bits(m.float(roundMagic)))
}

// reduce returns k and r + rl with x = k ln 2 + r + rl and |r| hardly more than ln(2)/2, for |x| < 1400.
func reduce[F, I, M any](m machine[F, I, M], x F) (r, rl F, k I) {
	kf, k := round(m, m.mul(x, m.float(log2E)))
	r, rl = reduceBy(m, x, kf, m.mul(kf, m.float(ln2Low)))
	return r, rl, k
}

// reduceSum is reduce for x + xl, xl being small, but not an error of x.
func reduceSum[F, I, M any](m machine[F, I, M], x, xl F) (r, rl F, k I) {
	kf, k := round(m, m.mul(x, m.float(log2E)))
	r, rl = reduceBy(m, x, kf, m.sub(m.mul(kf, m.float(ln2Low)), xl))
	return r, rl, k
}

// reduceBy is x - kf ln2High - small. The product is exact: ln2High has 42 bits, kf 11.
func reduceBy[F, I, M any](m machine[F, I, M], x, kf, small F) (r, rl F) {
	rest := m.sub(x, m.mul(kf, m.float(ln2High)))
	r = m.sub(rest, small)
	return r, m.sub(m.sub(rest, r), small)
}

// expTail is exp(r + rl) - 1 - r for |r| < 0.36, rl an error of r.
func expTail[F, I, M any](m machine[F, I, M], r, rl F) F {
	square := m.mul(r, r)
	return m.add(m.mul(square, polynomial(m, r, expCoefficients[:])), m.add(rl, m.mul(rl, r)))
}

// expReduced is exp(r + rl) as high + low, low being small but not an error of high.
func expReduced[F, I, M any](m machine[F, I, M], r, rl F) (high, low F) {
	high, low = fastSum(m, m.float(1), r)
	return high, m.add(low, expTail(m, r, rl))
}

// scale is y * 2^k for k in -2044..2046, rounded once, by two factors of about half the exponent.
func scale[F, I, M any](m machine[F, I, M], y F, k I) F {
	biased := m.addInteger(k, m.integer(2*1023))
	half := m.shiftRight(biased, 1)
	y = m.mul(y, m.fromBits(m.shiftLeft(half, 52)))
	return m.mul(y, m.fromBits(m.shiftLeft(m.subInteger(biased, half), 52)))
}

// saturate is y where x is in the given range, zero below it and undefined above it.
func saturate[F, I, M any](m machine[F, I, M], x, y F, lowest, highest float64) F {
	y = m.choose(m.less(x, m.float(lowest)), m.float(0), y)
	return m.choose(m.less(m.float(highest), x), undefined(m), y)
}

func exp[F, I, M any](m machine[F, I, M], x F) F {
	r, rl, k := reduce(m, x)
	high, low := expReduced(m, r, rl)
	return saturate(m, x, scale(m, m.add(high, low), k), expLowest, expHighest)
}

// exp2Reduced is 2^(x + xl) as 2^k times the value returned, xl being at most about 2^-20 of x.
func exp2Reduced[F, I, M any](m machine[F, I, M], x, xl F) (F, I) {
	kf, k := round(m, m.add(x, xl))
	rest := m.sub(x, kf)
	high := m.clear(m.add(rest, xl), lowBits)
	low := m.add(m.sub(rest, high), xl)
	main := m.mul(high, m.float(ln2Short)) // exact
	small := m.add(m.mul(low, m.float(ln2)), m.mul(high, m.float(ln2ShortLow)))
	r, rl := fastSum(m, main, small)
	y, tail := expReduced(m, r, rl)
	return m.add(y, tail), k
}

func exp2[F, I, M any](m machine[F, I, M], x, xl F) F {
	y, k := exp2Reduced(m, x, xl)
	return saturate(m, x, scale(m, y, k), -1080, 1030)
}

// expSum is exp(r + rl) - 1 as r + half + low: half is near r²/2 and exact, low small beside it.
func expSum[F, I, M any](m machine[F, I, M], r, rl F) (half, low F) {
	rh, rest := cut(m, r)
	half = m.mul(m.mul(rh, rh), m.float(0.5))
	low = m.mul(m.mul(rest, m.add(rh, r)), m.float(0.5))
	square := m.mul(r, r)
	tail := m.mul(r, polynomial(m, r, expCoefficients[1:]))
	tail = m.mul(square, m.add(m.float(expCoefficients[0]-0.5), tail))
	return half, m.add(tail, m.add(low, m.add(rl, m.mul(rl, r))))
}

// expm1Reduced is exp(x) - 1 as high + low for x in -64..64, low being an error of high.
func expm1Reduced[F, I, M any](m machine[F, I, M], x F) (high, low F) {
	r, rl, k := reduce(m, x)
	half, tail := expSum(m, r, rl)
	power := m.fromBits(m.shiftLeft(m.addInteger(k, m.integer(1023)), 52))
	high, low = sum(m, power, m.float(-1))
	high, low1 := fastSum(m, high, m.mul(power, r))
	high, low2 := fastSum(m, high, m.mul(power, half))
	return fastSum(m, high, m.add(m.mul(power, tail), m.add(low2, m.add(low1, low))))
}

func expm1[F, I, M any](m machine[F, I, M], x F) F {
	high, _ := expm1Reduced(m, x)
	high = m.choose(m.less(x, m.float(-40)), m.float(-1), high)
	return m.choose(m.less(m.float(40), x), exp(m, x), high)
}

func undefined[F, I, M any](m machine[F, I, M]) F { return m.float(math.NaN()) }
