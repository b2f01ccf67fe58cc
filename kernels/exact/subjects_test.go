package exact

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/sigengine/sigengine/kernels/program"
)

// subject is one function, everything the tests need to know of it.
type subject struct {
	name      string
	arity     int
	domain    string
	bound     float64 // of the error, in units in the last place
	call      func(a [2]float64) float64
	build     func(b *program.Builder, a [2]program.Value) program.Value
	reference func(a [2]float64) *big.Float // nil where undefined
	draw      []func(r *rand.Rand) [2]float64
}

func unary(name, domain string, bound float64, call func(float64) float64,
	build func(*program.Builder, program.Value) program.Value, in func(x float64) bool, reference func(x *big.Float) *big.Float,
	draw ...func(r *rand.Rand) float64,
) subject {
	s := subject{
		name: name, arity: 1, domain: domain, bound: bound,
		call:  func(a [2]float64) float64 { return call(a[0]) },
		build: func(b *program.Builder, a [2]program.Value) program.Value { return build(b, a[0]) },
		reference: func(a [2]float64) *big.Float {
			if !(a[0]-a[0] == 0) || !in(a[0]) {
				return nil
			}
			return reference(number(a[0]))
		},
	}
	for _, d := range draw {
		s.draw = append(s.draw, func(r *rand.Rand) [2]float64 { return [2]float64{d(r)} })
	}
	return s
}

func everywhere(float64) bool { return true }
func positive(x float64) bool { return x > 0 }

func uniform(lo, hi float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return lo + float64(r.Float64()*(hi-lo)) }
}

// anyBits draws from all finite numbers, each exponent as likely as the others.
func anyBits(r *rand.Rand) float64 {
	for {
		if x := math.Float64frombits(r.Uint64()); x-x == 0 {
			return x
		}
	}
}

func positiveBits(r *rand.Rand) float64 { return math.Abs(anyBits(r)) }

// subnormal draws from the positive numbers below the least normal one.
func subnormal(r *rand.Rand) float64 { return math.Float64frombits(r.Uint64N(1 << 52)) }

// near draws numbers whose distance from x has a random exponent from 2^least to 2^most, on both sides.
func near(x float64, least, most int) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		d := math.Ldexp(1+r.Float64(), least+r.IntN(most-least+1))
		if r.IntN(2) == 0 {
			d = -d
		}
		return x + d
	}
}

// steps draws near the multiples of x from lo to hi times: where reductions change over.
func steps(x float64, lo, hi int) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		return near(x*float64(lo+r.IntN(hi-lo+1)), -50, -8)(r)
	}
}

// powers draws near a power of two times x.
func powers(x float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		return math.Ldexp(near(x, -52, -8)(r), r.IntN(2098)-1074)
	}
}

// sixteenths draws numbers of few bits, whose results may be exact or halfway.
func sixteenths(limit int) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return float64(r.IntN(32*limit)-16*limit) / 16 }
}

func subjects() []subject {
	ln2 := double(refLn2())
	logDraw := []func(r *rand.Rand) float64{
		positiveBits, uniform(0.5, 2), near(1, -53, -3), powers(1), powers(double(root(number(0.5)))), powers(0.75),
		powers(sqrtThreeHalves), subnormal,
	}
	over := func(logBase *big.Float) func(x *big.Float) *big.Float {
		return func(x *big.Float) *big.Float { return quo(refLog(x), logBase) }
	}
	return []subject{
		unary("Exp", "all x", 1, Exp, BuildExp, everywhere, refExp,
			uniform(-746, 711), uniform(-1, 1), near(0, -60, 0), steps(ln2/2, -2148, 2050), uniform(-746, -707), uniform(709, 710), anyBits),
		unary("Expm1", "all x", 1, Expm1, BuildExpm1, everywhere, refExpm1,
			uniform(-1, 1), uniform(-40, 45), near(0, -1074, 0), steps(ln2/2, -110, 120), uniform(36, 710), anyBits),
		unary("Exp2", "all x", 1, Exp2, BuildExp2, everywhere,
			func(x *big.Float) *big.Float { return refExp(times(x, refLn2())) },
			uniform(-1076, 1025), uniform(-1, 1), near(0, -60, 0), steps(0.5, -2148, 2050), uniform(-1076, -1020), anyBits),
		unary("Log", "x > 0", 1, Log, BuildLog, positive, refLog, logDraw...),
		unary("Log1p", "x > -1", 1, Log1p, BuildLog1p, func(x float64) bool { return x > -1 }, refLog1p,
			near(0, -1074, 0), uniform(-1, 1), uniform(-0.4, 0.6), near(-1, -53, -3), uniform(0, 100), powers(1), positiveBits),
		unary("Log2", "x > 0", 1, Log2, BuildLog2, positive, over(refLn2()), logDraw...),
		unary("Log10", "x > 0", 1, Log10, BuildLog10, positive, over(refLog(number(10))), logDraw...),
		unary("Tanh", "all x", 1, Tanh, BuildTanh, everywhere, refTanh,
			uniform(-1, 1), uniform(-23, 23), near(0, -1074, 0), steps(ln2/4, -130, 130), uniform(-3, 3), anyBits),
		unary("NormalCDF", "all x", 1, NormalCDF, BuildNormalCDF, everywhere, refNormal,
			uniform(-6, 6), uniform(-38.6, 0), uniform(-1, 1), uniform(-38.6, -37), near(0, -60, 0), uniform(0, 9)),
		powSubject(), decaySubject(),
	}
}

