package replay

import (
	"context"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/sleep"
)

// Pacer makes recorded time pass as real time does, or a factor quicker. A tick that is due is never held, and one
// that is late is not skipped: the pacer catches up.
type Pacer struct {
	ctx     context.Context
	clock   feed.Clock
	speed   float64
	started bool
	firstNs int64 // of the recording
	startNs int64 // of the clock
	sleeper *sleep.Sleeper
}

// NewPacer returns a pacer; speed 1 is as recorded, 10 ten times quicker.
func NewPacer(ctx context.Context, clock feed.Clock, speed float64) *Pacer {
	return &Pacer{ctx: ctx, clock: clock, speed: speed}
}

// Wait returns when a tick received at receiveNs of the recording is due, or when the context ends.
func (p *Pacer) Wait(receiveNs int64) {
	if !p.started {
		p.started, p.firstNs, p.startNs = true, receiveNs, p.clock.NowNs()
		p.sleeper = sleep.New()
		return
	}
	due := p.startNs + int64(float64(receiveNs-p.firstNs)/p.speed)
	for ahead := due - p.clock.NowNs(); ahead > 0 && p.ctx.Err() == nil; ahead = due - p.clock.NowNs() {
		p.sleeper.Sleep(time.Duration(ahead))
	}
}
