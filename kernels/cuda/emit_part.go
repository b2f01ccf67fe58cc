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
	e.skip("!%%mineP", "BEFORE_END")
	e.prefetch()
	e.each(0, a.recur, func(int) bool { return true })
	e.label("BEFORE_END_%d", w)
	e.turns()
	e.skip("!%%mineP", "AFTER_END")
	e.importWindows(a.steps)
	e.each(a.after, len(a.ins), func(i int) bool { return !a.late[i] })
	isLate := func(i int) bool { return a.late[i] }
	if a.joins() {
		e.exportMasks()
		e.label("AFTER_END_%d", w)
		e.meet()
		e.skip("!%%mineP", "LATE_END")
		e.importMasks()
		e.each(a.after, len(a.ins), isLate)
		e.label("LATE_END_%d", w)
	} else {
		e.each(a.after, len(a.ins), isLate)
		e.label("AFTER_END_%d", w)
	}
	e.skip("!%%turnP", "STORES_END")
	e.stores()
	e.label("STORES_END_%d", w)
	e.line("bar.warp.sync 0xffffffff")
}

// turns prints the recurrences, by rank. The stores of the last turn, whose threads are those still in turn, come later.
func (e *emitter) turns() {
	a, w := e.plan, e.warp
	e.line("mov.u32 %%round, 0")
	e.label("TURN_%d", w)
	e.line("setp.eq.u32 %%turnP, %%rank, %%round")
	e.line("and.pred %%turnP, %%turnP, %%mineP")
	e.line("setp.lt.u32 %%moreP, %%round, %%rounds")
	e.line("add.u32 %%round, %%round, 1")
	for step := range a.steps {
		end := fmt.Sprintf("STEP_%d_END", step)
		e.skip("!%%turnP", end)
		e.step(step)
		e.label(end+"_%d", w)
		if step == 0 || step < a.steps-1 || a.windowsLast {
			e.meet()
		}
	}
	e.skip("!%%moreP", "TURNS_END")
	e.skip("!%%turnP", "TURN_END")
	e.stores()
	e.label("TURN_END_%d", w)
	e.meet()
	e.line("bra TURN_%d", w)
	e.label("TURNS_END_%d", w)
}

// skip prints a jump to a label of the section.
func (e *emitter) skip(guard, label string) {
	e.out.WriteString(fmt.Sprintf("\t@"+guard+" bra %s_%d;\n", label, e.warp))
}

func (e *emitter) stores() {
	e.each(e.plan.recur, e.plan.after, func(i int) bool { return e.plan.ins[i].Op == program.OpStore })
}

// meet is a barrier among the warps of the program, or among the threads of the only one.
func (e *emitter) meet() {
	e.line("bar.warp.sync 0xffffffff")
	if e.plan.warps > 1 {
		e.line("bar.sync %d, %d", barrier, 32*e.plan.warps)
	}
}

// each prints the instructions of [from, to) that the warp runs and the condition holds for.
func (e *emitter) each(from, to int, which func(int) bool) {
	for i := from; i < to; i++ {
		if e.plan.runs[e.warp][i] && which(i) {
			e.instruction(e.plan.ins[i])
		}
	}
}

// step prints one step of a turn, but for stores. The first begins with all loads: they read the state as of the start of the
// tick.
func (e *emitter) step(step int) {
	a := e.plan
	isLoad := func(i int) bool { return a.ins[i].Op == program.OpLoad }
	if step == 0 {
		e.each(a.recur, a.after, isLoad)
	} else {
		e.importWindows(step)
	}
	e.each(a.recur, a.after, func(i int) bool {
		return !isLoad(i) && a.ins[i].Op != program.OpStore && a.level[i] == step
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
			v := a.ins[i].Dst
			e.types[v], e.values = program.I, max(e.values, int(v)+1) // its bits, all ones or zero: nothing else is asked of it
			e.line("ld.shared.b64 %s, [%%exchange+%d]", e.reg(v), a.place[i]*exchangeStride)
		}
	}
}

// durationHead is how many words of a duration window come before the closed total.
const durationHead = 3

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
			e.line("prefetch.global.L1 [%%state+%d]", w.State*8)
			if w.Words()*8 <= 2*lineBytes {
				e.line("prefetch.global.L1 [%%state+%d]", (w.State+w.Words()-1)*8)
			}
		}
	}
	e.prefetchRings()
}

// prefetchRings asks for the entry of each window's ring that comes next; its number is in the window's first word.
func (e *emitter) prefetchRings() {
	a := e.plan
	for i := a.recur; i < a.after; i++ {
		if !a.runs[e.warp][i] || !isWindow(a.ins[i]) {
			continue
		}
		w := &e.p.Windows[a.ins[i].Imm]
		if w.Words()*8 <= 256 || w.Agg == program.AggLag || w.Kind == program.WindowDuration && w.Sub&(w.Sub-1) != 0 {
			continue
		}
		count, first := w.N, w.State*8+8*(w.Words()%max(w.N, 1))
		e.line("ld.global.b64 %%t0, [%%state+%d]", w.State*8)
		if w.Kind == program.WindowDuration {
			entry := (w.Words() - durationHead) / (1 + w.Sub)
			count, first = w.Words()/entry, w.State*8+8*(durationHead+entry)
			e.line("and.b64 %%t0, %%t0, %d", w.Sub-1)
		}
		e.line("mad.lo.s64 %%at, %%t0, %d, %%state", 8*(w.Words()/count))
		e.line("prefetch.global.L1 [%%at+%d]", first)
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
