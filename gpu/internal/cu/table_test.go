package cu

import (
	"errors"
	"strings"
	"testing"
)

func TestSymbols(t *testing.T) {
	seen := map[string]Symbol{}
	for _, s := range Symbols() {
		name := s.String()
		if !strings.HasPrefix(name, "cu") {
			t.Errorf("symbol %d has no name", s)
		}
		if other, twice := seen[name]; twice {
			t.Errorf("%s is symbol %d and %d", name, other, s)
		}
		seen[name] = s
	}
	if !LaunchKernel.Required() || GraphLaunch.Required() || FuncGetParamInfo.Required() {
		t.Error("the wrong entry points are required")
	}
	if Symbol(-1).String() != "unknown symbol" || symbolCount.String() != "unknown symbol" {
		t.Error("a symbol out of range")
	}
}

func TestLoad(t *testing.T) {
	_, err := Load(func(name string) (uintptr, error) {
		if name == "cuMemAlloc_v2" || name == "cuStreamQuery" || name == "cuGraphLaunch" {
			return 0, errors.New("undefined symbol")
		}
		return 1, nil
	})
	missing := new(MissingError)
	if !errors.As(err, &missing) || strings.Join(missing.Names, " ") != "cuMemAlloc_v2 cuStreamQuery" || !strings.Contains(err.Error(), "cuStreamQuery") {
		t.Fatalf("missing %v", err)
	}
	table, err := Load(func(name string) (uintptr, error) {
		if name == "cuGraphLaunch" {
			return 0, errors.New("undefined symbol")
		}
		return 1, nil
	})
	if err != nil || table.Has(GraphLaunch) || !table.Has(MemAlloc) {
		t.Fatalf("%v", err)
	}
	if r := table.Call(GraphLaunch, nil); r != Absent {
		t.Errorf("an absent entry point gives %d", r)
	}
	if r := Address(0, nil); r != Absent {
		t.Errorf("no address gives %d", r)
	}
}

func TestSticky(t *testing.T) {
	sticky := []Result{214, 700, 702, 710, 714, 715, 716, 717, 718, 719}
	for r := Result(-2); r < 1100; r++ {
		want := false
		for _, s := range sticky {
			want = want || r == s
		}
		if r.Sticky() != want {
			t.Errorf("Sticky of %d is %v", r, r.Sticky())
		}
	}
}

func TestNames(t *testing.T) {
	t.Setenv("SIGENGINE_LIBCUDA", "")
	t.Setenv("SIGENGINE_LIBNVRTC", "")
	t.Setenv("CUDA_HOME", "/opt/cuda")
	if n := DriverNames(); n[0] != "libcuda.so.1" {
		t.Errorf("first %s", n[0])
	}
	if n := strings.Join(NVRTCNames(), " "); !strings.HasPrefix(n, "libnvrtc.so.13 ") || !strings.Contains(n, "/opt/cuda/lib64/libnvrtc.so.12") {
		t.Errorf("%s", n)
	}
	t.Setenv("SIGENGINE_LIBCUDA", "/x/libcuda.so")
	t.Setenv("SIGENGINE_LIBNVRTC", "/x/libnvrtc.so")
	if DriverNames()[0] != "/x/libcuda.so" || NVRTCNames()[0] != "/x/libnvrtc.so" {
		t.Error("the environment is not heard")
	}
}
