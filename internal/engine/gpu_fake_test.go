//go:build !nogpu && linux && (amd64 || arm64)

package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/ring"
)

// TestGPUFakeSameBits is contract D2 on the fake driver: programs, dispatches, pipelines, lanes, devices, followed or not. The
// kernels answer quarter by quarter, in any order, with pauses.
func TestGPUFakeSameBits(t *testing.T) {
	tape := record(t, tapeSeed, tapeTicks)
	for name, shape := range programs(t) {
		want := tape.clean(t, shape)
		t.Logf("seed %d: %s, %d ticks, %d signals, hash %s", tapeSeed, name, len(tape.ticks), want.signals, want.hash)
		for _, dispatch := range dispatches {
			for _, mode := range modes {
				for lanes := 1; lanes <= 4; lanes++ {
					if raceOn && lanes != 3 {
						continue
					}
					devices := 1 + lanes/3
					follow := (lanes+int(mode))%2 == 0
					t.Run(fmt.Sprintf("%s/%s/%s/lanes=%d/devices=%d/follow=%v", name, dispatch, mode, lanes, devices, follow), func(t *testing.T) {
						shape := shape
						shape.Mode, shape.Lanes = mode, lanes
						m := onFake(t, &shape, devices)
						m.kernels.Jitter = true
						shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatch, Follow: follow}
						got := tape.run(shape, engine.Ports{}, nil)
						got.sound(t, want)
						if m.kernels.Ran() < tapeTicks/2 {
							t.Errorf("the devices ran %d slots", m.kernels.Ran())
						}
					})
				}
			}
		}
	}
}

// TestGPUBatches: neither the size of batches, nor how stages wait, nor how small a lane is, changes what is decided.
func TestGPUBatches(t *testing.T) {
	base := gpuShape(t)
	tape := record(t, tapeSeed, 1000)
	want := tape.run(base, engine.Ports{}, nil)
	for _, dispatch := range dispatches {
		for _, mode := range modes {
			for _, c := range []struct {
				batch, slots int
				wait         ring.Strategy
			}{{1, 64, ring.SpinThenPark}, {7, 16, ring.Spin}, {128, 256, ring.Park}, {1024, 2048, ring.SpinThenPark}} {
				t.Run(fmt.Sprintf("%s/%s/batch=%d/slots=%d/%s", dispatch, mode, c.batch, c.slots, c.wait), func(t *testing.T) {
					shape := base
					shape.Mode, shape.Lanes, shape.Batch, shape.LaneSlots, shape.Wait = mode, 2, c.batch, c.slots, c.wait
					m := onFake(t, &shape, 1)
					shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatch, Follow: true}
					got := tape.run(shape, engine.Ports{}, nil)
					got.sound(t, want)
				})
			}
		}
	}
}

// TestGPURestart makes and ends engines on one device: nothing is left open, and every one decides the same.
func TestGPURestart(t *testing.T) {
	shape := gpuShape(t)
	shape.Lanes = 2
	tape := record(t, tapeSeed, tapeTicks)
	want := tape.clean(t, shape)
	onBoth(t, shape, func(t *testing.T, m *machine, shape engine.Config) {
		for i := range 12 {
			shape.Mode = modes[i%4/2]
			shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatches[i%2], Follow: i%3 == 0}
			got := tape.run(shape, engine.Ports{}, nil)
			got.sound(t, want)
			if leaks := m.devices[0].Leaks(); len(leaks) > 0 {
				t.Fatalf("engine %d left %v", i, leaks)
			}
		}
	})
}

// TestGPULanesAreDealt: lanes go over the devices in turn, and one that is lost takes only its own away.
func TestGPULanesAreDealt(t *testing.T) {
	shape := gpuShape(t)
	shape.Lanes = 7
	tape := record(t, tapeSeed, tapeTicks)
	want := tape.clean(t, shape)
	for _, dispatch := range dispatches {
		t.Run(dispatch.String(), func(t *testing.T) {
			m := onFake(t, &shape, 3)
			shape := shape
			shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatch, Follow: true}
			got := tape.run(shape, engine.Ports{}, func(e *engine.Engine, tick int) {
				if tick == 0 && !slices.Equal(e.GPULanes(), []int{3, 2, 2}) {
					t.Errorf("dealt %v", e.GPULanes())
				}
				if tick == 1000 {
					m.fake.Break(1, 719)
				}
			})
			got.same(t, want)
			var lost []bool
			for _, d := range m.devices {
				lost = append(lost, d.Lost() != nil)
			}
			if !slices.Equal(lost, []bool{false, true, false}) {
				t.Errorf("lost: %v", lost)
			}
		})
	}
}

// TestGPUNoDevice: an executor without a device is refused in words.
func TestGPUNoDevice(t *testing.T) {
	shape := gpuShape(t)
	shape.GPU = &engine.GPU{Devices: []*gpu.Device{}}
	if _, err := engine.New(shape, engine.Ports{}); err == nil {
		t.Error("taken")
	}
}
