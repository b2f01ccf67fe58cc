package sim

import (
	"errors"
	"fmt"

	"github.com/sigengine/sigengine/feed"
)

// Bounds of a configuration.
const (
	InstrumentsMax      = 65536
	RatePerSecondMin    = 1.0
	RatePerSecondMax    = 1e8
	FaultsPerMillionMax = 200_000 // the most that all fault rates may add up to
)

// ErrConfig is wrapped by every error of Config.Validate.
var ErrConfig = errors.New("sim: bad configuration")

// Config is all that a market depends on.
type Config struct {
	Seed          uint64
	Instruments   int     // 1 to InstrumentsMax
	RatePerSecond float64 // mean ticks a second of market time, all instruments together
	StartNs       int64   // market time of the opening, Unix nanoseconds
	Venue         string  // what Symbol gives as venue
	Faults        Faults
}

// Faults are how many of each fault a million ticks bring, on average. Zero is none.
type Faults struct {
	Halts        uint32 // an instrument stops for half a second to three
	DeclaredGaps uint32 // venue sequence jumps, a Gap tick says so
	SilentGaps   uint32 // venue sequence jumps, nothing says so
	Locked       uint32 // bid equals ask
	Crossed      uint32 // bid above ask
	AbsentSides  uint32 // bid or ask missing: NaN price, zero size
	Bursts       uint32 // news: many more ticks and wider moves for a while
}

// Default returns the demo's market: 64 instruments, 20,000 ticks a second, a few faults a minute.
func Default() Config {
	return Config{
		Seed:          1,
		Instruments:   64,
		RatePerSecond: 20_000,
		StartNs:       1_750_000_000_000_000_000, // 2025-06-15 15:06:40 UTC
		Venue:         "sim",
		Faults: Faults{
			Halts: 3, DeclaredGaps: 10, SilentGaps: 10, Locked: 100, Crossed: 30, AbsentSides: 20, Bursts: 20,
		},
	}
}

func (f Faults) total() uint64 {
	return uint64(f.Halts) + uint64(f.DeclaredGaps) + uint64(f.SilentGaps) + uint64(f.Locked) +
		uint64(f.Crossed) + uint64(f.AbsentSides) + uint64(f.Bursts)
}

// Validate says what is wrong with c, or returns nil. The error wraps ErrConfig.
func (c Config) Validate() error {
	if c.Instruments < 1 || c.Instruments > InstrumentsMax {
		return fmt.Errorf("%w: %d instruments; give 1 to %d", ErrConfig, c.Instruments, InstrumentsMax)
	}
	if !(c.RatePerSecond >= RatePerSecondMin && c.RatePerSecond <= RatePerSecondMax) {
		return fmt.Errorf("%w: rate of %g ticks a second; give %g to %g",
			ErrConfig, c.RatePerSecond, RatePerSecondMin, RatePerSecondMax)
	}
	if c.StartNs < 0 || c.StartNs > 1<<62 {
		return fmt.Errorf("%w: start at %d ns; give Unix nanoseconds from 0 to 2^62", ErrConfig, c.StartNs)
	}
	if len(c.Venue) == 0 || len(c.Venue) > feed.VenueBytesMax {
		return fmt.Errorf("%w: venue %q; give 1 to %d bytes", ErrConfig, c.Venue, feed.VenueBytesMax)
	}
	if total := c.Faults.total(); total > FaultsPerMillionMax {
		return fmt.Errorf("%w: %d faults a million ticks; at most %d", ErrConfig, total, FaultsPerMillionMax)
	}
	return nil
}
