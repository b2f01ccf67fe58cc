package exact

// Numbers of about 106 bits are kept as unevaluated sums of two: high + low. Without a fused multiply-add, products are
// made exact by cutting a factor's significand (Dekker 1971, by masking instead of Veltkamp's multiplication).

// lowBits are cut from a significand of 53 bits: 26 stay, so that a product of two cut numbers is exact.
const lowBits = 1<<27 - 1

// cut returns x as high + low, exactly: high has 26 significant bits, low at most 27.
func cut[F, I, M any](m machine[F, I, M], x F) (high, low F) {
	high = m.clear(x, lowBits)
	return high, m.sub(x, high)
}

// fastSum returns x + y as high + low, exactly, if |x| >= |y| or x is zero.
func fastSum[F, I, M any](m machine[F, I, M], x, y F) (high, low F) {
	high = m.add(x, y)
	return high, m.sub(y, m.sub(high, x))
}

// sum returns x + y as high + low, exactly (Knuth).
func sum[F, I, M any](m machine[F, I, M], x, y F) (high, low F) {
	high = m.add(x, y)
	of := m.sub(high, x)
	return high, m.add(m.sub(x, m.sub(high, of)), m.sub(y, of))
}

// product returns x * y as high + low, to about 106 bits.
func product[F, I, M any](m machine[F, I, M], x, y F) (high, low F) {
	xh, xl := cut(m, x)
	yh, yl := cut(m, y)
	high = m.mul(x, y)
	low = m.sub(m.mul(xh, yh), high)
	low = m.add(low, m.add(m.mul(xh, yl), m.mul(xl, yh)))
	return high, m.add(low, m.mul(xl, yl))
}

// quotient returns (x + xl) / (y + yl), the low parts being small corrections, as high + low to about 100 bits. It wants
// |y| between 2^-500 and 2^500 and x not much smaller than 2^-900.
func quotient[F, I, M any](m machine[F, I, M], x, xl, y, yl F) (high, low F) {
	high = m.div(x, y)
	back, backLow := product(m, high, y)
	rest := m.sub(m.sub(x, back), backLow)
	rest = m.add(rest, m.sub(xl, m.mul(high, yl)))
	return high, m.div(rest, y)
}

// polynomial is c[0] + x*(c[1] + x*(...)), by Horner.
func polynomial[F, I, M any](m machine[F, I, M], x F, c []float64) F {
	y := m.float(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		y = m.add(m.mul(y, x), m.float(c[i]))
	}
	return y
}
