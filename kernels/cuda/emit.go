package cuda

import (
	"fmt"
	"strings"

	"github.com/sigengine/sigengine/kernels/program"
)

// The PTX that is emitted: 128-bit accesses of system scope need version 8.4 and sm_70.
const (
	ptxVersion = "8.4"
	ptxTarget  = "sm_80"
)

// SlotStride is the distance in bytes of two quarters of a slot in the memory that the device function reads: 32 threads
// of 16 bytes.
const SlotStride = 512

// Emit returns a PTX module with one device function called name:
//
//	.func name(slot, state, row, rowStride, stamp, rank, rounds, mine)
//
//	slot       generic address of quarter 0 of the thread's slot; quarter q is SlotStride*q further
//	state      global address of the instrument's state words
//	row        global address of quarter 0 of the thread's row; quarter q is rowStride*q further
//	stamp      goes into every quarter written
//	rank       how many earlier ticks of the same instrument the warp holds
//	rounds     the largest rank of the warp
//	mine       1 if the thread has a tick, else 0
//
// All 32 threads of a warp call it together and return together.
func Emit(p *program.Program, name string) string {
	e := &emitter{p: p, types: map[program.Value]program.Type{}}
	body := e.body()
	var b strings.Builder
	fmt.Fprintf(&b, ".version %s\n.target %s\n.address_size 64\n\n", ptxVersion, ptxTarget)
	b.WriteString(e.externs())
	fmt.Fprintf(&b, ".visible .func %s(\n", name)
	for i, param := range parameters {
		comma := ","
		if i == len(parameters)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "\t.param .b%d p_%s%s\n", param.bits, param.name, comma)
	}
	b.WriteString(")\n{\n")
	b.WriteString(e.registers())
	for _, param := range parameters {
		fmt.Fprintf(&b, "\tld.param.b%d %%%s, [p_%s];\n", param.bits, param.name, param.name)
	}
	b.WriteString(body)
	b.WriteString("\tret;\n}\n")
	return b.String()
}

var parameters = []struct {
	name string
	bits int
}{
	{"slot", 64},
	{"state", 64},
	{"row", 64},
	{"stride", 64},
	{"stamp", 32},
	{"rank", 32},
	{"rounds", 32},
	{"mine", 32},
}

// emitter prints one program. Values are registers: %f for numbers, %r for integers, %p for masks, by value number.
type emitter struct {
	p      *program.Program
	types  map[program.Value]program.Type
	calls  []program.Window // each window called, for the declarations
	values int
	out    strings.Builder
}

func (e *emitter) line(format string, args ...any) {
	e.out.WriteByte('\t')
	fmt.Fprintf(&e.out, format, args...)
	e.out.WriteString(";\n")
}

// body prints the three parts. Threads without a tick skip them and meet the others at the barriers.
func (e *emitter) body() string {
	e.line("setp.ne.u32 %%mineP, %%mine, 0")
	e.line("mov.b64 %%tag, {%%zero, %%stamp}")
	e.out.WriteString("\t@!%mineP bra BEFORE_END;\n")
	e.prefetch()
	e.part(e.p.Before)
	e.out.WriteString("BEFORE_END:\n")
	e.line("mov.u32 %%round, 0")
	e.out.WriteString("TURN:\n")
	e.line("setp.eq.u32 %%turnP, %%rank, %%round")
	e.line("and.pred %%turnP, %%turnP, %%mineP")
	e.out.WriteString("\t@!%turnP bra TURN_END;\n")
	e.loads()
	e.part(e.p.Recur)
	e.out.WriteString("TURN_END:\n")
	e.line("bar.warp.sync 0xffffffff")
	e.line("setp.lt.u32 %%moreP, %%round, %%rounds")
	e.line("add.u32 %%round, %%round, 1")
	e.out.WriteString("\t@%moreP bra TURN;\n")
	e.out.WriteString("\t@!%mineP bra AFTER_END;\n")
	e.part(e.p.After)
	e.out.WriteString("AFTER_END:\n")
	e.line("bar.warp.sync 0xffffffff")
	return e.out.String()
}

