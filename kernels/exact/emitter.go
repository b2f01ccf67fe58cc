package exact

import "github.com/sigengine/sigengine/kernels/program"

// emitter appends instructions to a program.
type emitter struct{ b *program.Builder }

var _ machine[program.Value, program.Value, program.Value] = emitter{}

func (e emitter) float(v float64) program.Value { return e.b.ConstF(v) }
func (e emitter) integer(v int64) program.Value { return e.b.ConstI(v) }

func (e emitter) add(x, y program.Value) program.Value { return e.b.Add(x, y) }
func (e emitter) sub(x, y program.Value) program.Value { return e.b.Sub(x, y) }
func (e emitter) mul(x, y program.Value) program.Value { return e.b.Mul(x, y) }
func (e emitter) div(x, y program.Value) program.Value { return e.b.Div(x, y) }
func (e emitter) sqrt(x program.Value) program.Value   { return e.b.Sqrt(x) }
func (e emitter) canon(x program.Value) program.Value  { return e.b.Canon(x) }

func (e emitter) less(x, y program.Value) program.Value          { return e.b.Flt(x, y) }
func (e emitter) lessEqual(x, y program.Value) program.Value     { return e.b.Fle(x, y) }
func (e emitter) equal(x, y program.Value) program.Value         { return e.b.Feq(x, y) }
func (e emitter) integersEqual(x, y program.Value) program.Value { return e.b.Ieq(x, y) }
func (e emitter) and(x, y program.Value) program.Value           { return e.b.And(x, y) }
func (e emitter) or(x, y program.Value) program.Value            { return e.b.Or(x, y) }
func (e emitter) andNot(x, y program.Value) program.Value        { return e.b.Andn(x, y) }

func (e emitter) choose(mask, x, y program.Value) program.Value { return e.b.Sel(mask, x, y) }

func (e emitter) chooseInteger(mask, x, y program.Value) program.Value { return e.b.Sel(mask, x, y) }

// bits puts the integer first, as the result has the type of the first operand; the builder makes the second canonical.
func (e emitter) bits(x program.Value) program.Value { return e.b.And(e.b.ConstI(-1), x) }

func (e emitter) fromBits(x program.Value) program.Value { return e.b.Or(e.b.ConstF(0), x) }

func (e emitter) clear(x program.Value, low int64) program.Value {
	return e.b.Andn(x, e.b.ConstI(low))
}

func (e emitter) magnitude(x program.Value) program.Value         { return e.b.Abs(x) }
func (e emitter) flip(x, sign program.Value) program.Value        { return e.b.Xor(x, sign) }
func (e emitter) andBits(x, y program.Value) program.Value        { return e.b.And(x, y) }
func (e emitter) shiftLeft(x program.Value, n int) program.Value  { return e.b.Shl(x, n) }
func (e emitter) shiftRight(x program.Value, n int) program.Value { return e.b.Shr(x, n) }
func (e emitter) addInteger(x, y program.Value) program.Value     { return e.b.Iadd(x, y) }
func (e emitter) subInteger(x, y program.Value) program.Value     { return e.b.Isub(x, y) }
func (e emitter) toFloat(x program.Value) program.Value           { return e.b.I2F(x) }
