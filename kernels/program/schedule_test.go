package program

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The schedule keeps every step once and what they wait for before them; only what a state word ties together goes by rank, and
// a word's load and store go in one segment.
func TestScheduleKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, constants := plan(drawProgram(t))
		got, segments := schedule(list)
		name := func(s planned) string { return fmt.Sprint(s.part, s.op, s.args, s.outs, s.imm) }
		before, after := make([]string, len(list)), make([]string, len(got))
		first := -1
		for i := range list {
			before[i], after[i] = name(list[i]), name(got[i])
			if first < 0 && list[i].part == PartRecur {
				first = i
			}
		}
		slices.Sort(before)
		slices.Sort(after)
		if !slices.Equal(before, after) {
			t.Fatal("steps were lost or made up")
		}
		defined := map[Value]bool{}
		for v := range constants {
			defined[v] = true
		}
		known := map[Value]bool{}
		for _, s := range list {
			for _, v := range s.outs {
				known[v] = true
			}
		}
		for i, s := range got {
			for _, v := range s.args {
				if known[v] && !defined[v] {
					t.Fatalf("step %d reads value %d before it is there", i, v)
				}
			}
			for _, v := range s.outs {
				defined[v] = true
			}
		}
		words := map[uint64]int{} // the segment of a word's first access
		at := 0
		for k, g := range segments {
			if g.from != at || g.to <= g.from {
				t.Fatalf("segment %d is [%d, %d) after %d", k, g.from, g.to, at)
			}
			at = g.to
			for _, s := range got[first+g.from : first+g.to] {
				if s.op == OpLoad || s.op == opSelLoad || s.op == OpStore {
					if in, there := words[s.imm]; there && in != k && stored(list, s.imm) {
						t.Fatalf("word %d is loaded and stored in segments %d and %d", s.imm, in, k)
					}
					words[s.imm] = k
				}
			}
		}
	})
}

func stored(list []planned, word uint64) bool {
	return slices.ContainsFunc(list, func(s planned) bool { return s.part == PartRecur && s.op == OpStore && s.imm == word })
}

// TestScheduleSparesTurns: an average that feeds a window takes turns; the window and what follows do not.
func TestScheduleSparesTurns(t *testing.T) {
	b := NewBuilder()
	word := b.AllocState(1, 0)
	last := b.Load(word, F)
	next := b.Canon(b.Add(last, b.Mul(b.ConstF(0.1), b.Sub(b.Canon(b.Slot(0)), last))))
	b.Store(word, next)
	out := b.Window(SampleWindow(AggSum, 4), b.ConstM(true), b.ConstM(false), next)
	b.Emit(b.AllocRow(), b.ConstM(true), out[0])
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	list, _ := plan(p)
	got, segments := schedule(list)
	turns, windows := 0, 0
	first := slices.IndexFunc(got, func(s planned) bool { return s.part == PartRecur })
	for _, g := range segments {
		for _, s := range got[first+g.from : first+g.to] {
			if s.win != nil {
				windows++
				if g.inTurn {
					t.Error("the window takes turns")
				}
			}
			if g.inTurn {
				turns++
			}
		}
	}
	if windows != 1 || turns == 0 {
		t.Errorf("%d windows, %d steps in turn", windows, turns)
	}
}
