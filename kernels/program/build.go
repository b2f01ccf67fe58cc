package program

import "fmt"

// Build drops what nothing needs, splits the rest into the three parts, numbers it, and verifies the result. Stores and
// emits are needed; a window is needed when one of its outputs is.
func (b *Builder) Build() (*Program, error) {
	if b.firstFail != nil {
		return nil, b.firstFail
	}
	if b.built {
		return nil, &Error{Where: "builder", Problem: "Build was called before"}
	}
	b.built = true
	b.completeMasks()
	live := b.live()
	parts := b.split(live)
	p := b.number(live, parts)
	if err := p.Verify(); err != nil {
		return nil, err
	}
	return p, nil
}

// completeMasks emits zero for the mask quarters that were not emitted, so that a row never shows an older row's bits.
func (b *Builder) completeMasks() {
	var have [RowFirst]bool
	for i := range b.emits {
		if b.emits[i].Op == OpEmitMask {
			have[b.emits[i].Imm] = true
		}
	}
	for quarter, ok := range have {
		if !ok {
			b.EmitMask(quarter, b.ConstI(0))
		}
	}
}

// live marks what stores and emits need, directly or not.
func (b *Builder) live() []bool {
	live := make([]bool, len(b.nodes))
	mark := func(in *Instr) {
		args, n := in.operands()
		for _, v := range args[:n] {
			live[v] = true
		}
	}
	for i := range b.stores {
		mark(&b.stores[i])
	}
	for i := range b.emits {
		mark(&b.emits[i])
	}
	for v := len(b.nodes) - 1; v >= 0; v-- {
		if live[v] {
			mark(&b.nodes[v].Instr)
		}
	}
	return live
}

// split says for each live node which part it runs in.
func (b *Builder) split(live []bool) []Part {
	stored := make([]bool, len(b.init))
	for i := range b.stores {
		stored[b.stores[i].Imm] = true
	}
	parts := make([]Part, len(b.nodes))
	needed := make([]bool, len(b.nodes)) // by a store or a window
	for i := range b.stores {
		needed[b.stores[i].A] = true
	}
	for v := len(b.nodes) - 1; v >= 0; v-- {
		if in := &b.nodes[v].Instr; live[v] && (needed[v] || in.Op.isWindow()) {
			args, n := in.operands()
			for _, a := range args[:n] {
				needed[a] = true
			}
		}
	}
	for v := range b.nodes {
		in := &b.nodes[v].Instr
		args, n := in.operands()
		varies := in.Op.isWindow() || in.Op == OpLoad && stored[in.Imm]
		own := varies || in.Op == OpWout
		for _, a := range args[:n] {
			varies = varies || parts[a] != PartBefore
		}
		switch {
		case !varies:
			parts[v] = PartBefore
		case own || needed[v]:
			parts[v] = PartRecur
		default:
			parts[v] = PartAfter
		}
	}
	return parts
}

// number lays the parts out and gives values and window state their final places.
func (b *Builder) number(live []bool, parts []Part) *Program {
	p := &Program{
		Init:         append([]uint64(nil), b.init...),
		RowQuarters:  b.rows,
		SlotQuarters: b.slots,
	}
	lists := [3]*[]Instr{&p.Before, &p.Recur, &p.After}
	renamed := make([]Value, len(b.nodes))
	next := Value(0)
	for part := PartBefore; part <= PartAfter; part++ {
		for v := range b.nodes {
			if !live[v] || parts[v] != part {
				continue
			}
			in := rename(b.nodes[v].Instr, renamed)
			in.Dst, renamed[v] = next, next
			next++
			if in.Op.isWindow() {
				in.Imm = p.placeWindow(b.descs[in.Imm])
			}
			*lists[part] = append(*lists[part], in)
		}
		switch part {
		case PartRecur:
			for i := range b.stores {
				p.Recur = append(p.Recur, rename(b.stores[i], renamed))
			}
		case PartAfter:
			for i := range b.emits {
				p.After = append(p.After, rename(b.emits[i], renamed))
			}
		}
	}
	p.StateWords = len(p.Init)
	return p
}

// placeWindow adds a window with state of its own and returns its index.
func (p *Program) placeWindow(desc Window) uint64 {
	desc.State = len(p.Init)
	p.Init = append(p.Init, make([]uint64, desc.Words())...)
	p.Windows = append(p.Windows, desc)
	return uint64(len(p.Windows) - 1)
}

func rename(in Instr, renamed []Value) Instr {
	for _, v := range []*Value{&in.A, &in.B, &in.C, &in.D} {
		if *v != NoValue {
			*v = renamed[*v]
		}
	}
	return in
}

// where names an instruction for an error.
func where(part Part, i int, op Op) string { return fmt.Sprintf("%s %d (%s)", part, i, op) }
