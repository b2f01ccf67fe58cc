//go:build !nogpu && linux && (amd64 || arm64)

package engine_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/internal/engine"
)

// idleEntries are the entry points of a batch. The fake's own allocate, which would hide ours, so a C function that does next to
// nothing and returns 0 (the rounding mode: nearest) is in their place: a batch is done at once, and AnswerStreams makes its rows.
var idleEntries = map[string]bool{
	"cuCtxSetCurrent": true, "cuMemcpyHtoDAsync_v2": true, "cuMemcpyDtoHAsync_v2": true, "cuLaunchKernel": true, "cuLaunchKernelEx": true,
	"cuEventRecord": true, "cuEventQuery": true, "cuStreamQuery": true, "cuStreamSynchronize": true, "cuStreamWaitEvent": true, "cuMemsetD8Async": true,
}

// idleLookup is the fake's Lookup with those entry points replaced. The calling goroutine stays on its thread, where the
// device's context is current once and for all.
func idleLookup(t *testing.T, fake *cufake.GPU) func(string) (uintptr, error) {
	t.Helper()
	libm, err := purego.Dlopen("libm.so.6", purego.RTLD_NOW)
	if err != nil {
		t.Skipf("no C library to borrow from: %v", err)
	}
	nothing, err := purego.Dlsym(libm, "fegetround")
	if err != nil {
		t.Fatal(err)
	}
	entry := func(name string) uintptr {
		address, err := fake.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	context := new(uintptr)
	purego.SyscallN(entry("cuDevicePrimaryCtxRetain"), uintptr(unsafe.Pointer(context)), 0)
	purego.SyscallN(entry("cuCtxSetCurrent"), *context)
	return func(name string) (uintptr, error) {
		if idleEntries[name] {
			return nothing, nil
		}
		return fake.Lookup(name)
	}
}

// TestGPUNoAllocation is contract Z1 for lanes on devices: nothing is allocated a tick, with followers and without.
func TestGPUNoAllocation(t *testing.T) {
	for _, c := range []struct {
		dispatch engine.Dispatch
		follow   bool // not in stream dispatch: rows of nothing are not the follower's
	}{{engine.DispatchResident, false}, {engine.DispatchResident, true}, {engine.DispatchStream, false}} {
		t.Run(fmt.Sprintf("%s/follow=%v", c.dispatch, c.follow), func(t *testing.T) {
			shape := busyShape(t)
			shape.Lanes = 2
			fake := cufake.New(cufake.Options{MemoryBytes: 1 << 30})
			t.Cleanup(fake.Close)
			lookup := fake.Lookup
			if c.dispatch == engine.DispatchStream {
				if raceOn {
					t.Skip("under the race detector the pools of calls forget at random")
				}
				lookup = idleLookup(t, fake)
			}
			m := machineOn(t, fake, &shape)
			driver, err := gpu.NewDriver(lookup)
			if err != nil {
				t.Fatal(err)
			}
			d, err := driver.Open(0)
			if err != nil {
				t.Fatal(err)
			}
			shape.GPU = &engine.GPU{Devices: []*gpu.Device{d}, Dispatch: c.dispatch, Follow: c.follow}
			m.allocates(t, shape)
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// allocates counts what an engine allocates in steady state.
func (m *machine) allocates(t *testing.T, shape engine.Config) {
	t.Helper()
	tape := record(t, tapeSeed, tapeTicks)
	e, err := engine.New(shape, engine.Ports{Clock: feed.NewManualClock(0)})
	if err != nil {
		t.Fatal(err)
	}
	if shape.GPU.Dispatch == engine.DispatchStream {
		var stop atomic.Bool
		var answering sync.WaitGroup
		e.StopClock()
		answering.Go(func() { e.AnswerStreams(&stop) })
		defer answering.Wait()
		defer stop.Store(true)
	}
	recording := e.Record()
	for id, symbol := range tape.symbols {
		if err := recording.Define(uint32(id), uint16(1+id%2), symbol); err != nil {
			t.Fatal(err)
		}
	}
	next := 0
	run := func() {
		for range 300 {
			if err := recording.Tick(&tape.ticks[next]); err != nil {
				t.Fatal(err)
			}
			next++
		}
	}
	run()
	n := 1.0
	for try := 0; try < 4 && n > 0; try++ { // where a row is late the driver is asked, and the fake allocates
		n = testing.AllocsPerRun(2, run)
	}
	if n > 0 {
		t.Errorf("%v allocations in 300 ticks, again and again", n)
	}
	if err := recording.Close(); err != nil {
		t.Error(err)
	}
	if shape.GPU.Dispatch == engine.DispatchResident && m.kernels.Ran() < 600 {
		t.Errorf("the device ran %d slots: the test exercises too little", m.kernels.Ran())
	}
}
