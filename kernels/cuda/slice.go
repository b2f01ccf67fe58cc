package cuda

import (
	"math/bits"

	"github.com/sigengine/sigengine/kernels/program"
)

// The masks of a row are numbers with a bit a signal, made of masks by bit operations. Computed as they stand, everything
// about every signal meets in them before any output of any signal may be written. But bit i depends on signal i's masks
// alone, so the bits are computed one by one, as masks; outputs wait for their own, and only the masks of the row join them.

// sliced returns the program with its last part so rewritten. What it computes is the same.
func sliced(p *program.Program) *program.Program {
	s := &slicer{p: p, defined: map[program.Value]*program.Instr{}, known: map[bitOf]bit{}, constants: map[uint64]program.Value{}}
	for _, part := range [][]program.Instr{p.Before, p.Recur, p.After} {
		for i := range part {
			if in := &part[i]; in.Dst != program.NoValue {
				s.defined[in.Dst] = in
				s.next = max(s.next, in.Dst+1)
			}
		}
	}
	for i := range p.After {
		s.instruction(p.After[i])
	}
	q := *p
	q.After = s.live()
	return &q
}

// bitOf is one bit of a number.
type bitOf struct {
	v program.Value
	n int
}

// bit is what is known of a bit: fixed, or the mask that it is.
type bit struct {
	fixed, set bool
	mask       program.Value
}

type slicer struct {
	p         *program.Program
	defined   map[program.Value]*program.Instr
	known     map[bitOf]bit
	constants map[uint64]program.Value
	next      program.Value
	after     []program.Instr
}

func (s *slicer) add(in program.Instr) program.Value {
	in.Dst = s.next
	s.next++
	s.after = append(s.after, in)
	s.defined[in.Dst] = &in
	return in.Dst
}

const none = program.NoValue

func (s *slicer) constant(v uint64) program.Value {
	if c, there := s.constants[v]; there {
		return c
	}
	c := s.add(program.Instr{Op: program.OpConst, Type: program.I, A: none, B: none, C: none, D: none, Imm: v})
	s.constants[v] = c
	return c
}

func (s *slicer) instruction(in program.Instr) {
	switch in.Op {
	case program.OpEmit:
		if v, n, ok := s.singleBit(in.A); ok {
			if b := s.bit(v, n); !b.fixed {
				in.A = b.mask
			}
		}
	case program.OpEmitMask:
		in.A = s.joined(in.A)
	}
	s.after = append(s.after, in)
}

// singleBit reports whether a mask says that one bit of a number is set, and which.
func (s *slicer) singleBit(mask program.Value) (program.Value, int, bool) {
	equal := s.defined[mask]
	if equal.Op != program.OpIeq {
		return 0, 0, false
	}
	and, want := s.defined[equal.A], s.defined[equal.B]
	if and.Op != program.OpAnd || want.Op != program.OpConst || bits.OnesCount64(want.Imm) != 1 {
		return 0, 0, false
	}
	if with := s.defined[and.B]; with.Op != program.OpConst || with.Type != program.I || with.Imm != want.Imm {
		return 0, 0, false
	}
	return and.A, bits.TrailingZeros64(want.Imm), true
}

// signalsMost is the most bits that a mask of a row has apart from those that are never set, for it to be taken to pieces.
const signalsMost = 64

// joined is a number made of its bits, or the number itself where that would be longer.
func (s *slicer) joined(v program.Value) program.Value {
	if op := s.defined[v].Op; op != program.OpAnd && op != program.OpOr && op != program.OpXor && op != program.OpAndn {
		return v
	}
	before := len(s.after)
	var acc program.Value = none
	tests := 0
	for n := range signalsMost {
		b := s.bit(v, n)
		if b.fixed && !b.set {
			continue
		}
		one := s.constant(1 << n)
		if !b.fixed {
			one = s.add(program.Instr{Op: program.OpAnd, Type: program.I, A: one, B: b.mask, C: none, D: none})
		}
		if s.defined[b.mask] != nil && !b.fixed && s.defined[b.mask].Op == program.OpIeq {
			tests++
		}
		if acc == none {
			acc = one
		} else {
			acc = s.add(program.Instr{Op: program.OpOr, Type: program.I, A: acc, B: one, C: none, D: none})
		}
	}
	if tests > signalsMost/2 || acc == none {
		// Bits that nothing is known of: a number as such.
		s.after, s.known, s.constants = s.after[:before], map[bitOf]bit{}, map[uint64]program.Value{}
		return v
	}
	return acc
}

// bit returns bit n of a number.
func (s *slicer) bit(v program.Value, n int) bit {
	key := bitOf{v, n}
	if b, there := s.known[key]; there {
		return b
	}
	in := s.defined[v]
	var b bit
	switch in.Op {
	case program.OpConst:
		b = bit{fixed: true, set: in.Imm>>n&1 != 0}
	case program.OpAnd, program.OpOr, program.OpXor, program.OpAndn:
		a, c := s.bit(in.A, n), bit{mask: in.B}
		if s.defined[in.B].Type != program.M {
			c = s.bit(in.B, n)
		}
		b = s.combine(in.Op, a, c)
	default:
		one := s.constant(1 << n)
		and := s.add(program.Instr{Op: program.OpAnd, Type: program.I, A: v, B: one, C: none, D: none})
		b = bit{mask: s.add(program.Instr{Op: program.OpIeq, Type: program.M, A: and, B: one, C: none, D: none})}
	}
	s.known[key] = b
	return b
}

// combine returns a op b.
func (s *slicer) combine(op program.Op, a, b bit) bit {
	zero, set := bit{fixed: true}, bit{fixed: true, set: true}
	switch op {
	case program.OpAnd:
		switch {
		case a.fixed && !a.set || b.fixed && !b.set:
			return zero
		case a.fixed:
			return b
		case b.fixed:
			return a
		}
	case program.OpOr:
		switch {
		case a.fixed && a.set || b.fixed && b.set:
			return set
		case a.fixed:
			return b
		case b.fixed:
			return a
		}
	case program.OpAndn:
		switch {
		case a.fixed && !a.set || b.fixed && b.set:
			return zero
		case b.fixed:
			return a
		}
	case program.OpXor:
		switch {
		case a.fixed && !a.set:
			return b
		case b.fixed && !b.set:
			return a
		case a.fixed && b.fixed:
			return zero
		}
	}
	return bit{mask: s.add(program.Instr{Op: op, Type: program.M, A: s.mask(a), B: s.mask(b), C: none, D: none})}
}

// mask returns a bit as a mask.
func (s *slicer) mask(b bit) program.Value {
	if !b.fixed {
		return b.mask
	}
	v := uint64(0)
	if b.set {
		v = ^uint64(0)
	}
	return s.add(program.Instr{Op: program.OpConst, Type: program.M, A: none, B: none, C: none, D: none, Imm: v})
}

// live returns the instructions that something comes of.
func (s *slicer) live() []program.Instr {
	wanted := map[program.Value]bool{}
	keep := make([]bool, len(s.after))
	for i := len(s.after) - 1; i >= 0; i-- {
		in := &s.after[i]
		if in.Dst != program.NoValue && !wanted[in.Dst] {
			continue
		}
		keep[i] = true
		for _, v := range [...]program.Value{in.A, in.B, in.C, in.D} {
			wanted[v] = true
		}
	}
	var out []program.Instr
	for i := range s.after {
		if keep[i] {
			out = append(out, s.after[i])
		}
	}
	return out
}
