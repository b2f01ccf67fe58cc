//go:build !nogpu && linux && (amd64 || arm64)

package executor

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
)

// shape is the engine's configuration of a signal.
func shape(t *testing.T, lanes int) engine.Config {
	t.Helper()
	c, err := config.Parse("t", []byte("version: 1\nsignals: [{name: up, value: mid, when: value > 0}]\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := setup.Engine(c)
	if err != nil {
		t.Fatal(err)
	}
	e.Lanes = lanes
	return e
}

// fake is a machine with GPUs whose kernels compute nothing. What a test leaves open fails it.
func fake(t *testing.T, o cufake.Options) *cufake.GPU {
	t.Helper()
	if o.MemoryBytes == 0 {
		o.MemoryBytes = 1 << 30
	}
	g := cufake.New(o)
	for _, kernel := range []string{"lane", "batch"} {
		g.Register(kernel, func(*cufake.Launch) {})
	}
	t.Cleanup(func() {
		for _, leak := range g.Leaks() {
			t.Error("left behind: ", leak)
		}
		g.Close()
	})
	return g
}

// nothing is a machine on which no file is there.
func nothing() Machine {
	return Machine{
		Env: func(string) string { return "" }, ReadFile: func(string) ([]byte, error) { return nil, os.ErrNotExist },
		Glob: func(string) []string { return nil }, Open: func(string) error { return nil },
	}
}

// place places once and returns the log.
func place(t *testing.T, g *cufake.GPU, r Request, c *engine.Config) (string, error) {
	t.Helper()
	var log bytes.Buffer
	r.Log, r.Machine = slog.New(slog.NewTextHandler(&log, nil)), nothing()
	if r.Open == nil {
		r.Open = func() (*gpu.Driver, error) { return gpu.NewDriver(g.Lookup) }
	}
	o := New(r)
	err := o.Place(c)
	if err == nil {
		err = o.Place(c) // as for the next run of a journal: nothing new is said
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	return log.String(), err
}

// TestPlace: what is asked for, what is there, and what comes of it.
func TestPlace(t *testing.T) {
	ordinals := func(c *engine.Config) (list []int) {
		if c.GPU != nil {
			for _, d := range c.GPU.Devices {
				list = append(list, d.Info().Ordinal)
			}
		}
		return list
	}
	for _, test := range []struct {
		name    string
		machine cufake.Options
		request Request
		lanes   int
		devices []int // nil: the CPU
		says    string
	}{
		{"auto", cufake.Options{}, Request{}, 1, []int{0}, "dispatch=stream follow=false cuda=13.0"},
		{"live", cufake.Options{}, Request{Live: true}, 1, []int{0}, "dispatch=resident follow=true"},
		{"words", cufake.Options{}, Request{Live: true, Dispatch: config.DispatchStream, Follow: config.FollowOff}, 1, []int{0}, "dispatch=stream follow=false"},
		{"a lane a device", cufake.Options{Devices: 3}, Request{}, 2, []int{0, 1}, "0 Fake GPU 0 0000:00:00.0, lanes 1; 1 Fake GPU 1 0000:01:00.0, lanes 1"},
		{"lanes dealt", cufake.Options{Devices: 2}, Request{}, 5, []int{0, 1}, "0000:00:00.0, lanes 3; 1 Fake GPU 1 0000:01:00.0, lanes 2"},
		{"named", cufake.Options{Devices: 3}, Request{Executor: config.ExecutorGPU, Devices: []int{2, 0}}, 4, []int{2, 0}, "2 Fake GPU 2"},
		{"cpu", cufake.Options{}, Request{Executor: config.ExecutorCPU}, 1, nil, "executor=cpu"},
		{"driver too old", cufake.Options{Version: 12030}, Request{}, 1, nil, "it speaks CUDA 12.3"},
		{"too few multiprocessors", cufake.Options{Attributes: map[int32]int32{16: 2}}, Request{Live: true}, 3, nil, "has 2 multiprocessors; 3 lanes need one each"},
		{"few are enough for streams", cufake.Options{Attributes: map[int32]int32{16: 2}}, Request{}, 3, []int{0}, "dispatch=stream"},
		{"old device", cufake.Options{Attributes: map[int32]int32{75: 7, 76: 5}}, Request{}, 1, nil, "compute capability 7.5; 8.0 is needed"},
		{"prohibited", cufake.Options{Attributes: map[int32]int32{20: 2}}, Request{}, 1, nil, "compute mode Prohibited"},
		{"no mapping", cufake.Options{Attributes: map[int32]int32{19: 0}}, Request{}, 1, nil, "cannot map the host's memory"},
		{"memory", cufake.Options{MemoryBytes: 1 << 20}, Request{}, 1, nil, "1 MiB free of 1; 2 are needed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, c := fake(t, test.machine), shape(t, test.lanes)
			log, err := place(t, g, test.request, &c)
			if err != nil || !slices.Equal(ordinals(&c), test.devices) {
				t.Errorf("%v: on %v, want %v", err, ordinals(&c), test.devices)
			}
			if strings.Count(log, "msg=executor") != 1 || !strings.Contains(log, test.says) {
				t.Errorf("not %q once:\n%s", test.says, log)
			}
			if test.devices != nil || test.request.Executor == config.ExecutorCPU {
				return
			}
			test.request.Executor = config.ExecutorGPU // asked for, the same is an error
			var p *Problem
			if log, err = place(t, g, test.request, &c); !errors.As(err, &p) || !strings.Contains(p.Text, test.says) || p.Hint == "" || log != "" {
				t.Errorf("with executor gpu: %v, said %q", err, log)
			}
		})
	}
}

// TestPlaceNamed: a device that was named must be there; others are passed over.
func TestPlaceNamed(t *testing.T) {
	g, c := fake(t, cufake.Options{Devices: 2}), shape(t, 2)
	_, err := place(t, g, Request{Executor: config.ExecutorGPU, Devices: []int{0, 2}}, &c)
	if err == nil || !strings.Contains(err.Error(), "there is no GPU 2; the driver sees 2, numbered from 0") {
		t.Error(err)
	}
	g.Inject(cufake.Fault{Symbol: "cuDevicePrimaryCtxRetain", Nth: 1, Code: 46})
	log, err := place(t, g, Request{}, &c)
	if err != nil || !strings.Contains(log, "not every GPU is used") || !strings.Contains(log, "exclusive mode") {
		t.Errorf("%v: %s", err, log)
	}
	g.Inject(cufake.Fault{Symbol: "cuDevicePrimaryCtxRetain", Nth: 1, Code: 46})
	if _, err := place(t, g, Request{Executor: config.ExecutorGPU, Devices: []int{0}}, &c); err == nil || !strings.Contains(err.Error(), "another process has it, in exclusive mode") {
		t.Error(err)
	}
}

// TestEveryCallFails: whatever the driver refuses, auto goes to the CPU and nothing stays open; gpu says why in one line.
func TestEveryCallFails(t *testing.T) {
	c := shape(t, 2)
	c.Instruments, c.Batch, c.LaneSlots = 8, 4, 8
	calls := 0
	func() {
		g := cufake.New(cufake.Options{Devices: 2, MemoryBytes: 1 << 30})
		defer g.Close()
		g.Register("lane", func(*cufake.Launch) {})
		if _, err := place(t, g, Request{Live: true}, &c); err != nil {
			t.Fatal(err)
		}
		calls = g.Calls("")
	}()

	fell := 0
	for n := 1; n < calls; n++ {
		g := cufake.New(cufake.Options{Devices: 2, MemoryBytes: 1 << 30})
		g.Register("lane", func(*cufake.Launch) {})
		g.Inject(cufake.Fault{Nth: n, Code: 999})
		if _, err := place(t, g, Request{Live: true}, &c); err != nil {
			t.Errorf("call %d: %v", n, err)
		}
		if c.GPU == nil {
			fell++
		}
		g.Close()
	}
	if fell == 0 {
		t.Error("no failure was noticed")
	}
}

// TestLargeSlots: a program whose slots no kernel takes goes to the CPU.
func TestLargeSlots(t *testing.T) {
	g, c := fake(t, cufake.Options{}), shape(t, 1)
	large := *c.Program
	large.SlotQuarters = engine.GPUSlotQuartersMax + 1
	c.Program = &large
	log, err := place(t, g, Request{}, &c)
	if err != nil || c.GPU != nil || !strings.Contains(log, "the program's slots have 22 quarters; a GPU takes 21") {
		t.Errorf("%v: %s", err, log)
	}
}

// TestNoProgram: without a program there is nothing to place.
func TestNoProgram(t *testing.T) {
	c := engine.Default()
	o := New(Request{Executor: config.ExecutorGPU, Open: func() (*gpu.Driver, error) { return nil, fmt.Errorf("opened") }})
	if err := o.Place(&c); err != nil || c.GPU != nil {
		t.Error(err)
	}
}
