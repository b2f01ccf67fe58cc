package sim

import (
	"errors"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

// FuzzConfig wants every configuration refused with ErrConfig, or a market that keeps the package's rules.
func FuzzConfig(f *testing.F) {
	d := Default()
	f.Add(d.Seed, d.Instruments, d.RatePerSecond, d.StartNs, d.Venue, uint32(3), uint32(10), uint32(100))
	f.Add(uint64(0), 1, 1.0, int64(0), "v", uint32(66_666), uint32(66_666), uint32(66_666))
	f.Add(^uint64(0), 65536, 1e8, int64(1)<<62, "venue", uint32(0), uint32(0), uint32(0))
	f.Add(uint64(7), 0, -1.0, int64(-1), "", ^uint32(0), ^uint32(0), ^uint32(0))
	f.Fuzz(func(t *testing.T, seed uint64, instruments int, rate float64, startNs int64, venue string, halts, gaps, bursts uint32) {
		m, err := New(Config{
			Seed: seed, Instruments: instruments, RatePerSecond: rate, StartNs: startNs, Venue: venue,
			Faults: Faults{Halts: halts, DeclaredGaps: gaps, Bursts: bursts},
		})
		if err != nil {
			if !errors.Is(err, ErrConfig) {
				t.Fatal(err)
			}
			return
		}
		runChecked(t, m, 300)
		p, err := NewPublisher(PublisherConfig{
			Market: m, Clock: feed.NewManualClock(0), Codec: Binary, Send: func(string, []byte) error { return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		p.Pump(p.Pump(0))
	})
}
