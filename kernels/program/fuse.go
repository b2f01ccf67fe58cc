package program

// Operations that only plans have: pairs done in one pass over the columns. A pass costs about as much as its loads and
// stores, so a pair costs little more than one. Bits are those of the pair done apart.
const (
	opAddCanon Op = opCount + iota // canon(A + B)
	opSubCanon
	opMulCanon
	opDivCanon
	opSqrtCanon
	opFltAnd // (A < B) & C
	opFleAnd
	opFeqAnd
	opIeqAnd
	opAndAnd // (A & B) & C
	opAndOr  // (A & B) | C
	opPlannedCount
)

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
	}
	return OpInvalid
}

// fusedMask is the operation inner with the And or Or, outer, that reads it, or OpInvalid.
func fusedMask(inner, outer Op) Op {
	switch {
	case outer == OpOr && inner == OpAnd:
		return opAndOr
	case outer != OpAnd:
		return OpInvalid
	}
	switch inner {
	case OpFlt:
		return opFltAnd
	case OpFle:
		return opFleAnd
	case OpFeq:
		return opFeqAnd
	case OpIeq:
		return opIeqAnd
	case OpAnd:
		return opAndAnd
	}
	return OpInvalid
}

// fuse joins a step with the one that reads it, where that is the only reader and in the same part.
func fuse(list []planned) []planned {
	readers := make(map[Value]int)
	definedAt := make(map[Value]int)
	for i := range list {
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
			if op := fusedMask(inner.op, outer.op); op != OpInvalid {
				other := outer.args[1-k]
				outer.op = op
				outer.args = []Value{inner.args[0], inner.args[1], other}
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
