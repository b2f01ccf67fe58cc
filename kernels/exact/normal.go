package exact

// normalLimit is past where the lower tail is less than half of the least subnormal.
const normalLimit = 39

// normalNear is where the series about 0 takes over.
const normalNear = 0.25

// Of the form below. K is where the polynomial's variable is 0; C makes G flat, so that an error of its argument counts for
// little: the derivative of log G stays between -0.25 and 0.2.
const (
	normalK = 4
	normalC = 1.125
)

// normalCDF is, for x <= 0 and a = -x, exp(-a²/2) G((a-K)/(a+K)) / (a+C), G a polynomial; above, one minus that; near 0 it is 1/2 + x P(x²). All
// but the polynomial is kept to more than 53 bits, so that the error is relative to the smallest tail. The form is that of
// Shepherd and Laframboise (1981) for the error function.
func normalCDF[F, I, M any](m machine[F, I, M], x F) F {
	a := m.magnitude(x)
	a = m.choose(m.less(m.float(normalLimit), a), m.float(normalLimit), a)
	ah, al := cut(m, a)
	square := m.mul(m.mul(ah, ah), m.float(-0.5)) // exact
	squareLow := m.mul(m.mul(al, m.add(ah, a)), m.float(-0.5))
	r, rl, k := reduceSum(m, square, squareLow)
	half, rest := expSum(m, r, rl)
	power, powerLow := fastSum(m, m.float(1), r)
	power, powerLow2 := fastSum(m, power, half)
	powerLow = m.add(powerLow, m.add(powerLow2, rest))

	g, gl := normalFactor(m, a)
	above, aboveLow := product(m, power, g)
	aboveLow = m.add(aboveLow, m.add(m.mul(power, gl), m.mul(powerLow, g)))
	below, belowLow := sum(m, a, m.float(normalC))
	high, low := quotient(m, above, aboveLow, below, belowLow)
	tail := scale(m, m.add(high, low), k)
	far := m.choose(m.less(m.float(0), x), m.sub(m.float(1), tail), tail)
	near := m.add(m.float(0.5), m.mul(x, polynomial(m, m.mul(x, x), normalNearCoefficients[:])))
	return m.canon(m.choose(m.less(a, m.float(normalNear)), near, far))
}

// normalFactor is G((a-K)/(a+K)) as high + low. What the argument's rounding loses comes back by the derivative of G,
// for which two digits are enough.
func normalFactor[F, I, M any](m machine[F, I, M], a F) (high, low F) {
	x, xl := sum(m, a, m.float(-normalK))
	y, yl := sum(m, a, m.float(normalK))
	t, tl := quotient(m, x, xl, y, yl)
	high, low = fastSum(m, m.float(normalCoefficients[0]), m.mul(t, polynomial(m, t, normalCoefficients[1:])))
	low = m.add(low, m.float(normalFirstLow))
	return high, m.add(low, m.mul(tl, polynomial(m, t, normalSlope[:])))
}
