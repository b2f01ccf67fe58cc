//go:build !nogpu && linux && (amd64 || arm64)

package gpu_test

import (
	"context"
	_ "embed"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
)

var (
	//go:embed testdata/suite.ptx
	suitePTX []byte
	//go:embed testdata/main.ptx
	mainPTX []byte
	//go:embed testdata/step.ptx
	stepPTX []byte
)

// machine is what a scenario runs on: the fake, or the installed driver.
type machine struct {
	fake   *cufake.GPU // nil: the installed driver
	driver *gpu.Driver
	device *gpu.Device
	ctx    context.Context
}

// kernels gives the fake the kernels of testdata.
func kernels(g *cufake.GPU) {
	g.Register("axpy", func(l *cufake.Launch) {
		n, a := cufake.Parameter[uint32](l, 0), cufake.Parameter[float32](l, 4)
		x, y := cufake.Memory[float32](l, cufake.Parameter[uint64](l, 8), int(n)), cufake.Memory[float32](l, cufake.Parameter[uint64](l, 16), int(n))
		for i := range x {
			y[i] = float32(a*x[i]) + y[i]
		}
	})
	g.Register("apply", func(l *cufake.Launch) {
		for i, to := 0, cufake.Memory[uint32](l, cufake.Parameter[uint64](l, 8), int(cufake.Parameter[uint32](l, 0))); i < len(to); i++ {
			to[i] = 3*to[i] + 1
		}
	})
	g.Register("pair", func(l *cufake.Launch) {
		to := cufake.Memory[uint64](l, cufake.Parameter[uint64](l, 8), 1)
		to[0] = uint64(cufake.Parameter[uint32](l, 0))<<32 | uint64(cufake.Parameter[uint32](l, 4))
	})
	g.Register("resident", func(l *cufake.Launch) {
		mailbox := cufake.Memory[uint32](l, cufake.Parameter[uint64](l, 0), 2)
		for load(&mailbox[0]) == 0 && !l.Stopped() {
			time.Sleep(10 * time.Microsecond)
		}
		store(&mailbox[1], 7)
	})
	g.Register("crash", func(l *cufake.Launch) {
		if cufake.Parameter[uint32](l, 0) != 0 {
			cufake.Memory[uint32](l, 16, 1)
		}
	})
}

// newFake makes a fake that ends with the test.
func newFake(t testing.TB, o cufake.Options) *cufake.GPU {
	t.Helper()
	g := cufake.New(o)
	t.Cleanup(g.Close)
	kernels(g)
	return g
}

// onFake opens device 0 of a new fake, checked, and holds at the end that nothing leaked and nothing was unordered.
func onFake(t testing.TB, o cufake.Options) *machine {
	t.Helper()
	g := newFake(t, o)
	driver, err := gpu.NewDriver(g.Lookup, gpu.Checked())
	if err != nil {
		t.Fatal(err)
	}
	m := open(t, driver)
	m.fake = g
	t.Cleanup(func() {
		if leaks := g.Leaks(); len(leaks) > 0 && m.device.Lost() == nil {
			t.Errorf("leaked: %q", leaks)
		}
	})
	finish(t, m)
	return m
}

func open(t testing.TB, driver *gpu.Driver) *machine {
	t.Helper()
	device, err := driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return &machine{driver: driver, device: device, ctx: context.Background()}
}

// finish closes the device at the end and looks at the checker's findings.
func finish(t testing.TB, m *machine) {
	t.Cleanup(func() {
		if err := m.device.Close(); err != nil {
			t.Error(err)
		}
		for _, f := range findings(m) {
			t.Error(f)
		}
	})
}

func findings(m *machine) (all []error) {
	found, _ := m.driver.Findings()
	for _, f := range found {
		all = append(all, f)
	}
	return all
}

// realDriver opens the installed driver once; a second error is the reason to skip.
var realDriver = sync.OnceValues(func() (*gpu.Driver, error) {
	driver, err := gpu.OpenDriver(gpu.Checked())
	if err == nil && driver.Count() == 0 {
		err = errors.New("no device")
	}
	return driver, err
})

// onReal opens device 0 of the installed driver, or skips.
func onReal(t testing.TB) *machine {
	t.Helper()
	driver, err := realDriver()
	if err != nil {
		t.Skipf("no CUDA device here: %v", err)
	}
	m := open(t, driver)
	finish(t, m)
	return m
}

// onBoth runs a test on the fake, and on the installed driver where there is one.
func onBoth(t *testing.T, test func(t *testing.T, m *machine)) {
	t.Run("fake", func(t *testing.T) { test(t, onFake(t, cufake.Options{Devices: 2})) })
	t.Run("real", func(t *testing.T) { test(t, onReal(t)) })
}
