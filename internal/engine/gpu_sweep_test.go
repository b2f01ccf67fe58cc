//go:build !nogpu && linux && (amd64 || arm64)

package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/internal/engine"
)

// TestGPUFaultSweep breaks the n-th call of the driver, for a draw of n that is dense at the start and the end: the engine
// does not start, or decides everything, or (not followed) says that it lost a device, and what it decided is a beginning. It
// never hangs, and leaves nothing open. With SIGENGINE_GPU_SWEEP set every call of start and end is broken.
func TestGPUFaultSweep(t *testing.T) {
	const seed = 3
	shape := busyShape(t)
	shape.Lanes = 2
	tape := record(t, tapeSeed, 1200)
	want := tape.run(shape, engine.Ports{}, nil)
	if want.signals < 3 {
		t.Fatalf("%d signals", want.signals)
	}
	for i, dispatch := range dispatches {
		for k, follow := range []bool{false, true} {
			for j, fault := range []cufake.Fault{{Code: 1}, {Code: 719}, {Code: 719, Async: true}} {
				t.Run(fmt.Sprintf("%s/follow=%v/code=%d/async=%v", dispatch, follow, fault.Code, fault.Async), func(t *testing.T) {
					shape := shape
					shape.Mode = modes[(i+k+j)%2]
					how := engine.GPU{Dispatch: dispatch, Follow: follow}
					begun, all := countCalls(t, shape, tape, want, how)
					random := rand.New(rand.NewPCG(seed, uint64(i*8+k*4+j)))
					swept := 0
					dense, sparse := 6+16*int(dispatch), 6
					switch {
					case os.Getenv("SIGENGINE_GPU_SWEEP") != "":
						dense, sparse = 1, 200
					case raceOn:
						dense, sparse = 5*dense, 2
					}
					for n := 1; n <= all+3; swept++ {
						fault.Nth = n
						sweepOnce(t, shape, tape, want, how, fault)
						switch {
						case n < begun || n > all-30:
							n += 1 + random.IntN(dense)
						default:
							n += 1 + random.IntN(max((all-begun)/sparse, 1))
						}
					}
					t.Logf("seed %d: %d calls to the first tick, %d in all, %d of them broken", seed, begun, all, swept)
				})
			}
		}
	}
}

// countCalls runs without a fault and counts the calls to the first tick, and all.
func countCalls(t *testing.T, shape engine.Config, tape *tape, want outcome, how engine.GPU) (begun, all int) {
	t.Helper()
	fake := cufake.New(cufake.Options{MemoryBytes: 1 << 30})
	defer fake.Close()
	m := machineOn(t, fake, &shape)
	before := fake.Calls("")
	how.Devices = m.devices
	shape.GPU = &how
	got := tape.run(shape, engine.Ports{}, func(_ *engine.Engine, tick int) {
		if tick == 0 {
			begun = fake.Calls("") - before
		}
	})
	got.same(t, want)
	all = fake.Calls("") - before
	if err := m.devices[0].Close(); err != nil {
		t.Fatal(err)
	}
	return begun, all
}

func sweepOnce(t *testing.T, shape engine.Config, tape *tape, want outcome, how engine.GPU, fault cufake.Fault) {
	t.Helper()
	fake := cufake.New(cufake.Options{MemoryBytes: 1 << 30})
	defer fake.Close()
	m := machineOn(t, fake, &shape)
	fake.Inject(fault)
	how.Devices = m.devices
	shape.GPU = &how
	got := tape.run(shape, engine.Ports{}, nil)
	switch {
	case got.err == nil:
		if got.hash != want.hash {
			t.Fatalf("call %d: hash %s of %d signals, want %s of %d", fault.Nth, got.hash, got.signals, want.hash, want.signals)
		}
	case got.e == nil:
	case errors.Is(got.err, engine.ErrDeviceLost):
		got.begins(t, want)
		if how.Follow {
			t.Fatalf("call %d: followed, and yet %v", fault.Nth, got.err)
		}
	default: // it did not start, or its end was not clean: nothing was decided, or all
		if got.signals != 0 && got.hash != want.hash {
			t.Fatalf("call %d: %d signals and %v", fault.Nth, got.signals, got.err)
		}
	}
	m.gone(t, fault)
}

// gone holds that a device can be closed after whatever happened, and that nothing is left in the driver unless the
// device was lost.
func (m *machine) gone(t *testing.T, fault cufake.Fault) {
	t.Helper()
	d := m.devices[0]
	lost := d.Lost()
	if lost != nil {
		unowned(t, d)
	}
	err := d.Close()
	if err != nil && !errors.Is(err, gpu.ErrOpen) {
		err = d.Close() // the fault was this call's
	}
	if err != nil {
		t.Fatalf("call %d: %v", fault.Nth, err)
	}
	if leaks := m.fake.Leaks(); lost == nil && d.Lost() == nil && len(leaks) > 0 {
		t.Fatalf("call %d: left in the driver: %v", fault.Nth, leaks)
	}
}
