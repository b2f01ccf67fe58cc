package cuda

import (
	"sort"

	"github.com/sigengine/sigengine/kernels/program"
)

// WarpsMax is the most warps that share one program. With the one that polls they are eight, two on each of a multiprocessor's
// four parts, so that each thread can have all the registers that a thread can have.
const WarpsMax = 7

// exchangeMost is the most shared memory, in bytes, that the warps of one program hand values over in.
const exchangeMost = 72 << 10 // with what the kernels have of their own, less than any device of the target lets a block have

// plan deals a program out over the warps of a block. Every warp has all 32 ticks; it runs some windows, stores and
// emits, and recomputes the plain operations that they need. What only another warp knows is handed over in shared memory:
// outputs of windows, and the masks that become bits of the row's masks.
//
//	before ── turn: step 0 │ step 1 │ … │ after ── masks │ late ── rows          │ is a barrier of the block
//
// A step ends where a window needs another's output. The stores of state come after all loads of a turn, and those of the last
// turn after the rows.
type plan struct {
	p     *program.Program
	warps int
	steps int // of a turn

	windowsLast bool // the last step of a turn has windows, whose outputs others wait for

	ins      []*program.Instr // before, recur and after, in order
	recur    int              // index of the first of recur, of after
	after    int
	defined  []int  // by value: index into ins
	level    []int  // by index: the step
	late     []bool // by index: after the masks were handed over
	runs     [][]bool
	owner    map[int]int           // window instruction, store, emit or cut: its warp
	tokens   map[program.Value]int // window token: index of its instruction
	imports  []map[int]bool        // by warp: outputs of others' windows
	masks    []map[int]bool        // by warp: masks of others
	exported []int                 // indexes of the values handed over, in the order of their places
	place    map[int]int           // by index
}

// newPlan deals out a program. One warp runs it as it stands.
func newPlan(p *program.Program, warps int) *plan {
	a := &plan{p: sliced(p), warps: warps, steps: 1, owner: map[int]int{}, tokens: map[program.Value]int{}, place: map[int]int{}}
	a.index()
	for range warps {
		a.runs = append(a.runs, make([]bool, len(a.ins)))
		a.imports = append(a.imports, map[int]bool{})
		a.masks = append(a.masks, map[int]bool{})
	}
	if warps == 1 {
		for i := range a.ins {
			a.runs[0][i], a.owner[i] = true, 0
		}
		return a
	}
	a.measure()
	a.dealWindows()
	a.dealStores()
	a.dealRows()
	a.number()
	return a
}

func (a *plan) index() {
	add := func(part []program.Instr) {
		for i := range part {
			in := &part[i]
			for in.Dst != program.NoValue && int(in.Dst) >= len(a.defined) {
				a.defined = append(a.defined, -1)
			}
			if in.Dst != program.NoValue {
				a.defined[in.Dst] = len(a.ins)
			}
			if isWindow(in) {
				a.tokens[in.Dst] = len(a.ins)
			}
			a.ins = append(a.ins, in)
		}
	}
	add(a.p.Before)
	a.recur = len(a.ins)
	add(a.p.Recur)
	a.after = len(a.ins)
	add(a.p.After)
	a.level, a.late = make([]int, len(a.ins)), make([]bool, len(a.ins))
}

func isWindow(in *program.Instr) bool { return in.Op == program.OpWindow || in.Op == program.OpWindow2 }

// operandsOf returns the indexes of the instructions that an instruction needs, those that are operands.
func (a *plan) operandsOf(i int) []int {
	in := a.ins[i]
	var out []int
	for _, v := range [...]program.Value{in.A, in.B, in.C, in.D} {
		if v != program.NoValue {
			out = append(out, a.defined[v])
		}
	}
	return out
}

