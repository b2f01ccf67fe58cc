package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sigengine/sigengine/gpu"
)

// stopTimeout is how long a kernel may take to obey a stop, unless it may owe a row for less.
const stopTimeout = 2 * time.Second

// stop tells the kernel to end. The lane has nothing staged. A kernel that is not trusted is told too: if it still reads
// slots it ends, and if not nothing is lost.
func (g *gpuLane) stop() {
	if g.follower != nil {
		g.follower.takeOver() // before its slots are written over
	}
	if g.batcher == nil {
		g.lane.command(commandStop, 0, 0, 0)
	}
}

// closeStream waits a while for what runs on a stream and closes it. A kernel that does not end by then never will: the
// device is lost, or it would keep the process. What failed otherwise is tried once more: a stream left open would keep all
// that it uses.
func (s *gpuSet) closeStream(stream *gpu.Stream) error {
	ctx, cancel := context.WithTimeout(context.Background(), min(stopTimeout, time.Duration(s.answerNs)))
	defer cancel()
	err := stream.CloseWithin(ctx)
	if err == nil {
		return nil
	}
	if ctx.Err() == nil {
		return stream.CloseWithin(ctx)
	}
	s.device.Lose(fmt.Errorf("engine: the device did not end its work when told to: %w", err))
	return errors.Join(fmt.Errorf("%w: %w", ErrDeviceLost, s.device.Lost()), stream.Close())
}

// startFailed makes every lane one that waits for nothing: a device did not start, and what would take its place is no
// reason to run on it.
func (e *Engine) startFailed(err error) {
	e.startErr = err
	for _, l := range e.lanes {
		if l.gpu != nil {
			l.gpu.lost = true
		}
		l.failed.Store(&err)
	}
}
