package sleep

import (
	"testing"
	"time"
)

// TestSleep: it sleeps no shorter than asked unless a signal comes, and in slices. Precision is not asserted.
func TestSleep(t *testing.T) {
	s := New()
	defer s.Close()
	for _, d := range []time.Duration{-time.Second, 0, 50 * time.Microsecond, 2 * time.Millisecond} {
		until := time.Now().Add(d)
		for time.Now().Before(until) {
			s.Sleep(time.Until(until))
		}
		if time.Now().Before(until) {
			t.Errorf("%v: woke early", d)
		}
	}
	started := time.Now()
	s.Sleep(time.Hour)
	if time.Since(started) > time.Minute {
		t.Error("a long sleep was not cut into slices")
	}
}
