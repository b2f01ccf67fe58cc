package exact

import "github.com/sigengine/sigengine/kernels/program"

// Exp is e to the power x: undefined where that is above the largest number.
func Exp(x float64) float64 { return canonical(exp(native{}, x)) }

// BuildExp appends Exp(x).
func BuildExp(b *program.Builder, x program.Value) program.Value {
	m := emitter{b}
	return m.canon(exp(m, x))
}

// Expm1 is e to the power x, less 1, with relative accuracy near 0. A zero result is +0.
func Expm1(x float64) float64 { return canonical(expm1(native{}, x)) }

// BuildExpm1 appends Expm1(x).
func BuildExpm1(b *program.Builder, x program.Value) program.Value {
	m := emitter{b}
	return m.canon(expm1(m, x))
}

// Exp2 is 2 to the power x, exact where x is an integer.
func Exp2(x float64) float64 { return canonical(exp2(native{}, x, 0)) }

// BuildExp2 appends Exp2(x).
func BuildExp2(b *program.Builder, x program.Value) program.Value {
	m := emitter{b}
	return m.canon(exp2(m, x, m.float(0)))
}

// Log is the natural logarithm of x, undefined unless x > 0.
func Log(x float64) float64 { return canonical(log(native{}, x)) }

// BuildLog appends Log(x).
func BuildLog(b *program.Builder, x program.Value) program.Value {
	m := emitter{b}
	return m.canon(log(m, x))
}

// Log1p is the natural logarithm of 1 + x, with relative accuracy near 0, undefined unless x > -1. A zero result is +0.
func Log1p(x float64) float64 { return canonical(log1p(native{}, x)) }

// BuildLog1p appends Log1p(x).
func BuildLog1p(b *program.Builder, x program.Value) program.Value {
	m := emitter{b}
	return m.canon(log1p(m, x))
}

// Log2 is the logarithm of x to base 2, exact where x is a power of 2, undefined unless x > 0.
func Log2(x float64) float64 { return canonical(log2(native{}, x)) }

// BuildLog2 appends Log2(x).
func BuildLog2(b *program.Builder, x program.Value) program.Value {
	m := emitter{b}
	return m.canon(log2(m, x))
}

// Log10 is the logarithm of x to base 10, exact where x is a power of 10, undefined unless x > 0.
func Log10(x float64) float64 { return canonical(log10(native{}, x)) }

// BuildLog10 appends Log10(x).
func BuildLog10(b *program.Builder, x program.Value) program.Value {
	m := emitter{b}
	return m.canon(log10(m, x))
}

// Tanh is the hyperbolic tangent of x.
func Tanh(x float64) float64 { return canonical(tanh(native{}, x)) }

// BuildTanh appends Tanh(x).
func BuildTanh(b *program.Builder, x program.Value) program.Value {
	m := emitter{b}
	return m.canon(tanh(m, x))
}

// NormalCDF is the probability that a standard normal variable is below x, with relative accuracy in the lower tail.
func NormalCDF(x float64) float64 { return canonical(normalCDF(native{}, x)) }

// BuildNormalCDF appends NormalCDF(x).
func BuildNormalCDF(b *program.Builder, x program.Value) program.Value {
	m := emitter{b}
	return m.canon(normalCDF(m, x))
}

// Sqrt is the square root of x, rounded to nearest, undefined below 0. It is the instruction itself.
func Sqrt(x float64) float64 { return canonical(native{}.sqrt(x)) }

// BuildSqrt appends Sqrt(x).
func BuildSqrt(b *program.Builder, x program.Value) program.Value {
	m := emitter{b}
	return m.canon(m.sqrt(x))
}

// Pow is x to the power y. Pow(x, 0) is 1 for every defined x, 0 included. Pow(0, y) is 0 for y > 0 and undefined for
// y < 0. A negative x gives a number only for an integer y: |x|^y, negated where y is odd. Zeros have the sign that the
// parity of y gives: Pow(-0, 3) is -0.
func Pow(x, y float64) float64 { return canonical(pow(native{}, x, y)) }

// BuildPow appends Pow(x, y).
func BuildPow(b *program.Builder, x, y program.Value) program.Value {
	m := emitter{b}
	return m.canon(pow(m, x, y))
}

// DecayFactor is 2^(-dt/halfLife), what is left after dtNs nanoseconds of a weight that halves every halfLifeNs. Time that
// went back counts as none. It is undefined unless halfLifeNs > 0.
func DecayFactor(dtNs int64, halfLifeNs float64) float64 {
	return canonical(decay(native{}, dtNs, halfLifeNs))
}

// BuildDecayFactor appends DecayFactor(dtNs, halfLifeNs); dtNs is an integer, a difference of engine times.
func BuildDecayFactor(b *program.Builder, dtNs, halfLifeNs program.Value) program.Value {
	m := emitter{b}
	return m.canon(decay(m, dtNs, halfLifeNs))
}