// measure finds the steps, and what is late.
func (a *plan) measure() {
	last := 0
	for i, in := range a.ins {
		for _, operand := range a.operandsOf(i) {
			a.level[i] = max(a.level[i], a.level[operand])
			a.late[i] = a.late[i] || a.late[operand] || a.isCut(i, operand)
		}
		if in.Op == program.OpWout {
			a.level[i]++
		}
		if i >= a.recur && i < a.after && in.Op != program.OpWout {
			last = max(last, a.level[i])
		}
	}
	a.steps = last + 1
	for i := a.recur; i < a.after; i++ {
		a.windowsLast = a.windowsLast || isWindow(a.ins[i]) && a.level[i] == last
	}
}

// recurs reports whether a warp needs a value within the turns.
func (a *plan) recurs(warp, i int) bool {
	for k := a.recur; k < a.after; k++ {
		if !a.runs[warp][k] {
			continue
		}
		for _, operand := range a.operandsOf(k) {
			if operand == i {
				return true
			}
		}
	}
	return false
}

// isCut reports whether instruction i turns the mask that operand defines into bits of a number, after the recurrences: the
// place where one warp's findings join the others'.
func (a *plan) isCut(i, operand int) bool {
	in, from := a.ins[i], a.ins[operand]
	if i < a.after || in.Type != program.I || from.Type != program.M || from.Op == program.OpConst || a.late[operand] {
		return false
	}
	switch in.Op {
	case program.OpAnd, program.OpOr, program.OpXor, program.OpAndn:
		return true
	}
	return false
}

// closure walks what a warp needs for an instruction and does not have yet, and returns its cost. With take, the warp has it
// from here on. Masks of others are left out where they are cut.
func (a *plan) closure(warp, i int, take bool) int {
	seen := map[int]bool{}
	var walk func(i int) int
	walk = func(i int) int {
		if a.runs[warp][i] || seen[i] || a.imports[warp][i] {
			return 0
		}
		seen[i] = true
		in := a.ins[i]
		if in.Op == program.OpWout && a.owner[a.tokens[in.A]] != warp {
			if take {
				a.imports[warp][i] = true
			}
			return 2
		}
		sum := costOf(in)
		if in.Op != program.OpWout { // its window is there
			for _, operand := range a.operandsOf(i) {
				if !a.isCut(i, operand) {
					sum += walk(operand)
				}
			}
		}
		if take {
			a.runs[warp][i] = true
		}
		return sum
	}
	return walk(i)
}

// least gives instructions to the warp that has least to do with them, and returns it.
func (a *plan) least(load []int, group ...int) int {
	best, bestCost, own := 0, 0, 0
	for w := range a.warps {
		sum := 0
		for _, i := range group {
			sum += a.closure(w, i, false)
		}
		if cost := load[w] + sum; w == 0 || cost < bestCost {
			best, bestCost, own = w, cost, sum
		}
	}
	for _, i := range group {
		a.owner[i] = best
		a.closure(best, i, true)
	}
	load[best] += own
	return best
}

func (a *plan) dealWindows() {
	for step := range a.steps {
		var list []int
		for i := a.recur; i < a.after; i++ {
			if isWindow(a.ins[i]) && a.level[i] == step {
				list = append(list, i)
			}
		}
		sort.SliceStable(list, func(x, y int) bool { return a.windowCost(list[x]) > a.windowCost(list[y]) })
		load := make([]int, a.warps)
		for _, i := range list {
			load[a.least(load, i)] += a.windowCost(i)
		}
	}
}

func (a *plan) dealStores() {
	load := make([]int, a.warps)
	for i := a.recur; i < a.after; i++ {
		if a.ins[i].Op == program.OpStore {
			a.least(load, i)
		}
	}
}

