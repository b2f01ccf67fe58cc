//go:build !nogpu && linux && (amd64 || arm64)

package executor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
)

// machine is one with files, some of which may not be opened, and variables.
func machine(files, env map[string]string, denied string) Machine {
	return Machine{
		Env: func(name string) string { return env[name] },
		ReadFile: func(path string) ([]byte, error) {
			if text, ok := files[path]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		},
		Glob: func(pattern string) (found []string) {
			for path := range files {
				if ok, _ := filepath.Match(pattern, path); ok {
					found = append(found, path)
				}
			}
			return found
		},
		Open: func(path string) error {
			if path == denied {
				return &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
			}
			return nil
		},
	}
}

var (
	loaded = map[string]string{
		"/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\nGCC version:  gcc version 12.3.0\n",
		"/dev/nvidiactl":              "", "/dev/nvidia-uvm": "", "/dev/nvidia0": "",
	}
	onBus = map[string]string{
		"/sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de\n", "/sys/bus/pci/devices/0000:01:00.0/class": "0x030200\n",
		"/sys/bus/pci/devices/0000:02:00.0/vendor": "0x8086\n",
	}
)

func without(files map[string]string, path string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		if name != path {
			out[name] = text
		}
	}
	return out
}

// TestExplain: each way in which a machine has no usable GPU, the words for it and what to do. Those that the driver tells
// come from the fake driver.
func TestExplain(t *testing.T) {
	noLibrary := fmt.Errorf("%w: nothing could be opened;\ntried: a, b", gpu.ErrNoDriver)
	for _, test := range []struct {
		name       string
		err        error  // nil: opened on the fake
		fault      string // this call of it fails,
		code       int32  // with this
		missing    string
		machine    Machine
		text, hint string
		nothing    bool
	}{
		{name: "not built", err: fmt.Errorf("%w: x", gpu.ErrNotBuilt), text: "this binary has no CUDA in it", hint: "without the tag nogpu", nothing: true},
		{name: "nothing at all", err: noLibrary, machine: machine(nil, nil, ""), text: "no NVIDIA GPU and no driver here", hint: "use the CPU executor", nothing: true},
		{name: "another vendor's", err: noLibrary, machine: machine(without(onBus, "/sys/bus/pci/devices/0000:01:00.0/vendor"), nil, ""), text: "no NVIDIA GPU and no driver here", hint: "CPU", nothing: true},
		{name: "no driver", err: noLibrary, machine: machine(onBus, nil, ""), text: "there is an NVIDIA GPU, but no NVIDIA driver", hint: "install a driver for CUDA 12.4 or newer (550 or newer)"},
		{name: "no library", err: noLibrary, machine: machine(loaded, nil, ""), text: "the NVIDIA kernel driver 580.159.04 is loaded, but its library libcuda.so.1 is not found", hint: "--gpus all"},
		{name: "own library", err: noLibrary, machine: machine(loaded, map[string]string{"SIGENGINE_LIBCUDA": "/x"}, ""), text: "SIGENGINE_LIBCUDA names /x, which cannot be loaded", hint: "unset it"},
		{name: "entry points", missing: "cuMemAlloc_v2", machine: machine(loaded, nil, ""), text: "the NVIDIA driver is too old: its library lacks entry points", hint: "CUDA 12.4 or newer (550 or newer); this one is 580.159.04"},
		{name: "no device", fault: "cuInit", code: 100, machine: machine(loaded, nil, ""), text: "the driver sees no GPU", hint: "MIG mode needs an instance"},
		{name: "hidden", fault: "cuInit", code: 100, machine: machine(loaded, map[string]string{"CUDA_VISIBLE_DEVICES": "7"}, ""), text: `CUDA_VISIBLE_DEVICES is "7", and none of that is here`, hint: "unset it"},
		{name: "permission", fault: "cuInit", code: 100, machine: machine(loaded, nil, "/dev/nvidia0"), text: "no permission to use /dev/nvidia0", hint: "ls -l /dev/nvidia0"},
		{name: "permission, by the system", fault: "cuInit", code: 304, machine: machine(loaded, nil, "/dev/nvidiactl"), text: "no permission to use /dev/nvidiactl", hint: "ls -l /dev/nvidiactl"},
		{name: "no device file", fault: "cuInit", code: 999, machine: machine(without(loaded, "/dev/nvidia-uvm"), nil, ""), text: "the driver is loaded, but /dev/nvidia-uvm* is not there", hint: "nvidia-modprobe"},
		{name: "system", fault: "cuInit", code: 304, machine: machine(nil, nil, ""), text: "CUDA_ERROR_304", hint: "permissions of /dev/nvidia*"},
		{name: "fabric manager", fault: "cuInit", code: 802, machine: machine(loaded, nil, ""), text: "CUDA_ERROR_SYSTEM_NOT_READY", hint: "nvidia-fabricmanager"},
		{name: "half an update", fault: "cuInit", code: 803, machine: machine(loaded, nil, ""), text: "803", hint: "restart the machine"},
		{name: "exclusive", fault: "cuDevicePrimaryCtxRetain", code: 46, machine: machine(loaded, nil, ""), text: "the GPU is taken: another process has it, in exclusive mode", hint: "nvidia-smi -c DEFAULT"},
		{name: "memory of the context", fault: "cuDevicePrimaryCtxRetain", code: 2, machine: machine(loaded, nil, ""), text: "the GPU's memory is full", hint: "nvidia-smi"},
		{name: "compiler", fault: "cuModuleLoadDataEx", code: 222, machine: machine(loaded, nil, ""), text: "the NVIDIA driver cannot compile the program", hint: "this one is 580.159.04"},
		{name: "no compiler", fault: "cuModuleLoadDataEx", code: 221, machine: machine(loaded, nil, ""), text: "libnvidia-ptxjitcompiler.so.1 is missing", hint: "comes with the driver"},
		{name: "something else", err: errors.New("odd\nindeed"), machine: machine(nil, nil, ""), text: "odd", hint: "docs/executor.md"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.err
			if err == nil {
				o := cufake.Options{}
				if test.missing != "" {
					o.Missing = []string{test.missing}
				}
				g := fake(t, o)
				if test.fault != "" {
					g.Inject(cufake.Fault{Symbol: test.fault, Nth: 1, Code: test.code})
				}
				err = use(g)
			}
			p := Explain(err, test.machine)
			if !strings.Contains(p.Text, test.text) || !strings.Contains(p.Hint, test.hint) || p.Nothing != test.nothing {
				t.Errorf("text %q\nhint %q, nothing %v", p.Text, p.Hint, p.Nothing)
			}
			if !errors.Is(p, err) || strings.Contains(p.Error(), "\n") {
				t.Errorf("%q does not wrap %v, or has lines", p, err)
			}
			if again := Explain(fmt.Errorf("more: %w", p), Machine{}); again != p {
				t.Errorf("explained again: %v", again)
			}
		})
	}
}

// use does what a run does first, and returns what failed.
func use(g *cufake.GPU) error {
	driver, err := gpu.NewDriver(g.Lookup)
	if err != nil {
		return err
	}
	d, err := driver.Open(0)
	if err != nil {
		return err
	}
	_, err = d.LoadModule([]byte(".version 8.4\n.target sm_80\n.address_size 64\n"))
	return errors.Join(err, d.Close())
}

// TestMachine: this machine can be asked.
func TestMachine(t *testing.T) {
	m := Machine{}.complete()
	t.Logf("driver %q, GPU %v, denied %q", m.kernelDriver(), m.hasGPU(), m.denied())
	dir := t.TempDir()
	if err := m.Open(dir + "/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if odd := machine(map[string]string{"/proc/driver/nvidia/version": "?"}, nil, ""); odd.kernelDriver() != "of unknown version" {
		t.Error(odd.kernelDriver())
	}
}
