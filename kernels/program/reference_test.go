package program

import (
	"fmt"
	"math"
	"math/big"
)

// reference is a second interpreter, slow and plain: one tick at a time, one instruction at a time, windows kept as
// lists of samples in objects rather than words. It shares no arithmetic with the executor.
type reference struct {
	p       *Program
	state   [][]uint64
	windows [][]refWindow // by instrument
}

func newReference(p *Program, instruments int) *reference {
	r := &reference{p: p}
	for range instruments {
		r.state = append(r.state, append([]uint64(nil), p.Init...))
		var ws []refWindow
		for _, w := range p.Windows {
			ws = append(ws, newRefWindow(w))
		}
		r.windows = append(r.windows, ws)
	}
	return r
}

// tick runs slot n of the lane.
func (r *reference) tick(lane *Lane, n uint64) {
	n &= lane.Capacity - 1
	slot := func(q uint64) Quarter { return lane.In[q*lane.Capacity+n] }
	instrument := slot(0).Aux
	values := make([]uint64, r.p.values())
	tokens := make([][]uint64, r.p.values())
	state := r.state[instrument]
	after := append([]uint64(nil), state...)
	var all []Instr
	all = append(append(append(all, r.p.Before...), r.p.Recur...), r.p.After...)
	for _, in := range all {
		get := func(v Value) uint64 {
			if v < 0 {
				return 0
			}
			return values[v]
		}
		a, b, c := get(in.A), get(in.B), get(in.C)
		switch in.Op {
		case OpSlot:
			values[in.Dst] = slot(in.Imm).Value
		case OpCtl:
			values[in.Dst] = uint64(slot(1).Aux)
		case OpAux:
			values[in.Dst] = uint64(slot(in.Imm).Aux)
		case OpConst:
			values[in.Dst] = in.Imm
		case OpLoad:
			values[in.Dst] = state[in.Imm]
		case OpStore:
			after[in.Imm] = a
		case OpWindow, OpWindow2:
			tokens[in.Dst] = r.windows[instrument][in.Imm].tick(a != 0, b != 0, math.Float64frombits(c), math.Float64frombits(get(in.D)), int64(slot(4).Value))
		case OpWout:
			values[in.Dst] = tokens[in.A][in.Imm]
		case OpEmit:
			if a != 0 {
				lane.Out[in.Imm*lane.Capacity+n].Value = b
			}
		case OpEmitMask:
			lane.Out[in.Imm*lane.Capacity+n].Value = a
		default:
			values[in.Dst] = refPure(in.Op, a, b, c, in.Imm)
		}
	}
	for i, w := range r.p.Windows {
		copy(after[w.State:w.State+w.Words()], r.windows[instrument][i].words())
	}
	copy(state, after)
}

// refPure computes a pure operation; sums and products by way of big.Float, which knows only IEEE's rule.
func refPure(op Op, a, b, c, imm uint64) uint64 {
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	bits := math.Float64bits
	mask := func(v bool) uint64 {
		if v {
			return ^uint64(0)
		}
		return 0
	}
	switch op {
	case OpAdd, OpSub, OpMul, OpDiv:
		return bits(refArith(op, x, y))
	case OpSqrt:
		return bits(math.Sqrt(x))
	case OpFlt:
		return mask(x < y)
	case OpFle:
		return mask(x <= y)
	case OpFeq:
		return mask(x == y)
	case OpIlt:
		return mask(int64(a) < int64(b))
	case OpIeq:
		return mask(a == b)
	case OpSel:
		if a != 0 {
			return b
		}
		return c
	case OpAnd:
		return a & b
	case OpOr:
		return a | b
	case OpXor:
		return a ^ b
	case OpAndn:
		return a & ^b
	case OpShl:
		return a << imm
	case OpShr:
		return a >> imm
	case OpIadd:
		return uint64(int64(a) + int64(b))
	case OpIsub:
		return uint64(int64(a) - int64(b))
	case OpI2F:
		return bits(float64(int64(a)))
	case OpCanon:
		return bits(refCanon(x))
	}
	panic(fmt.Sprintf("reference does not know %s", op))
}

// refArith rounds the exact result once where both operands and the result are ordinary, and else trusts the processor.
func refArith(op Op, x, y float64) float64 {
	plain := map[Op]float64{OpAdd: x + y, OpSub: x - y, OpMul: x * y, OpDiv: x / y}[op]
	ordinary := func(v float64) bool { return v != 0 && !math.IsNaN(v) && math.Abs(v) > 1e-290 && math.Abs(v) < 1e300 }
	if !ordinary(x) || !ordinary(y) || !ordinary(plain) {
		return plain
	}
	exact := new(big.Float).SetPrec(4000)
	bx, by := big.NewFloat(x), big.NewFloat(y)
	switch op {
	case OpAdd:
		exact.Add(bx, by)
	case OpSub:
		exact.Sub(bx, by)
	case OpMul:
		exact.Mul(bx, by)
	case OpDiv:
		exact.Quo(bx, by)
	}
	v, _ := exact.Float64()
	return v
}

func refCanon(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return math.Float64frombits(0x7ff8000000000000)
	}
	return x
}
