//go:build !nogpu && linux && (amd64 || arm64)

package gpu_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
)

func TestCompilerOnFake(t *testing.T) {
	m := onFake(t, cufake.Options{})
	c, err := gpu.NewCompiler(m.fake.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	if major, _ := c.Version(); major != 13 {
		t.Errorf("version %d", major)
	}
	code, log, err := c.Compile("axpy.cu", string(suitePTX), "sm_90", "-DX=1")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []string{"--gpu-architecture=sm_90", "--fmad=false", "--ftz=false", "-DX=1"} {
		if !strings.Contains(log, o) {
			t.Errorf("option %s did not arrive: %s", o, log)
		}
	}
	module, err := m.device.LoadModule(code)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gpu.LoadKernel[axpyParameters](module, "axpy"); err != nil {
		t.Error(err)
	}
	if err := module.Close(); err != nil {
		t.Error(err)
	}
	ptx, _, err := c.Compile("axpy.cu", string(suitePTX), "compute_90")
	if err != nil || string(ptx) != string(suitePTX) {
		t.Errorf("%d bytes of PTX, want %d: %v", len(ptx), len(suitePTX), err)
	}
	_, _, err = c.Compile("bad.cu", "#error no", "sm_90")
	failed := new(gpu.CompilerError)
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "error: #error directive") {
		t.Errorf("a program that does not compile: %v", err)
	}
	calls := m.fake.Calls("nvrtcCreateProgram")
	for _, symbol := range []string{"nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetProgramLogSize", "nvrtcGetProgramLog", "nvrtcGetCUBINSize", "nvrtcGetCUBIN"} {
		m.fake.Inject(cufake.Fault{Symbol: symbol, Nth: 1, Code: 11})
		if _, _, err := c.Compile("axpy.cu", string(suitePTX), "sm_90"); err == nil {
			t.Errorf("%s failed and nobody said so", symbol)
		}
	}
	if m.fake.Calls("nvrtcDestroyProgram") != calls+5 {
		t.Errorf("%d programs destroyed, want %d", m.fake.Calls("nvrtcDestroyProgram"), calls+5)
	}
}

func TestCompilerMissing(t *testing.T) {
	g := newFake(t, cufake.Options{Missing: []string{"nvrtcGetCUBIN"}})
	if _, err := gpu.NewCompiler(g.Lookup); !errors.Is(err, gpu.ErrNoCompiler) || !strings.Contains(err.Error(), "nvrtcGetCUBIN") {
		t.Errorf("a compiler without cubins: %v", err)
	}
	t.Setenv("SIGENGINE_LIBNVRTC", "/nowhere/libnvrtc.so")
	if _, err := gpu.OpenCompiler(); !errors.Is(err, gpu.ErrNoCompiler) || !strings.Contains(err.Error(), "/nowhere/libnvrtc.so") {
		t.Errorf("no library: %v", err)
	}
}

// With the toolkit's library and a device, the source of testdata's kernel computes the same.
func TestCompilerOnReal(t *testing.T) {
	m := onReal(t)
	c, err := gpu.OpenCompiler()
	if err != nil {
		t.Skipf("no run-time compiler here: %v", err)
	}
	info := m.device.Info()
	code, log, err := c.Compile("axpy.cu", `extern "C" __global__ void axpy(unsigned n, float a, const float *x, float *y) {
		unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }`, info.Architecture())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("log: %q", log)
	module, err := m.device.LoadModule(code)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gpu.LoadKernel[axpyParameters](module, "axpy"); err != nil {
		t.Error(err)
	}
	if err := module.Close(); err != nil {
		t.Error(err)
	}
}
