package cuda

import (
	"fmt"
	"strings"

	"github.com/sigengine/sigengine/kernels/program"
)

// emitter prints one program, a section a warp. Values are registers: %f for numbers, %r for integers, %p for masks, by value
// number; each section has its own.
type emitter struct {
	p      *program.Program
	plan   *plan
	calls  []program.Window // each window called, for the declarations
	types  map[program.Value]program.Type
	values int
	called bool // the section calls windows
	warp   int
	out    strings.Builder
}

func (e *emitter) line(format string, args ...any) {
	e.out.WriteByte('\t')
	fmt.Fprintf(&e.out, format, args...)
	e.out.WriteString(";\n")
}

func (e *emitter) label(format string, args ...any) {
	fmt.Fprintf(&e.out, format+":\n", args...)
}

// common declares what all sections use.
func (e *emitter) common() string {
	local := ""
	if len(e.calls) > 0 {
		local = fmt.Sprintf("\t.local .align 8 .b8 outputs[%d];\n", 8*maxWindowOutputs)
	}
	return "\t.reg .b64 %slot, %state, %row, %stride, %exchange;\n" +
		"\t.reg .b32 %stamp, %rank, %rounds, %mine, %warp;\n\t.reg .pred %warpP;\n" + local
}

// section prints what one warp runs: to the next section if it is another's.
func (e *emitter) section(to *strings.Builder, warp int) {
	e.warp, e.values, e.called, e.types = warp, 0, false, map[program.Value]program.Type{}
	e.out.Reset()
	e.body()
	last := warp == e.plan.warps-1
	if !last {
		fmt.Fprintf(to, "\tsetp.ne.u32 %%warpP, %%warp, %d;\n\t@%%warpP bra WARP_%d;\n", warp, warp+1)
	}
	to.WriteString("\t{\n" + e.registers() + e.out.String() + "\tret;\n\t}\n")
	if !last {
		fmt.Fprintf(to, "WARP_%d:\n", warp+1)
	}
}

// body prints the parts. Threads without a tick, or not in turn, skip what others do and meet them at the barriers.
func (e *emitter) body() {
	a, w := e.plan, e.warp
	e.line("setp.ne.u32 %%mineP, %%mine, 0")
	e.line("mov.b64 %%tag, {%%zero, %%stamp}")
	e.out.WriteString(fmt.Sprintf("\t@!%%mineP bra BEFORE_END_%d;\n", w))
	e.prefetch()
	e.each(0, a.recur, func(int) bool { return true })
	e.label("BEFORE_END_%d", w)
	e.line("mov.u32 %%round, 0")
	e.label("TURN_%d", w)
	e.line("setp.eq.u32 %%turnP, %%rank, %%round")
	e.line("and.pred %%turnP, %%turnP, %%mineP")
	e.line("setp.lt.u32 %%moreP, %%round, %%rounds")
	e.line("add.u32 %%round, %%round, 1")
	for step := range a.steps {
		e.out.WriteString(fmt.Sprintf("\t@!%%turnP bra STEP_END_%d_%d;\n", w, step))
		e.step(step)
		e.label("STEP_END_%d_%d", w, step)
		e.meet(step)
	}
	e.out.WriteString(fmt.Sprintf("\t@%%moreP bra TURN_%d;\n", w))
	e.out.WriteString(fmt.Sprintf("\t@!%%mineP bra AFTER_END_%d;\n", w))
	e.importWindows(a.steps)
	e.each(a.after, len(a.ins), func(i int) bool { return !a.late[i] })
	if a.joins() {
		e.exportMasks()
		e.label("AFTER_END_%d", w)
		e.meet(0)
		e.out.WriteString(fmt.Sprintf("\t@!%%mineP bra LATE_END_%d;\n", w))
		e.importMasks()
		e.each(a.after, len(a.ins), func(i int) bool { return a.late[i] })
		e.label("LATE_END_%d", w)
	} else {
		e.each(a.after, len(a.ins), func(i int) bool { return a.late[i] })
		e.label("AFTER_END_%d", w)
	}
	e.line("bar.warp.sync 0xffffffff")
}

// meet is a barrier after a step, among the warps of the program or among the threads of the only one. After the last turn's
// last step nobody waits for its stores.
func (e *emitter) meet(step int) {
	e.line("bar.warp.sync 0xffffffff")
	if e.plan.warps == 1 {
		return
	}
	guard := ""
	if step == e.plan.steps-1 && !e.plan.windowsLast {
		guard = "@%moreP "
	}
	e.line("%sbar.sync %d, %d", guard, barrier, 32*e.plan.warps)
}

