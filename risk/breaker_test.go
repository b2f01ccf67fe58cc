package risk

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// TestBreakerAgainstNaive: the breaker says what one says that keeps every latency.
func TestBreakerAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.IntRange(1, 6).Draw(t, "of")
		late, clean := rapid.IntRange(1, of).Draw(t, "late"), rapid.IntRange(1, 6).Draw(t, "clean")
		b, err := NewBreaker(10, late, of, clean)
		if err != nil {
			t.Fatal(err)
		}
		var all []int64 // since it last closed
		open := false
		for range rapid.IntRange(1, 60).Draw(t, "latencies") {
			latency := rapid.SampledFrom([]int64{-5, 0, 10, 11, 1000}).Draw(t, "latency")
			all = append(all, latency)
			slow, row := 0, 0
			for i := len(all) - 1; i >= 0 && i >= len(all)-of; i-- {
				if all[i] > 10 {
					slow++
				}
			}
			for i := len(all) - 1; i >= 0 && all[i] <= 10; i-- {
				row++
			}
			switch {
			case !open && slow >= late:
				open = true
			case open && row >= clean:
				open, all = false, nil
			}
			if got := b.Observe(latency); got != open {
				t.Fatalf("after %v: open %v, want %v", all, got, open)
			}
		}
	})
}

func TestBreakerConfig(t *testing.T) {
	for _, c := range [][4]int{{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 2, 1, 1}, {1, 1, 1, 0}, {1, 1, 1 << 21, 1}} {
		if _, err := NewBreaker(int64(c[0]), c[1], c[2], c[3]); !errors.Is(err, ErrConfig) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
