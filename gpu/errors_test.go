//go:build !nogpu && linux && (amd64 || arm64)

package gpu_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
)

// says fails unless err is the sentinel and has all the words.
func says(t *testing.T, err, sentinel error, words ...string) {
	t.Helper()
	if !errors.Is(err, sentinel) {
		t.Fatalf("%v, want %v", err, sentinel)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

func TestDriverErrors(t *testing.T) {
	t.Run("no library", func(t *testing.T) {
		t.Setenv("SIGENGINE_LIBCUDA", "/nowhere/libcuda.so.1")
		_, err := gpu.OpenDriver()
		says(t, err, gpu.ErrNoDriver, "/nowhere/libcuda.so.1", "install the NVIDIA driver")
		if _, err := gpu.Open(0); !errors.Is(err, gpu.ErrNoDriver) {
			t.Errorf("Open: %v", err)
		}
		if ok, err := gpu.Present(); ok || err == nil {
			t.Errorf("Present: %v, %v", ok, err)
		}
	})
	for code, words := range map[int32]string{
		100: "CUDA_VISIBLE_DEVICES", 802: "fabricmanager", 803: "restart the machine", 304: "/dev/nvidia", 804: "cuda-compat",
	} {
		g := cufake.New(cufake.Options{})
		g.Inject(cufake.Fault{Symbol: "cuInit", Nth: 1, Code: code})
		_, err := gpu.NewDriver(g.Lookup)
		g.Close()
		e := new(gpu.Error)
		if !errors.As(err, &e) || e.Op != "cuInit" || e.Code != gpu.Code(code) || e.Name == "" || e.Text == "" || !strings.Contains(e.Hint, words) {
			t.Errorf("code %d: %#v", code, e)
		}
	}
}

func TestDevices(t *testing.T) {
	g := newFake(t, cufake.Options{Devices: 3, Version: 12080})
	d, err := gpu.NewDriver(g.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	if major, minor := d.Version(); major != 12 || minor != 8 || d.Count() != 3 {
		t.Errorf("version %d.%d, %d devices", major, minor, d.Count())
	}
	info, err := d.Info(2)
	if err != nil || info.Name != "Fake GPU 2" || info.PCI != "0000:02:00.0" || info.Architecture() != "sm_90" || info.SMs != 132 ||
		info.Limits.SharedBytesByOption != 227<<10 || info.Limits.Block != [3]int{1024, 1024, 64} || !info.Pools {
		t.Errorf("%+v: %v", info, err)
	}
	_, err = d.Open(3)
	says(t, err, &gpu.Error{Code: 101}, "device 3 of 3")
	_, err = d.Open(-1)
	says(t, err, &gpu.Error{Code: 101}, "device -1 of 3")
}

func TestMemoryErrors(t *testing.T) {
	onBoth(t, func(t *testing.T, m *machine) {
		d := m.device
		_, total, err := d.Memory()
		if err != nil {
			t.Fatal(err)
		}
		_, err = gpu.Alloc[byte](d, int(2*total))
		says(t, err, gpu.ErrOutOfMemory, "asked for", "free")
		_, err = gpu.Alloc[uint64](d, 0)
		says(t, err, gpu.ErrInvalidValue, "0 elements")
		_, err = gpu.Alloc[uint64](d, 1<<60)
		says(t, err, gpu.ErrInvalidValue)
		_, err = gpu.Alloc[*int](d, 1)
		says(t, err, gpu.ErrInvalidValue, "a ptr")
		_, err = gpu.AllocHost[struct{ a, b string }](d, 1, gpu.Staging)
		says(t, err, gpu.ErrInvalidValue, "a string")
		_, err = gpu.AllocHost[int](d, 1, gpu.Staging)
		says(t, err, gpu.ErrInvalidValue, "a int")
		_, err = gpu.AllocManaged[byte](d, gpu.ManagedMax+1)
		if !errors.Is(err, gpu.ErrUnsupported) {
			says(t, err, gpu.ErrOutOfMemory, "use Alloc and copies")
		}
		b, err := gpu.Alloc[uint64](d, 4)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]uint64, 4)
		if err := gpu.Read(got, b.All()); err != nil || got != nil && [4]uint64(got) != [4]uint64{} {
			t.Errorf("new memory holds %x: %v", got, err)
		}
		says(t, gpu.Write(b.All(), got[:3]), gpu.ErrInvalidValue, "3 elements over 4")
		for range 2 {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
		says(t, gpu.Write(b.All(), got), gpu.ErrClosed)
		says(t, gpu.Read(got, gpu.Span[uint64]{}.Span(0, 0)), gpu.ErrInvalidValue)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a span out of range went unnoticed")
				}
			}()
			b.Span(2, 5)
		}()
	})
}

