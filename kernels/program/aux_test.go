package program

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// auxProgram emits the Aux of three quarters as numbers.
func auxProgram(t testing.TB) *Program {
	t.Helper()
	b := NewBuilder()
	for _, quarter := range []int{SlotF1, SlotF2, 7} {
		b.Emit(b.AllocRow(), b.ConstM(true), b.I2F(b.Aux(quarter)))
	}
	b.EmitMask(RowWhen, b.Xor(b.Aux(SlotF1), b.Ctl()))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAux holds the executor to the slot's bits, in batches and alone.
func TestAux(t *testing.T) {
	p := auxProgram(t)
	if p.SlotQuarters != 8 {
		t.Fatalf("%d slot quarters", p.SlotQuarters)
	}
	rapid.Check(t, func(t *rapid.T) {
		ex, err := NewExecutor(p, 1)
		if err != nil {
			t.Fatal(err)
		}
		const capacity = 128
		lane := &Lane{In: make([]Quarter, 8*capacity), Out: make([]Quarter, p.RowQuarters*capacity), Capacity: capacity}
		count := rapid.IntRange(1, 100).Draw(t, "ticks")
		for n := range count {
			for _, quarter := range []int{SlotF1, SlotF2, 7} {
				lane.In[quarter*capacity+n].Aux = rapid.Uint32().Draw(t, "aux")
			}
		}
		ex.Run(lane, 0, uint64(count))
		for n := range count {
			for i, quarter := range []int{SlotF1, SlotF2, 7} {
				if got, want := f64(lane.Out[(RowFirst+i)*capacity+n].Value), float64(lane.In[quarter*capacity+n].Aux); got != want {
					t.Fatalf("tick %d quarter %d: %v, want %v", n, quarter, got, want)
				}
			}
			if got := lane.Out[n].Value; got != 0 {
				t.Fatalf("tick %d: aux 1 is not ctl: %x", n, got)
			}
		}
	})
}

func TestAuxListing(t *testing.T) {
	p := auxProgram(t)
	if !strings.Contains(p.String(), " = aux 7\n") {
		t.Errorf("no aux 7 in\n%s", p)
	}
	again, err := ParseListing(p.String())
	if err != nil || again.Fingerprint() != p.Fingerprint() {
		t.Errorf("%v\n%s", err, again)
	}
	if _, err := ParseListing(strings.Replace(p.String(), "aux 7", "aux 8", 1)); err == nil || !strings.Contains(err.Error(), "slot quarter 8 is outside 0..7") {
		t.Error(err)
	}
	b := NewBuilder()
	b.Aux(MaxSlotQuarters)
	if _, err := b.Build(); err == nil || !strings.Contains(err.Error(), "slot quarter 64 is outside") {
		t.Error(err)
	}
}
