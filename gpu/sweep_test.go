//go:build !nogpu && linux && (amd64 || arm64)

package gpu_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
)

// sweepResult is how a scenario under a fault ended.
type sweepResult struct {
	history  []string
	err      error // the scenario's, or of opening
	closeErr error // of the device's last Close
	lost     bool
	leaks    []string
}

// attempt runs a whole life: driver, device, scenario, close; on a fake with faults.
func attempt(s scenario, inject ...cufake.Fault) (r sweepResult) {
	g := cufake.New(cufake.Options{Devices: 2})
	defer g.Close()
	kernels(g)
	for _, f := range inject {
		g.Inject(f)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	driver, err := gpu.NewDriver(g.Lookup, gpu.Checked())
	if err != nil {
		return sweepResult{err: err, leaks: g.Leaks(), history: g.History()}
	}
	device, err := driver.Open(0)
	if err == nil {
		r.err = s.run(&machine{fake: g, driver: driver, device: device, ctx: ctx})
		for range 3 {
			if r.closeErr = device.Close(); r.closeErr == nil {
				break
			}
		}
		r.lost = device.Lost() != nil
	} else {
		r.err = err
	}
	r.leaks, r.history = g.Leaks(), g.History()
	return r
}

// within fails the test with all goroutines' stacks if f takes too long: nothing may hang.
func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(limit):
		buffer := make([]byte, 1<<20)
		t.Fatalf("%s hangs\n%s", what, buffer[:runtime.Stack(buffer, true)])
	}
}

// Every scenario again, with every call of the driver failing once, in three ways.
func TestFaultSweep(t *testing.T) {
	const transient, deadly = 999, 719
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			whole := attempt(s)
			if whole.err != nil || whole.closeErr != nil || len(whole.leaks) > 0 {
				t.Fatalf("without faults: %+v", whole)
			}
			calls := len(whole.history)
			for n := 1; n <= calls; n++ {
				if again(whole.history[:n]) || testing.Short() && n%5 != 0 {
					continue
				}
				for _, f := range []cufake.Fault{{Nth: n, Code: transient}, {Nth: n, Code: deadly}, {Nth: n, Code: deadly, Async: true}} {
					what := fmt.Sprintf("call %d of %d failing with %d (async %v)", n, calls, f.Code, f.Async)
					within(t, 60*time.Second, what, func() { judge(t, what, f, attempt(s, f)) })
				}
			}
		})
	}
}

// again reports whether the last call is one more look of many in a row.
func again(history []string) bool {
	n := len(history) - 1
	return n >= 4 && history[n] == history[n-2] && history[n-2] == history[n-4] &&
		(strings.HasSuffix(history[n], "Query") || strings.HasSuffix(history[n-1], "Query"))
}

func judge(t *testing.T, what string, f cufake.Fault, r sweepResult) {
	if errors.Is(r.err, errWrong) {
		t.Errorf("%s: a wrong result: %v", what, r.err)
	}
	if r.closeErr != nil {
		t.Errorf("%s: the device does not close: %v", what, r.closeErr)
	}
	var known *gpu.Error
	if r.err != nil && !errors.As(r.err, &known) {
		t.Errorf("%s: an error that is not the driver's: %v", what, r.err)
	}
	if f.Code == 999 {
		if len(r.leaks) > 0 {
			t.Errorf("%s: leaked %q; the scenario said %v", what, r.leaks, r.err)
		}
		if r.lost {
			t.Errorf("%s: the device is lost for a passing error", what)
		}
		return
	}
	for _, l := range r.leaks { // a broken device keeps its memory, but the context must be given back
		if strings.HasPrefix(l, "primary context") {
			t.Errorf("%s: %s; the scenario said %v", what, l, r.err)
		}
	}
	if r.err != nil && !errors.Is(r.err, gpu.ErrLost) {
		t.Errorf("%s: not ErrLost: %v", what, r.err)
	}
}

// A driver that lacks an entry point: a required one is named when the driver is opened; without an optional one there is an
// error where it is used, nothing leaks, and the rest works.
func TestMissingSymbols(t *testing.T) {
	var names []string
	func() {
		g := cufake.New(cufake.Options{})
		defer g.Close()
		driver, err := gpu.NewDriver(func(name string) (uintptr, error) {
			names = append(names, name)
			return g.Lookup(name)
		})
		if err != nil || len(driver.Missing()) != 0 {
			t.Fatalf("the fake lacks some: %v", err)
		}
	}()
	required, optional := 0, 0
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			g := newFake(t, cufake.Options{Devices: 2, Missing: []string{name}})
			driver, err := gpu.NewDriver(g.Lookup)
			if err != nil {
				required++
				if !errors.Is(err, gpu.ErrNoDriver) || !strings.Contains(err.Error(), name) {
					t.Fatal(err)
				}
				return
			}
			optional++
			if missing := driver.Missing(); len(missing) != 1 || missing[0] != name {
				t.Fatalf("missing %v", missing)
			}
			without(t, g, driver)
		})
	}
	if required < 20 || optional < 20 {
		t.Errorf("%d required, %d optional: the test went wrong", required, optional)
	}
}

func without(t *testing.T, g *cufake.GPU, driver *gpu.Driver) {
	for _, s := range scenarios {
		device, err := driver.Open(0)
		if err != nil {
			t.Fatal(err)
		}
		err = s.run(&machine{fake: g, driver: driver, device: device, ctx: context.Background()})
		if err != nil && !errors.Is(err, gpu.ErrUnsupported) {
			t.Errorf("%s: %v", s.name, err)
		}
		if err := device.Close(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	if leaks := g.Leaks(); len(leaks) > 0 {
		t.Errorf("leaked %q", leaks)
	}
}
