package program

import "slices"

// Operations that only plans have: pairs done in one pass over the columns. A pass costs about as much as its loads and
// stores, so a pair costs little more than one. Bits are those of the pair done apart. E is a fourth operand.
const (
	opAddCanon Op = opCount + iota // canon(A + B)
	opSubCanon
	opMulCanon
	opDivCanon
	opSqrtCanon
	opSlotCanon
	opFltAnd // (A < B) & C
	opFleAnd
	opFeqAnd
	opIeqAnd
	opFltOr // (A < B) | C
	opFleOr
	opFltSel // A < B ? C : E
	opFleSel
	opFeqSel
	opAndAnd  // (A & B) & C
	opAndOr   // (A & B) | C
	opOrOr    // (A | B) | C
	opAndIeq  // (A & B) == C
	opSelLoad // A ? B : state word Imm
	opPlannedCount
)

// fusion is a pair and what it becomes: the operands of inner, then those of outer without the one that inner makes.
type fusion struct {
	inner, outer Op
	operand      int // of outer that inner makes; anyOperand where outer commutes
	fused        Op
}

const anyOperand = -1

var fusions = [...]fusion{
	{OpFlt, OpAnd, anyOperand, opFltAnd},
	{OpFle, OpAnd, anyOperand, opFleAnd},
	{OpFeq, OpAnd, anyOperand, opFeqAnd},
	{OpIeq, OpAnd, anyOperand, opIeqAnd},
	{OpFlt, OpOr, anyOperand, opFltOr},
	{OpFle, OpOr, anyOperand, opFleOr},
	{OpFlt, OpSel, 0, opFltSel},
	{OpFle, OpSel, 0, opFleSel},
	{OpFeq, OpSel, 0, opFeqSel},
	{OpAnd, OpAnd, anyOperand, opAndAnd},
	{OpAnd, OpOr, anyOperand, opAndOr},
	{OpOr, OpOr, anyOperand, opOrOr},
	{OpAnd, OpIeq, anyOperand, opAndIeq},
	{OpLoad, OpSel, 2, opSelLoad},
}

// fusedPair is what inner becomes with outer, whose operand k it makes, or OpInvalid.
func fusedPair(inner, outer Op, k int) Op {
	for _, f := range fusions {
		if f.inner == inner && f.outer == outer && (f.operand == anyOperand || f.operand == k) {
			return f.fused
		}
	}
	return OpInvalid
}

// fusedCanon is the operation with the canon of its result, or OpInvalid.
func fusedCanon(op Op) Op {
	switch op {
	case OpAdd:
		return opAddCanon
	case OpSub:
		return opSubCanon
	case OpMul:
		return opMulCanon
	case OpDiv:
		return opDivCanon
	case OpSqrt:
		return opSqrtCanon
	case OpSlot:
		return opSlotCanon
	}
	return OpInvalid
}

// fuse joins a step with the one that reads it, where that is the only reader and in the same part. A canon moves up to
// the step that made its operand; of other pairs the first moves down to the second, but no load past its word's store.
func fuse(list []planned) []planned {
	readers := make(map[Value]int)
	definedAt := make(map[Value]int)
	storedAt := make(map[uint64]int)
	for i := range list {
		if list[i].op == OpStore {
			storedAt[list[i].imm] = i
		}
		for _, v := range list[i].args {
			readers[v]++
		}
		for _, v := range list[i].outs {
			definedAt[v] = i
		}
	}
	gone := make([]bool, len(list))
	for i := range list {
		outer := &list[i]
		for k, v := range outer.args {
			at, ok := definedAt[v]
			if !ok || readers[v] != 1 || list[at].part != outer.part {
				continue
			}
			inner := &list[at]
			if op := fusedCanon(inner.op); outer.op == OpCanon && op != OpInvalid {
				inner.op, inner.outs = op, outer.outs
				definedAt[outer.outs[0]] = at
				gone[i] = true
				break
			}
			if stored, ok := storedAt[inner.imm]; inner.op == OpLoad && ok && stored < i {
				continue
			}
			if op := fusedPair(inner.op, outer.op, k); op != OpInvalid {
				outer.op, outer.imm = op, inner.imm
				outer.args = slices.Concat(inner.args, outer.args[:k], outer.args[k+1:])
				gone[at] = true
				break
			}
		}
	}
	kept := list[:0]
	for i := range list {
		if !gone[i] {
			kept = append(kept, list[i])
		}
	}
	return kept
}
