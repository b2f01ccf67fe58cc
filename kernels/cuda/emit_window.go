package cuda

import (
	"fmt"
	"strings"

	"github.com/sigengine/sigengine/kernels/program"
)

// maxWindowOutputs is the most outputs that any aggregate has.
const maxWindowOutputs = 8

// windowSymbol is the device function of an aggregate and kind, in windows.cu:
//
//	void sg_<aggregate>_<kind>(u64 *state, u64 size, u64 sub, u64 time, u32 flags, u64 x, u64 y, u64 *outputs)
//
// size is N or the step in nanoseconds; flags has bit 0 for push and bit 1 for reset; masks come out as all ones or zero.
func windowSymbol(w program.Window) string {
	kind := "samples"
	if w.Kind == program.WindowDuration {
		kind = "duration"
	}
	return fmt.Sprintf("sg_%s_%s", w.Agg, kind)
}

var windowParameters = []int{64, 64, 64, 64, 32, 64, 64, 64}

// externs declares the window functions that are called, each once, in the order of the windows.
func (e *emitter) externs() string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, w := range e.calls {
		symbol := windowSymbol(w)
		if seen[symbol] {
			continue
		}
		seen[symbol] = true
		fmt.Fprintf(&b, ".extern .func %s(", symbol)
		for i, bits := range windowParameters {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, ".param .b%d a%d", bits, i)
		}
		b.WriteString(");\n")
	}
	return b.String()
}

// window prints a call, or takes an output of one.
func (e *emitter) window(in *program.Instr) {
	if in.Op == program.OpWout {
		return // taken at the call
	}
	w := e.p.Windows[in.Imm]
	e.calls, e.called = append(e.calls, w), true
	size, sub := uint64(w.N), uint64(w.Sub)
	if w.Kind == program.WindowDuration {
		size = uint64(w.StepNs)
	}
	e.line("selp.u32 %%w0, 1, 0, %s", e.reg(in.A))
	e.out.WriteString(fmt.Sprintf("\t@%s or.b32 %%w0, %%w0, 2;\n", e.reg(in.B)))
	e.line("add.s64 %%at, %%state, %d", w.State*8)
	x, y := "%t0", "%t1"
	e.line("mov.b64 %s, %s", x, e.reg(in.C))
	if in.Op == program.OpWindow2 {
		e.line("mov.b64 %s, %s", y, e.reg(in.D))
	} else {
		e.line("mov.b64 %s, 0", y)
	}
	e.out.WriteString("\t{\n")
	for i, argument := range []string{
		"%at", fmt.Sprint(size), fmt.Sprint(sub), "%now", "%w0", x, y, "%outputs",
	} {
		bits := windowParameters[i]
		e.line(".param .b%d c%d", bits, i)
		if argument == "%now" {
			e.line("ld.shared.b64 %%t2, [%%slot+%d]", program.SlotTime*SlotStride)
			argument = "%t2"
		} else if argument[0] != '%' {
			e.line("mov.b64 %%t2, %s", argument)
			argument = "%t2"
		}
		e.line("st.param.b%d [c%d], %s", bits, i, argument)
	}
	e.line("call.uni %s, (c0, c1, c2, c3, c4, c5, c6, c7)", windowSymbol(w))
	e.out.WriteString("\t}\n")
	e.takeOutputs(in.Dst)
}

// takeOutputs reads the outputs that the program uses, at once: the next window call overwrites them. What other warps need
// is handed over.
func (e *emitter) takeOutputs(token program.Value) {
	a := e.plan
	for i, in := range a.ins {
		if in.Op != program.OpWout || in.A != token {
			continue
		}
		place, exported := a.place[i]
		if !exported && !a.runs[e.warp][i] {
			continue
		}
		e.line("ld.b64 %%t0, [%%outputs+%d]", in.Imm*8)
		if a.runs[e.warp][i] {
			e.setBits(e.define(in), in.Type, "%t0")
		}
		if exported {
			e.line("st.shared.b64 [%%exchange+%d], %%t0", place*exchangeStride)
		}
	}
}
