package program

import "fmt"

// resultType checks the operand types of an instruction and returns the type of its result, or what is wrong. For
// const, slot, load and wout, whose result no operand decides, it returns None.
func resultType(op Op, args []Type) (Type, error) {
	info := opInfos[op]
	if len(args) != len(info.args) {
		return None, fmt.Errorf("%s takes %d operands, not %d", op, len(info.args), len(args))
	}
	shared := None
	for i, t := range args {
		switch letter := info.args[i]; letter {
		case 't':
			if t != F && t != I && t != M {
				return None, fmt.Errorf("operand %d of %s is %s, want f, i or m", i+1, op, t)
			}
			if shared != None && shared != t {
				return None, fmt.Errorf("operands of %s differ in type: %s and %s", op, shared, t)
			}
			shared = t
		case 'b':
			// Checked as a pair below.
		default:
			if t != letterType(letter) {
				return None, fmt.Errorf("operand %d of %s is %s, want %c", i+1, op, t, letter)
			}
		}
	}
	switch info.result {
	case 't':
		return shared, nil
	case 'b':
		return bitsType(op, args[0], args[1])
	case 0, '?':
		return None, nil
	}
	return letterType(info.result), nil
}

func letterType(letter byte) Type {
	switch letter {
	case 'f':
		return F
	case 'i':
		return I
	case 'm':
		return M
	case 'w':
		return W
	}
	return None
}

// bitsType is the rule of the bit operations: the result has the first operand's type; a mask combines with masks only,
// so that it stays all ones or zero.
func bitsType(op Op, a, b Type) (Type, error) {
	for _, t := range []Type{a, b} {
		if t != F && t != I && t != M {
			return None, fmt.Errorf("%s of %s, want f, i or m", op, t)
		}
	}
	if a == M && b != M {
		return None, fmt.Errorf("%s of m and %s: a mask combines with masks only (put the mask second)", op, b)
	}
	return a, nil
}

// operand is what the canonical-form rules need to know of one operand.
type operand struct {
	typ       Type
	canonical bool // finite or the canonical NaN, for F; true for other types
	isConst   bool
	bits      uint64 // of a constant
}

// needsCanonical reports whether operand i must be canonical because its NaN bits, which differ between processors,
// could otherwise be seen: it is written to state or a row, or a bit operation could make a number of them.
func needsCanonical(op Op, args []operand, i int) bool {
	if args[i].typ != F {
		return false
	}
	switch op {
	case OpStore, OpEmit:
		return true
	case OpAnd, OpOr, OpXor, OpAndn:
		return i != 0 || !nanStays(op, args[1])
	}
	return false
}

// nanStays reports whether NaN op b is a NaN or a constant whatever the NaN's bits are: with a mask, or on the sign.
func nanStays(op Op, b operand) bool {
	if b.typ == M {
		return op == OpAnd || op == OpAndn
	}
	return op != OpAnd && b.isConst && b.bits == signBit
}

// wantsCanonical reports whether the builder makes operand i canonical although the verifier does not insist: where the
// meaning "any non-finite result is undefined" needs it, and in a sel whose other choice is canonical, because a canon
// there joins the operation that made the operand, and what a sel chooses is mostly stored. Elsewhere non-finite
// operands give non-finite results, so canon can wait.
func wantsCanonical(op Op, args []operand, i int) bool {
	switch op {
	case OpFlt, OpFle, OpFeq:
		return true
	case OpDiv:
		return i == 1
	case OpSel:
		return i > 0 && args[3-i].canonical
	}
	return false
}

// canonicalResult reports whether an F result is certain to be finite or the canonical NaN.
func canonicalResult(op Op, args []operand) bool {
	switch op {
	case OpConst, OpLoad, OpWout, OpCanon, OpI2F:
		return true
	case OpSel:
		return args[1].canonical && args[2].canonical
	case OpAnd:
		return args[0].canonical && args[1].typ == M
	case OpAndn:
		return args[0].canonical && (args[1].typ == M || args[1].isConst && args[1].bits == signBit)
	}
	return false
}
