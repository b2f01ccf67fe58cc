package feed

import (
	"sync/atomic"
	"time"
)

// Clock gives the present time as Unix nanoseconds. It is the only door through which the machine's time
// enters: everything after the sequencer works on the times that ticks carry.
type Clock interface {
	NowNs() int64
}

// SystemClock is the wall clock at its creation plus the monotonic clock since, so that it never steps
// when the machine's clock is set.
type SystemClock struct {
	origin   time.Time
	originNs int64
}

// NewSystemClock reads the wall clock once.
func NewSystemClock() *SystemClock {
	now := time.Now()
	return &SystemClock{origin: now, originNs: now.UnixNano()}
}

// NowNs returns the present time in Unix nanoseconds. It never goes back.
func (c *SystemClock) NowNs() int64 { return c.originNs + int64(time.Since(c.origin)) }

// ManualClock is a clock whose hand the caller turns: for tests, simulation and replay.
type ManualClock struct {
	nowNs atomic.Int64
}

// NewManualClock returns a clock that shows startNs.
func NewManualClock(startNs int64) *ManualClock {
	c := &ManualClock{}
	c.nowNs.Store(startNs)
	return c
}

// NowNs returns the time last set.
func (c *ManualClock) NowNs() int64 { return c.nowNs.Load() }

// Set turns the hand to nowNs; back is allowed, for tests of clock steps.
func (c *ManualClock) Set(nowNs int64) { c.nowNs.Store(nowNs) }

// Advance turns the hand by deltaNs and returns the new time.
func (c *ManualClock) Advance(deltaNs int64) int64 { return c.nowNs.Add(deltaNs) }

var (
	_ Clock = (*SystemClock)(nil)
	_ Clock = (*ManualClock)(nil)
)
