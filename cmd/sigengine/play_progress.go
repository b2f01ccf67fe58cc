package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"
)

// progress counts messages and shows them on stderr: once a second on a terminal, in place, else a line every ten seconds.
type progress struct {
	out      io.Writer
	size     int64 // bytes of the input, 0 if unknown
	terminal bool
	every    time.Duration
	start    time.Time
	shown    time.Time
	messages uint64
	bytes    uint64 // published
}

func newProgress(out io.Writer, size int64) progress {
	now := time.Now()
	p := progress{out: out, size: size, start: now, shown: now, every: 10 * time.Second}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	if p.terminal {
		p.every = time.Second
	}
	return p
}

// step counts a published message; read is how many bytes of the input have been read.
func (p *progress) step(published int, read int64, now time.Time) {
	p.messages++
	p.bytes += uint64(published)
	if now.Sub(p.shown) < p.every {
		return
	}
	p.shown = now
	line := p.line(read, now)
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K"+line)
	} else {
		fmt.Fprintln(p.out, line)
	}
}

// ticks shows how many ticks a replay has done.
func (p *progress) ticks(done uint64, now time.Time) {
	if now.Sub(p.shown) < p.every {
		return
	}
	p.shown = now
	line := fmt.Sprintf("%d ticks, %.0f a second", done, float64(done)/max(now.Sub(p.start).Seconds(), 1e-9))
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K"+line)
	} else {
		fmt.Fprintln(p.out, line)
	}
}

func (p *progress) line(read int64, now time.Time) string {
	elapsed := now.Sub(p.start).Seconds()
	line := fmt.Sprintf("%d messages, %.0f a second", p.messages, float64(p.messages)/max(elapsed, 1e-9))
	if p.size > 0 && read > 0 {
		done := min(float64(read)/float64(p.size), 1)
		left := time.Duration(elapsed * (1 - done) / done * float64(time.Second)).Round(time.Second)
		line += fmt.Sprintf(", %.0f %%, about %s left", 100*done, left)
	}
	return line
}

// end leaves the terminal's line clean.
func (p *progress) end() {
	if p.terminal && !p.shown.Equal(p.start) {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

func (p *progress) elapsed(now time.Time) time.Duration { return now.Sub(p.start) }

// round rounds to a number of decimals.
func round(v float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	return math.Round(v*scale) / scale
}
