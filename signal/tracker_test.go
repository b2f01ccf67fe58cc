package signal

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTracker(t *testing.T) {
	type seen struct {
		symbol              string
		epoch               uint64 // 0: no trailer
		sequence            uint64
		missed              uint64
		duplicate, restarts bool
	}
	for name, steps := range map[string][]seen{
		"joins anywhere":                {{"A", 1, 41, 0, false, false}, {"A", 1, 42, 0, false, false}},
		"hole":                          {{"A", 1, 1, 0, false, false}, {"A", 1, 5, 3, false, false}, {"A", 1, 6, 0, false, false}},
		"twice":                         {{"A", 1, 1, 0, false, false}, {"A", 1, 1, 0, true, false}},
		"late":                          {{"A", 1, 3, 0, false, false}, {"A", 1, 2, 0, true, false}, {"A", 1, 4, 0, false, false}},
		"subjects apart":                {{"A", 1, 1, 0, false, false}, {"B", 1, 9, 0, false, false}, {"A", 1, 2, 0, false, false}},
		"restart counts anew":           {{"A", 1, 9, 0, false, false}, {"A", 2, 1, 0, false, true}, {"A", 2, 2, 0, false, false}},
		"restart with a hole":           {{"A", 1, 9, 0, false, false}, {"A", 2, 4, 3, false, true}},
		"restart counts on":             {{"A", 1, 9, 0, false, false}, {"A", 2, 10, 0, false, true}},
		"restart counts on with a hole": {{"A", 1, 9, 0, false, false}, {"A", 2, 12, 2, false, true}},
		"replaced engine still speaks":  {{"A", 2, 1, 0, false, false}, {"A", 1, 10, 0, true, false}, {"A", 2, 2, 0, false, false}},
		"no trailers":                   {{"A", 0, 1, 0, false, false}, {"A", 0, 3, 1, false, false}, {"A", 0, 3, 0, true, false}},
		"trailer missing between":       {{"A", 5, 1, 0, false, false}, {"A", 0, 2, 0, false, false}, {"A", 5, 3, 0, false, false}},
	} {
		var k Tracker
		for i, s := range steps {
			b := sampleBody()
			b.Symbol, b.OutputSequence = s.symbol, s.sequence
			var tr *Trailer
			if s.epoch != 0 {
				tr = &Trailer{Instance: "i", Epoch: s.epoch}
			}
			missed, duplicate, restarted := k.Observe(&b, tr)
			if missed != s.missed || duplicate != s.duplicate || restarted != s.restarts {
				t.Errorf("%s, step %d: %d %v %v, want %d %v %v",
					name, i, missed, duplicate, restarted, s.missed, s.duplicate, s.restarts)
			}
		}
	}
}

// Whatever is lost or repeated, within one epoch received and missed add up to what was sent.
func TestTrackerAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var k Tracker
		b := sampleBody()
		tr := sampleTrailer()
		received, lost, last := uint64(0), uint64(0), uint64(0)
		for n := uint64(1); n <= 50; n++ {
			b.OutputSequence = n
			for range rapid.SampledFrom([]int{1, 1, 1, 0, 0, 2}).Draw(t, "copies") {
				missed, duplicate, _ := k.Observe(&b, &tr)
				if !duplicate {
					received, lost, last = received+1, lost+missed, n
				}
				if duplicate && missed != 0 {
					t.Fatal("a duplicate missed something")
				}
			}
		}
		if first := last - received - lost; last > 0 && received+lost+first != last || received > last {
			t.Fatalf("received %d and missed %d of %d", received, lost, last)
		}
	})
}

func TestTrackerForget(t *testing.T) {
	var k Tracker
	b := sampleBody()
	k.Observe(&b, nil)
	if k.Subjects() != 1 {
		t.Errorf("%d subjects", k.Subjects())
	}
	k.Forget()
	if _, duplicate, _ := k.Observe(&b, nil); duplicate || k.Subjects() != 1 {
		t.Error("forgotten, but remembered")
	}
}

func TestTrackerSteadyStateDoesNotAllocate(t *testing.T) {
	var k Tracker
	b, tr := sampleBody(), sampleTrailer()
	b.OutputSequence = 0
	if n := testing.AllocsPerRun(100, func() { b.OutputSequence++; k.Observe(&b, &tr) }); n != 0 {
		t.Errorf("Observe allocates %v times a call", n)
	}
}
