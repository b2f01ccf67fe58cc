package program

import (
	"fmt"
	"math"
)

// Builder makes a program. Equal instructions are made once, constants are folded in float64 as written, and canon is
// inserted where the meaning needs it, so callers write plain arithmetic. Mistakes are remembered and returned by
// Build; after one, values are meaningless. A Builder is used by one goroutine, once.
type Builder struct {
	nodes     []node
	index     map[nodeKey]Value
	descs     []Window // window descriptions, interned; OpWindow's Imm is an index into it
	stores    []Instr
	emits     []Instr
	init      []uint64
	rows      int
	slots     int
	built     bool
	firstFail error
}

// node is an instruction before parts and numbers are settled.
type node struct {
	Instr
	canonical bool
}

// nodeKey is what makes two instructions equal. Operands of commutative operations are ordered in it.
type nodeKey struct {
	op         Op
	typ        Type
	a, b, c, d Value
	imm        uint64
}

// NewBuilder returns an empty builder. State word 0, the enable mask, is already allocated, and zero: nothing enabled.
func NewBuilder() *Builder {
	return &Builder{
		index: make(map[nodeKey]Value),
		init:  make([]uint64, 1),
		rows:  RowFirst,
		slots: SlotQuartersBase,
	}
}

// ConstF is a float64 constant; any that is not finite is undefined, the canonical NaN.
func (b *Builder) ConstF(v float64) Value { return b.constant(F, Canonical(v)) }

// ConstI is an int64 constant.
func (b *Builder) ConstI(v int64) Value { return b.constant(I, uint64(v)) }

// ConstM is a constant mask.
func (b *Builder) ConstM(v bool) Value { return b.constant(M, maskOf(v)) }

func (b *Builder) constant(t Type, bits uint64) Value {
	return b.add(Instr{Op: OpConst, Type: t, A: NoValue, B: NoValue, C: NoValue, D: NoValue, Imm: bits})
}

// Slot is the value of a slot quarter: F, except quarter 4, the engine time, which is I.
func (b *Builder) Slot(quarter int) Value {
	if quarter < 0 || quarter >= MaxSlotQuarters {
		return b.fail(F, "slot quarter %d is outside 0..%d", quarter, MaxSlotQuarters-1)
	}
	b.slots = max(b.slots, quarter+1)
	return b.add(Instr{Op: OpSlot, Type: slotType(quarter), A: NoValue, B: NoValue, C: NoValue, D: NoValue, Imm: uint64(quarter)})
}

func slotType(quarter int) Type {
	if quarter == SlotTime {
		return I
	}
	return F
}

// Time is the engine time of the tick in nanoseconds (I).
func (b *Builder) Time() Value { return b.Slot(SlotTime) }

// Ctl is the control word of the tick (I), zero-extended.
func (b *Builder) Ctl() Value { return b.op(OpCtl, 0) }

// Aux is the Aux of a slot quarter (I), zero-extended; that of quarter 1 is Ctl.
func (b *Builder) Aux(quarter int) Value {
	if quarter < 0 || quarter >= MaxSlotQuarters {
		return b.fail(I, "slot quarter %d is outside 0..%d", quarter, MaxSlotQuarters-1)
	}
	b.slots = max(b.slots, quarter+1)
	return b.op(OpAux, uint64(quarter))
}

// Add is x + y, rounded to nearest.
func (b *Builder) Add(x, y Value) Value { return b.op(OpAdd, 0, x, y) }

// Sub is x - y, rounded to nearest.
func (b *Builder) Sub(x, y Value) Value { return b.op(OpSub, 0, x, y) }

// Mul is x * y, rounded to nearest.
func (b *Builder) Mul(x, y Value) Value { return b.op(OpMul, 0, x, y) }

// Div is x / y, rounded to nearest; an infinite y counts as undefined.
func (b *Builder) Div(x, y Value) Value { return b.op(OpDiv, 0, x, y) }

