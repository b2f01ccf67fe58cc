package program

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestExecutorEqualsReference runs random programs over random ticks: rows and state must equal the reference
// interpreter's to the bit, however the ticks are cut into Runs.
func TestExecutorEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		instruments := rapid.IntRange(1, 4).Draw(t, "instruments")
		count := rapid.SampledFrom([]int{1, 9, 64, 65, 140}).Draw(t, "ticks")
		from := rapid.SampledFrom([]uint64{0, 1, 250, 1<<64 - 30}).Draw(t, "from")
		in := newLane(p, 256)
		drawSlots(t, in, from, count, instruments)

		want := laneLike(in)
		ref := newReference(p, instruments)
		for i := range instruments {
			ref.state[i][0] = uint64(i) * 0x5555
		}
		for i := range count {
			ref.tick(want, from+uint64(i))
		}
		for _, size := range []uint64{1, 7, 64, 4096} {
			ex, err := NewExecutor(p, instruments)
			if err != nil {
				t.Fatal(err)
			}
			for i := range instruments {
				ex.SetWord(i, 0, uint64(i)*0x5555)
			}
			got := laneLike(in)
			for at, left := from, uint64(count); left > 0; {
				n := min(size, left)
				ex.Run(got, at, at+n)
				at, left = at+n, left-n
			}
			if diff := compare(p, got, want, ex, ref); diff != "" {
				t.Fatalf("batch %d: %s\n%s", size, diff, p)
			}
		}
	})
}

// newLane makes a lane whose rows hold rubbish, to show what is written.
func newLane(p *Program, capacity uint64) *Lane {
	lane := &Lane{
		In:       make([]Quarter, uint64(p.SlotQuarters)*capacity),
		Out:      make([]Quarter, uint64(p.RowQuarters)*capacity),
		Capacity: capacity,
	}
	for i := range lane.Out {
		lane.Out[i] = Quarter{Value: 0xdddd0000 + uint64(i), Aux: 7, Stamp: uint32(i)}
	}
	return lane
}

// laneLike shares the slots and copies the rows.
func laneLike(lane *Lane) *Lane {
	return &Lane{In: lane.In, Out: append([]Quarter(nil), lane.Out...), Capacity: lane.Capacity}
}

func compare(p *Program, got, want *Lane, ex *Executor, ref *reference) string {
	for i := range want.Out {
		if got.Out[i] != want.Out[i] {
			return fmt.Sprintf("row %d quarter %d: got %x want %x",
				uint64(i)%want.Capacity, uint64(i)/want.Capacity, got.Out[i], want.Out[i])
		}
	}
	state := ex.SnapshotState()
	for i := range ref.state {
		for off, bits := range ref.state[i] {
			if got := state[i*p.StateWords+off]; got != bits {
				return fmt.Sprintf("instrument %d word %d: got %#x want %#x", i, off, got, bits)
			}
		}
	}
	return ""
}
