//go:build !nogpu && linux && (amd64 || arm64)

package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/gpu/mailbox"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
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
	again := commandLine{driver: driver}
	code := again.run(t.Context(), "replay", dir, "--json", "--executor", "gpu", "--dispatch", "resident", "--follow")
	if r := readSummary(t, again.out.String()); code != exitOK || r.OutputHash != s.OutputHash || r.Executor != "cpu" {
		t.Errorf("replay: exit %d, hash %s, live %s, on %s", code, r.OutputHash, s.OutputHash, r.Executor)
	}
	if strings.Count(again.err.String(), "a GPU was lost") != 1 {
		t.Error(again.err.String())
	}

	alone := commandLine{driver: driver}
	if code := alone.run(t.Context(), append(demo, "--follow=off")...); code != exitGPU {
		t.Errorf("not followed: exit %d\n%s", code, alone.err.String())
	}
}

// firesNothing is a kernel that answers every slot with an empty row: it computes wrongly as soon as something should fire.
func firesNothing(l *cufake.Launch) {
	lane := cufake.Memory[cuda.Lane](l, cufake.Parameter[uint64](l, 0), 1)[0]
	ring := int(lane.Ring)
	in := cufake.Memory[mailbox.Quarter](l, lane.In, ring*int(lane.SlotQuarters))
	out := cufake.Memory[mailbox.Quarter](l, lane.Out, ring*program.RowFirst)
	for slot := lane.Base; !l.Stopped(); slot++ {
		at, stamp := int(slot)%ring, slot+1
		for quarter := range int(lane.SlotQuarters) {
			for got, _ := mailbox.Stamp(&in[at+quarter*ring]); got != stamp; got, _ = mailbox.Stamp(&in[at+quarter*ring]) {
				if l.Stopped() {
					return
				}
				time.Sleep(10 * time.Microsecond)
			}
		}
		for quarter := program.RowFirst - 1; quarter >= 0; quarter-- {
			mailbox.Put(&out[at+quarter*ring], &mailbox.Quarter{Stamp: stamp})
		}
		if _, command := mailbox.Stamp(&in[at+program.SlotF3*ring]); command == cuda.CommandStop {
			return
		}
	}
}

// TestMismatch: a device that computes wrongly is found by the follower, said once, and not used again.
func TestMismatch(t *testing.T) {
	g, driver := fakeMachine(t, cufake.Options{})
	g.Register("lane", firesNothing)
	c := commandLine{driver: driver}
	file := writeFile(t, "engine.yaml", "version: 1\nfeeds: [{name: md, subject: md.v1.>}]\nsignals: [{name: up, value: mid, when: value > 0}]\n")
	server := startServer(t)
	done := make(chan int, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		done <- c.run(ctx, "run", "-c", file, "--server", server.URL(), "--executor", "gpu", "--status", "50ms")
	}()
	c.err.waitFor(t, "msg=running")
	capture := writeFile(t, "capture.jsonl", strings.Repeat(`1 {"type":"quote","venue":"x","symbol":"A","ts":1,"bid":99,"bid_size":3,"ask":100,"ask_size":1}`+"\n", 50))
	ok(t, "play", capture, "--codec", "json", "--subject", "md.v1.x", "--speed", "max", "--server", server.URL())
	c.err.waitFor(t, "a GPU was lost")
	ok(t, "play", capture, "--codec", "json", "--subject", "md.v1.x", "--speed", "max", "--server", server.URL())
	c.err.waitFor(t, "ticks=100 ")
	stop()
	if code := <-done; code != exitOK {
		t.Errorf("exit %d", code)
	}
	log := c.err.String()
	if strings.Count(log, "a GPU was lost") != 1 || !strings.Contains(log, "mismatches=") || strings.Contains(log, "mismatches=0") ||
		!strings.Contains(log, `executor="cpu (device 0 lost: `) || !strings.Contains(log, "rows differed)") {
		t.Error(log)
	}
	if !strings.Contains(log, "executor   cpu (device 0 lost: a GPU computed another row than the CPU") {
		t.Errorf("not in the summary: %s", log)
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
			fake0, fake1, "started on GPU 0, 1, stream dispatch\n", "lanes 3, at most 2 on a GPU; 4.9 MiB of a GPU's memory, 4.1 MiB pinned here",
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
