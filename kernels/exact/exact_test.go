package exact

import (
	"math"
	"math/rand/v2"
	"testing"
)

// awkward are the arguments at which something changes.
func awkward() []float64 {
	positive := []float64{
		0, 5e-324, 1e-320, 0x1p-1022, 0x1.fffffffffffffp-1023, 1e-300, 1e-100, 0x1p-54, 0x1p-53, 1e-8, 0.1, 0.25, 1. / 3,
		math.Nextafter(normalNear, 0), 0.5, math.Float64frombits(sqrtHalfBits), math.Float64frombits(sqrtHalfBits - 1),
		math.Float64frombits(sqrtThreeQuartersBits - 1), 1 - 0x1p-53, 1, 1 + 0x1p-52, sqrtThreeHalves,
		math.Nextafter(sqrtThreeHalves, 0), math.Sqrt2, 1.5, 2, math.E, 3, 4, 10, 21.999, 22, 22.1, 37.5, 38.4, 38.5, 39, 40, 40.1, 100,
		708.3, 709.78, 709.782712893384, 709.7827128933841, 710, 745.1, 745.2, 746, 747, 1022, 1023.5, 1024, 1074, 1074.5, 1075,
		1e3, 12345.678, 1e10, 1 << 51, 1<<52 - 0.5, 1 << 52, 1<<52 + 1, 1<<53 - 1, 1 << 53, 1 << 62, 1e19, 0x1p64, 1e100, 1e300,
		math.MaxFloat64, math.Inf(1),
	}
	all := []float64{math.NaN(), math.Float64frombits(0xFFF8000000000123), math.Float64frombits(0x7FF0000000000001)}
	for _, x := range positive {
		all = append(all, x, -x)
	}
	return all
}

// TestAwkward holds the references' claim at every awkward argument, and in pairs of them.
func TestAwkward(t *testing.T) {
	for _, s := range subjects() {
		for _, x := range awkward() {
			for i, y := range awkward() {
				if s.arity == 1 && i > 0 {
					break
				}
				a := [2]float64{x, y}
				if got := s.call(a); !(ulps(got, s.reference(a)) <= s.bound) {
					t.Errorf("%s(%v) = %v, off by %v ulp", s.name, a[:s.arity], got, ulps(got, s.reference(a)))
				}
			}
		}
	}
}

func TestExactPoints(t *testing.T) {
	nan, minusZero := math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Exp(0)", Exp(0), 1},
		{"Exp(-0)", Exp(minusZero), 1},
		{"Exp(1)", Exp(1), math.E},
		{"Exp(710)", Exp(710), nan},
		{"Exp(-746)", Exp(-746), 0},
		{"Exp(-745)", Exp(-745), 5e-324},
		{"Expm1(0)", Expm1(0), 0},
		{"Expm1(-0)", Expm1(minusZero), 0},
		{"Expm1(least)", Expm1(5e-324), 5e-324},
		{"Expm1(-1000)", Expm1(-1000), -1},
		{"Log(1)", Log(1), 0},
		{"Log(0)", Log(0), nan},
		{"Log(-0)", Log(minusZero), nan},
		{"Log(-1)", Log(-1), nan},
		{"Log(e)", Log(math.E), 1},
		{"Log1p(0)", Log1p(0), 0},
		{"Log1p(-1)", Log1p(-1), nan},
		{"Log1p(least)", Log1p(5e-324), 5e-324},
		{"Log2(1)", Log2(1), 0},
		{"Log10(1)", Log10(1), 0},
		{"Tanh(0)", Tanh(0), 0},
		{"Tanh(-0)", Tanh(minusZero), minusZero},
		{"Tanh(least)", Tanh(5e-324), 5e-324},
		{"Tanh(20)", Tanh(20), 1},
		{"Tanh(-1e300)", Tanh(-1e300), -1},
		{"NormalCDF(0)", NormalCDF(0), 0.5},
		{"NormalCDF(9)", NormalCDF(9), 1},
		{"NormalCDF(1e300)", NormalCDF(1e300), 1},
		{"NormalCDF(-1e300)", NormalCDF(-1e300), 0},
		{"Sqrt(2)", Sqrt(2), math.Sqrt2},
		{"Sqrt(-1)", Sqrt(-1), nan},
		{"Pow(0,0)", Pow(0, 0), 1},
		{"Pow(-3,0)", Pow(-3, 0), 1},
		{"Pow(NaN,0)", Pow(nan, 0), nan},
		{"Pow(1,NaN)", Pow(1, nan), nan},
		{"Pow(1,1e300)", Pow(1, 1e300), 1},
		{"Pow(-1,1e300)", Pow(-1, 1e300), 1},
		{"Pow(-1,2^53-1)", Pow(-1, 1<<53-1), -1},
		{"Pow(-1,2^53)", Pow(-1, 1<<53), 1},
		{"Pow(0,2)", Pow(0, 2), 0},
		{"Pow(-0,3)", Pow(minusZero, 3), minusZero},
		{"Pow(-0,2)", Pow(minusZero, 2), 0},
		{"Pow(-0,0.5)", Pow(minusZero, 0.5), 0},
		{"Pow(0,-1)", Pow(0, -1), nan},
		{"Pow(-8,1/3)", Pow(-8, 1./3), nan},
		{"Pow(-2,3)", Pow(-2, 3), -8},
		{"Pow(-2,-2)", Pow(-2, -2), 0.25},
		{"Pow(4,0.5)", Pow(4, 0.5), 2},
		{"Pow(2,1024)", Pow(2, 1024), nan},
		{"Pow(-2,1023)", Pow(-2, 1023), -0x1p1023},
		{"Pow(0.5,1e300)", Pow(0.5, 1e300), 0},
		{"Pow(0.5,-1e300)", Pow(0.5, -1e300), nan},
		{"Pow(10,22)", Pow(10, 22), 1e22},
		{"DecayFactor(0)", DecayFactor(0, 5e9), 1},
		{"DecayFactor(-7)", DecayFactor(-7, 5e9), 1},
		{"DecayFactor(one)", DecayFactor(5e9, 5e9), 0.5},
		{"DecayFactor(ten)", DecayFactor(5e10, 5e9), 0x1p-10},
		{"DecayFactor(x,0)", DecayFactor(5, 0), nan},
		{"DecayFactor(x,-1)", DecayFactor(5, -1), nan},
		{"DecayFactor(0,least)", DecayFactor(0, 5e-324), 1},
		{"DecayFactor(1,least)", DecayFactor(1, 5e-324), 0},
	} {
		if math.Float64bits(c.got) != math.Float64bits(canonical(c.want)) {
			t.Errorf("%s = %v (%#x), want %v", c.name, c.got, math.Float64bits(c.got), c.want)
		}
	}
}

