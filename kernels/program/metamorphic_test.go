package program

import (
	"testing"

	"pgregory.net/rapid"
)

// Properties that relate two runs, where no reference is needed.

// eager returns the program with a canon after every instruction that makes a number.
func eager(p *Program) *Program {
	out := *p
	lists := [3]*[]Instr{&out.Before, &out.Recur, &out.After}
	renamed := make([]Value, p.values())
	next := Value(0)
	for part := PartBefore; part <= PartAfter; part++ {
		var list []Instr
		for _, in := range p.part(part) {
			in = rename(in, renamed)
			original := in.Dst
			if original != NoValue {
				renamed[original], in.Dst = next, next
				next++
			}
			list = append(list, in)
			if in.Type == F && in.Op != OpConst {
				list = append(list, Instr{Op: OpCanon, Type: F, Dst: next, A: in.Dst, B: NoValue, C: NoValue, D: NoValue})
				renamed[original] = next
				next++
			}
		}
		*lists[part] = list
	}
	return &out
}

// TestLazyCanonIsEagerCanon: canon only where the builder puts it gives the results of canon everywhere.
func TestLazyCanonIsEagerCanon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lazy := drawProgram(t)
		strict := eager(lazy)
		if err := strict.Verify(); err != nil {
			t.Fatalf("%v\n%s", err, strict)
		}
		lane := newLane(lazy, 128)
		count := rapid.SampledFrom([]int{1, 20, 100}).Draw(t, "ticks")
		drawSlots(t, lane, 0, count, 3)
		sameRuns(t, lazy, strict, lane, laneLike(lane), uint64(count), 3)
	})
}

// TestColumnFunctionsEqualRunOne: a tick at a time through the column functions, never runOne, gives what Run gives.
func TestColumnFunctionsEqualRunOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		lane := newLane(p, 128)
		drawSlots(t, lane, 0, 100, 3)
		one, err := NewExecutor(p, 3)
		if err != nil {
			t.Fatal(err)
		}
		other, err := NewExecutor(p, 3)
		if err != nil {
			t.Fatal(err)
		}
		lane2 := laneLike(lane)
		one.Run(lane, 0, 100)
		other.in, other.out, other.capacity = lane2.In, lane2.Out, lane2.Capacity
		for n := range uint64(100) {
			other.slot[0], other.base[0] = n, uint64(lane2.In[n].Aux)*other.stride
			for part := PartBefore; part <= PartAfter; part++ {
				for i := range other.parts[part] {
					s := &other.parts[part][i]
					s.run(other, s, 0, 1)
				}
			}
		}
		sameResults(t, p, lane, lane2, one, other)
	})
}

// TestInstrumentsDoNotTouchEachOther: the rows of an instrument are the same when the others are silent.
func TestInstrumentsDoNotTouchEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		lane := newLane(p, 128)
		drawSlots(t, lane, 0, 100, 3)
		all, err := NewExecutor(p, 3)
		if err != nil {
			t.Fatal(err)
		}
		all.Run(lane, 0, 100)
		alone, err := NewExecutor(p, 3)
		if err != nil {
			t.Fatal(err)
		}
		own := newLane(p, 128)
		own.In = lane.In
		for n := range uint64(100) {
			if lane.In[n].Aux == 1 {
				alone.Run(own, n, n+1)
			}
		}
		for i := range own.Out {
			if n := uint64(i) % 128; n < 100 && lane.In[n].Aux == 1 && own.Out[i] != lane.Out[i] {
				t.Fatalf("row %d: alone %x, among others %x\n%s", n, own.Out[i], lane.Out[i], p)
			}
		}
		for off := range p.StateWords {
			if all.Word(1, off) != alone.Word(1, off) {
				t.Fatalf("word %d differs", off)
			}
			if alone.Word(0, off) != p.Init[off] {
				t.Fatalf("word %d of a silent instrument changed", off)
			}
		}
	})
}

func sameRuns(t *rapid.T, p, q *Program, one, two *Lane, count uint64, instruments int) {
	a, err := NewExecutor(p, instruments)
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewExecutor(q, instruments)
	if err != nil {
		t.Fatal(err)
	}
	a.Run(one, 0, count)
	b.Run(two, 0, count)
	sameResults(t, p, one, two, a, b)
}

func sameResults(t *rapid.T, p *Program, one, two *Lane, a, b *Executor) {
	for i := range one.Out {
		if one.Out[i] != two.Out[i] {
			t.Fatalf("row %d quarter %d: %x and %x\n%s",
				uint64(i)%one.Capacity, uint64(i)/one.Capacity, one.Out[i], two.Out[i], p)
		}
	}
	x, y := a.SnapshotState(), b.SnapshotState()
	for i := range x {
		if x[i] != y[i] {
			t.Fatalf("state word %d: %#x and %#x\n%s", i, x[i], y[i], p)
		}
	}
}
