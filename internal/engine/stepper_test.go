package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
)

// stepped returns an engine with one source, not started.
func stepped(t *testing.T, ports engine.Ports, change func(*engine.Config)) (*engine.Engine, *feed.Inlet) {
	t.Helper()
	config, _, err := setup.Engine(six(t))
	if err != nil {
		t.Fatal(err)
	}
	config.Mode = engine.ModeFused
	if change != nil {
		change(&config)
	}
	e, err := engine.New(config, ports)
	if err != nil {
		t.Fatal(err)
	}
	inlet, err := feed.NewInlet(feed.InletConfig{Name: "a", Slots: 256, Instruments: 64, Full: feed.FullDrop})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.AddInlet(inlet); err != nil {
		t.Fatal(err)
	}
	return e, inlet
}

func put(t *testing.T, inlet *feed.Inlet, count int) {
	t.Helper()
	handle, err := inlet.Symbols.Intern([]byte("v"), []byte("s"))
	if err != nil {
		t.Fatal(err)
	}
	for range count {
		inlet.Offer(&feed.Tick{ReceiveNs: 1, Instrument: handle, Kind: feed.KindTrade, F: [4]float64{1, 1, 1}}, 0)
	}
	inlet.Flush()
}

// TestStepper walks through everything that a step can be.
func TestStepper(t *testing.T) {
	clock := feed.NewManualClock(1e9)
	e, inlet := stepped(t, engine.Ports{Clock: clock}, func(c *engine.Config) { c.Batch, c.HeartbeatNs = 8, 10e6 })
	stepper := e.Steps()
	step := func(want engine.Progress, sequenced uint64) {
		t.Helper()
		got, err := stepper.Step()
		if err != nil || got != want || e.Counts().Sequenced.Load() != sequenced {
			t.Fatalf("step %d with %d sequenced: %v; want %d with %d", got, e.Counts().Sequenced.Load(), err, want, sequenced)
		}
	}
	step(engine.Idle, 0)
	put(t, inlet, 10)
	step(engine.Worked, 8)
	step(engine.Worked, 10)
	step(engine.Idle, 10)
	clock.Advance(10e6 - 1)
	step(engine.Idle, 10)
	clock.Advance(1)
	step(engine.Beat, 11)
	step(engine.Idle, 11)
	inlet.MarkGap(feed.GapDisconnect, 3)
	put(t, inlet, 5)
	step(engine.Worked, 12) // the gap, and nothing of what was queued
	put(t, inlet, 3)
	inlet.Close()
	step(engine.Worked, 15)
	step(engine.Ended, 15)
	step(engine.Ended, 15)
	stepper.Close()
}

// TestHeartbeatAfterClockWentBack: a step back of an hour must not stop heartbeats, and with them timers, for an hour.
func TestHeartbeatAfterClockWentBack(t *testing.T) {
	clock := feed.NewManualClock(3600e9)
	e, _ := stepped(t, engine.Ports{Clock: clock}, nil)
	stepper := e.Steps()
	defer stepper.Close()
	clock.Set(1e9)
	if progress, err := stepper.Step(); progress != engine.Beat || err != nil {
		t.Errorf("after a step back: %d, %v", progress, err)
	}
	if progress, err := stepper.Step(); progress != engine.Idle || err != nil {
		t.Errorf("and then: %d, %v", progress, err)
	}
}

// TestStepperStops: by Stop, sequencing what is queued, and by the journal's failure, sequencing nothing more.
func TestStepperStops(t *testing.T) {
	e, inlet := stepped(t, engine.Ports{Clock: feed.NewManualClock(1)}, nil)
	stepper := e.Steps()
	put(t, inlet, 100)
	e.Stop()
	if progress, err := stepper.Step(); progress != engine.Ended || err != nil || e.Counts().Sequenced.Load() != 100 {
		t.Errorf("stopped: %d, %v, %d sequenced", progress, err, e.Counts().Sequenced.Load())
	}
	stepper.Close()

	var failure error
	e, inlet = stepped(t, engine.Ports{Clock: feed.NewManualClock(1), JournalErr: func() error { return failure }}, nil)
	put(t, inlet, 10)
	failure = errors.New("disk")
	if err := e.Run(context.Background()); !errors.Is(err, failure) || e.Counts().Sequenced.Load() != 0 {
		t.Errorf("failed: %v, %d sequenced", err, e.Counts().Sequenced.Load())
	}
}
