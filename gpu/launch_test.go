//go:build !nogpu && linux && (amd64 || arm64)

package gpu_test

import (
	"errors"
	"testing"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
)

// What the driver would call an invalid value is refused before, with what is wrong and what is right.
func TestLaunchRefusals(t *testing.T) {
	onBoth(t, func(t *testing.T, m *machine) {
		b, err := newAxpy(m)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}()
		info := m.device.Info()
		p := axpyParameters{axpyN, 2, b.x.Ptr(), b.y.Ptr()}
		one := gpu.Config{Grid: gpu.Dim{X: 1}, Block: gpu.Dim{X: 32}}
		with := func(change func(c *gpu.Config)) gpu.Config { c := one; change(&c); return c }
		for name, test := range map[string]struct {
			config gpu.Config
			words  []string
		}{
			"no blocks":      {with(func(c *gpu.Config) { c.Grid.X = 0 }), []string{"axpy: a grid of 0 blocks in X", "launch nothing"}},
			"many blocks":    {with(func(c *gpu.Config) { c.Grid.Y = 70000 }), []string{"70000 blocks in Y", "65535"}},
			"no threads":     {with(func(c *gpu.Config) { c.Block.X = 0 }), []string{"a block of 0 threads in X"}},
			"deep block":     {with(func(c *gpu.Config) { c.Block.Z = 65 }), []string{"65 threads in Z", "64"}},
			"large block":    {with(func(c *gpu.Config) { c.Block = gpu.Dim{X: 64, Y: 32} }), []string{"2048 threads", "at most 1024"}},
			"shared":         {with(func(c *gpu.Config) { c.SharedBytes = 1 << 20 }), []string{"1048576 bytes of dynamic shared"}},
			"shared unasked": {with(func(c *gpu.Config) { c.SharedBytes = info.Limits.SharedBytes + 1024 }), []string{"AllowShared"}},
			"negative":       {with(func(c *gpu.Config) { c.SharedBytes = -1 }), []string{"-1 bytes"}},
			"waiting blocks": {with(func(c *gpu.Config) { c.Grid.X, c.Cooperative = 1<<20, true }), []string{"1048576 blocks that wait for each other"}},
		} {
			if err := gpu.Launch(b.s, b.k, test.config, &p, b.x.In(), b.y.Out()); err == nil {
				t.Errorf("%s: launched", name)
			} else {
				says(t, err, gpu.ErrInvalidValue, test.words...)
			}
		}
		if info.Clusters {
			err := gpu.Launch(b.s, b.k, with(func(c *gpu.Config) { c.Grid.X, c.Cluster.X = 3, 2 }), &p, b.x.In(), b.y.Out())
			says(t, err, gpu.ErrInvalidValue, "clusters of 2 blocks in a grid of 3")
		}
		says(t, gpu.Launch(b.s, b.k, one, &p, b.x.In()), gpu.ErrInvalidValue, "parameter Y points at memory that the launch does not name")
		says(t, gpu.Launch(b.s, b.k, one, nil, b.x.In()), gpu.ErrInvalidValue, "no parameters")
		says(t, gpu.Launch(b.s, b.k, one, &p, b.x.In(), gpu.Use{}), gpu.ErrInvalidValue, "parameter Y")
		if err := b.k.AllowShared(info.Limits.SharedBytes + 1024); err != nil {
			t.Fatal(err)
		}
		large := with(func(c *gpu.Config) { c.SharedBytes = info.Limits.SharedBytes + 1024 })
		if err := gpu.Launch(b.s, b.k, large, &p, b.x.In(), b.y.Out()); err != nil {
			t.Errorf("with AllowShared: %v", err)
		}
		says(t, b.k.AllowShared(1<<20), gpu.ErrInvalidValue, "0 to")
		if n, err := b.k.Resident(128, 0); err != nil || n < info.SMs {
			t.Errorf("%d resident blocks: %v", n, err)
		}
		if err := b.s.Sync(m.ctx); err != nil {
			t.Error(err)
		}
	})
}

// Parameters are compared with the kernel when it is loaded.
func TestLayout(t *testing.T) {
	onBoth(t, func(t *testing.T, m *machine) {
		module, err := m.device.LoadModule(suitePTX)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := module.Close(); err != nil {
				t.Error(err)
			}
		}()
		_, err = gpu.LoadKernel[axpyParameters](module, "axpi")
		says(t, err, gpu.ErrNotFound, `no kernel "axpi"`)
		_, err = gpu.LoadKernel[struct {
			N    uint32
			A    float32
			X, Y *float32
		}](module, "axpy")
		says(t, err, gpu.ErrInvalidValue, "a ptr", "gpu.Ptr")
		_, err = gpu.LoadKernel[uint32](module, "axpy")
		says(t, err, gpu.ErrInvalidValue, "use a struct")
		k, err := gpu.LoadKernel[axpyParameters](module, "axpy")
		if err != nil {
			t.Fatal(err)
		}
		if !k.Checked() {
			t.Skip("this driver cannot tell a kernel's parameters")
		}
		_, err = gpu.LoadKernel[struct {
			N uint32
			A float64
			X gpu.Ptr[float32]
			Y gpu.Ptr[float32]
		}](module, "axpy")
		says(t, err, gpu.ErrInvalidValue, "field A has 8 bytes at offset 8, parameter 1 has 4 at 4")
		_, err = gpu.LoadKernel[struct {
			N uint32
			A float32
			X gpu.Ptr[float32]
		}](module, "axpy")
		says(t, err, gpu.ErrInvalidValue, "3 fields, the kernel more")
		_, err = gpu.LoadKernel[struct {
			N       uint32
			A       float32
			X, Y, Z gpu.Ptr[float32]
		}](module, "axpy")
		says(t, err, gpu.ErrInvalidValue, "5 fields, the kernel 4 parameters")
	})
}

