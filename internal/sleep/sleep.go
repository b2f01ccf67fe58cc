package sleep

import (
	"runtime"
	"time"
)

// sliceMax bounds one sleep, so that whoever waits in a loop can look whether to stop.
const sliceMax = 10 * time.Millisecond

// Sleeper sleeps precisely.
type Sleeper struct{ restore func() }

// New locks the calling goroutine to its thread and asks the kernel not to coalesce the thread's timers.
func New() *Sleeper {
	runtime.LockOSThread()
	return &Sleeper{restore: exact()}
}

// Close undoes New.
func (s *Sleeper) Close() {
	s.restore()
	runtime.UnlockOSThread()
}

// Sleep sleeps for about d, at most ten milliseconds: call it in a loop that looks at the clock.
func (s *Sleeper) Sleep(d time.Duration) {
	if d > 0 {
		nap(min(d, sliceMax))
	}
}
