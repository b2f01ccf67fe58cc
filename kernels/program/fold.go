package program

import (
	"fmt"
	"math"
)

// fail remembers the first mistake and returns a value of the wanted type, so that building can go on.
func (b *Builder) fail(t Type, format string, args ...any) Value {
	if b.firstFail == nil {
		b.firstFail = &Error{Where: "builder", Problem: fmt.Sprintf(format, args...)}
	}
	if t != F && t != I && t != M {
		return NoValue
	}
	return b.add(Instr{Op: OpConst, Type: t, A: NoValue, B: NoValue, C: NoValue, D: NoValue})
}

// prepare checks the operands of an operation, makes canonical those that must be, and returns the instruction.
func (b *Builder) prepare(op Op, imm uint64, args []Value) (Instr, error) {
	types := make([]Type, len(args))
	for i, v := range args {
		if v < 0 || int(v) >= len(b.nodes) {
			return Instr{}, fmt.Errorf("operand %d of %s is not a value of this builder", i+1, op)
		}
		types[i] = b.nodes[v].Type
	}
	typ, err := resultType(op, types)
	if err != nil {
		return Instr{}, err
	}
	infos := b.operandInfos(args)
	final := [4]Value{NoValue, NoValue, NoValue, NoValue}
	for i, v := range args {
		if !infos[i].canonical && (needsCanonical(op, infos, i) || wantsCanonical(op, infos, i)) {
			v = b.Canon(v)
		}
		final[i] = v
	}
	return Instr{Op: op, Type: typ, Dst: NoValue, A: final[0], B: final[1], C: final[2], D: final[3], Imm: imm}, nil
}

func (b *Builder) operandInfos(args []Value) []operand {
	infos := make([]operand, len(args))
	for i, v := range args {
		n := &b.nodes[v]
		infos[i] = operand{typ: n.Type, canonical: n.canonical, isConst: n.Op == OpConst, bits: n.Imm}
	}
	return infos
}

// op makes a pure operation, simplified and folded.
func (b *Builder) op(op Op, imm uint64, args ...Value) Value {
	in, err := b.prepare(op, imm, args)
	if err != nil {
		t := letterType(opInfos[op].result)
		if (t == None || t == W) && len(args) > 0 && args[len(args)-1] >= 0 && int(args[len(args)-1]) < len(b.nodes) {
			t = b.nodes[args[len(args)-1]].Type
		}
		return b.fail(t, "%v", err)
	}
	if v, ok := b.simplify(&in); ok {
		return v
	}
	return b.add(in)
}

// effect makes a store or an emit.
func (b *Builder) effect(op Op, imm uint64, args ...Value) Instr {
	in, err := b.prepare(op, imm, args)
	if err != nil {
		b.fail(None, "%v", err)
	}
	return in
}

// add interns an instruction.
func (b *Builder) add(in Instr) Value {
	key := nodeKey{in.Op, in.Type, in.A, in.B, in.C, in.D, in.Imm}
	if commutes(in.Op) && b.nodes[in.A].Type == b.nodes[in.B].Type && key.b < key.a {
		key.a, key.b = key.b, key.a
	}
	if v, ok := b.index[key]; ok {
		return v
	}
	v := Value(len(b.nodes))
	in.Dst = v
	canonical := in.Type != F
	if !canonical {
		args, n := in.operands()
		canonical = canonicalResult(in.Op, b.operandInfos(args[:n]))
	}
	b.nodes = append(b.nodes, node{Instr: in, canonical: canonical})
	b.index[key] = v
	return v
}

func commutes(op Op) bool {
	switch op {
	case OpAdd, OpMul, OpFeq, OpIeq, OpAnd, OpOr, OpXor, OpIadd:
		return true
	}
	return false
}

// simplify returns an existing or constant value equal to the instruction, if there is one. It only uses identities that
// hold for every bit pattern.
func (b *Builder) simplify(in *Instr) (Value, bool) {
	if in.Op == OpCanon && b.nodes[in.A].canonical {
		return in.A, true
	}
	if in.Op == OpSel {
		return b.simplifySel(in)
	}
	if v, ok := b.fold(in); ok {
		return v, true
	}
	switch in.Op {
	case OpAnd, OpOr, OpXor, OpAndn:
		return b.simplifyBits(in)
	}
	return NoValue, false
}

