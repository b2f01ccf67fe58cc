//go:build !linux

package sleep

import "time"

func exact() (restore func()) { return func() {} }

func nap(d time.Duration) { time.Sleep(d) }
