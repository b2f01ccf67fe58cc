//go:build linux

package sleep

import (
	"syscall"
	"time"
)

const (
	prSetTimerSlack = 29
	prGetTimerSlack = 30
)

// exact sets the thread's timer slack to a nanosecond and returns what sets it back. Without the right to, sleeps are
// some fifty microseconds longer.
func exact() (restore func()) {
	slack, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prGetTimerSlack, 0, 0)
	if errno != 0 {
		return func() {}
	}
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetTimerSlack, 1, 0)
	return func() { syscall.RawSyscall(syscall.SYS_PRCTL, prSetTimerSlack, slack, 0) }
}

func nap(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // a signal ends it early, and the caller looks at the clock
}
