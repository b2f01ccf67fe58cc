package cuda

import (
	"fmt"

	"github.com/sigengine/sigengine/kernels/program"
)

// instruction prints one instruction.
func (e *emitter) instruction(in *program.Instr) {
	switch in.Op {
	case program.OpConst:
		e.constant(in)
	case program.OpSlot, program.OpCtl, program.OpAux, program.OpLoad, program.OpStore, program.OpEmit, program.OpEmitMask:
		e.memory(in)
	case program.OpAnd, program.OpOr, program.OpXor, program.OpAndn:
		e.bitwise(in)
	case program.OpSel:
		e.choose(in)
	case program.OpWindow, program.OpWindow2, program.OpWout:
		e.window(in)
	default:
		e.arithmetic(in)
	}
}

func (e *emitter) constant(in *program.Instr) {
	dst := e.define(in)
	switch in.Type {
	case program.F:
		e.line("mov.f64 %s, %s", dst, doubleConstant(in.Imm))
	case program.M:
		e.line("mov.u32 %%w0, %d", in.Imm&1)
		e.line("setp.ne.u32 %s, %%w0, 0", dst)
	default:
		e.line("mov.b64 %s, %d", dst, int64(in.Imm))
	}
}

// memory prints what reads slots and state and writes state and rows.
func (e *emitter) memory(in *program.Instr) {
	switch in.Op {
	case program.OpSlot:
		dst := e.define(in)
		e.line("ld.shared.b64 %%t0, [%%slot+%d]", in.Imm*SlotStride)
		e.setBits(dst, in.Type, "%t0")
	case program.OpCtl:
		e.aux(in, program.SlotF1)
	case program.OpAux:
		e.aux(in, in.Imm)
	case program.OpLoad:
		dst := e.define(in)
		e.line("ld.global.b64 %%t0, [%%state+%d]", in.Imm*8)
		e.setBits(dst, in.Type, "%t0")
	case program.OpStore:
		e.line("st.global.b64 [%%state+%d], %s", in.Imm*8, e.bits(in.A, "%t0"))
	case program.OpEmit:
		e.write(in.Imm, e.bits(in.B, "%t0"), "@"+e.reg(in.A)+" ")
	case program.OpEmitMask:
		e.write(in.Imm, e.bits(in.A, "%t0"), "")
	}
}

func (e *emitter) aux(in *program.Instr, quarter uint64) {
	dst := e.define(in)
	e.line("ld.shared.b32 %%w0, [%%slot+%d]", quarter*SlotStride+8)
	e.line("cvt.u64.u32 %s, %%w0", dst)
}

// write prints the indivisible store of a row quarter.
func (e *emitter) write(quarter uint64, value, guard string) {
	e.line("mad.lo.s64 %%at, %%stride, %d, %%row", quarter)
	e.line("mov.b128 %%wide, {%s, %%tag}", value)
	e.line("%sst.relaxed.sys.global.b128 [%%at], %%wide", guard)
}

// bitwise prints the bit operations. A mask as second operand of a number is all ones or zero.
func (e *emitter) bitwise(in *program.Instr) {
	if in.Type == program.M {
		dst, a, b := e.define(in), e.reg(in.A), e.reg(in.B)
		if in.Op == program.OpAndn {
			e.line("not.pred %%q0, %s", b)
			e.line("and.pred %s, %s, %%q0", dst, a)
			return
		}
		e.line("%s.pred %s, %s, %s", bitName(in.Op), dst, a, b)
		return
	}
	a := e.bits(in.A, "%t0")
	b := e.bits(in.B, "%t1")
	dst := e.define(in)
	if in.Op == program.OpAndn {
		e.line("not.b64 %%t1, %s", b)
		e.line("and.b64 %%t0, %s, %%t1", a)
	} else {
		e.line("%s.b64 %%t0, %s, %s", bitName(in.Op), a, b)
	}
	e.setBits(dst, in.Type, "%t0")
}

func bitName(op program.Op) string {
	switch op {
	case program.OpOr:
		return "or"
	case program.OpXor:
		return "xor"
	}
	return "and"
}

// choose prints a select.
func (e *emitter) choose(in *program.Instr) {
	mask, a, b := e.reg(in.A), e.reg(in.B), e.reg(in.C)
	dst := e.define(in)
	switch in.Type {
	case program.F:
		e.line("selp.f64 %s, %s, %s, %s", dst, a, b, mask)
	case program.M:
		e.line("selp.u32 %%w0, 1, 0, %s", b)
		e.out.WriteString(fmt.Sprintf("\t@%s selp.u32 %%w0, 1, 0, %s;\n", mask, a))
		e.line("setp.ne.u32 %s, %%w0, 0", dst)
	default:
		e.line("selp.b64 %s, %s, %s, %s", dst, a, b, mask)
	}
}

// arithmetic prints numbers and integers. Comparisons are ordered: false where an operand is NaN.
func (e *emitter) arithmetic(in *program.Instr) {
	a, b := e.operand(in.A), e.operand(in.B)
	dst := e.define(in)
	switch in.Op {
	case program.OpAdd:
		e.line("add.rn.f64 %s, %s, %s", dst, a, b)
	case program.OpSub:
		e.line("sub.rn.f64 %s, %s, %s", dst, a, b)
	case program.OpMul:
		e.line("mul.rn.f64 %s, %s, %s", dst, a, b)
	case program.OpDiv:
		e.line("div.rn.f64 %s, %s, %s", dst, a, b)
	case program.OpSqrt:
		e.line("sqrt.rn.f64 %s, %s", dst, a)
	case program.OpFlt:
		e.line("setp.lt.f64 %s, %s, %s", dst, a, b)
	case program.OpFle:
		e.line("setp.le.f64 %s, %s, %s", dst, a, b)
	case program.OpFeq:
		e.line("setp.eq.f64 %s, %s, %s", dst, a, b)
	case program.OpIlt:
		e.line("setp.lt.s64 %s, %s, %s", dst, a, b)
	case program.OpIeq:
		e.line("setp.eq.s64 %s, %s, %s", dst, a, b)
	case program.OpShl:
		e.line("shl.b64 %s, %s, %d", dst, a, in.Imm)
	case program.OpShr:
		e.line("shr.u64 %s, %s, %d", dst, a, in.Imm)
	case program.OpIadd:
		e.line("add.s64 %s, %s, %s", dst, a, b)
	case program.OpIsub:
		e.line("sub.s64 %s, %s, %s", dst, a, b)
	case program.OpI2F:
		e.line("cvt.rn.f64.s64 %s, %s", dst, a)
	case program.OpCanon:
		e.line("testp.finite.f64 %%q0, %s", a)
		e.line("selp.f64 %s, %s, %s, %%q0", dst, a, canonicalNaN)
	default:
		panic(fmt.Sprintf("cuda: no PTX for %v", in.Op))
	}
}

func (e *emitter) operand(v program.Value) string {
	if v == program.NoValue {
		return ""
	}
	return e.reg(v)
}
