// Package sleep waits for short times precisely.
//
// Go's timers wake an idle process through a poll whose resolution is a millisecond. A market paced by them comes in
// bursts of a millisecond, and what is then measured is the bursts. A Sleeper sleeps in the kernel instead, on a
// thread of its own, to some ten microseconds on Linux; elsewhere it falls back to timers.
//
// A Sleeper belongs to one goroutine, from New to Close; that goroutine stays on its thread in between.
package sleep
