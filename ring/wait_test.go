package ring

import (
	"errors"
	"testing"
	"time"
)

func TestStrategyNames(t *testing.T) {
	for _, s := range []Strategy{Spin, SpinThenPark, Park} {
		parsed, err := ParseStrategy(s.String())
		if err != nil || parsed != s {
			t.Errorf("%v: parsed as %v, %v", s, parsed, err)
		}
	}
	for _, bad := range []string{"", "Spin", "yield", "unknown"} {
		if _, err := ParseStrategy(bad); !errors.Is(err, ErrStrategy) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if name := Strategy(9).String(); name != "unknown" {
		t.Errorf("Strategy(9) is called %q", name)
	}
}

// Idle must hand the loop one more look between the announcement and the sleep.
func TestIdleAnnouncesBeforeItSleeps(t *testing.T) {
	for strategy, spins := range map[Strategy]int{Park: 0, SpinThenPark: spinsBeforePark} {
		p := NewParker()
		w := NewWaiter(strategy, p)
		for range 3 {
			for range spins {
				w.Idle(time.Second)
				if p.state.Load() != parkerAwake {
					t.Fatalf("%v: announced while spinning", strategy)
				}
			}
			w.Idle(time.Second)
			if p.state.Load() != parkerAnnounced {
				t.Fatalf("%v: not announced", strategy)
			}
			p.Wake()
			w.Idle(time.Second) // must not sleep: it was woken after the announcement
			if p.state.Load() != parkerAwake {
				t.Fatalf("%v: still announced after the sleep", strategy)
			}
			w.Idle(time.Second) // still idle: announces again without spinning
			if p.state.Load() != parkerAnnounced {
				t.Fatalf("%v: not announced again", strategy)
			}
			w.Busy()
			if p.state.Load() != parkerAwake {
				t.Fatalf("%v: announced while busy", strategy)
			}
		}
	}
}

func TestIdleTimesOut(t *testing.T) {
	for _, timeout := range []time.Duration{-time.Second, 0, time.Millisecond} {
		w := NewWaiter(Park, NewParker())
		for range 10 {
			w.Idle(timeout)
		}
		w.Busy()
	}
}

func TestSpinNeverParks(t *testing.T) {
	w := NewWaiter(Spin, nil)
	w.idles = 1<<31 - 5 // the counter must not run over
	for range 100 {
		w.Idle(time.Hour)
		if w.idles == 0 || w.idles >= 1<<31 {
			t.Fatalf("idles %d", w.idles)
		}
	}
	w.Busy()
	if w.idles != 0 {
		t.Fatalf("idles %d after Busy", w.idles)
	}
}

func TestPause(t *testing.T) {
	for _, count := range []uint32{0, 1, 32} {
		pause(count) // returns
	}
}