// dealRows deals out emits, those of one signal to one warp, and the masks that all need.
func (a *plan) dealRows() {
	groups := map[program.Value]int{}
	var list [][]int
	cuts := map[int]bool{}
	var cutList []int
	for i := a.after; i < len(a.ins); i++ {
		in := a.ins[i]
		for _, operand := range a.operandsOf(i) {
			if a.isCut(i, operand) && !cuts[operand] {
				cuts[operand] = true
				cutList = append(cutList, operand)
			}
		}
		switch in.Op {
		case program.OpEmitMask:
			list = append(list, []int{i})
		case program.OpEmit:
			g, found := groups[in.A]
			if !found {
				g = len(list)
				groups[in.A] = g
				list = append(list, nil)
			}
			list[g] = append(list[g], i)
		}
	}
	load := make([]int, a.warps)
	for _, group := range list {
		a.least(load, group...)
	}
	for _, cut := range cutList {
		a.least(load, cut)
	}
	a.takeMasks()
}

// takeMasks notes which masks each warp needs from others.
func (a *plan) takeMasks() {
	for w := range a.warps {
		for i := a.after; i < len(a.ins); i++ {
			if !a.runs[w][i] {
				continue
			}
			for _, operand := range a.operandsOf(i) {
				if a.isCut(i, operand) && !a.runs[w][operand] && !a.imports[w][operand] {
					a.masks[w][operand] = true
				}
			}
		}
	}
}

// number gives every value that is handed over its place.
func (a *plan) number() {
	for i := range a.ins {
		for w := range a.warps {
			if a.imports[w][i] || a.masks[w][i] {
				a.place[i] = len(a.exported)
				a.exported = append(a.exported, i)
				break
			}
		}
	}
}

// bytes returns the shared memory that the warps need.
func (a *plan) bytes() int { return len(a.exported) * exchangeStride }

// joins reports whether masks are handed over.
func (a *plan) joins() bool {
	for _, masks := range a.masks {
		if len(masks) > 0 {
			return true
		}
	}
	return false
}

// Costs in about an instruction's time.
const (
	divideCost = 25
	loadCost   = 4
)

func costOf(in *program.Instr) int {
	switch in.Op {
	case program.OpDiv, program.OpSqrt:
		return divideCost
	case program.OpLoad, program.OpSlot, program.OpAux, program.OpCtl:
		return loadCost
	case program.OpConst:
		return 0
	}
	return 1
}

func (a *plan) windowCost(i int) int {
	w := a.p.Windows[a.ins[i].Imm]
	cost := 40
	switch w.Agg {
	case program.AggMoments:
		cost = 40 + 4*divideCost
	case program.AggMoments2:
		cost = 60 + 8*divideCost
	case program.AggRank:
		cost += 3 * w.N
	case program.AggAbsdev:
		cost += 6 * w.N
	case program.AggLag:
		cost = 20
	}
	if w.Kind == program.WindowDuration {
		cost += 30
	}
	return cost
}

// Shape is how a program wants to be run.
type Shape struct {
	Warps         int // of a block; the kernels say how many threads that makes
	ExchangeBytes int // dynamic shared memory
}

// ShapeOf returns the shape that suits a program: as many warps as there are windows for, and a block's memory suffices for.
func ShapeOf(p *program.Program) Shape {
	windows := 0
	for i := range p.Recur {
		if isWindow(&p.Recur[i]) {
			windows++
		}
	}
	for warps := max(1, min(WarpsMax, windows)); ; warps /= 2 {
		if warps == 1 {
			return Shape{Warps: 1}
		}
		if s := ShapeWith(p, warps); s.ExchangeBytes <= exchangeMost {
			return s
		}
	}
}

// ShapeWith is the shape for so many warps, 1 to WarpsMax.
func ShapeWith(p *program.Program, warps int) Shape {
	return Shape{Warps: warps, ExchangeBytes: newPlan(p, warps).bytes()}
}

// Threads returns how many threads a block of a skeleton kernel has: the resident one has a warp that polls.
func (s Shape) Threads(skeleton Module) int {
	if skeleton == Resident {
		return 32 * (s.Warps + 1)
	}
	return 32 * s.Warps
}