func powSubject() subject {
	return subject{
		name: "Pow", arity: 2, domain: "all x, y; see Pow", bound: 1,
		call: func(a [2]float64) float64 { return Pow(a[0], a[1]) },
		build: func(b *program.Builder, a [2]program.Value) program.Value {
			return BuildPow(b, a[0], a[1])
		},
		reference: refPowAny,
		draw: []func(r *rand.Rand) [2]float64{
			func(r *rand.Rand) [2]float64 { return fitting(r, positiveBits(r)) },
			func(r *rand.Rand) [2]float64 { return fitting(r, uniform(0.5, 2)(r)) },
			func(r *rand.Rand) [2]float64 { return fitting(r, near(1, -52, -4)(r)) },
			func(r *rand.Rand) [2]float64 { return fitting(r, powers(sqrtThreeHalves)(r)) },
			func(r *rand.Rand) [2]float64 { return [2]float64{uniform(0, 10)(r), uniform(-20, 20)(r)} },
			func(r *rand.Rand) [2]float64 { return [2]float64{uniform(0, 10)(r), sixteenths(30)(r)} },
			func(r *rand.Rand) [2]float64 { return [2]float64{sixteenths(30)(r), float64(r.IntN(200) - 100)} },
			func(r *rand.Rand) [2]float64 { return [2]float64{subnormal(r), uniform(-1, 1)(r)} },
			func(r *rand.Rand) [2]float64 { return [2]float64{anyBits(r), sixteenths(4)(r)} },
			func(r *rand.Rand) [2]float64 { return [2]float64{anyBits(r), anyBits(r)} },
		},
	}
}

// fitting returns x and an exponent that leads to a number of random exponent, mostly within range.
func fitting(r *rand.Rand, x float64) [2]float64 {
	log := double(quo(refLog(number(x)), refLn2()))
	if log == 0 {
		return [2]float64{x, anyBits(r)}
	}
	return [2]float64{x, uniform(-1076, 1025)(r) / log}
}

func refPowAny(a [2]float64) *big.Float {
	x, y := a[0], a[1]
	integer, odd := y == math.Trunc(y), math.Mod(y, 2) != 0
	switch {
	case !(x-x == 0) || !(y-y == 0):
		return nil
	case y == 0:
		return number(1)
	case x == 0 && y > 0:
		return number(0)
	case x == 0, x < 0 && !integer:
		return nil
	}
	result := refPow(number(math.Abs(x)), number(y))
	if x < 0 && odd {
		return negate(result)
	}
	return result
}

// whole is x as an integer; 0 where it is none, as processors differ there.
func whole(x float64) int64 {
	if x > -1<<63 && x < 1<<63 {
		return int64(x)
	}
	return 0
}

func decaySubject() subject {
	return subject{
		name: "DecayFactor", arity: 2, domain: "halfLife > 0", bound: 1,
		call: func(a [2]float64) float64 { return DecayFactor(whole(a[0]), a[1]) },
		build: func(b *program.Builder, a [2]program.Value) program.Value {
			return BuildDecayFactor(b, a[0], a[1])
		},
		reference: func(a [2]float64) *big.Float {
			if !(a[1] > 0) || a[1]-a[1] != 0 {
				return nil
			}
			age := max(float64(whole(a[0])), 0)
			return refExp(times(quo(number(-age), number(a[1])), refLn2()))
		},
		draw: []func(r *rand.Rand) [2]float64{
			func(r *rand.Rand) [2]float64 { return [2]float64{float64(r.Int64N(1e12)), math.Ldexp(1e9, r.IntN(20))} },
			func(r *rand.Rand) [2]float64 { return [2]float64{float64(r.Int64N(1e15)), 1e12 * r.Float64()} },
			func(r *rand.Rand) [2]float64 { return [2]float64{float64(r.Int64N(100) - 20), float64(r.IntN(60) - 5)} },
			func(r *rand.Rand) [2]float64 { return [2]float64{float64(r.Int64() >> r.IntN(62)), positiveBits(r)} },
		},
	}
}
