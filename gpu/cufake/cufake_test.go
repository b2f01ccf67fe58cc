//go:build !nogpu && linux && (amd64 || arm64)

package cufake_test

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// raw is the table of a fake, called as the binding calls a driver, on one locked thread.
type raw struct {
	t *testing.T
	*cufake.GPU
	table *cu.Table
}

func newRaw(t *testing.T, o cufake.Options) *raw {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	g := cufake.New(o)
	t.Cleanup(g.Close)
	table, err := cu.Load(g.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	return &raw{t, g, table}
}

//go:uintptrescapes
func (r *raw) call(want cu.Result, s cu.Symbol, args ...uintptr) {
	r.t.Helper()
	if got := r.table.Call(s, args); got != want {
		r.t.Fatalf("%s gives %d, want %d", s, got, want)
	}
}

// enter retains device n's context and makes it current here.
func (r *raw) enter(n uintptr) (context uintptr) {
	r.call(cu.Success, cu.DevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&context)), n)
	r.call(cu.Success, cu.CtxSetCurrent, context)
	return context
}

func (r *raw) alloc(n uintptr) (address uintptr) {
	r.call(cu.Success, cu.MemAlloc, uintptr(unsafe.Pointer(&address)), n)
	return address
}

func (r *raw) stream() (h uintptr) {
	r.call(cu.Success, cu.StreamCreateWithPriority, uintptr(unsafe.Pointer(&h)), 1, 0)
	return h
}

func TestContextsBelongToThreads(t *testing.T) {
	r := newRaw(t, cufake.Options{Devices: 2})
	var p uintptr
	r.call(cu.InvalidContext, cu.MemAlloc, uintptr(unsafe.Pointer(&p)), 8)
	first := r.enter(0)
	s := r.stream()
	other := make(chan cu.Result)
	go func() {
		runtime.LockOSThread() // another thread, which has no context
		out := new(uintptr)
		args := []uintptr{uintptr(unsafe.Pointer(out)), 8}
		other <- r.table.Call(cu.MemAlloc, args)
		runtime.KeepAlive(out)
	}()
	if got := <-other; got != cu.InvalidContext {
		t.Errorf("another thread gets %d", got)
	}
	r.enter(1)
	r.call(cu.InvalidHandle, cu.StreamQuery, s) // a stream of the other context
	r.call(cu.Success, cu.CtxSetCurrent, first)
	r.call(cu.Success, cu.StreamQuery, s)
	r.call(cu.Success, cu.StreamDestroy, s)
	r.call(cu.InvalidHandle, cu.StreamQuery, s)
}

func TestMemoryIsGuarded(t *testing.T) {
	r := newRaw(t, cufake.Options{MemoryBytes: 4096})
	r.enter(0)
	var p uintptr
	r.call(cu.OutOfMemory, cu.MemAlloc, uintptr(unsafe.Pointer(&p)), 5000)
	r.call(cu.InvalidValue, cu.MemAlloc, uintptr(unsafe.Pointer(&p)), 0)
	a, b := r.alloc(1000), r.alloc(3000)
	r.call(cu.OutOfMemory, cu.MemAlloc, uintptr(unsafe.Pointer(&p)), 200)
	r.call(cu.InvalidValue, cu.MemFree, a+8)
	r.call(cu.Success, cu.MemFree, a)
	r.call(cu.InvalidValue, cu.MemFree, a)
	if leaks := strings.Join(r.Leaks(), "; "); !strings.Contains(leaks, "3000 bytes") || !strings.Contains(leaks, "retained 1 times") || strings.Contains(leaks, "1000") {
		t.Errorf("leaks: %s", leaks)
	}
	s := r.stream()
	r.call(cu.Success, cu.MemsetD8Async, b, 1, 3001, s) // over the end: noticed when it runs
	r.call(cu.IllegalAddress, cu.StreamSynchronize, s)
	r.call(cu.IllegalAddress, cu.MemAlloc, uintptr(unsafe.Pointer(&p)), 1)
}

func TestStreamsRunLater(t *testing.T) {
	r := newRaw(t, cufake.Options{})
	r.enter(0)
	var host uintptr
	r.call(cu.Success, cu.MemHostAlloc, uintptr(unsafe.Pointer(&host)), 8, 3)
	bytes := unsafe.Slice(*(**byte)(unsafe.Pointer(&host)), 8)
	d, s := r.alloc(8), r.stream()
	r.Hold()
	bytes[0] = 1
	r.call(cu.Success, cu.MemcpyHtoDAsync, d, host, 8, s)
	bytes[0] = 2 // too early: the copy has not run
	r.call(cu.NotReady, cu.StreamQuery, s)
	r.Release()
	r.call(cu.Success, cu.StreamSynchronize, s)
	r.Delay(func(op string) time.Duration {
		if op == "cuMemcpyDtoHAsync_v2" {
			return 2 * time.Millisecond
		}
		return 0
	})
	bytes[0] = 0
	r.call(cu.Success, cu.MemcpyDtoHAsync, host, d, 8, s)
	r.call(cu.NotReady, cu.StreamQuery, s)
	r.call(cu.Success, cu.StreamSynchronize, s)
	if bytes[0] != 2 {
		t.Errorf("the copy took %d, what the memory held when it was enqueued", bytes[0])
	}
	r.call(cu.Success, cu.MemFreeHost, host)
	r.call(cu.InvalidValue, cu.MemFreeHost, host)
}

func TestFaults(t *testing.T) {
	r := newRaw(t, cufake.Options{})
	r.enter(0)
	r.Inject(cufake.Fault{Symbol: "cuMemAlloc_v2", Nth: 2, Code: 2})
	r.alloc(8)
	var p uintptr
	r.call(cu.OutOfMemory, cu.MemAlloc, uintptr(unsafe.Pointer(&p)), 8)
	r.alloc(8)
	s := r.stream()
	r.Inject(cufake.Fault{Nth: 2, Code: 719, Async: true})
	r.call(cu.Success, cu.StreamQuery, s)
	r.call(cu.LaunchFailed, cu.StreamQuery, s) // the call whose work fails is the one that may already say so
	r.call(cu.LaunchFailed, cu.StreamSynchronize, s)
	if r.Calls("cuStreamQuery") != 2 || r.Calls("") != len(r.History()) {
		t.Errorf("%d calls, %d in the history", r.Calls(""), len(r.History()))
	}
	if _, err := r.Lookup("cuNothing"); err == nil {
		t.Error("found what is not there")
	}
}
