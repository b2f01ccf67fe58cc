package program

import "fmt"

// MaxExecutorWords bounds the state of an executor: 8 GiB.
const MaxExecutorWords = 1 << 30

// Executor runs a program on the CPU for the instruments of one lane. One goroutine owns it.
type Executor struct {
	program     *Program
	parts       [3][]step
	segments    []segment // of recur
	columns     []column
	state       []uint64 // instrument after instrument
	instruments int
	stride      uint64  // state words an instrument
	seen        []uint8 // ticks of each instrument in this chunk; zero between chunks

	// The chunk at work, in column order.
	slot [chunkTicks]uint64 // index of the tick within a lane's quarter
	base [chunkTicks]uint64 // first state word of the tick's instrument

	// The lane at work.
	in, out  []Quarter
	capacity uint64
}

// NewExecutor verifies the program and prepares to run it for instruments 0..instruments-1, all in their initial state.
// All memory is allocated here.
func NewExecutor(p *Program, instruments int) (*Executor, error) {
	if err := p.Verify(); err != nil {
		return nil, err
	}
	if instruments < 1 || instruments > MaxExecutorWords/p.StateWords {
		return nil, &Error{Where: "executor", Problem: fmt.Sprintf("%d instruments of %d state words, want 1..%d (shorter windows or more lanes need less)",
			instruments, p.StateWords, MaxExecutorWords/p.StateWords)}
	}
	ex := &Executor{
		program:     p,
		instruments: instruments,
		stride:      uint64(p.StateWords),
		state:       make([]uint64, p.StateWords*instruments),
		seen:        make([]uint8, instruments),
	}
	ex.prepare()
	ex.Reset()
	return ex, nil
}

// prepare makes the steps and fills the constants' columns.
func (ex *Executor) prepare() {
	list, constants := plan(ex.program)
	list, ex.segments = schedule(list)
	values := ex.program.values()
	al := allocate(list, constants, values)
	ex.columns = make([]column, al.columns)
	at := func(v Value) *column {
		if v == NoValue {
			return &ex.columns[al.scratch]
		}
		return &ex.columns[al.of[v]]
	}
	for v := range Value(values) {
		if bits, ok := constants[v]; ok {
			c := at(v)
			for i := range c {
				c[i] = bits
			}
		}
	}
	for i := range list {
		pl := &list[i]
		s := step{run: stepOf[pl.op], imm: uint32(pl.imm), op: pl.op}
		for k, column := range []**column{&s.a, &s.b, &s.c, &s.e}[:len(pl.args)] {
			*column = at(pl.args[k])
		}
		s.dst = at(pl.outs[0])
		if pl.win != nil {
			s.run = windowRun(pl.win)
			s.win = &windowStep{desc: *pl.win, at: uint64(pl.win.State), words: uint64(pl.win.Words())}
			for k, v := range pl.outs {
				s.win.out[k] = at(v)
			}
		}
		ex.parts[pl.part] = append(ex.parts[pl.part], s)
	}
}

// Run computes rows from..to-1 from the slots of the same numbers, which may wrap. Only Values are written: the masks
// always, outputs where they are emitted; Aux and Stamp stay. It allocates nothing. It panics when the lane does not fit
// the program (see Lane.Check), more than its capacity is asked for, or an instrument index is out of range.
func (ex *Executor) Run(lane *Lane, from, to uint64) {
	if to-from > lane.Capacity {
		panic("program: Run of more slots than the lane has")
	}
	ex.in, ex.out, ex.capacity = lane.In, lane.Out, lane.Capacity
	for n := from; n != to; {
		count := int(min(to-n, chunkTicks))
		ex.chunk(n, count)
		n += uint64(count)
	}
	ex.in, ex.out = nil, nil
}

// chunk computes count ticks from slot from on.
func (ex *Executor) chunk(from uint64, count int) {
	var ends [chunkTicks]uint8
	groups := ex.order(from, count, &ends)
	ex.run(ex.parts[PartBefore], 0, count)
	for i := range ex.segments {
		g := &ex.segments[i]
		steps := ex.parts[PartRecur][g.from:g.to]
		if !g.inTurn {
			ex.run(steps, 0, count)
			continue
		}
		lo := 0
		for _, end := range ends[:groups] {
			ex.run(steps, lo, int(end))
			lo = int(end)
		}
	}
	ex.run(ex.parts[PartAfter], 0, count)
}

// run computes columns lo..hi-1 of some steps. Few columns are quicker one at a time.
func (ex *Executor) run(steps []step, lo, hi int) {
	if hi-lo <= fewColumns {
		for at := lo; at < hi; at++ {
			ex.runOne(steps, at)
		}
		return
	}
	for i := range steps {
		steps[i].run(ex, &steps[i], lo, hi)
	}
}

// order sorts the chunk's ticks by rank: how many earlier ticks of the chunk are of the same instrument. Ticks of one
// rank, a group, are of different instruments, so recur may run them side by side. It returns the number of groups and
// where each ends.
func (ex *Executor) order(from uint64, count int, ends *[chunkTicks]uint8) int {
	var rank [chunkTicks]uint8
	mask := ex.capacity - 1
	quarter := ex.in[:ex.capacity]
	groups := 0
	for i := range count {
		instrument := quarter[(from+uint64(i))&mask].Aux
		r := ex.seen[instrument]
		ex.seen[instrument] = r + 1
		rank[i] = r
		ends[r]++
		groups = max(groups, int(r)+1)
	}
	var next [chunkTicks]uint8
	total := uint8(0)
	for r := range groups {
		next[r] = total
		total += ends[r]
		ends[r] = total
	}
	for i := range count {
		n := (from + uint64(i)) & mask
		instrument := quarter[n].Aux
		ex.seen[instrument] = 0
		at := next[rank[i]]
		next[rank[i]]++
		ex.slot[at] = n
		ex.base[at] = uint64(instrument) * ex.stride
	}
	return groups
}
