package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
)

func openDevice(t testing.TB) *gpu.Device {
	t.Helper()
	if present, err := gpu.Present(); !present {
		t.Skipf("no GPU here: %v", err)
	}
	d, err := gpu.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// TestSameBitsOnGPU is contract D2 on a device: both dispatches, any lanes, any batch, followed or not.
func TestSameBitsOnGPU(t *testing.T) {
	d := openDevice(t)
	base, _, err := setup.Engine(six(t))
	if err != nil {
		t.Fatal(err)
	}
	base.Mode = engine.ModeFused
	tape := record(t, 7, 24_000)
	want, signals := tape.replay(t, base)
	for _, dispatch := range []engine.Dispatch{engine.DispatchResident, engine.DispatchStream} {
		for _, mode := range []engine.Mode{engine.ModeFused, engine.ModeStaged} {
			for _, lanes := range []int{1, 3, 8} {
				for _, batch := range []int{1, 64, 1024} {
					for _, follow := range []bool{false, true} {
						name := fmt.Sprintf("%s/%s/lanes=%d/batch=%d/follow=%v", dispatch, mode, lanes, batch, follow)
						t.Run(name, func(t *testing.T) {
							shape := base
							shape.Mode, shape.Lanes, shape.Batch = mode, lanes, batch
							shape.GPU = &engine.GPU{Devices: []*gpu.Device{d}, Dispatch: dispatch, Follow: follow}
							started := time.Now()
							got, n := tape.replay(t, shape)
							t.Logf("%.0f ticks/s", float64(len(tape.ticks))/time.Since(started).Seconds())
							if got != want {
								t.Errorf("hash %s of %d signals, want %s of %d", got, n, want, signals)
							}
						})
					}
				}
			}
		}
	}
}

// TestGPURoundTrip reports what a lone tick and bursts cost through the resident kernel, Go to Go, for six.yaml and for
// expressions alone, which shows what costs. It asserts nothing about time.
func TestGPURoundTrip(t *testing.T) {
	d := openDevice(t)
	tape := record(t, 7, 30_000)
	base, _, err := setup.Engine(six(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{1, 8, 32} {
		p50, p99 := roundTrip(t, d, base, tape, batch)
		t.Logf("%-50s %3d ticks at once: p50 %v p99 %v", "six.yaml", batch, p50, p99)
	}
	for _, expression := range []string{
		"mid", "ema(mid, 50)", "sma(mid, 64)", "std(mid, 100)", "sma(mid, 10s)", "zscore(mid, 30s)", "ofi(1s)", "prev(mid, 8)",
		"mid / spread / bid_size / ask_size / ask / bid",
	} {
		c, err := config.Parse("t", []byte("version: 1\nsignals: [{name: one, value: '"+expression+"', when: value > 1e300}]\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		shape, _, err := setup.Engine(c)
		if err != nil {
			t.Fatal(err)
		}
		p50, p99 := roundTrip(t, d, shape, tape, 1)
		t.Logf("%-50s %3d ticks at once: p50 %v p99 %v", expression, 1, p50, p99)
	}
}

func roundTrip(t *testing.T, d *gpu.Device, shape engine.Config, tape *tape, batch int) (p50, p99 time.Duration) {
	t.Helper()
	shape.Mode, shape.Batch = engine.ModeFused, batch
	shape.GPU = &engine.GPU{Devices: []*gpu.Device{d}}
	e, err := engine.New(shape, engine.Ports{Clock: feed.NewManualClock(0)})
	if err != nil {
		t.Fatal(err)
	}
	recording := e.Record()
	for id, symbol := range tape.symbols {
		if err := recording.Define(uint32(id), uint16(1+id%2), symbol); err != nil {
			t.Fatal(err)
		}
	}
	var took []time.Duration
	started := time.Now()
	for i := range tape.ticks {
		if err := recording.Tick(&tape.ticks[i]); err != nil {
			t.Fatal(err)
		}
		if i%batch == batch-1 {
			took = append(took, time.Since(started))
			started = time.Now()
		}
	}
	recording.Close()
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*99/100]
}
