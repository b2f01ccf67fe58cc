package exact

import (
	"math"

	"github.com/sigengine/sigengine/kernels/program"
)

// native computes. Conversions keep the compiler from fusing a product with a sum.
type native struct{}

var _ machine[float64, int64, bool] = native{}

func (native) float(v float64) float64 { return canonical(v) }
func (native) integer(v int64) int64   { return v }

func (native) add(x, y float64) float64 { return float64(x + y) }
func (native) sub(x, y float64) float64 { return float64(x - y) }
func (native) mul(x, y float64) float64 { return float64(x * y) }
func (native) div(x, y float64) float64 { return float64(x / canonical(y)) }
func (native) sqrt(x float64) float64   { return math.Sqrt(x) }
func (native) canon(x float64) float64  { return canonical(x) }

func (native) less(x, y float64) bool        { return canonical(x) < canonical(y) }
func (native) lessEqual(x, y float64) bool   { return canonical(x) <= canonical(y) }
func (native) equal(x, y float64) bool       { return canonical(x) == canonical(y) }
func (native) integersEqual(x, y int64) bool { return x == y }
func (native) and(x, y bool) bool            { return x && y }
func (native) or(x, y bool) bool             { return x || y }
func (native) andNot(x, y bool) bool         { return x && !y }

func (native) choose(mask bool, x, y float64) float64 {
	if mask {
		return x
	}
	return y
}

func (native) chooseInteger(mask bool, x, y int64) int64 {
	if mask {
		return x
	}
	return y
}

func (native) bits(x float64) int64     { return int64(math.Float64bits(canonical(x))) }
func (native) fromBits(x int64) float64 { return math.Float64frombits(uint64(x)) }

func (native) clear(x float64, low int64) float64 {
	return math.Float64frombits(math.Float64bits(canonical(x)) &^ uint64(low))
}

func (native) magnitude(x float64) float64 { return math.Abs(canonical(x)) }

func (native) flip(x float64, sign int64) float64 {
	return math.Float64frombits(math.Float64bits(canonical(x)) ^ uint64(sign))
}

func (native) andBits(x, y int64) int64        { return x & y }
func (native) shiftLeft(x int64, n int) int64  { return x << n }
func (native) shiftRight(x int64, n int) int64 { return int64(uint64(x) >> n) }
func (native) addInteger(x, y int64) int64     { return x + y }
func (native) subInteger(x, y int64) int64     { return x - y }
func (native) toFloat(x int64) float64         { return float64(x) }

// canonical is x if finite, else the canonical NaN.
func canonical(x float64) float64 { return math.Float64frombits(program.Canonical(x)) }