// each prints the instructions of [from, to) that the warp runs and the condition holds for.
func (e *emitter) each(from, to int, which func(int) bool) {
	for i := from; i < to; i++ {
		if e.plan.runs[e.warp][i] && which(i) {
			e.instruction(e.plan.ins[i])
		}
	}
}

// step prints one step of a turn. The first begins with all loads: they read the state as of the start of the tick; the last
// has the stores.
func (e *emitter) step(step int) {
	a := e.plan
	isLoad := func(i int) bool { return a.ins[i].Op == program.OpLoad }
	if step == 0 {
		e.each(a.recur, a.after, isLoad)
	} else {
		e.importWindows(step)
	}
	e.each(a.recur, a.after, func(i int) bool {
		if isLoad(i) {
			return false
		}
		if a.ins[i].Op == program.OpStore {
			return step == a.steps-1
		}
		return a.level[i] == step
	})
}

// importWindows takes outputs of other warps' windows that became known with a step, or, where step is the number of steps,
// those that only what comes after needs.
func (e *emitter) importWindows(step int) {
	a := e.plan
	for i := a.recur; i < len(a.ins); i++ {
		if !a.imports[e.warp][i] {
			continue
		}
		if _, there := e.types[a.ins[i].Dst]; there || step < a.steps && (a.level[i] != step || !a.recurs(e.warp, i)) {
			continue
		}
		dst := e.define(a.ins[i])
		e.line("ld.shared.b64 %%t0, [%%exchange+%d]", a.place[i]*exchangeStride)
		e.setBits(dst, a.ins[i].Type, "%t0")
	}
}

func (e *emitter) exportMasks() {
	a := e.plan
	for _, i := range a.exported {
		if owner, cut := a.owner[i]; cut && owner == e.warp && a.ins[i].Op != program.OpWout {
			e.line("st.shared.b64 [%%exchange+%d], %s", a.place[i]*exchangeStride, e.bits(a.ins[i].Dst, "%t0"))
		}
	}
}

func (e *emitter) importMasks() {
	a := e.plan
	for _, i := range a.exported {
		if a.masks[e.warp][i] {
			dst := e.define(a.ins[i])
			e.line("ld.shared.b64 %%t0, [%%exchange+%d]", a.place[i]*exchangeStride)
			e.setBits(dst, program.M, "%t0")
		}
	}
}

// prefetch asks for the state that the recurrences will touch, all at once: a cache line comes from memory in a few
// hundred cycles, and windows would wait for theirs one after the other.
func (e *emitter) prefetch() {
	const lineBytes = 128
	a, asked := e.plan, map[int]bool{}
	ask := func(byteAt int) {
		if line := byteAt / lineBytes; !asked[line] {
			asked[line] = true
			e.line("prefetch.global.L1 [%%state+%d]", line*lineBytes)
		}
	}
	for i := a.recur; i < a.after; i++ {
		in := a.ins[i]
		if !a.runs[e.warp][i] {
			continue
		}
		switch {
		case in.Op == program.OpLoad:
			ask(int(in.Imm) * 8)
		case isWindow(in):
			w := &e.p.Windows[in.Imm]
			ask(w.State * 8)
			if w.Words()*8 <= 2*lineBytes {
				ask((w.State + w.Words() - 1) * 8)
			}
		}
	}
	e.prefetchRings()
}

// prefetchRings asks for the slot of each sample window's ring that comes next; its number is in the window's first word.
func (e *emitter) prefetchRings() {
	a := e.plan
	for i := a.recur; i < a.after; i++ {
		if !a.runs[e.warp][i] || !isWindow(a.ins[i]) {
			continue
		}
		w := &e.p.Windows[a.ins[i].Imm]
		if w.Kind != program.WindowSamples || w.Words()*8 <= 256 {
			continue
		}
		stride := 8 * (w.Words() / w.N)
		e.line("ld.global.b64 %%t0, [%%state+%d]", w.State*8)
		e.line("mad.lo.s64 %%at, %%t0, %d, %%state", stride)
		e.line("prefetch.global.L1 [%%at+%d]", w.State*8+8*(w.Words()%w.N))
	}
}

// registers declares what the section used.
func (e *emitter) registers() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\t.reg .f64 %%f<%d>;\n\t.reg .b64 %%r<%d>;\n\t.reg .pred %%p<%d>;\n", e.values+1, e.values+1, e.values+1)
	b.WriteString("\t.reg .b64 %tag, %at, %t0, %t1, %t2;\n\t.reg .b32 %round, %w0, %zero;\n")
	b.WriteString("\t.reg .pred %mineP, %turnP, %moreP, %q0;\n\t.reg .b128 %wide;\n")
	if e.called {
		b.WriteString("\t.reg .b64 %outputs;\n")
	}
	b.WriteString("\tmov.u32 %zero, 0;\n")
	if e.called {
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
