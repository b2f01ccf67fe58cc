//go:build !nogpu && linux && (amd64 || arm64)

package main

import (
	"strings"
	"testing"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
)

// fakeMachine is a machine with GPUs whose kernels compute nothing: a resident kernel ends at once.
func fakeMachine(t *testing.T, o cufake.Options) (*cufake.GPU, func() (*gpu.Driver, error)) {
	t.Helper()
	if o.MemoryBytes == 0 {
		o.MemoryBytes = 1 << 30
	}
	g := cufake.New(o)
	for _, kernel := range []string{"lane", "batch"} {
		g.Register(kernel, func(*cufake.Launch) {})
	}
	t.Cleanup(g.Close)
	return g, func() (*gpu.Driver, error) { return gpu.NewDriver(g.Lookup) }
}

// TestLostDevice: a kernel that ends by itself is a lost device. With a follower the run goes on, on the CPU, says so once, and
// its journal verifies; without, it ends with an exit code of its own.
func TestLostDevice(t *testing.T) {
	_, driver := fakeMachine(t, cufake.Options{})
	dir := t.TempDir()
	demo := []string{"demo", "--for", "1s", "--json", "--journal", dir, "--executor", "gpu", "--rate", "5000"}
	c := commandLine{driver: driver}
	if code := c.run(t.Context(), demo...); code != exitOK {
		t.Fatalf("exit %d\n%s", code, c.err.String())
	}
	log, s := c.err.String(), readSummary(t, c.out.String())
	for _, want := range []string{
		"msg=executor executor=gpu", "0 Fake GPU 0 0000:00:00.0, lanes 1", "dispatch=resident follow=true",
		"a GPU was lost", "device 0 lost: the resident kernel has ended by itself",
	} {
		if strings.Count(log, want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, log)
		}
	}
	if s.Executor != "cpu" || s.GPU == nil || len(s.GPU.Devices) != 1 || s.GPU.Devices[0].Lost == "" || s.GPU.Mismatches != 0 || s.Signals == 0 {
		t.Errorf("%+v of %s", s, c.out.String())
	}
	ok(t, "verify", dir)

	alone := commandLine{driver: driver}
	if code := alone.run(t.Context(), append(demo, "--follow=off")...); code != exitGPU {
		t.Errorf("not followed: exit %d\n%s", code, alone.err.String())
	}
}
