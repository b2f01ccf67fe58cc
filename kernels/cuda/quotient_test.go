//go:build !nogpu

package cuda

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebitengine/purego"
)

// TestQuotient holds the division by a count that windows.cu has in place of a whole one to the whole one, bit for bit, with
// reciprocals that are off by as much as a device's may be.
func TestQuotient(t *testing.T) {
	var quotient func(a, n, reciprocal float64) float64
	purego.RegisterLibFunc(&quotient, compileForHost(t), "sg_quotient")
	const seed = 20261201
	random := rand.New(rand.NewPCG(seed, 1))
	special := []float64{
		0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64, -0x1p-1022, 0x1p-1021,
		math.MaxFloat64, -math.MaxFloat64, 1, -3, 0x1p-800, 0x1.fffffffffffffp-823, 0x1p-822,
	}
	for i := range 2_000_000 {
		n := float64(1 + random.Uint64N(1<<(1+i%46)))
		var a float64
		switch i % 4 {
		case 0:
			a = special[random.IntN(len(special))]
		case 1:
			a = n * float64(random.Int64N(1<<20)) // whole, and next to it
			a = math.Float64frombits(math.Float64bits(a) + random.Uint64N(3) - 1)
		case 2:
			a = math.Float64frombits(random.Uint64())
		default:
			a = random.NormFloat64()
		}
		r := math.Float64frombits(math.Float64bits(1/n) + random.Uint64N(5) - 2)
		got, want := quotient(a, n, r), a/n
		if math.Float64bits(got) != math.Float64bits(want) && (got == got || want == want) {
			t.Fatalf("seed %d: %v (%#x) / %v is %v, want %v", seed, a, math.Float64bits(a), n, got, want)
		}
	}
}
