package replay

import (
	"context"
	"time"

	"github.com/sigengine/sigengine/feed"
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
}

// NewPacer returns a pacer; speed 1 is as recorded, 10 ten times quicker.
func NewPacer(ctx context.Context, clock feed.Clock, speed float64) *Pacer {
	return &Pacer{ctx: ctx, clock: clock, speed: speed}
}

// pacerSleepNs is how early a sleep ends: the rest of the wait is spent looking at the clock.
const pacerSleepNs = int64(200 * time.Microsecond)

// Wait returns when a tick received at receiveNs of the recording is due, or when the context ends.
func (p *Pacer) Wait(receiveNs int64) {
	if !p.started {
		p.started, p.firstNs, p.startNs = true, receiveNs, p.clock.NowNs()
		return
	}
	due := p.startNs + int64(float64(receiveNs-p.firstNs)/p.speed)
	for {
		ahead := due - p.clock.NowNs()
		if ahead <= 0 || p.ctx.Err() != nil {
			return
		}
		if ahead > pacerSleepNs {
			timer := time.NewTimer(time.Duration(ahead - pacerSleepNs/2))
			select {
			case <-timer.C:
			case <-p.ctx.Done():
				timer.Stop()
			}
		}
	}
}
