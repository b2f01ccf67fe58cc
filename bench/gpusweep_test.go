package bench

import (
	"slices"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/engine"
)

// TestSweepLoad: every lane has the same stream, each tick once for each of its sets at one time, and all lanes together have
// every set.
func TestSweepLoad(t *testing.T) {
	const lanes, instruments = 8, 16
	seen := make([]bool, sweepSets*instruments)
	var stream []feed.Tick // the first lane's, for one of its sets
	for lane := range lanes {
		l := newSweepLoad(lane, lanes, instruments)
		if l.together != sweepSets/lanes || len(l.ticks)%(l.together*instruments) != 0 {
			t.Fatalf("%d sets in lane %d, %d ticks", l.together, lane, len(l.ticks))
		}
		for n := range 3 * len(l.ticks) / l.together {
			var first feed.Tick
			for set := range l.together {
				tick := *l.next()
				id := tick.Instrument
				seen[id] = true
				if int(id)%lanes != lane || int(id)%sweepSets != lane+lanes*set {
					t.Fatalf("instrument %d in lane %d, set %d", id, lane, set)
				}
				tick.Instrument, tick.Seq = id/sweepSets, 0
				if set == 0 {
					first = tick
				}
				if tick != first {
					t.Fatalf("lane %d, tick %d: set %d has %+v, the first %+v", lane, n, set, tick, first)
				}
			}
			if lane == 0 {
				stream = append(stream, first)
			} else if first != stream[n] {
				t.Fatalf("lane %d, tick %d: %+v, of the first lane %+v", lane, n, first, stream[n])
			}
		}
	}
	if slices.Contains(seen, false) {
		t.Error("an instrument has no ticks under some set")
	}
	if stream[1].ReceiveNs-stream[0].ReceiveNs != sweepStepNs {
		t.Errorf("%d ns between ticks", stream[1].ReceiveNs-stream[0].ReceiveNs)
	}
}

// TestSweepSets: every set is another, the same every time, and reaches the signals: sets fire unlike each other.
func TestSweepSets(t *testing.T) {
	shape, err := sweepShape(1)
	if err != nil {
		t.Fatal(err)
	}
	var sets [][]engine.Parameter
	for set := range sweepSets {
		at := func(id int) []engine.Parameter {
			symbol := symbolOf(id)
			symbol.Venue = "probe"
			return shape.Parameters(symbol)
		}
		values := at(set)
		if !slices.Equal(values, at(set+sweepSets)) {
			t.Fatalf("set %d differs between instruments", set)
		}
		if len(values) != 12 || slices.ContainsFunc(sets, func(other []engine.Parameter) bool { return slices.Equal(other, values) }) {
			t.Fatalf("set %d: %v", set, values)
		}
		sets = append(sets, values)
	}
	if sets[0][0].Value != 2 {
		t.Errorf("the first set is not as written: %v", sets[0])
	}
	fired := map[uint64]bool{}
	err = withProbe(onGPU(shape, nil, 0, 64), sweepSets, func(p *engine.Probe) error {
		for lane := range 64 {
			l := newSweepLoad(lane, 64, 1)
			for range 1000 * l.together {
				for !p.Stage(l.next()) {
					p.Poll()
				}
			}
			p.Poll()
			fired[p.Lane(lane).Fired()] = true
		}
		return nil
	})
	if err != nil || len(fired) < 16 {
		t.Errorf("%v; 64 lanes of four sets fired %d different numbers of times: %v", err, len(fired), fired)
	}
}
