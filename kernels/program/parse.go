package program

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseListing reads a listing and verifies the program. It accepts exactly what String writes; an empty line or one
// that begins with '#' is skipped.
func ParseListing(text string) (*Program, error) {
	r := &listingReader{p: &Program{}, part: -1}
	var kept strings.Builder
	for number, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		kept.WriteString(line + "\n")
		if err := r.line(line); err != nil {
			return nil, &Error{Where: fmt.Sprintf("line %d", number+1), Problem: err.Error()}
		}
	}
	if r.part != int(PartAfter) {
		return nil, &Error{Problem: "listing ends before part after"}
	}
	if err := r.p.Verify(); err != nil {
		return nil, err
	}
	if kept.String() != r.p.String() {
		return nil, &Error{Problem: "listing is not in the form String writes (spaces, order, number format)"}
	}
	return r.p, nil
}

// listingReader reads line by line.
type listingReader struct {
	p     *Program
	part  int // -1 in the head
	types []Type
	wins  []uint64 // window of each token value
}

func (r *listingReader) line(line string) error {
	if r.p.SlotQuarters == 0 {
		return r.header(line)
	}
	if line[0] != ' ' {
		if part := r.part + 1; part <= int(PartAfter) && line == Part(part).String()+":" {
			r.part = part
			return nil
		}
		if r.part >= 0 {
			return fmt.Errorf("want an instruction or the next part, have %q", line)
		}
		if strings.HasPrefix(line, "init ") {
			return r.init(line)
		}
		return r.window(line)
	}
	if r.part < 0 {
		return fmt.Errorf("instruction before part before")
	}
	in, err := r.instr(line)
	if err != nil {
		return err
	}
	lists := [3]*[]Instr{&r.p.Before, &r.p.Recur, &r.p.After}
	*lists[r.part] = append(*lists[r.part], in)
	return nil
}

func (r *listingReader) header(line string) error {
	var version int
	p := r.p
	n, err := fmt.Sscanf(line, "program %d slot=%d row=%d state=%d", &version, &p.SlotQuarters, &p.RowQuarters, &p.StateWords)
	switch {
	case err != nil || n != 4:
		return fmt.Errorf("want 'program %d slot=N row=N state=N', have %q", ListingVersion, line)
	case version != ListingVersion:
		return fmt.Errorf("listing version %d, this build reads %d", version, ListingVersion)
	case p.StateWords < 1 || p.StateWords > MaxStateWords:
		return fmt.Errorf("%d state words, want 1..%d", p.StateWords, MaxStateWords)
	case p.SlotQuarters < SlotQuartersBase:
		return fmt.Errorf("%d slot quarters, want at least %d", p.SlotQuarters, SlotQuartersBase)
	}
	p.Init = make([]uint64, p.StateWords)
	return nil
}

func (r *listingReader) init(line string) error {
	var off int
	var bits uint64
	if n, err := fmt.Sscanf(line, "init %d 0x%x", &off, &bits); err != nil || n != 2 {
		return fmt.Errorf("want 'init WORD 0xBITS', have %q", line)
	}
	if off < 0 || off >= len(r.p.Init) {
		return fmt.Errorf("word %d is outside 0..%d", off, len(r.p.Init)-1)
	}
	r.p.Init[off] = bits
	return nil
}

func (r *listingReader) window(line string) error {
	var w Window
	var index int
	var agg string
	n, err := fmt.Sscanf(line, "window w%d samples %s n=%d at=%d", &index, &agg, &w.N, &w.State)
	w.Kind = WindowSamples
	if err != nil || n != 4 {
		w = Window{Kind: WindowDuration}
		n, err = fmt.Sscanf(line, "window w%d duration %s step=%d sub=%d at=%d", &index, &agg, &w.StepNs, &w.Sub, &w.State)
		if err != nil || n != 5 {
			return fmt.Errorf("want init, window or part before, have %q", line)
		}
	}
	for a := AggSum; a < aggEnd; a++ {
		if a.String() == agg {
			w.Agg = a
		}
	}
	if w.Agg == 0 || index != len(r.p.Windows) {
		return fmt.Errorf("want window w%d with a known aggregate, have %q", len(r.p.Windows), line)
	}
	r.p.Windows = append(r.p.Windows, w)
	return nil
}