// What is open when a device closes is named with where it was made, and closed by nobody else.
func TestLeakReport(t *testing.T) {
	onBoth(t, func(t *testing.T, m *machine) {
		b, err := gpu.Alloc[uint64](m.device, 4)
		if err != nil {
			t.Fatal(err)
		}
		err = m.device.Close()
		says(t, err, gpu.ErrOpen, "buffer of 32 bytes", "TestLeakReport", "errors_test.go")
		if leaks := m.device.Leaks(); len(leaks) != 1 || leaks[0].Kind != "buffer" || leaks[0].Abandoned {
			t.Errorf("%v", leaks)
		}
		if err := gpu.Write(b.Span(0, 1), []uint64{1}); err != nil {
			t.Errorf("the refusal broke something: %v", err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A buffer that nobody can reach any more is counted, named, and freed with the device.
func TestAbandoned(t *testing.T) {
	m := onFake(t, cufake.Options{})
	func() {
		if _, err := gpu.Alloc[uint64](m.device, 4); err != nil {
			t.Fatal(err)
		}
	}()
	for deadline := 0; m.device.Stats().Collected == 0; deadline++ {
		if deadline > 500 {
			t.Fatal("the collector did not see it")
		}
		runtime.GC()
		time.Sleep(2 * time.Millisecond)
	}
	leaks := m.device.Leaks()
	if len(leaks) != 1 || !leaks[0].Abandoned || !strings.Contains(leaks[0].String(), "unreachable") {
		t.Fatalf("%v", leaks)
	}
	if err := m.device.Close(); err != nil {
		t.Error(err)
	}
}

// Closing what the device uses is safe: it is freed when the device is done.
func TestCloseInFlight(t *testing.T) {
	m := onFake(t, cufake.Options{})
	b, err := newAxpy(m)
	if err != nil {
		t.Fatal(err)
	}
	host, err := gpu.AllocHost[float32](m.device, axpyN, gpu.Staging)
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.device.NewEvent(false)
	if err != nil {
		t.Fatal(err)
	}
	m.fake.Hold()
	if err := errors.Join(b.launch(b.s), gpu.Copy(b.s, host.All(), b.y.All()), e.Record(b.s)); err != nil {
		t.Fatal(err)
	}
	if _, err := host.Slice(); !errors.Is(err, gpu.ErrInFlight) {
		t.Errorf("Slice of memory in flight: %v", err)
	}
	says(t, gpu.Read(make([]float32, axpyN), b.y.All()), gpu.ErrInFlight, "Read of a buffer")
	if err := errors.Join(b.x.Close(), b.y.Close(), b.m.Close()); err != nil {
		t.Fatal(err)
	}
	says(t, b.launch(b.s), gpu.ErrClosed)
	if n := m.fake.Calls("cuMemFree_v2") + m.fake.Calls("cuModuleUnload"); n != 0 {
		t.Fatalf("%d things were freed under the device", n)
	}
	in := 0
	for _, l := range m.device.Leaks() {
		if l.InFlight {
			in++
		}
	}
	if in != 3 {
		t.Errorf("%d closed things in flight, want 3", in)
	}
	if done, err := e.Done(); done || err != nil {
		t.Errorf("the event is done before the work: %v", err)
	}
	early, cancel := context.WithTimeout(m.ctx, 5*time.Millisecond)
	defer cancel()
	if err := b.s.Sync(early); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Sync with a limit: %v", err)
	}
	if err := b.s.CloseWithin(early); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("CloseWithin: %v", err)
	}
	m.fake.Release()
	if err := e.Sync(m.ctx); err != nil {
		t.Fatal(err)
	}
	if n := m.fake.Calls("cuMemFree_v2"); n != 2 {
		t.Errorf("%d buffers freed after the event, want 2", n)
	}
	got, err := host.Slice()
	if err != nil {
		t.Fatal(err)
	}
	if err := want("copied", got, func(int) float32 { return 2 }); err != nil {
		t.Error(err)
	}
	if err := errors.Join(b.s.Close(), host.Close(), e.Close()); err != nil {
		t.Error(err)
	}
}

// A device that broke answers ErrLost to everything, closes, and leaves other devices alone.
func TestLost(t *testing.T) {
	m := onFake(t, cufake.Options{Devices: 2})
	other, err := m.driver.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newAxpy(m)
	if err != nil {
		t.Fatal(err)
	}
	box, err := gpu.AllocHost[uint32](m.device, 4, gpu.Mailbox)
	if err != nil {
		t.Fatal(err)
	}
	if m.device.Lost() != nil {
		t.Fatal("lost before it was")
	}
	foreign, err := gpu.Alloc[float32](other, axpyN) // in flight on the stream of the device that breaks
	if err != nil {
		t.Fatal(err)
	}
	m.fake.Hold()
	if err := errors.Join(m.device.EnablePeer(other), gpu.Copy(b.s, foreign.All(), b.x.All()), foreign.Close()); err != nil {
		t.Fatal(err)
	}
	m.fake.Break(0, 700)
	m.fake.Release()
	err = b.s.Sync(m.ctx)
	says(t, err, gpu.ErrLost, "ILLEGAL_ADDRESS", "compute-sanitizer", "earlier work")
	says(t, err, gpu.ErrIllegalAddress)
	says(t, m.device.Lost(), gpu.ErrLost, "ILLEGAL_ADDRESS")
	calls := m.fake.Calls("")
	_, allocErr := gpu.Alloc[byte](m.device, 1)
	_, eventErr := m.device.NewEvent(false)
	for name, err := range map[string]error{"launch": b.launch(b.s), "sync": b.s.SyncInDriver(), "alloc": allocErr, "event": eventErr, "pin": b.s.Pin()} {
		if !errors.Is(err, gpu.ErrLost) || !errors.Is(err, gpu.ErrIllegalAddress) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := m.fake.Calls(""); n != calls {
		t.Errorf("a lost device was called %d times", n-calls)
	}
	words, err := box.Slice()
	if err != nil {
		t.Errorf("the rows in a mailbox cannot be read: %v", err)
	}
	if err := errors.Join(box.Close(), b.Close(), m.device.Close()); err != nil {
		t.Errorf("closing: %v", err)
	}
	_ = words[0] // still mapped
	x, err := gpu.Alloc[uint64](other, 8)
	if err != nil {
		t.Fatalf("the other device: %v", err)
	}
	if err := errors.Join(x.Close(), other.Close()); err != nil {
		t.Error(err)
	}
}

// A kernel that fails is reported by a later call, once for all.
func TestCrash(t *testing.T) {
	m := onFake(t, cufake.Options{})
	crash(t, m)
}

func crash(t *testing.T, m *machine) {
	b, err := newAxpy(m)
	if err != nil {
		t.Fatal(err)
	}
	type parameters struct{ N uint32 }
	k, err := gpu.LoadKernel[parameters](b.m, "crash")
	if err != nil {
		t.Fatal(err)
	}
	if err := gpu.Launch(b.s, k, gpu.Linear(1, 1), &parameters{1}); err != nil {
		t.Fatal(err)
	}
	says(t, b.s.Sync(m.ctx), gpu.ErrLost, "ILLEGAL_ADDRESS")
	says(t, b.launch(b.s), gpu.ErrLost)
	if err := errors.Join(b.Close(), m.device.Close()); err != nil {
		t.Error(err)
	}
}

// A device that its owner gives up is lost without having said anything.
func TestLose(t *testing.T) {
	m := onFake(t, cufake.Options{})
	b, err := newAxpy(m)
	if err != nil {
		t.Fatal(err)
	}
	m.device.Lose(errors.New("no heartbeat"))
	says(t, b.launch(b.s), gpu.ErrLost, "no heartbeat")
	calls := m.fake.Calls("")
	if err := errors.Join(b.Close(), m.device.Close()); err != nil {
		t.Error(err)
	}
	if n := m.fake.Calls("") - calls; n != 0 {
		t.Errorf("%d calls to a driver that does not answer", n)
	}
}