func TestExactFamilies(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := -1074; n <= 1023; n++ {
		power, x := math.Ldexp(1, n), float64(n)
		if Pow(2, x) != power || Exp2(x) != power || Log2(power) != x || Pow(0.5, -x) != power {
			t.Fatalf("2^%d: Pow %v, Exp2 %v, Log2 %v", n, Pow(2, x), Exp2(x), Log2(power))
		}
	}
	for n, power := 0, 1.0; n <= 22; n, power = n+1, power*10 {
		if Log10(power) != float64(n) || Pow(10, float64(n)) != power {
			t.Fatalf("10^%d: Log10 %v, Pow %v", n, Log10(power), Pow(10, float64(n)))
		}
	}
	for range 20000 {
		x := anyBits(r)
		if Pow(x, 1) != x || Pow(x, 0) != 1 || Pow(1, x) != 1 {
			t.Fatalf("%x: Pow(x,1) %x, Pow(x,0) %v, Pow(1,x) %v", x, Pow(x, 1), Pow(x, 0), Pow(1, x))
		}
		if k := float64(r.IntN(1 << 26)); Pow(k, 2) != k*k || Pow(-k, 2) != k*k || k > 0 && Pow(k*k, 0.5) != k {
			t.Fatalf("%v: square %v, root %v", k, Pow(k, 2), Pow(k*k, 0.5))
		}
		if k := float64(r.IntN(1<<17)) - 1<<16; Pow(k, 3) != k*k*k {
			t.Fatalf("%v: cube %v", k, Pow(k, 3))
		}
	}
}

// TestMonotonic walks neighbouring numbers, also across the places where an algorithm changes over.
func TestMonotonic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, s := range subjects() {
		if s.arity != 1 {
			continue
		}
		starts := awkward()
		for range 300 {
			starts = append(starts, s.draw[r.IntN(len(s.draw))](r)[0])
		}
		for _, x := range starts {
			x = math.Nextafter(math.Nextafter(math.Nextafter(x, -1e308), -1e308), -1e308)
			for range 6 {
				next := math.Nextafter(x, math.Inf(1))
				low, high := s.call([2]float64{x}), s.call([2]float64{next})
				if low > high {
					t.Fatalf("%s(%x) = %x is above %s(%x) = %x", s.name, x, low, s.name, next, high)
				}
				x = next
			}
		}
	}
}

func TestSymmetry(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		x := anyBits(r)
		if math.Float64bits(Tanh(-x)) != math.Float64bits(-Tanh(x)) {
			t.Fatalf("Tanh(%x)", x)
		}
		if n := float64(r.IntN(40) - 20); math.Float64bits(Pow(-x, 2*n)) != math.Float64bits(Pow(x, 2*n)) {
			t.Fatalf("Pow(%x, %v)", x, 2*n)
		}
	}
}
