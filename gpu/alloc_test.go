//go:build !nogpu && linux && (amd64 || arm64)

package gpu

import (
	"runtime"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// idleDriver puts a C function that does next to nothing and returns 0 (the rounding mode: nearest) in place of every entry
// point: the fake's own allocations would hide ours.
func idleDriver(t testing.TB, d *Device) {
	t.Helper()
	libm, err := purego.Dlopen("libm.so.6", purego.RTLD_NOW)
	if err != nil {
		t.Skipf("no C library to borrow from: %v", err)
	}
	nothing, err := purego.Dlsym(libm, "fegetround")
	if err != nil {
		t.Fatal(err)
	}
	table, err := cu.Load(func(string) (uintptr, error) { return nothing, nil })
	if err != nil {
		t.Fatal(err)
	}
	old := d.driver.table
	d.driver.table = table
	t.Cleanup(func() { d.driver.table = old })
}

type allocParameters struct {
	N    uint32
	A    float32
	X, Y Ptr[float32]
}

// idleBench is a device, a stream, buffers, a kernel, a graph and an event, on a driver that does nothing.
func idleBench(t testing.TB, options ...DriverOption) (d *Device, run map[string]func() error) {
	t.Helper()
	fake := cufake.New(cufake.Options{})
	t.Cleanup(fake.Close)
	driver, err := NewDriver(fake.Lookup, options...)
	if err != nil {
		t.Fatal(err)
	}
	if d, err = driver.Open(0); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := d.NewStream(StreamOptions{})
	must(err)
	x, err := Alloc[float32](d, 64)
	must(err)
	y, err := AllocHost[float32](d, 64, Staging)
	must(err)
	e, err := d.NewEvent(false)
	must(err)
	fake.Register("f", func(*cufake.Launch) {})
	module, err := d.LoadModule([]byte(".version 7.0\n.visible .entry f(.param .u32 a, .param .f32 b, .param .u64 c, .param .u64 d)"))
	must(err)
	k, err := LoadKernel[allocParameters](module, "f")
	must(err)
	g, err := s.Capture(func(s *Stream) error { return Copy(s, y.All(), x.All()) })
	must(err)
	idleDriver(t, d)
	p := &allocParameters{N: 64, A: 2, X: x.Ptr(), Y: y.Ptr()}
	wide := Linear(64, 32)
	wide.OwnDomain = true
	return d, map[string]func() error{
		"Launch":      func() error { return Launch(s, k, Linear(64, 32), p, x.In(), y.Out()) },
		"Launch wide": func() error { return Launch(s, k, wide, p, x.In(), y.Out()) },
		"Copy":        func() error { return Copy(s, y.All(), x.Span(0, 64)) },
		"Clear":       func() error { return Clear(s, x.All()) },
		"Graph":       func() error { return g.Launch(s) },
		"Record":      func() error { return e.Record(s) },
		"Wait":        func() error { return s.Wait(e) },
		"Done":        func() error { _, err := e.Done(); return err },
		"Idle":        func() error { _, err := s.Idle(); return err },
		"Sync":        func() error { return s.SyncInDriver() },
		"Slice":       func() error { _, err := s.Idle(); _, _ = y.Slice(); return err },
	}
}

func TestNothingIsAllocated(t *testing.T) {
	d, run := idleBench(t)
	for _, name := range []string{"Launch", "Launch wide", "Copy", "Clear", "Graph", "Record", "Wait", "Done", "Idle", "Sync", "Slice"} {
		var failed error
		if n := testing.AllocsPerRun(200, func() {
			if err := run[name](); err != nil {
				failed = err
			}
		}); n != 0 || failed != nil {
			t.Errorf("%s: %v allocations, %v", name, n, failed)
		}
	}
	runtime.KeepAlive(d)
}

// Text ends in a zero byte for the driver, and a cubin is passed on as it is.
func TestImage(t *testing.T) {
	text := make([]byte, 4, 8)
	copy(text, "ptx!")
	text[:8][4] = 'x' // what lies behind the slice
	if got, err := image("op", text); err != nil || string(got) != "ptx!\x00" {
		t.Errorf("%q: %v", got, err)
	}
	if got, err := image("op", []byte("ptx!\x00")); err != nil || string(got[:5]) != "ptx!\x00" {
		t.Errorf("%q: %v", got, err)
	}
	if got, err := image("op", []byte("\x7fELF\x00\x01")); err != nil || string(got) != "\x7fELF\x00\x01" {
		t.Errorf("%q: %v", got, err)
	}
}

func BenchmarkCalls(b *testing.B) {
	b.Run("unchecked", func(b *testing.B) { benchmarkCalls(b) })
	b.Run("checked", func(b *testing.B) { benchmarkCalls(b, Checked()) })
}

func benchmarkCalls(b *testing.B, options ...DriverOption) {
	_, run := idleBench(b, options...)
	for _, name := range []string{"Launch", "Copy", "Graph", "Record", "Done", "Idle"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := run[name](); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