// prefetch asks for the state that the recurrences will touch, all at once: a cache line comes from memory in a few
// hundred cycles, and windows would wait for theirs one after the other.
func (e *emitter) prefetch() {
	const lineBytes = 128
	asked := map[int]bool{}
	ask := func(byteAt int) {
		if line := byteAt / lineBytes; !asked[line] {
			asked[line] = true
			e.line("prefetch.global.L1 [%%state+%d]", line*lineBytes)
		}
	}
	for i := range e.p.Recur {
		if in := &e.p.Recur[i]; in.Op == program.OpLoad {
			ask(int(in.Imm) * 8)
		}
	}
	for i := range e.p.Windows {
		w := &e.p.Windows[i]
		ask(w.State * 8)
		if end := w.State + w.Words() - 1; w.Words()*8 <= 2*lineBytes {
			ask(end * 8)
		}
	}
	e.prefetchRings()
}

// prefetchRings asks for the slot of each sample window's ring that comes next; its number is in the window's first word.
func (e *emitter) prefetchRings() {
	for i := range e.p.Windows {
		w := &e.p.Windows[i]
		if w.Kind != program.WindowSamples || w.Words()*8 <= 256 {
			continue
		}
		stride := 8 * (w.Words() / w.N)
		e.line("ld.global.b64 %%t0, [%%state+%d]", w.State*8)
		e.line("mad.lo.s64 %%at, %%t0, %d, %%state", stride)
		e.line("prefetch.global.L1 [%%at+%d]", w.State*8+8*(w.Words()%w.N))
	}
}

// loads prints the loads of the recurrences first: they read the state as of the start of the tick.
func (e *emitter) loads() {
	for i := range e.p.Recur {
		if e.p.Recur[i].Op == program.OpLoad {
			e.instruction(&e.p.Recur[i])
		}
	}
}

func (e *emitter) part(instructions []program.Instr) {
	recur := len(instructions) > 0 && len(e.p.Recur) > 0 && &instructions[0] == &e.p.Recur[0]
	for i := range instructions {
		if recur && instructions[i].Op == program.OpLoad {
			continue
		}
		e.instruction(&instructions[i])
	}
}

// registers declares what the body used.
func (e *emitter) registers() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\t.reg .f64 %%f<%d>;\n\t.reg .b64 %%r<%d>;\n\t.reg .pred %%p<%d>;\n", e.values+1, e.values+1, e.values+1)
	b.WriteString("\t.reg .b64 %slot, %state, %row, %stride, %tag, %at, %t0, %t1, %t2;\n")
	b.WriteString("\t.reg .b32 %stamp, %rank, %rounds, %mine, %round, %w0, %zero;\n")
	b.WriteString("\t.reg .pred %mineP, %turnP, %moreP, %q0;\n\t.reg .b128 %wide;\n")
	if len(e.calls) > 0 {
		fmt.Fprintf(&b, "\t.local .align 8 .b8 outputs[%d];\n\t.reg .b64 %%outputs;\n", 8*maxWindowOutputs)
	}
	b.WriteString("\tmov.u32 %zero, 0;\n")
	if len(e.calls) > 0 {
		b.WriteString("\tmov.u64 %outputs, outputs;\n\tcvta.local.u64 %outputs, %outputs;\n")
	}
	return b.String()
}

// reg returns the register of a value.
func (e *emitter) reg(v program.Value) string {
	switch e.types[v] {
	case program.F:
		return fmt.Sprintf("%%f%d", v)
	case program.M:
		return fmt.Sprintf("%%p%d", v)
	}
	return fmt.Sprintf("%%r%d", v)
}

func (e *emitter) define(in *program.Instr) string {
	e.types[in.Dst] = in.Type
	e.values = max(e.values, int(in.Dst)+1)
	return e.reg(in.Dst)
}

func doubleConstant(bits uint64) string { return fmt.Sprintf("0d%016X", bits) }

var canonicalNaN = doubleConstant(program.CanonicalNaN)

// bits returns a 64-bit register that holds a value's bits, moving them to scratch if need be.
func (e *emitter) bits(v program.Value, scratch string) string {
	switch e.types[v] {
	case program.F:
		e.line("mov.b64 %s, %s", scratch, e.reg(v))
	case program.M:
		e.line("selp.b64 %s, %d, 0, %s", scratch, int64(-1), e.reg(v))
	default:
		return e.reg(v)
	}
	return scratch
}

// setBits puts a 64-bit register into a result of whatever type.
func (e *emitter) setBits(dst string, t program.Type, from string) {
	switch t {
	case program.M:
		e.line("setp.ne.s64 %s, %s, 0", dst, from)
	default:
		e.line("mov.b64 %s, %s", dst, from)
	}
}
