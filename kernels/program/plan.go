package program

import "slices"

// chunkTicks is how many ticks are computed side by side: the length of a column.
const chunkTicks = 64

// column holds one value of the program for each tick of the chunk.
type column [chunkTicks]uint64

// step is an instruction made ready to run: its function and its columns. A window's result columns are in win.
type step struct {
	run             func(ex *Executor, s *step, lo, hi int)
	dst, a, b, c, e *column
	win             *windowStep
	imm             uint32
	op              Op // for runOne
}

// windowStep is the part of a step that only windows have.
type windowStep struct {
	desc  Window
	at    uint64 // first state word
	words uint64
	out   [maxOutputs]*column
}

// planned is an instruction on its way to a step: columns not yet chosen.
type planned struct {
	part Part
	op   Op
	args []Value
	outs []Value // NoValue: nobody reads it
	imm  uint64
	win  *Window
}

var stepOf = [opPlannedCount]func(ex *Executor, s *step, lo, hi int){
	OpSlot: stepSlot, OpCtl: stepCtl, OpAux: stepAux, OpLoad: stepLoad, OpStore: stepStore,
	OpAdd: stepAdd, OpSub: stepSub, OpMul: stepMul, OpDiv: stepDiv, OpSqrt: stepSqrt,
	OpFlt: stepFlt, OpFle: stepFle, OpFeq: stepFeq, OpIlt: stepIlt, OpIeq: stepIeq,
	OpSel: stepSel, OpAnd: stepAnd, OpOr: stepOr, OpXor: stepXor, OpAndn: stepAndn,
	OpShl: stepShl, OpShr: stepShr, OpIadd: stepIadd, OpIsub: stepIsub, OpI2F: stepI2F,
	OpCanon: stepCanon, OpEmit: stepEmit, OpEmitMask: stepEmitMask,
	opAddCanon: stepAddCanon, opSubCanon: stepSubCanon, opMulCanon: stepMulCanon,
	opDivCanon: stepDivCanon, opSqrtCanon: stepSqrtCanon, opSlotCanon: stepSlotCanon,
	opFltAnd: stepFltAnd, opFleAnd: stepFleAnd, opFeqAnd: stepFeqAnd, opIeqAnd: stepIeqAnd,
	opFltOr: stepFltOr, opFleOr: stepFleOr, opFltSel: stepFltSel, opFleSel: stepFleSel, opFeqSel: stepFeqSel,
	opAndAnd: stepAndAnd, opAndOr: stepAndOr, opOrOr: stepOrOr, opAndIeq: stepAndIeq, opSelLoad: stepSelLoad,
}

func windowRun(w *Window) func(ex *Executor, s *step, lo, hi int) {
	extreme := w.Agg == AggMin || w.Agg == AggMax
	switch {
	case extreme && w.Kind == WindowSamples:
		return stepExtremeSamples
	case extreme:
		return stepExtremeDuration
	case w.Agg == AggMoments2 && w.Kind == WindowSamples:
		return stepMoments2Samples
	case w.Agg == AggMoments2:
		return stepMoments2Duration
	case w.Agg == AggWeighted:
		return stepWeighted
	case w.Agg == AggRank:
		return stepRank
	case w.Agg == AggAbsdev:
		return stepAbsdev
	case w.Agg == AggLag:
		return stepLag
	case w.Kind == WindowSamples && w.Agg == AggSum:
		return stepSumSamples
	case w.Kind == WindowSamples:
		return stepMomentsSamples
	case w.Agg == AggSum:
		return stepSumDuration
	}
	return stepMomentsDuration
}

// plan lists the program's steps in order and its constants by value. Wouts become results of their window.
func plan(p *Program) (list []planned, constants map[Value]uint64) {
	constants = make(map[Value]uint64)
	windowAt := make(map[Value]int) // token -> index in list
	for part := PartBefore; part <= PartAfter; part++ {
		for _, in := range p.part(part) {
			args, n := in.operands()
			step := planned{part: part, op: in.Op, args: args[:n:n], outs: []Value{in.Dst}, imm: in.Imm}
			switch in.Op {
			case OpConst:
				constants[in.Dst] = in.Imm
				continue
			case OpWout:
				list[windowAt[in.A]].outs[in.Imm] = in.Dst
				continue
			case OpWindow, OpWindow2:
				step.win = &p.Windows[in.Imm]
				step.outs = slices.Repeat([]Value{NoValue}, maxOutputs)
				windowAt[in.Dst] = len(list)
			}
			list = append(list, step)
		}
	}
	return fuse(list), constants
}
