//go:build !nogpu && linux && (amd64 || arm64)

package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sigengine/sigengine/internal/engine"
)

// TestGPUStampsWrap begins a hundred slots before the stamps' end.
func TestGPUStampsWrap(t *testing.T) {
	shape := busyShape(t)
	shape.LaneSlots, shape.Batch = 64, 16
	shape.SetLaneStart(1<<32 - 100)
	tape := record(t, tapeSeed, tapeTicks)
	want := tape.clean(t, shape)
	for i, dispatch := range dispatches {
		for k, lanes := range []int{1, 3} {
			for j, follow := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/lanes=%d/follow=%v", dispatch, lanes, follow), func(t *testing.T) {
					shape := shape
					shape.Lanes, shape.Mode = lanes, modes[(i+j+k)%2]
					onBoth(t, shape, func(t *testing.T, m *machine, shape engine.Config) {
						shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatch, Follow: follow}
						got := tape.run(shape, engine.Ports{}, nil)
						got.sound(t, want)
					})
				})
			}
		}
	}
}

// TestGPUStalledReader stops the desk until the sequencer waits for it, a whole lap ahead, again and again.
func TestGPUStalledReader(t *testing.T) {
	shape := busyShape(t)
	shape.Mode, shape.LaneSlots, shape.Batch, shape.Lanes = engine.ModeStaged, 64, 16, 2
	tape := record(t, tapeSeed, tapeTicks)
	want := tape.clean(t, shape)
	for _, dispatch := range dispatches {
		for _, follow := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/follow=%v", dispatch, follow), func(t *testing.T) {
				onBoth(t, shape, func(t *testing.T, m *machine, shape engine.Config) {
					shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatch, Follow: follow}
					s := &stall{engines: make(chan *engine.Engine, 1)}
					got := tape.run(shape, engine.Ports{Observe: s.observe}, func(e *engine.Engine, tick int) {
						if tick == 0 {
							s.engines <- e
						}
					})
					got.sound(t, want)
					if s.laps < 5 {
						t.Errorf("the sequencer waited in %d stalls", s.laps)
					}
				})
			})
		}
	}
}

// stall stops the desk at every four hundredth event until the sequencer has no room.
type stall struct {
	engines chan *engine.Engine // the one, when there are ticks
	e       *engine.Engine
	events  int
	laps    int
}

func (s *stall) observe(engine.Observation) {
	if s.events++; s.events%400 != 0 || s.events > 3200 { // what is left at the end may be less than a lap
		return
	}
	if s.e == nil {
		s.e = <-s.engines
	}
	full := func() uint64 { return s.e.Counts().LaneFull.Load() + s.e.Counts().OrdersFull.Load() }
	was := full()
	for deadline := time.Now().Add(10 * time.Second); full() == was && time.Now().Before(deadline); {
		time.Sleep(50 * time.Microsecond)
	}
	if full() != was {
		s.laps++
	}
}