// instr reads "  [vN =] op[.type] [imm] v... [imm]".
func (r *listingReader) instr(line string) (Instr, error) {
	in := Instr{Dst: NoValue, A: NoValue, B: NoValue, C: NoValue, D: NoValue}
	fields := strings.Fields(line)
	if len(fields) >= 3 && fields[1] == "=" {
		v, err := parseIndex(fields[0], 'v')
		if err != nil {
			return in, err
		}
		in.Dst = Value(v)
		fields = fields[2:]
	}
	if len(fields) == 0 {
		return in, fmt.Errorf("want an operation, have %q", line)
	}
	name, suffix, _ := strings.Cut(fields[0], ".")
	for op := OpConst; op < opCount; op++ {
		if opInfos[op].name == name {
			in.Op = op
		}
	}
	if in.Op == OpInvalid {
		return in, fmt.Errorf("unknown operation %q", name)
	}
	if err := r.fields(&in, suffix, fields[1:]); err != nil {
		return in, err
	}
	if in.Dst != NoValue {
		r.types = append(r.types, in.Type)
		r.wins = append(r.wins, in.Imm)
	}
	var s strings.Builder
	in.write(&s)
	if s.String() != line+"\n" {
		return in, fmt.Errorf("want %q, have %q", strings.TrimSuffix(s.String(), "\n"), line)
	}
	return in, nil
}

// fields reads the operands and the immediate.
func (r *listingReader) fields(in *Instr, suffix string, fields []string) error {
	args := len(opInfos[in.Op].args)
	want := args
	if opInfos[in.Op].imm {
		want++
	}
	if len(fields) != want {
		return fmt.Errorf("%s wants %d fields, has %d", in.Op, want, len(fields))
	}
	if opInfos[in.Op].imm {
		at := 0
		switch in.Op {
		case OpShl, OpShr, OpWout:
			at = want - 1
		}
		if err := parseImm(in, suffix, fields[at]); err != nil {
			return err
		}
		fields = append(append([]string(nil), fields[:at]...), fields[at+1:]...)
	}
	types := make([]Type, args)
	slots := [4]*Value{&in.A, &in.B, &in.C, &in.D}
	for i, field := range fields {
		v, err := parseIndex(field, 'v')
		if err != nil {
			return err
		}
		if v >= len(r.types) {
			return fmt.Errorf("v%d is not defined before", v)
		}
		*slots[i], types[i] = Value(v), r.types[v]
	}
	return r.setType(in, suffix, types)
}

// setType gives the instruction the type its operands, its suffix or its window decide.
func (r *listingReader) setType(in *Instr, suffix string, types []Type) error {
	typ, err := resultType(in.Op, types)
	if err != nil {
		return err
	}
	switch in.Op {
	case OpConst, OpLoad:
		if len(suffix) == 1 {
			typ = letterType(suffix[0])
		}
	case OpSlot:
		if in.Imm >= MaxSlotQuarters {
			return fmt.Errorf("slot quarter %d is outside 0..%d", in.Imm, MaxSlotQuarters-1)
		}
		typ = slotType(int(in.Imm))
	case OpWout:
		w := r.wins[in.A]
		if w >= uint64(len(r.p.Windows)) {
			return fmt.Errorf("window %d is not described", w)
		}
		outputs := r.p.Windows[w].Agg.Outputs()
		if in.Imm >= uint64(len(outputs)) {
			return fmt.Errorf("output %d is outside 0..%d", in.Imm, len(outputs)-1)
		}
		typ = outputs[in.Imm]
	}
	in.Type = typ
	return nil
}

// parseIndex reads a letter and a small decimal.
func parseIndex(text string, letter byte) (int, error) {
	if len(text) < 2 || text[0] != letter {
		return 0, fmt.Errorf("want %c and a number, have %q", letter, text)
	}
	n, err := strconv.ParseUint(text[1:], 10, 31)
	if err != nil || n == math.MaxInt32 {
		return 0, fmt.Errorf("want %c and a number, have %q", letter, text)
	}
	return int(n), nil
}

func parseImm(in *Instr, suffix, text string) (err error) {
	switch {
	case in.Op == OpConst && suffix == "m":
		in.Imm = maskOf(text == "true")
	case in.Op == OpConst && suffix == "f" && text == "undefined":
		in.Imm = CanonicalNaN
	case in.Op == OpConst && suffix == "f":
		var v float64
		v, err = strconv.ParseFloat(text, 64)
		in.Imm = math.Float64bits(v)
	case in.Op == OpConst:
		var v int64
		v, err = strconv.ParseInt(text, 10, 64)
		in.Imm = uint64(v)
	case in.Op.isWindow():
		var n int
		n, err = parseIndex(text, 'w')
		in.Imm = uint64(n)
	default:
		in.Imm, err = strconv.ParseUint(text, 10, 32)
	}
	if err != nil {
		return fmt.Errorf("%s: cannot read %q", in.Op, text)
	}
	return nil
}