// Sqrt is the square root of x, rounded to nearest; undefined below zero.
func (b *Builder) Sqrt(x Value) Value { return b.op(OpSqrt, 0, x) }

// Flt is the mask x < y, false when either is undefined.
func (b *Builder) Flt(x, y Value) Value { return b.op(OpFlt, 0, x, y) }

// Fle is the mask x <= y, false when either is undefined.
func (b *Builder) Fle(x, y Value) Value { return b.op(OpFle, 0, x, y) }

// Feq is the mask x == y, false when either is undefined; -0 equals 0.
func (b *Builder) Feq(x, y Value) Value { return b.op(OpFeq, 0, x, y) }

// Ilt is the mask x < y of signed integers.
func (b *Builder) Ilt(x, y Value) Value { return b.op(OpIlt, 0, x, y) }

// Ieq is the mask x == y of integers.
func (b *Builder) Ieq(x, y Value) Value { return b.op(OpIeq, 0, x, y) }

// Sel is x where mask, else y; x and y have one type.
func (b *Builder) Sel(mask, x, y Value) Value { return b.op(OpSel, 0, mask, x, y) }

// And is x & y in the type of x; a mask x needs a mask y.
func (b *Builder) And(x, y Value) Value { return b.op(OpAnd, 0, x, y) }

// Or is x | y in the type of x; a mask x needs a mask y.
func (b *Builder) Or(x, y Value) Value { return b.op(OpOr, 0, x, y) }

// Xor is x ^ y in the type of x; a mask x needs a mask y.
func (b *Builder) Xor(x, y Value) Value { return b.op(OpXor, 0, x, y) }

// Andn is x &^ y in the type of x; a mask x needs a mask y.
func (b *Builder) Andn(x, y Value) Value { return b.op(OpAndn, 0, x, y) }

// Not is the complement of a mask.
func (b *Builder) Not(mask Value) Value { return b.Xor(mask, b.ConstM(true)) }

// Shl is x << n for an integer x, n in 0..63.
func (b *Builder) Shl(x Value, n int) Value { return b.shift(OpShl, x, n) }

// Shr is the logical x >> n for an integer x, n in 0..63.
func (b *Builder) Shr(x Value, n int) Value { return b.shift(OpShr, x, n) }

func (b *Builder) shift(op Op, x Value, n int) Value {
	if n < 0 || n > 63 {
		return b.fail(I, "%s by %d is outside 0..63", op, n)
	}
	return b.op(op, uint64(n), x)
}

// Iadd is x + y of integers, wrapping.
func (b *Builder) Iadd(x, y Value) Value { return b.op(OpIadd, 0, x, y) }

// Isub is x - y of integers, wrapping.
func (b *Builder) Isub(x, y Value) Value { return b.op(OpIsub, 0, x, y) }

// I2F is the integer x rounded to the nearest float64.
func (b *Builder) I2F(x Value) Value { return b.op(OpI2F, 0, x) }

// Canon is x if finite, else the canonical NaN. The builder inserts it where it is needed.
func (b *Builder) Canon(x Value) Value { return b.op(OpCanon, 0, x) }

// Abs is |x| by clearing the sign bit. It is canonical, so x is made canonical first: one canon serves both.
func (b *Builder) Abs(x Value) Value {
	if x < 0 || int(x) >= len(b.nodes) || b.nodes[x].Type != F {
		return b.fail(F, "abs needs an f value of this builder")
	}
	return b.Andn(b.Canon(x), b.ConstI(math.MinInt64))
}

// Neg is -x by flipping the sign bit.
func (b *Builder) Neg(x Value) Value { return b.Xor(x, b.ConstI(math.MinInt64)) }

// Defined is the mask "x is defined", that is finite.
func (b *Builder) Defined(x Value) Value { return b.Feq(x, x) }