// A struct is one parameter; an address inside a struct is seen.
func TestStructParameter(t *testing.T) {
	onBoth(t, func(t *testing.T, m *machine) {
		module, err := m.device.LoadModule(suitePTX)
		if err != nil {
			t.Fatal(err)
		}
		type parameters struct {
			P struct{ A, B uint32 }
			T [1]gpu.Ptr[uint64]
		}
		k, err := gpu.LoadKernel[parameters](module, "pair")
		if err != nil {
			t.Fatal(err)
		}
		to, err := gpu.AllocHost[uint64](m.device, 1, gpu.Staging) // mapped: the kernel writes host memory
		if err != nil {
			t.Fatal(err)
		}
		s, err := m.device.NewStream(gpu.StreamOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p := &parameters{T: [1]gpu.Ptr[uint64]{to.Ptr()}}
		p.P.A, p.P.B = 5, 6
		says(t, gpu.Launch(s, k, gpu.Linear(1, 1), p), gpu.ErrInvalidValue, "parameter T[0]")
		if err := gpu.Launch(s, k, gpu.Linear(1, 1), p, to.Out()); err != nil {
			t.Fatal(err)
		}
		if err := s.Sync(m.ctx); err != nil {
			t.Fatal(err)
		}
		if got, err := to.Slice(); err != nil || got[0] != 5<<32|6 {
			t.Errorf("%v: %v", got, err)
		}
		if err := errors.Join(s.Close(), to.Close(), module.Close()); err != nil {
			t.Error(err)
		}
	})
}

func TestCodeErrors(t *testing.T) {
	onBoth(t, func(t *testing.T, m *machine) {
		_, err := m.device.LoadModule(nil)
		says(t, err, gpu.ErrInvalidValue, "no code")
		_, err = m.device.LoadModule([]byte(".version 7.0\x00rest"))
		says(t, err, gpu.ErrInvalidValue, "zero byte at 12")
		_, err = m.device.LoadModule([]byte(".version 7.0\n.target sm_80\n.address_size 64\nthis is no code\n"))
		if e := new(gpu.Error); !errors.As(err, &e) || e.Log == "" {
			t.Errorf("without what the compiler said: %v", err)
		}
		_, err = m.device.LoadLinked(gpu.Part{Name: "main.ptx", Code: mainPTX})
		if e := new(gpu.Error); !errors.As(err, &e) || e.Log == "" {
			t.Errorf("without what the linker said: %v", err)
		} else {
			says(t, err, e, "step")
		}
		_, err = m.device.LoadLinked(gpu.Part{Name: "bad.ptx", Code: []byte("no")})
		if err == nil {
			t.Error("linked nonsense")
		}
		cubin, _, err := m.device.Link(gpu.Part{Name: "main.ptx", Code: mainPTX}, gpu.Part{Name: "step.ptx", Code: stepPTX})
		if err != nil {
			t.Fatal(err)
		}
		module, err := m.device.LoadModule(cubin)
		if err != nil {
			t.Fatalf("a cubin: %v", err)
		}
		if _, err := gpu.Global[uint32](module, "nothing"); err == nil {
			t.Error("found a variable that is not there")
		}
		if err := module.Close(); err != nil {
			t.Error(err)
		}
		if _, err := gpu.LoadKernel[axpyParameters](module, "apply"); !errors.Is(err, gpu.ErrClosed) {
			t.Errorf("a kernel of a closed module: %v", err)
		}
	})
}

// Things of one device are refused on another's stream.
func TestForeignDevice(t *testing.T) {
	m := onFake(t, cufake.Options{Devices: 2})
	second, err := m.driver.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newAxpy(m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := second.NewStream(gpu.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.device.NewEvent(false)
	if err != nil {
		t.Fatal(err)
	}
	says(t, b.launch(s), gpu.ErrInvalidValue, "kernel axpy of device 0 on a stream of device 1")
	says(t, gpu.Clear(s, b.x.All()), gpu.ErrInvalidValue, "a buffer of device 0 on a stream of device 1", "EnablePeer")
	says(t, e.Record(s), gpu.ErrInvalidValue, "an event of device 0")
	host, err := gpu.AllocHost[float32](m.device, axpyN, gpu.Staging)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(e.Record(b.s), s.Wait(e), gpu.Clear(b.s, host.All())); err != nil { // another device's event may be waited for
		t.Error(err)
	}
	x, err := gpu.Alloc[float32](second, axpyN)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.s.Sync(m.ctx); err != nil {
		t.Error(err)
	}
	if err := errors.Join(gpu.Copy(s, x.All(), host.All()), s.Sync(m.ctx)); err != nil { // pinned memory is every device's
		t.Error(err)
	}
	if err := errors.Join(e.Close(), b.Close(), s.Close(), host.Close(), x.Close(), second.Close()); err != nil {
		t.Error(err)
	}
}
