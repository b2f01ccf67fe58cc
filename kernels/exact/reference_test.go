package exact

import (
	"math"
	"math/big"
	"sync"
)

// The references are slow and plain: series and continued fractions in numbers of 400 bits, good to 200 and more.
const precision = 400

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func fraction(p, q int64) *big.Float { return quo(number(float64(p)), number(float64(q))) }

func fresh() *big.Float                { return new(big.Float).SetPrec(precision) }
func plus(x, y *big.Float) *big.Float  { return fresh().Add(x, y) }
func minus(x, y *big.Float) *big.Float { return fresh().Sub(x, y) }
func times(x, y *big.Float) *big.Float { return fresh().Mul(x, y) }
func quo(x, y *big.Float) *big.Float   { return fresh().Quo(x, y) }
func root(x *big.Float) *big.Float     { return fresh().Sqrt(x) }
func negate(x *big.Float) *big.Float   { return fresh().Neg(x) }

// double is the nearest float64.
func double(x *big.Float) float64 {
	v, _ := x.Float64()
	return v
}

// negligible reports whether x does not count beside y at 300 bits.
func negligible(x, y *big.Float) bool {
	return x.Sign() == 0 || y.Sign() != 0 && x.MantExp(nil) < y.MantExp(nil)-300
}

// atanhSeries is 2 atanh(s) = 2s + 2s³/3 + ..., the logarithm of (1+s)/(1-s).
func atanhSeries(s *big.Float) *big.Float {
	square, power, total := times(s, s), times(s, number(2)), number(0)
	for n := int64(1); ; n += 2 {
		term := quo(power, number(float64(n)))
		total = plus(total, term)
		if negligible(term, total) {
			return total
		}
		power = times(power, square)
	}
}

// atan is the arc tangent of 1/n.
func atan(n int64) *big.Float {
	s := fraction(1, n)
	square, power, total := negate(times(s, s)), s, number(0)
	for k := int64(1); ; k += 2 {
		term := quo(power, number(float64(k)))
		total = plus(total, term)
		if negligible(term, total) {
			return total
		}
		power = times(power, square)
	}
}

var (
	refLn2 = sync.OnceValue(func() *big.Float { return atanhSeries(fraction(1, 3)) })
	refPi  = sync.OnceValue(func() *big.Float { // Machin
		return minus(times(number(16), atan(5)), times(number(4), atan(239)))
	})
)

// refExp is exp(x), with an x outside -10000..10000 brought there: far out of float64's range all the same.
func refExp(x *big.Float) *big.Float {
	const limit = 10000
	if x.Cmp(number(limit)) > 0 {
		x = number(limit)
	}
	if x.Cmp(number(-limit)) < 0 {
		x = number(-limit)
	}
	k := math.Round(double(quo(x, refLn2())))
	const halvings = 12
	r := minus(x, times(number(k), refLn2()))
	r.SetMantExp(r, -halvings)
	total, term := number(1), number(1)
	for n := 1.0; ; n++ {
		term = quo(times(term, r), number(n))
		if negligible(term, total) {
			break
		}
		total = plus(total, term)
	}
	for range halvings {
		total = times(total, total)
	}
	return total.SetMantExp(total, int(k))
}

// refLog is the logarithm of x > 0.
func refLog(x *big.Float) *big.Float {
	k := x.MantExp(nil)
	m := fresh().SetMantExp(x, -k) // in [1/2, 1)
	if m.Cmp(number(0.7)) < 0 {
		k--
		m.SetMantExp(m, 1)
	}
	s := quo(minus(m, number(1)), plus(m, number(1)))
	return plus(times(number(float64(k)), refLn2()), atanhSeries(s))
}

// small reports whether the first three terms of a series in x are enough.
func small(x *big.Float) bool { return x.Sign() == 0 || x.MantExp(nil) < -100 }

// cubic is x + a x² + b x³.
func cubic(x, a, b *big.Float) *big.Float {
	return times(x, plus(number(1), times(x, plus(a, times(b, x)))))
}

func refExpm1(x *big.Float) *big.Float {
	if small(x) {
		return cubic(x, number(0.5), fraction(1, 6))
	}
	return minus(refExp(x), number(1))
}

func refLog1p(x *big.Float) *big.Float {
	if small(x) {
		return cubic(x, number(-0.5), fraction(1, 3))
	}
	return refLog(plus(x, number(1)))
}

func refTanh(x *big.Float) *big.Float {
	p := refExpm1(times(x, number(2)))
	return quo(p, plus(p, number(2)))
}

func refPow(x, y *big.Float) *big.Float { return refExp(times(y, refLog(x))) }

// refNormal is the normal distribution.
func refNormal(x *big.Float) *big.Float {
	a := fresh().Abs(x)
	density := quo(refExp(times(times(a, a), number(-0.5))), root(times(number(2), refPi())))
	tail := normalSeries(a, density)
	if a.Cmp(number(5)) > 0 {
		tail = normalFraction(a, density)
	}
	if x.Sign() > 0 {
		return minus(number(1), tail)
	}
	return tail
}

// normalSeries is the tail above a, for a up to 6: 1/2 - density (a + a³/3 + a⁵/15 + ...).
func normalSeries(a, density *big.Float) *big.Float {
	square, term, total := times(a, a), a, number(0)
	for n := 3.0; n < 10000; n += 2 {
		total = plus(total, term)
		if negligible(term, total) {
			break
		}
		term = quo(times(term, square), number(n))
	}
	return minus(number(0.5), times(density, total))
}

// normalFraction is the tail above a >= 5: density / (a + 1/(a + 2/(a + 3/...))).
func normalFraction(a, density *big.Float) *big.Float {
	v := 115 / double(a)
	y := a
	for n := 20 + math.Floor(v*v/2); n > 0; n-- {
		y = plus(a, quo(number(n), y))
	}
	return quo(density, y)
}
