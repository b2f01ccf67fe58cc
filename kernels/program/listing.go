package program

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ListingVersion is the version in the first line of a listing.
const ListingVersion = 1

// String returns the listing: the text form that fingerprints, goldens and docs/program.md use. ParseListing reads it.
func (p *Program) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "program %d slot=%d row=%d state=%d\n", ListingVersion, p.SlotQuarters, p.RowQuarters, p.StateWords)
	for off, bits := range p.Init {
		if bits != 0 {
			fmt.Fprintf(&s, "init %d 0x%016x\n", off, bits)
		}
	}
	for i, w := range p.Windows {
		switch w.Kind {
		case WindowSamples:
			fmt.Fprintf(&s, "window w%d %s %s n=%d at=%d\n", i, windowKindSamples, w.Agg, w.N, w.State)
		default:
			fmt.Fprintf(&s, "window w%d %s %s step=%d sub=%d at=%d\n", i, windowKindDur, w.Agg, w.StepNs, w.Sub, w.State)
		}
	}
	for part := PartBefore; part <= PartAfter; part++ {
		fmt.Fprintf(&s, "%s:\n", part)
		list := p.part(part)
		for i := range list {
			list[i].write(&s)
		}
	}
	return s.String()
}

// write appends the instruction's line.
func (in *Instr) write(s *strings.Builder) {
	s.WriteString("  ")
	if in.Dst != NoValue {
		fmt.Fprintf(s, "v%d = ", in.Dst)
	}
	s.WriteString(in.Op.String())
	switch in.Op {
	case OpConst:
		s.WriteString("." + in.Type.String() + " " + constText(in.Type, in.Imm))
	case OpLoad:
		fmt.Fprintf(s, ".%s %d", in.Type, in.Imm)
	case OpWindow, OpWindow2:
		fmt.Fprintf(s, " w%d", in.Imm)
	case OpSlot, OpAux, OpStore, OpEmit, OpEmitMask:
		fmt.Fprintf(s, " %d", in.Imm)
	}
	if in.Op < opCount {
		args, n := in.operands()
		for _, v := range args[:n] {
			fmt.Fprintf(s, " v%d", v)
		}
	}
	switch in.Op {
	case OpShl, OpShr, OpWout:
		fmt.Fprintf(s, " %d", in.Imm)
	}
	s.WriteByte('\n')
}

// constText writes a constant so that its bits can be read back.
func constText(t Type, bits uint64) string {
	switch {
	case t == I:
		return strconv.FormatInt(int64(bits), 10)
	case t == M && bits == 0:
		return "false"
	case t == M && bits == maskTrue:
		return "true"
	case t == F && bits == CanonicalNaN:
		return "undefined"
	case t == F && canonicalBits(bits) == bits:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	}
	return fmt.Sprintf("0x%016x", bits)
}
