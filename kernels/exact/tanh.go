package exact

// tanhLimit is past where tanh rounds to 1.
const tanhLimit = 22

// tanh is p/(2-p) with p = 1 - exp(-2|x|), numerator and denominator kept to more than 53 bits.
func tanh[F, I, M any](m machine[F, I, M], x F) F {
	size := m.magnitude(x)
	size = m.choose(m.less(m.float(tanhLimit), size), m.float(tanhLimit), size)
	p, pl := expm1Reduced(m, m.mul(size, m.float(-2)))
	below, belowLow := fastSum(m, m.float(2), p)
	high, low := quotient(m, p, pl, below, m.add(belowLow, pl))
	sign := m.andBits(m.bits(x), m.integer(signBit))
	return m.canon(m.flip(m.magnitude(m.add(high, low)), sign))
}
