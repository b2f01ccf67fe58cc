package program

import "fmt"

// verifier holds what is known of a program while it is walked in order.
type verifier struct {
	p        *Program
	values   []operand // of the values defined so far
	tokens   []uint64  // window of each value of type W
	words    []word
	advanced []bool // windows
	emitted  []bool // row quarters
}

// word is what is known of a state word.
type word struct {
	window bool // belongs to a window
	stored bool // some instruction stores it
	done   bool // the store has been passed
	typ    Type // of its loads and stores
}

// Verify checks everything the executors rely on. Build and ParseListing have called it already.
func (p *Program) Verify() error {
	v := &verifier{p: p}
	if err := v.header(); err != nil {
		return err
	}
	if err := v.windows(); err != nil {
		return err
	}
	if err := v.collectStores(); err != nil {
		return err
	}
	for part := PartBefore; part <= PartAfter; part++ {
		list := p.part(part)
		for i := range list {
			if err := v.instr(part, &list[i]); err != nil {
				return &Error{Where: where(part, i, list[i].Op), Problem: err.Error()}
			}
		}
	}
	return v.complete()
}

func (v *verifier) header() error {
	p := v.p
	switch {
	case p.SlotQuarters < SlotQuartersBase || p.SlotQuarters > MaxSlotQuarters:
		return &Error{"header", fmt.Sprintf("%d slot quarters, want %d..%d", p.SlotQuarters, SlotQuartersBase, MaxSlotQuarters)}
	case p.RowQuarters < RowFirst || p.RowQuarters > MaxRowQuarter:
		return &Error{"header", fmt.Sprintf("%d row quarters, want %d..%d", p.RowQuarters, RowFirst, MaxRowQuarter)}
	case p.StateWords < 1 || p.StateWords > MaxStateWords || p.StateWords != len(p.Init):
		return &Error{"header", fmt.Sprintf("%d state words with %d initial values, want equal and 1..%d", p.StateWords, len(p.Init), MaxStateWords)}
	}
	v.words = make([]word, p.StateWords)
	v.words[0].typ = I
	v.emitted = make([]bool, p.RowQuarters)
	return nil
}

// windows checks the descriptions and that their state lies inside, apart from each other, zero at the start.
func (v *verifier) windows() error {
	v.advanced = make([]bool, len(v.p.Windows))
	for i, w := range v.p.Windows {
		at := fmt.Sprintf("window %d", i)
		if err := w.check(); err != nil {
			return &Error{at, err.Error()}
		}
		if w.State < 1 || w.State > v.p.StateWords-w.Words() {
			return &Error{at, fmt.Sprintf("state words %d..%d are outside 1..%d", w.State, w.State+w.Words()-1, v.p.StateWords-1)}
		}
		for off := w.State; off < w.State+w.Words(); off++ {
			if v.words[off].window {
				return &Error{at, fmt.Sprintf("state word %d belongs to another window too", off)}
			}
			if v.p.Init[off] != 0 {
				return &Error{at, fmt.Sprintf("state word %d starts at %#x, want 0", off, v.p.Init[off])}
			}
			v.words[off].window = true
		}
	}
	return nil
}

// collectStores finds which words are stored before any load is judged.
func (v *verifier) collectStores() error {
	for i := range v.p.Recur {
		in := &v.p.Recur[i]
		if in.Op != OpStore {
			continue
		}
		at := where(PartRecur, i, in.Op)
		if in.Imm < 1 || in.Imm >= uint64(len(v.words)) {
			return &Error{at, fmt.Sprintf("word %d is outside 1..%d", in.Imm, len(v.words)-1)}
		}
		if v.words[in.Imm].stored {
			return &Error{at, fmt.Sprintf("word %d is stored twice", in.Imm)}
		}
		v.words[in.Imm].stored = true
	}
	return nil
}

// instr checks one instruction and defines its result.
func (v *verifier) instr(part Part, in *Instr) error {
	if in.Op == OpInvalid || in.Op >= opCount {
		return fmt.Errorf("unknown operation %d", in.Op)
	}
	if err := v.place(part, in); err != nil {
		return err
	}
	infos, err := v.operands(in)
	if err != nil {
		return err
	}
	types := make([]Type, len(infos))
	for i := range infos {
		types[i] = infos[i].typ
	}
	typ, err := resultType(in.Op, types)
	if err != nil {
		return err
	}
	if typ, err = v.immediate(in, typ, types); err != nil {
		return err
	}
	for i := range infos {
		if !infos[i].canonical && needsCanonical(in.Op, infos, i) {
			return fmt.Errorf("operand %d may be a NaN of any bits: canon it first", i+1)
		}
	}
	return v.define(in, typ, infos)
}

// place checks that the operation may stand in the part.
func (v *verifier) place(part Part, in *Instr) error {
	allowed := true
	switch in.Op {
	case OpStore, OpWindow, OpWindow2, OpWout:
		allowed = part == PartRecur
	case OpEmit, OpEmitMask:
		allowed = part == PartAfter
	case OpLoad:
		if in.Imm >= uint64(len(v.words)) {
			return fmt.Errorf("word %d is outside 0..%d", in.Imm, len(v.words)-1)
		}
		if v.words[in.Imm].done {
			return fmt.Errorf("word %d is loaded after its store", in.Imm)
		}
		allowed = part == PartRecur || !v.words[in.Imm].stored
	}
	if !allowed {
		return fmt.Errorf("does not belong in part %s", part)
	}
	return nil
}

// operands checks that the operands are there, defined, and no more than wanted.
func (v *verifier) operands(in *Instr) ([]operand, error) {
	args, n := in.operands()
	infos := make([]operand, n)
	for i, a := range args {
		switch {
		case i >= n && a != NoValue:
			return nil, fmt.Errorf("takes %d operands, has %d", n, i+1)
		case i >= n:
		case a < 0 || int(a) >= len(v.values):
			return nil, fmt.Errorf("operand %d is v%d, which is not defined before", i+1, a)
		default:
			infos[i] = v.values[a]
		}
	}
	return infos, nil
}

// define checks the result and remembers it.
func (v *verifier) define(in *Instr, typ Type, infos []operand) error {
	if in.Type != typ {
		return fmt.Errorf("has type %s, want %s", in.Type, typ)
	}
	if typ == None {
		if in.Dst != NoValue {
			return fmt.Errorf("has no result, names v%d", in.Dst)
		}
		return nil
	}
	if int(in.Dst) != len(v.values) {
		return fmt.Errorf("defines v%d, want v%d", in.Dst, len(v.values))
	}
	v.values = append(v.values, operand{
		typ:       typ,
		canonical: typ != F || canonicalResult(in.Op, infos),
		isConst:   in.Op == OpConst,
		bits:      in.Imm,
	})
	v.tokens = append(v.tokens, in.Imm)
	return nil
}

// complete checks what only the whole program shows.
func (v *verifier) complete() error {
	for i, ok := range v.advanced {
		if !ok {
			return &Error{fmt.Sprintf("window %d", i), "is never advanced"}
		}
	}
	for quarter := 0; quarter < RowFirst; quarter++ {
		if !v.emitted[quarter] {
			return &Error{"after", fmt.Sprintf("row quarter %d is never written", quarter)}
		}
	}
	return nil
}
