package program

import (
	"slices"
	"testing"
)

// TestOrderGroupsByRank checks the order of a chunk: by rank, stable, each group of different instruments.
func TestOrderGroupsByRank(t *testing.T) {
	p := validProgram(t)
	for name, c := range map[string]struct {
		instruments []uint32
		slots       []uint64 // in column order, from slot 6 of 8 on
		ends        []uint8
	}{
		"one":        {[]uint32{2}, []uint64{6}, []uint8{1}},
		"different":  {[]uint32{2, 0, 1}, []uint64{6, 7, 0}, []uint8{3}},
		"same":       {[]uint32{1, 1, 1}, []uint64{6, 7, 0}, []uint8{1, 2, 3}},
		"mixed":      {[]uint32{0, 1, 0, 2, 0, 1}, []uint64{6, 7, 1, 0, 3, 2}, []uint8{3, 5, 6}},
		"late first": {[]uint32{0, 0, 3}, []uint64{6, 0, 7}, []uint8{2, 3}},
	} {
		ex, err := NewExecutor(p, 4)
		if err != nil {
			t.Fatal(err)
		}
		lane := newLane(p, 8)
		for i, instrument := range c.instruments {
			lane.In[(6+i)%8].Aux = instrument
		}
		ex.in, ex.capacity = lane.In, lane.Capacity
		for range 2 { // the second time shows that the counts were cleared
			var ends [chunkTicks]uint8
			groups := ex.order(6, len(c.instruments), &ends)
			if got := ends[:groups]; !slices.Equal(got, c.ends) {
				t.Errorf("%s: groups end at %v, want %v", name, got, c.ends)
			}
			if got := ex.slot[:len(c.slots)]; !slices.Equal(got, c.slots) {
				t.Errorf("%s: slots %v, want %v", name, got, c.slots)
			}
			for i, n := range c.slots {
				if want := uint64(lane.In[n].Aux) * ex.stride; ex.base[i] != want {
					t.Errorf("%s: column %d has state at %d, want %d", name, i, ex.base[i], want)
				}
			}
		}
	}
}

// TestWindowWords holds the state sizes to the tables of docs/program.md.
func TestWindowWords(t *testing.T) {
	for _, c := range []struct {
		desc  Window
		words int
	}{
		{SampleWindow(AggSum, 10), 3 + 10},
		{SampleWindow(AggMoments, 10), 5 + 20},
		{SampleWindow(AggLag, 10), 2 + 11},
		{DurationWindow(AggSum, 1000, 64), 3 + 2 + 128},
		{DurationWindow(AggMoments, 1000, 64), 3 + 4 + 256 + 1},
		{SampleWindow(AggMin, 10), 4 + 20},
		{SampleWindow(AggMax, 10), 4 + 20},
		{SampleWindow(AggMoments2, 10), 9 + 50},
		{DurationWindow(AggMoments2, 1000, 64), 3 + 8 + 512},
		{SampleWindow(AggWeighted, 10), 4 + 10},
		{SampleWindow(AggRank, 10), 3 + 10},
		{SampleWindow(AggAbsdev, 10), 4 + 10},
		{DurationWindow(AggMin, 1000, 64), 3 + 2 + 128},
		{DurationWindow(AggMax, 1000, 64), 3 + 2 + 128},
	} {
		if err := c.desc.check(); err != nil || c.desc.Words() != c.words {
			t.Errorf("%v has %d words (%v), want %d", c.desc, c.desc.Words(), err, c.words)
		}
	}
}

// TestDurationStepRoundsUp: the step is the length over the sub-intervals, rounded up, for any length.
func TestDurationStepRoundsUp(t *testing.T) {
	for _, c := range []struct {
		length int64
		sub    int
		step   int64
	}{
		{1, 64, 1},
		{64, 64, 1},
		{65, 64, 2},
		{30_000_000_000, 64, 468_750_000},
		{1<<63 - 1, 1, 1<<63 - 1},
		{1<<63 - 1, 64, 1 << 57},
		{100, 7, 15},
		{0, 64, 0},
		{-5, 64, 0},
		{5, 0, 0},
	} {
		if got := DurationWindow(AggSum, c.length, c.sub).StepNs; got != c.step {
			t.Errorf("%d ns in %d: step %d, want %d", c.length, c.sub, got, c.step)
		}
	}
}
