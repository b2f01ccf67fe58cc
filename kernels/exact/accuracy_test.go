package exact

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var long = flag.Bool("long", false, "the sweeps behind docs/numerics.md: half a million points a function, minutes")

const (
	pointsShort = 24_000
	pointsLong  = 500_000
)

// ulps is how far got is from want, in units in the last place of want. An undefined result is right where want is nil,
// or so large that it rounds to none; within one unit of that both are.
func ulps(got float64, want *big.Float) float64 {
	if want == nil {
		if math.IsNaN(got) {
			return 0
		}
		return math.Inf(1)
	}
	if math.IsNaN(got) {
		size, largest := fresh().Abs(want), number(math.MaxFloat64)
		if size.Cmp(largest) > 0 {
			return 0
		}
		return math.Inf(1)
	}
	exponent := max(want.MantExp(nil)-53, -1074)
	if want.Sign() == 0 {
		exponent = -1074
	}
	exponent = min(exponent, 971)
	difference := minus(number(got), want)
	return math.Abs(double(difference.SetMantExp(difference, -exponent)))
}

// sweep returns the largest error over count points and where it is. The first points do not depend on count.
func sweep(s *subject, count int) (worst float64, at [2]float64) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range count {
		a := s.draw[i%len(s.draw)](r)
		e := ulps(s.call(a), s.reference(a))
		if e > worst || math.IsNaN(e) {
			worst, at = e, a
		}
	}
	return worst, at
}

func TestAccuracy(t *testing.T) {
	count := pointsShort
	if *long {
		count = pointsLong
	}
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			worst, at := sweep(&s, count)
			t.Logf("%d points: worst %.4f ulp at %v", count, worst, at[:s.arity])
			if !(worst <= s.bound) {
				t.Errorf("%v is off by %v ulp, want %v at most: %x", at[:s.arity], worst, s.bound, s.call(at))
			}
		})
	}
}
