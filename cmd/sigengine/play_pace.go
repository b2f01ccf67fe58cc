package main

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/sigengine/sigengine/internal/sleep"
)

// pace says when a message is due: as far from the first one as it was recorded, divided by the speed.
type pace struct {
	speed   float64 // 0 is as quick as it goes
	begun   bool
	firstNs int64     // receive time of the first message
	start   time.Time // when it was played
	sleeper *sleep.Sleeper
}

func parseSpeed(text string) (float64, error) {
	if text == "max" {
		return 0, nil
	}
	speed, err := strconv.ParseFloat(text, 64)
	if err != nil || !(speed >= 1e-3 && speed <= 1e6) {
		return 0, usagef("--speed is %q; want max or a number from 0.001 to 1000000", text)
	}
	return speed, nil
}

// wait returns when the message is due; at once if it is overdue. The error is the context's.
func (p *pace) wait(ctx context.Context, receiveNs int64, now func() time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !p.begun {
		p.begun, p.firstNs, p.start = true, receiveNs, now()
		p.sleeper = sleep.New() // this goroutine stays on its thread from now on
		return nil
	}
	if p.speed == 0 {
		return nil
	}
	due := p.start.Add(p.since(receiveNs))
	for left := due.Sub(now()); left > 0; left = due.Sub(now()) {
		p.sleeper.Sleep(left)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// since is how long after the first message one of that time is due.
func (p *pace) since(ns int64) time.Duration {
	speed := p.speed
	if speed == 0 {
		speed = 1
	}
	after := (float64(ns) - float64(p.firstNs)) / speed
	if math.Abs(after) > math.MaxInt64/2 {
		return 0 // times centuries apart are no times
	}
	if speed == 1 {
		return time.Duration(ns - p.firstNs) // exactly
	}
	return time.Duration(after)
}

// shift moves a venue's time to the time of playing.
func (p *pace) shift(ns int64) int64 { return p.start.UnixNano() + int64(p.since(ns)) }
