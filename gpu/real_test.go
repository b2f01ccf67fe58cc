//go:build !nogpu && linux && (amd64 || arm64)

package gpu_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/sigengine/sigengine/gpu"
)

const crashVariable = "SIGENGINE_TEST_CRASH"

// A kernel that fails on hardware ends the context for its process, so a child does it.
func TestCrashOnReal(t *testing.T) {
	onReal(t)
	command := exec.Command(os.Args[0], "-test.run=^TestCrashChild$", "-test.v")
	command.Env = append(os.Environ(), crashVariable+"=1")
	out, err := command.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestCrashChild")) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestCrashChild(t *testing.T) {
	if os.Getenv(crashVariable) == "" {
		t.Skip("runs as a child of TestCrashOnReal")
	}
	crash(t, onReal(t))
}

// Copies and kernels on the hardware allocate nothing either.
func TestNothingIsAllocatedOnReal(t *testing.T) {
	if _, err := realDriver(); err != nil {
		t.Skipf("no CUDA device here: %v", err)
	}
	driver, err := gpu.OpenDriver()
	if err != nil {
		t.Fatal(err)
	}
	m := open(t, driver)
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
	var failed error
	n := testing.AllocsPerRun(200, func() {
		if err := errors.Join(b.launch(b.s), gpu.Copy(b.s, host.All(), b.y.All()), e.Record(b.s)); err != nil {
			failed = err
		}
		for done := false; !done && failed == nil; {
			done, failed = e.Done()
		}
	})
	if n != 0 || failed != nil {
		t.Errorf("%v allocations a round: %v", n, failed)
	}
	if err := errors.Join(host.Close(), e.Close(), b.Close(), m.device.Close()); err != nil {
		t.Error(err)
	}
}
