//go:build !nogpu && linux && (amd64 || arm64)

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/engine"
)

// live runs the ticks of one source of a tape through an inlet.
func (r *tape) live(t *testing.T, shape engine.Config) (o outcome) {
	t.Helper()
	shape.HeartbeatNs = 0 // the order is the source's, and nothing else
	b := bodies{}
	e, err := engine.New(shape, engine.Ports{Clock: feed.NewManualClock(1), Sink: &b})
	if err != nil {
		t.Fatal(err)
	}
	inlet, err := feed.NewInlet(feed.InletConfig{Name: "1", Slots: 256, Instruments: 64, Full: feed.FullBlock})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.AddInlet(inlet); err != nil {
		t.Fatal(err)
	}
	offered := make(chan struct{})
	go func() {
		offer(inlet, r, 1)
		close(offered)
	}()
	o.e, o.err = e, e.Run(context.Background())
	<-offered // an engine that ends lets its sources go
	o.hash, o.signals = e.OutputHash()
	o.bodies = b.all
	return o
}

// TestGPULive: a live engine loses its device under way: it ends with the error, or decides everything.
func TestGPULive(t *testing.T) {
	tape := record(t, tapeSeed, 2*tapeTicks)
	base := busyShape(t)
	want := tape.live(t, base)
	if want.err != nil || want.signals < 20 {
		t.Fatalf("%d signals, %v", want.signals, want.err)
	}
	for _, dispatch := range dispatches {
		for _, mode := range modes {
			for _, follow := range []bool{false, true} {
				for _, trouble := range []engine.Trouble{engine.None, engine.Traps, engine.Hangs} {
					t.Run(fmt.Sprintf("%s/%s/follow=%v/%s", dispatch, mode, follow, trouble), func(t *testing.T) {
						shape := base
						shape.Mode, shape.Lanes = mode, 2
						m := onFake(t, &shape, 1)
						m.kernels.Trouble, m.kernels.At = trouble, 1001
						shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatch, Follow: follow, AnswerNs: shortAnswer}
						if trouble == engine.None {
							shape.GPU.AnswerNs = 0
						}
						got := tape.live(t, shape)
						if trouble == engine.None {
							got.sound(t, want)
							return
						}
						got.judge(t, want, follow)
					})
				}
			}
		}
	}
}

// idleRig is a live engine that has seen some ticks and then nothing.
func idleRig(t *testing.T, m *machine, shape engine.Config) (*engine.Engine, *engine.Stepper, *feed.ManualClock) {
	t.Helper()
	clock := feed.NewManualClock(1)
	e, err := engine.New(shape, engine.Ports{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	inlet, err := feed.NewInlet(feed.InletConfig{Name: "1", Slots: 256, Instruments: 64})
	if err != nil {
		t.Fatal(err)
	}
	silent, err := feed.NewInlet(feed.InletConfig{Name: "2", Slots: 256, Instruments: 64}) // it keeps the engine waiting
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(e.AddInlet(inlet), e.AddInlet(silent)); err != nil {
		t.Fatal(err)
	}
	stepper := e.Steps()
	offer(inlet, record(t, tapeSeed, 100), 1)
	for progress := engine.Worked; progress != engine.Idle; {
		if progress, err = stepper.Step(); err != nil {
			t.Fatal(err)
		}
	}
	return e, stepper, clock
}

// TestGPUIdleLoss: a device that dies while nothing comes is found by the pings that go with heartbeats, before a tick needs it.
func TestGPUIdleLoss(t *testing.T) {
	for _, mode := range modes {
		for _, follow := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/follow=%v", mode, follow), func(t *testing.T) {
				shape := busyShape(t)
				shape.Mode, shape.Lanes, shape.HeartbeatNs = mode, 2, 10e6
				m := onFake(t, &shape, 1)
				shape.GPU = &engine.GPU{Devices: m.devices, Follow: follow}
				e, stepper, clock := idleRig(t, m, shape)
				beat := func() error {
					clock.Advance(11e6)
					if progress, err := stepper.Step(); progress != engine.Beat {
						return errors.Join(fmt.Errorf("progress %d", progress), err)
					}
					return nil
				}
				for range 3 * shape.LaneSlots { // pings take slots, and give them back
					if err := beat(); err != nil || e.DeviceLost() != nil {
						t.Fatalf("%v; lost: %v", err, e.DeviceLost())
					}
				}
				m.fake.Break(0, 719)
				var err error
				for deadline := time.Now().Add(10 * time.Second); e.DeviceLost() == nil && time.Now().Before(deadline); {
					err = beat()
					time.Sleep(time.Millisecond)
				}
				if e.DeviceLost() == nil {
					t.Fatal("nobody noticed")
				}
				for range 20 { // a stage of its own notices a little before it says so
					if err == nil {
						err = beat()
						time.Sleep(time.Millisecond)
					}
				}
				closed := stepper.Close()
				if follow && (err != nil || closed != nil) || !follow && (!errors.Is(err, engine.ErrDeviceLost) || !errors.Is(closed, engine.ErrDeviceLost)) {
					t.Errorf("%v, %v", err, closed)
				}
			})
		}
	}
}

// TestGPUDeaf: a kernel that does not end when told to costs a bounded wait, and the device; everything was decided before.
func TestGPUDeaf(t *testing.T) {
	tape := record(t, tapeSeed, 1000)
	base := busyShape(t)
	want := tape.clean(t, base)
	for _, mode := range modes {
		for _, follow := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/follow=%v", mode, follow), func(t *testing.T) {
				shape := base
				shape.Mode = mode
				m := onFake(t, &shape, 1)
				m.kernels.Deaf = true
				shape.GPU = &engine.GPU{Devices: m.devices, Follow: follow, AnswerNs: 4 * shortAnswer}
				got := tape.run(shape, engine.Ports{}, nil)
				if got.hash != want.hash || m.devices[0].Lost() == nil {
					t.Errorf("hash %s of %d signals, want %s of %d; lost: %v", got.hash, got.signals, want.hash, want.signals, m.devices[0].Lost())
				}
				if follow != (got.err == nil) || !follow && !errors.Is(got.err, engine.ErrDeviceLost) {
					t.Errorf("the engine said %v", got.err)
				}
			})
		}
	}
}
