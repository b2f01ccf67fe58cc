package engine

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/ring"
	"github.com/sigengine/sigengine/risk"
)

// Mode chooses the pipeline.
type Mode uint8

// The modes.
const (
	ModeAuto   Mode = 0 // fused with fewer than eight processors, else staged
	ModeFused  Mode = 1
	ModeStaged Mode = 2
)

// String returns the mode as the configuration spells it.
func (m Mode) String() string { return [...]string{"auto", "fused", "staged"}[m] }

// Bounds of a configuration.
const (
	LanesMax        = 64
	BatchMax        = 4096
	SourcesMax      = feed.SourcesMax
	ClocksMax       = 16
	ReferencesMax   = 16
	FanOutDefault   = 64
	fusedBelowProcs = 8
)

// Config is an engine's configuration. It does not change after New.
type Config struct {
	TimeBase      feed.TimeBase
	LateDropNs    int64 // under the exchange clock: a tick later than this is not applied; 0: all are
	ClockTrailsNs int64 // the clock gate's limit; 0: off
	HeartbeatNs   int64 // a heartbeat is sequenced after this long with nothing else; 0: never
	FlushNs       int64 // the journal's partial block is handed over after this long
	Instruments   int   // most instruments
	Lanes         int
	LaneSlots     int // slots a lane holds; a power of two, at least twice Batch
	Batch         int // most ticks a turn
	Mode          Mode
	Wait          ring.Strategy
	Program       *program.Program // nil: record only
	Desk          risk.Config      // its Instruments and Rules must fit the program
	// Applies says which signals (a bit each) an instrument has, and whether configuration kills it.
	// It is asked once an instrument. nil: all signals, not killed.
	Applies func(feed.Symbol) (signals uint64, killed bool)
	// Parameters gives the state words that hold an instrument's parameters. It is asked once an instrument. nil: none.
	Parameters func(feed.Symbol) []Parameter
	// NextReset returns the first session reset after a time. nil: there are none.
	NextReset  func(afterNs int64) int64
	GPU        *GPU // nil: the CPU runs the program
	Clocks     []Clock
	References References

	laneStart uint64 // number of the lanes' first slots; tests begin where stamps wrap
}

// Parameter is the value of one state word of an instrument.
type Parameter struct {
	Word  int
	Value float64
}

// Clock is a period at whose boundaries some signals are evaluated. Its index is its bit in the slot's clock mask.
type Clock struct {
	PeriodNs int64
	Signals  uint64 // a bit a signal
}

// References are expressions over other instruments, computed here and stamped on the slots of those that use them.
type References struct {
	Program *program.Program // nil: none; its rows say what is fresh, see Reference
	List    []Reference      // at most ReferencesMax
	FanOut  int              // most instruments evaluated because of one reference's tick; 0: FanOutDefault
}

// Reference is one expression over one other instrument.
type Reference struct {
	Symbol  feed.Symbol
	Bit     int    // of the References.Program's when mask: the tick updated the value
	Row     int    // row quarter of References.Program that always holds the value
	Quarter int    // slot quarter in which users find the value
	Signals uint64 // signals evaluated on its ticks too, a bit each
}

// ErrConfig says that an engine's configuration cannot be used.
var ErrConfig = errors.New("engine: bad configuration")

// Default returns a configuration without program or signals.
func Default() Config {
	return Config{
		ClockTrailsNs: 1e9, HeartbeatNs: 10e6, FlushNs: 5e6,
		Instruments: 4096, Lanes: 1, LaneSlots: 8192, Batch: 64, Wait: ring.SpinThenPark,
	}
}

// Validate reports the first thing wrong.
func (c *Config) Validate() error {
	switch {
	case c.Lanes < 1 || c.Lanes > LanesMax:
		return fmt.Errorf("%w: %d lanes, want 1 to %d", ErrConfig, c.Lanes, LanesMax)
	case c.Batch < 1 || c.Batch > BatchMax:
		return fmt.Errorf("%w: batches of %d ticks, want 1 to %d", ErrConfig, c.Batch, BatchMax)
	case c.LaneSlots < 2*c.Batch || c.LaneSlots&(c.LaneSlots-1) != 0:
		return fmt.Errorf("%w: %d slots a lane, want a power of two of at least twice the batch", ErrConfig, c.LaneSlots)
	case c.Instruments < 1 || c.Instruments > 1<<20:
		return fmt.Errorf("%w: room for %d instruments, want 1 to %d", ErrConfig, c.Instruments, 1<<20)
	case len(c.Clocks) > ClocksMax || len(c.References.List) > ReferencesMax:
		return fmt.Errorf("%w: %d clocks and %d references, want at most %d and %d",
			ErrConfig, len(c.Clocks), len(c.References.List), ClocksMax, ReferencesMax)
	case c.LateDropNs < 0 || c.ClockTrailsNs < 0 || c.HeartbeatNs < 0 || c.FlushNs < 0:
		return fmt.Errorf("%w: a negative duration", ErrConfig)
	}
	for _, clock := range c.Clocks {
		if clock.PeriodNs <= 0 {
			return fmt.Errorf("%w: a clock of %d ns", ErrConfig, clock.PeriodNs)
		}
	}
	return nil
}

// laneSlotsLeast is enough slots for a lane whose rows are taken in the same turn: more are memory, and cache, for nothing.
const laneSlotsLeast = 1024

// ShrinkLanes makes lanes of one goroutine's run on the CPU as small as its turns need, and changes nothing otherwise: where
// stages run beside each other the slots are what they may be apart. The output does not depend on it.
func (c *Config) ShrinkLanes() {
	if c.GPU != nil || !c.fused() {
		return
	}
	slots := laneSlotsLeast
	for slots < 4*c.Batch {
		slots *= 2
	}
	c.LaneSlots = min(c.LaneSlots, slots)
}

// fused resolves ModeAuto.
func (c *Config) fused() bool {
	if c.Mode == ModeAuto {
		return runtime.GOMAXPROCS(0) < fusedBelowProcs
	}
	return c.Mode == ModeFused
}