func (b *Builder) simplifySel(in *Instr) (Value, bool) {
	if mask := b.nodes[in.A]; mask.Op == OpConst {
		if mask.Imm != 0 {
			return in.B, true
		}
		return in.C, true
	}
	return in.B, in.B == in.C
}

// simplifyBits knows x op x, x op 0 and x op all-ones where the result has x's type, and double complement.
func (b *Builder) simplifyBits(in *Instr) (Value, bool) {
	x, y := in.A, in.B
	if b.nodes[x].Op == OpConst && in.Op != OpAndn && b.nodes[x].Type == b.nodes[y].Type {
		x, y = y, x
	}
	if x == y {
		if in.Op == OpAnd || in.Op == OpOr {
			return x, true
		}
		return b.constant(in.Type, 0), true
	}
	inner, k := b.nodes[x], b.nodes[y]
	if k.Op != OpConst {
		return NoValue, false
	}
	switch {
	case k.Imm == 0 && in.Op == OpAnd, k.Imm == maskTrue && in.Op == OpAndn:
		return b.constant(in.Type, 0), true
	case k.Imm == 0, k.Imm == maskTrue && in.Op == OpAnd:
		return x, true
	case k.Imm == maskTrue && in.Op == OpOr && in.Type != F:
		return b.constant(in.Type, maskTrue), true
	case in.Op == OpXor && inner.Op == OpXor && inner.B == y:
		return inner.A, true
	}
	return NoValue, false
}

// fold computes an instruction whose operands are all constants.
func (b *Builder) fold(in *Instr) (Value, bool) {
	args, n := in.operands()
	var k [4]uint64
	for i, v := range args[:n] {
		if b.nodes[v].Op != OpConst {
			return NoValue, false
		}
		k[i] = b.nodes[v].Imm
	}
	bits, ok := evaluate(in.Op, k[0], k[1], in.Imm)
	if !ok {
		return NoValue, false
	}
	if in.Type == F {
		bits = canonicalBits(bits)
	}
	return b.constant(in.Type, bits), true
}

// evaluate computes a pure operation of up to two operands on constants.
func evaluate(op Op, a, c, imm uint64) (uint64, bool) {
	x, y := math.Float64frombits(a), math.Float64frombits(c)
	switch op {
	case OpAdd:
		return math.Float64bits(x + y), true
	case OpSub:
		return math.Float64bits(x - y), true
	case OpMul:
		return math.Float64bits(float64(x * y)), true
	case OpDiv:
		return math.Float64bits(x / y), true
	case OpSqrt:
		return math.Float64bits(math.Sqrt(x)), true
	case OpFlt:
		return maskOf(x < y), true
	case OpFle:
		return maskOf(x <= y), true
	case OpFeq:
		return maskOf(x == y), true
	case OpIlt:
		return maskOf(int64(a) < int64(c)), true
	case OpIeq:
		return maskOf(a == c), true
	case OpI2F:
		return math.Float64bits(float64(int64(a))), true
	case OpCanon:
		return canonicalBits(a), true
	}
	return evaluateBits(op, a, c, imm)
}

func evaluateBits(op Op, a, c, imm uint64) (uint64, bool) {
	switch op {
	case OpAnd:
		return a & c, true
	case OpOr:
		return a | c, true
	case OpXor:
		return a ^ c, true
	case OpAndn:
		return a &^ c, true
	case OpShl:
		return a << (imm & 63), true
	case OpShr:
		return a >> (imm & 63), true
	case OpIadd:
		return a + c, true
	case OpIsub:
		return a - c, true
	}
	return 0, false
}

// maskOf is all ones for true.
func maskOf(v bool) uint64 {
	var mask uint64
	if v {
		mask = maskTrue
	}
	return mask
}
