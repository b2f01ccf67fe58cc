//go:build !nogpu && linux && (amd64 || arm64)

package gpu_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
)

// found fails unless the checker found exactly one thing of that kind, and forgets it.
func found(t *testing.T, m *machine, kind string) {
	t.Helper()
	all, n := m.driver.Findings()
	if n != 1 || all[0].Kind != kind {
		t.Errorf("found %v (%d), want one %q", all, n, kind)
	}
}

// The checker refuses what nothing orders, names both sides, and accepts it once it is ordered.
func TestChecker(t *testing.T) {
	onBoth(t, func(t *testing.T, m *machine) {
		b, err := newAxpy(m)
		if err != nil {
			t.Fatal(err)
		}
		other, err := m.device.NewStream(gpu.StreamOptions{Name: "other"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := m.device.NewEvent(false)
		if err != nil {
			t.Fatal(err)
		}
		host, err := gpu.AllocHost[float32](m.device, axpyN, gpu.Staging)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.launch(b.s); err != nil {
			t.Fatal(err)
		}
		says(t, b.launch(other), gpu.ErrUnordered, "axpy on other", "axpy on axpy", "write after write")
		found(t, m, "write after write")
		says(t, gpu.Copy(other, host.All(), b.y.All()), gpu.ErrUnordered, "read after write")
		found(t, m, "read after write")
		if err := errors.Join(e.Record(b.s), other.Wait(e), gpu.Copy(other, host.All(), b.y.All())); err != nil {
			t.Errorf("ordered by an event: %v", err)
		}
		says(t, b.launch(b.s), gpu.ErrUnordered, "write after read") // the copy still reads y
		found(t, m, "write after read")
		if err := errors.Join(e.Record(other), e.Sync(m.ctx)); err != nil {
			t.Fatal(err)
		}
		if _, err := host.Slice(); err != nil {
			t.Errorf("after the event: %v", err)
		}
		if err := b.launch(b.s); err != nil {
			t.Errorf("after the host saw the copy done: %v", err)
		}
		if err := errors.Join(other.Close(), b.Close(), host.Close(), e.Close()); err != nil {
			t.Error(err)
		}
	})
}

// Memory of a pool is freed in a stream's order, and not while another stream may use it.
func TestCloseOn(t *testing.T) {
	onBoth(t, func(t *testing.T, m *machine) {
		if !m.device.Info().Pools {
			t.Skip("the device has no pools")
		}
		p, err := m.device.NewPool(1<<20, 0)
		if err != nil {
			t.Fatal(err)
		}
		one, err := m.device.NewStream(gpu.StreamOptions{Name: "one"})
		if err != nil {
			t.Fatal(err)
		}
		two, err := m.device.NewStream(gpu.StreamOptions{Name: "two"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := m.device.NewEvent(false)
		if err != nil {
			t.Fatal(err)
		}
		b, err := gpu.AllocFrom[uint64](p, one, 100)
		if err != nil {
			t.Fatal(err)
		}
		says(t, gpu.Clear(two, b.All()), gpu.ErrUnordered, "AllocFrom on one") // it is not there yet for others
		found(t, m, "write after write")
		if err := gpu.Clear(one, b.All()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(e.Record(one), two.Wait(e), gpu.Clear(two, b.All())); err != nil {
			t.Fatal(err)
		}
		_, err = gpu.AllocFrom[byte](p, one, 1<<20)
		says(t, err, gpu.ErrOutOfMemory, "has given 800 of 1048576")
		if err := b.CloseOn(two); err != nil || p.Used() != 800 {
			t.Errorf("%d bytes are out while the other stream may use them: %v", p.Used(), err)
		}
		if err := errors.Join(one.Sync(m.ctx), two.Sync(m.ctx)); err != nil || p.Used() != 0 {
			t.Errorf("%d bytes are out when both streams are done: %v", p.Used(), err)
		}
		if err := b.CloseOn(two); err != nil {
			t.Errorf("a second CloseOn: %v", err)
		}
		if b, err = gpu.AllocFrom[uint64](p, one, 100); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(gpu.Clear(one, b.All()), b.CloseOn(one)); err != nil || p.Used() != 0 {
			t.Errorf("%d bytes are out after CloseOn on their only stream: %v", p.Used(), err)
		}
		if m.fake != nil {
			m.fake.Inject(cufake.Fault{Symbol: "cuMemAllocFromPoolAsync", Nth: 1, Code: 2})
			_, err := gpu.AllocFrom[uint64](p, one, 100)
			if says(t, err, gpu.ErrOutOfMemory, "800 bytes asked for"); p.Used() != 0 {
				t.Errorf("%d bytes are out that nobody got", p.Used())
			}
		}
		plain, err := gpu.Alloc[uint64](m.device, 1)
		if err != nil {
			t.Fatal(err)
		}
		says(t, plain.CloseOn(one), gpu.ErrInvalidValue, "use Close")
		if err := errors.Join(plain.Close(), e.Close(), one.Close(), two.Close(), p.Close()); err != nil {
			t.Error(err)
		}
	})
}

// What cannot be part of a graph says so, and the stream goes on; a graph keeps what it uses.
func TestCapture(t *testing.T) {
	onBoth(t, func(t *testing.T, m *machine) {
		b, err := newAxpy(m)
		if err != nil {
			t.Fatal(err)
		}
		e, err := m.device.NewEvent(false)
		if err != nil {
			t.Fatal(err)
		}
		g, err := b.s.Capture(func(s *gpu.Stream) error {
			for name, err := range map[string]error{
				"Sync": s.Sync(m.ctx), "SyncInDriver": s.SyncInDriver(), "Record": e.Record(s), "Wait": s.Wait(e),
			} {
				if !errors.Is(err, gpu.ErrCapturing) {
					t.Errorf("%s in a capture: %v", name, err)
				}
			}
			if _, err := s.Capture(nil); !errors.Is(err, gpu.ErrCapturing) {
				t.Errorf("a capture in a capture: %v", err)
			}
			return b.launch(s)
		})
		if err != nil {
			t.Fatal(err)
		}
		reason := errors.New("changed my mind")
		if _, err := b.s.Capture(func(s *gpu.Stream) error { return errors.Join(b.launch(s), reason) }); !errors.Is(err, reason) {
			t.Errorf("a body that fails: %v", err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic is gone")
				}
			}()
			_, _ = b.s.Capture(func(*gpu.Stream) error { panic("in a capture") })
		}()
		if err := errors.Join(b.x.Close(), b.m.Close()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(g.Launch(b.s), b.s.Sync(m.ctx)); err != nil {
			t.Fatalf("a graph whose buffer was closed by its user: %v", err)
		}
		if err := b.sum(1); err != nil {
			t.Error(err)
		}
		if err := errors.Join(g.Close(), e.Close(), b.Close()); err != nil {
			t.Error(err)
		}
		if err := g.Launch(b.s); !errors.Is(err, gpu.ErrClosed) {
			t.Errorf("a closed graph: %v", err)
		}
	})
}

// What is in flight on a stream is bounded: a call beyond waits and is counted.
func TestBounded(t *testing.T) {
	m := onFake(t, cufake.Options{})
	b, err := newAxpy(m)
	if err != nil {
		t.Fatal(err)
	}
	m.fake.Hold()
	go func() {
		for m.device.Stats().Stalls == 0 {
			time.Sleep(time.Millisecond)
		}
		m.fake.Release()
	}()
	const n = 1000 // three uses each, of 1024 that fit
	for range n {
		if err := b.launch(b.s); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(b.s.Sync(m.ctx), b.sum(n)); err != nil {
		t.Error(err)
	}
	if m.device.Stats().Stalls == 0 {
		t.Error("never waited")
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// Goroutines that change threads all the time, on two devices: a call that did not make its context current on its thread
// would be refused by the fake with CUDA_ERROR_INVALID_CONTEXT.
func TestMigration(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	m := onFake(t, cufake.Options{Devices: 2, SlowContext: 50 * time.Microsecond})
	second, err := m.driver.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 8 {
		device := [2]*gpu.Device{m.device, second}[i%2]
		wait.Go(func() {
			mine := &machine{fake: m.fake, driver: m.driver, device: device, ctx: m.ctx}
			b, err := newAxpy(mine)
			if err != nil {
				t.Error(err)
				return
			}
			for n := range 50 {
				if err := b.launch(b.s); err != nil {
					t.Error(err)
					break
				}
				if n%7 == 0 {
					time.Sleep(10 * time.Microsecond)
				}
				runtime.Gosched()
			}
			if err := errors.Join(b.s.Sync(m.ctx), b.sum(50), b.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

// A stream that a goroutine pinned is refused to others, with the checker on.
func TestPinnedByAnother(t *testing.T) {
	m := onFake(t, cufake.Options{})
	s, err := m.device.NewStream(gpu.StreamOptions{Name: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Pin(); err != nil {
		t.Fatal(err)
	}
	if err := s.Pin(); err == nil {
		t.Error("pinned twice")
	}
	calls := m.fake.Calls("cuCtxSetCurrent")
	if err := s.Sync(m.ctx); err != nil {
		t.Error(err)
	}
	if n := m.fake.Calls("cuCtxSetCurrent") - calls; n != 0 {
		t.Errorf("a pinned stream switched contexts %d times", n)
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocks: the thread ends with the goroutine
		_, err := s.Idle()
		done <- err
	}()
	if err := <-done; !errors.Is(err, gpu.ErrUnordered) || !strings.Contains(err.Error(), "mine is pinned") {
		t.Errorf("another goroutine: %v", err)
	}
	s.Unpin()
	s.Unpin()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
