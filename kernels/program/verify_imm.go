package program

import "fmt"

// immediate checks Imm and returns the type of the result where Imm or the instruction's own type decides it.
func (v *verifier) immediate(in *Instr, typ Type, args []Type) (Type, error) {
	switch in.Op {
	case OpConst:
		return in.Type, checkBits("constant", in.Type, in.Imm)
	case OpSlot:
		if in.Imm >= uint64(v.p.SlotQuarters) {
			return None, fmt.Errorf("slot quarter %d is outside 0..%d", in.Imm, v.p.SlotQuarters-1)
		}
		return slotType(int(in.Imm)), nil
	case OpAux:
		if in.Imm >= uint64(v.p.SlotQuarters) {
			return None, fmt.Errorf("slot quarter %d is outside 0..%d", in.Imm, v.p.SlotQuarters-1)
		}
		return typ, nil
	case OpLoad:
		return in.Type, v.useWord(in.Imm, in.Type)
	case OpStore:
		v.words[in.Imm].done = true
		return None, v.useWord(in.Imm, args[0])
	case OpShl, OpShr:
		if in.Imm > 63 {
			return None, fmt.Errorf("shift by %d is outside 0..63", in.Imm)
		}
		return typ, nil
	case OpWindow, OpWindow2:
		if in.Imm >= uint64(len(v.advanced)) {
			return None, fmt.Errorf("window %d is outside 0..%d", in.Imm, len(v.advanced)-1)
		}
		if v.advanced[in.Imm] {
			return None, fmt.Errorf("window %d is advanced twice", in.Imm)
		}
		if want, have := v.p.Windows[in.Imm].Agg.Inputs(), len(args)-2; want != have {
			return None, fmt.Errorf("window %d takes %d inputs, has %d", in.Imm, want, have)
		}
		v.advanced[in.Imm] = true
		return typ, nil
	case OpWout:
		outputs := v.p.Windows[v.tokens[in.A]].Agg.Outputs()
		if in.Imm >= uint64(len(outputs)) {
			return None, fmt.Errorf("output %d is outside 0..%d", in.Imm, len(outputs)-1)
		}
		return outputs[in.Imm], nil
	case OpEmit:
		return None, v.emit(in.Imm, RowFirst, v.p.RowQuarters)
	case OpEmitMask:
		return None, v.emit(in.Imm, 0, RowFirst)
	}
	if in.Imm != 0 {
		return None, fmt.Errorf("takes no immediate, has %d", in.Imm)
	}
	return typ, nil
}

// useWord checks one use of a state word: not a window's, always of one type, and with a fitting start.
func (v *verifier) useWord(off uint64, typ Type) error {
	w := &v.words[off]
	if w.window {
		return fmt.Errorf("word %d belongs to a window", off)
	}
	if w.typ != None && w.typ != typ {
		return fmt.Errorf("word %d is used as %s and as %s", off, w.typ, typ)
	}
	w.typ = typ
	return checkBits(fmt.Sprintf("initial value of word %d", off), typ, v.p.Init[off])
}

func (v *verifier) emit(quarter uint64, from, to int) error {
	if quarter < uint64(from) || quarter >= uint64(to) {
		return fmt.Errorf("row quarter %d is outside %d..%d", quarter, from, to-1)
	}
	if v.emitted[quarter] {
		return fmt.Errorf("row quarter %d is written twice", quarter)
	}
	v.emitted[quarter] = true
	return nil
}

// checkBits checks that bits are a proper value of the type.
func checkBits(what string, typ Type, bits uint64) error {
	switch typ {
	case F:
		if canonicalBits(bits) != bits {
			return fmt.Errorf("%s %#016x is neither finite nor the canonical NaN", what, bits)
		}
	case M:
		if bits != 0 && bits != maskTrue {
			return fmt.Errorf("%s %#016x is not a mask", what, bits)
		}
	case I:
	default:
		return fmt.Errorf("%s has type %s, want f, i or m", what, typ)
	}
	return nil
}