// AllocState reserves state words and returns the first one's offset. Initial values not given are zero. Words loaded as
// F must start canonical, words loaded as M all ones or zero.
func (b *Builder) AllocState(words int, init ...uint64) int {
	off := len(b.init)
	if words < 0 || len(init) > words || off+words > MaxStateWords {
		b.fail(None, "cannot allocate %d state words with %d initial values", words, len(init))
		return 0
	}
	b.init = append(b.init, init...)
	b.init = append(b.init, make([]uint64, words-len(init))...)
	return off
}

// Load is a state word as of the start of the tick.
func (b *Builder) Load(off int, typ Type) Value {
	if off < 0 || off >= len(b.init) || typ != F && typ != I && typ != M {
		return b.fail(typ, "load of word %d as %s: have %d words of f, i or m", off, typ, len(b.init))
	}
	return b.add(Instr{Op: OpLoad, Type: typ, A: NoValue, B: NoValue, C: NoValue, D: NoValue, Imm: uint64(off)})
}

// Store sets a state word at the end of the tick. A word is stored at most once; word 0 belongs to the engine.
func (b *Builder) Store(off int, v Value) {
	if off < 1 || off >= len(b.init) {
		b.fail(None, "store to word %d: want 1..%d", off, len(b.init)-1)
		return
	}
	b.stores = append(b.stores, b.effect(OpStore, uint64(off), v))
}

// Window advances a window once a tick: where reset it is emptied, then where push x is pushed. It returns the outputs
// (see WindowAgg). Equal windows are made once. x, one value or two as WindowAgg.Inputs says, may be undefined; the outputs
// are until it has left.
func (b *Builder) Window(desc Window, push, reset Value, x ...Value) []Value {
	outputs := desc.Agg.Outputs()
	if err := desc.check(); err != nil || len(x) != desc.Agg.Inputs() || desc.State != 0 {
		if err == nil {
			err = fmt.Errorf("window takes %d input, not %d, and no state offset", desc.Agg.Inputs(), len(x))
		}
		values := make([]Value, len(outputs))
		for i, t := range outputs {
			values[i] = b.fail(t, "%v", err)
		}
		return values
	}
	op := OpWindow
	if len(x) == 2 {
		op = OpWindow2
	}
	token := b.op(op, b.intern(desc), append([]Value{push, reset}, x...)...)
	values := make([]Value, len(outputs))
	for i, t := range outputs {
		values[i] = b.add(Instr{Op: OpWout, Type: t, A: token, B: NoValue, C: NoValue, D: NoValue, Imm: uint64(i)})
	}
	return values
}

// intern returns the index of a window description, adding it if new.
func (b *Builder) intern(desc Window) uint64 {
	for i := range b.descs {
		if b.descs[i] == desc {
			return uint64(i)
		}
	}
	b.descs = append(b.descs, desc)
	return uint64(len(b.descs) - 1)
}

// AllocRow reserves the next output quarter of the row.
func (b *Builder) AllocRow() int {
	b.rows++
	return b.rows - 1
}

// Emit writes v (F) to an output quarter of the row where mask. A quarter is emitted at most once.
func (b *Builder) Emit(quarter int, mask, v Value) {
	if quarter < RowFirst || quarter >= b.rows {
		b.fail(None, "emit to row quarter %d: want %d..%d", quarter, RowFirst, b.rows-1)
		return
	}
	b.emits = append(b.emits, b.effect(OpEmit, uint64(quarter), mask, v))
}

// EmitMask writes v (I) to row quarter 0, 1 or 2, always. Those not emitted are written as zero.
func (b *Builder) EmitMask(quarter int, v Value) {
	if quarter < 0 || quarter >= RowFirst {
		b.fail(None, "emitmask to row quarter %d: want 0..%d", quarter, RowFirst-1)
		return
	}
	b.emits = append(b.emits, b.effect(OpEmitMask, uint64(quarter), v))
}
