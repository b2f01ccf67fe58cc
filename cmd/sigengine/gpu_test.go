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

// TestCheckGPU: what check says of machines with GPUs.
func TestCheckGPU(t *testing.T) {
	server := startServer(t)
	file := writeFile(t, "engine.yaml", goodConfig+"nats: {url: \""+server.URL()+"\"}\n")
	signalless := writeFile(t, "none.yaml", "version: 1\nnats: {url: \""+server.URL()+"\"}\n")
	const fake0, fake1 = "GPU 0, Fake GPU 0: 132 multiprocessors, ", "GPU 1, Fake GPU 1: 132 multiprocessors, "
	for _, test := range []struct {
		name    string
		machine cufake.Options
		args    []string
		code    int
		want    []string
	}{
		{"usable", cufake.Options{}, []string{"-c", file}, exitOK, []string{
			"gpu        ok    " + fake0, "1.0 GiB free of 1.0 GiB; driver", "CUDA 13.0; the program was compiled and started on GPU 0, resident dispatch\n",
			"gpu cost   ok    1.1 KiB of state an instrument, room for 4096; 80 B a tick in, 64 B a row out; lanes 1; 4.5 MiB of a GPU's memory, 1.1 MiB pinned here; 1.0 GiB is free\n",
		}},
		{"two", cufake.Options{Devices: 2}, []string{"-c", file, "--lanes", "3", "--dispatch", "stream"}, exitOK, []string{
			fake0, fake1, "started on GPU 0, 1, stream dispatch\n", "lanes 3, at most 2 on a GPU; 6.4 MiB of a GPU's memory, 5.6 MiB pinned here",
		}},
		{"one prohibited", cufake.Options{Attributes: map[int32]int32{20: 2}}, []string{"-c", file}, exitOK, []string{
			"gpu        note  GPU 0, Fake GPU 0, is in compute mode Prohibited; driver", "; the CPU runs the program\n", "-> allow its use: nvidia-smi -i 0 -c DEFAULT\n",
		}},
		{"prohibited, asked for", cufake.Options{Attributes: map[int32]int32{20: 2}}, []string{"-c", file, "--executor", "gpu"}, exitDifference, []string{
			"gpu        fail  GPU 0, Fake GPU 0, is in compute mode Prohibited; driver",
		}},
		{"exclusive", cufake.Options{Attributes: map[int32]int32{20: 3}}, []string{"-c", file}, exitOK, []string{"free of 1.0 GiB, exclusive mode: no other process can use it beside this one; "}},
		{"few multiprocessors", cufake.Options{Attributes: map[int32]int32{16: 4}}, []string{"-c", file, "--lanes", "5", "--executor", "gpu"}, exitDifference, []string{
			"gpu        fail  GPU 0, Fake GPU 0: 4 multiprocessors, ", "has 4 multiprocessors; 5 lanes need one each\n", "-> use --lanes 4, more GPUs, or --dispatch stream\n",
		}},
		{"old driver", cufake.Options{Version: 12020}, []string{"-c", file}, exitOK, []string{"gpu        note  driver", "CUDA 12.2; the NVIDIA driver is too old: it speaks CUDA 12.2; the CPU runs", "-> install a driver for CUDA 12.4 or newer"}},
		{"no program", cufake.Options{}, []string{"-c", signalless}, exitOK, []string{fake0, "there is no program to try\n"}},
		{"cpu", cufake.Options{}, []string{"-c", file, "--executor", "cpu"}, exitOK, []string{"gpu        ok    not asked for: the executor is cpu\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, driver := fakeMachine(t, test.machine)
			c := commandLine{driver: driver}
			if code := c.run(t.Context(), append([]string{"check"}, test.args...)...); code != test.code {
				t.Errorf("exit %d\n%s", code, c.err.String())
			}
			for _, want := range test.want {
				if !strings.Contains(c.out.String(), want) {
					t.Errorf("no %q in\n%s", want, c.out.String())
				}
			}
			for _, leak := range g.Leaks() {
				t.Error("left behind: ", leak)
			}
		})
	}
}
