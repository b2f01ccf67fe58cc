package program

import (
	"testing"

	"pgregory.net/rapid"
)

// TestWindowsEqualReference runs every aggregate by itself over random ticks: resets, jumps of time, awkward values. Rows
// and state must equal the reference interpreter's to the bit, however the ticks are cut into Runs.
func TestWindowsEqualReference(t *testing.T) {
	for agg := AggSum; agg < aggEnd; agg++ {
		t.Run(agg.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				desc := SampleWindow(agg, rapid.IntRange(1, 9).Draw(t, "n"))
				if !desc.samplesOnly() && rapid.Bool().Draw(t, "duration") {
					desc = DurationWindow(agg, rapid.Int64Range(1, 40).Draw(t, "length"), rapid.IntRange(1, 9).Draw(t, "sub"))
				}
				windowEqualsReference(t, windowProgram(t, desc))
			})
		})
	}
}

// windowProgram emits the outputs of one window, warm as 1 or 0: slot values 0 and 1 are pushed on quotes, a gap resets.
func windowProgram(tb interface{ Fatal(...any) }, desc Window) *Program {
	b := NewBuilder()
	inputs := []Value{b.Slot(0), b.Slot(1)}[:desc.Agg.Inputs()]
	for _, v := range b.Window(desc, bit(b, CtlFreshQuote), bit(b, CtlGap), inputs...) {
		if b.nodes[v].Type == M {
			v = b.Sel(v, b.ConstF(1), b.ConstF(0))
		}
		b.Emit(b.AllocRow(), b.ConstM(true), v)
	}
	p, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func windowEqualsReference(t *rapid.T, p *Program) {
	const instruments = 2
	count := rapid.SampledFrom([]int{9, 64, 65, 150}).Draw(t, "ticks")
	in := newLane(p, 256)
	drawSlots(t, in, 0, count, instruments)
	for n := range count { // resets rarely, so that windows fill
		if rapid.IntRange(0, 30).Draw(t, "reset") != 0 {
			in.In[SlotF1*256+n].Aux &^= CtlGap
		}
	}
	want, ref := laneLike(in), newReference(p, instruments)
	for n := range count {
		ref.tick(want, uint64(n))
	}
	for _, size := range []uint64{1, 7, 64, 4096} {
		ex, err := NewExecutor(p, instruments)
		if err != nil {
			t.Fatal(err)
		}
		got := laneLike(in)
		for at := uint64(0); at < uint64(count); at += size {
			ex.Run(got, at, min(at+size, uint64(count)))
		}
		if diff := compare(p, got, want, ex, ref); diff != "" {
			t.Fatalf("batch %d: %s\n%s", size, diff, p)
		}
	}
}
