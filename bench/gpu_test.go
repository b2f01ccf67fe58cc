//go:build !nogpu && linux && (amd64 || arm64)

package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/gpu/mailbox"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// answerKernels gives the fake device kernels that speak the engine's protocol and compute nothing: every row is empty.
func answerKernels(g *cufake.GPU) {
	lanes := func(l *cufake.Launch) []cuda.Lane {
		table := cufake.Parameter[uint64](l, 0)
		shards := cufake.Memory[cuda.Lane](l, table, 1)[0].Shards // blocks a lane, in batches
		return cufake.Memory[cuda.Lane](l, table, int(l.Grid[0]/max(shards, 1)))
	}
	memory := func(l *cufake.Launch, address uint64, ring uint32, quarters int) []mailbox.Quarter {
		return cufake.Memory[mailbox.Quarter](l, address, int(ring)*quarters)
	}
	answer := func(out []mailbox.Quarter, ring, slot uint32) {
		for q := range uint32(program.RowFirst) {
			mailbox.Put(&out[q*ring+slot&(ring-1)], &mailbox.Quarter{Stamp: slot + 1})
		}
	}
	g.Register("batch", func(l *cufake.Launch) {
		for _, lane := range lanes(l) {
			out := memory(l, lane.Out, lane.Ring, program.RowFirst)
			for i := range lane.Count {
				answer(out, lane.Ring, lane.From+i)
			}
		}
	})
	g.Register("lane", func(l *cufake.Launch) {
		all := lanes(l)
		next := make([]uint32, len(all))
		for stopped := 0; stopped < len(all) && !l.Stopped(); {
			found := false
			for i, lane := range all {
				in, out := memory(l, lane.In, lane.Ring, int(lane.SlotQuarters)), memory(l, lane.Out, lane.Ring, program.RowFirst)
				for {
					at := next[i] & (lane.Ring - 1)
					if stamp, _ := mailbox.Stamp(&in[4*lane.Ring+at]); stamp != next[i]+1 {
						break
					}
					_, control := mailbox.Stamp(&in[lane.Ring+at])
					_, command := mailbox.Stamp(&in[3*lane.Ring+at])
					answer(out, lane.Ring, next[i])
					next[i]++
					found = true
					if control&program.CtlKindMask == 0 && command == cuda.CommandStop {
						stopped++
						break
					}
				}
			}
			if !found {
				runtime.Gosched()
			}
		}
	})
}

// TestGPUOnFake runs the whole benchmark small on a fake device that answers with empty rows: every part that needs no
// baseline comes through, and those that do say what is missing.
func TestGPUOnFake(t *testing.T) {
	g := cufake.New(cufake.Options{MemoryBytes: 1 << 32})
	defer g.Close()
	answerKernels(g)
	driver, err := gpu.NewDriver(g.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	device, err := driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	result, err := GPU(t.Context(), GPUConfig{
		Device: device, Dir: dir, Baselines: dir, Length: 4 * time.Millisecond, Rounds: 1, Python: filepath.Join(dir, "no-python"),
		Progress: func(what string) { t.Log(what) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := device.Close(); err != nil {
		t.Error(err)
	}
	// Its value may be 0: in so short a time a busy machine need not come to every lane.
	for _, want := range []series{
		{"throughput", byOurs, "throughput, resident", 1},
		{"throughput", byOurs, "throughput, resident", gpuLanes},
		{"replay", byOurs, "replay", 0},
		{"sweep", byOurs, "sweep", 0},
	} {
		if len(result.taken(t).of(want)) == 0 {
			t.Errorf("no sample of %s", want.text())
		}
	}
	for _, part := range []string{"turn", "throughput", "timeline", "crossover", "replay"} {
		for _, text := range result.Failed {
			if strings.HasPrefix(text, part+": ") && !strings.Contains(text, gpuBurst) {
				t.Error(text)
			}
		}
	}
	if len(result.Crossover) == 0 || len(result.Timeline) != 2 {
		t.Errorf("%d lines of the crossover and %d timelines", len(result.Crossover), len(result.Timeline))
	}
	failed := strings.Join(result.Failed, "\n")
	// The fake's rows are empty and a sweep's are not: the comparison must see it.
	for _, want := range []string{"sweep: the executors differ over 1 instruments", "sweep: the executors differ over 16 instruments", "floor", "program", "step", "torch_eager.py", "parity", "rss_over_cpp"} {
		if !strings.Contains(failed, want) {
			t.Errorf("nothing says that %s is missing:\n%s", want, failed)
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, gpuRawName))
	if err != nil || bytes.Count(raw, []byte("\n")) != len(result.taken(t)) {
		t.Errorf("%v; the raw file has %d lines, the result %d samples", err, bytes.Count(raw, []byte("\n")), len(result.taken(t)))
	}
}

// taken returns the samples that a result carries.
func (g *GPUResult) taken(t *testing.T) (all samples) {
	t.Helper()
	if err := json.Unmarshal(g.Raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// script writes an executable.
func script(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func newRun(t *testing.T, python string) *gpuRun {
	t.Helper()
	dir := t.TempDir()
	raw, err := os.Create(filepath.Join(dir, gpuRawName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	return &gpuRun{GPUConfig: GPUConfig{Baselines: dir, Dir: dir, Length: time.Millisecond, Rounds: 2, Python: python}, raw: raw, result: &GPUResult{}}
}

// TestBaselineProcess: what a baseline prints is kept as its own; one that fails says why.
func TestBaselineProcess(t *testing.T) {
	r := newRun(t, "")
	script(t, filepath.Join(r.Dir, "floor"), `echo "{\"what\":\"floor\",\"batch\":1,\"p50\":$1}"; echo '{"what":"rss","value":7,"unit":"MB"}'`)
	if err := r.child(t.Context(), "rounds", 3, byFloor, "floor", "2.5"); err != nil {
		t.Fatal(err)
	}
	want := samples{
		{Part: "rounds", Round: 3, By: byFloor, What: "floor", Batch: 1, P50: 2.5},
		{Part: "rounds", Round: 3, By: byFloor, What: "rss", Value: 7, Unit: "MB"},
	}
	if !slices.Equal(r.taken, want) {
		t.Errorf("%+v", r.taken)
	}
	script(t, filepath.Join(r.Dir, "bad"), "echo 'no such device' >&2; exit 1")
	script(t, filepath.Join(r.Dir, "talks"), "echo hello")
	for name, text := range map[string]string{"bad": "bad: exit status 1: no such device", "talks": "hello", "none": "none: "} {
		if err := r.child(t.Context(), "rounds", 1, byCPP, name); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTorchScripts: scripts are asked in turn; one that dies does not take the other with it.
func TestTorchScripts(t *testing.T) {
	g := cufake.New(cufake.Options{MemoryBytes: 1 << 30})
	defer g.Close()
	answerKernels(g)
	driver, err := gpu.NewDriver(g.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(t, "/bin/sh")
	if r.device, err = driver.Open(0); err != nil {
		t.Fatal(err)
	}
	if r.six, err = gpuShape(gpuProgram); err != nil {
		t.Fatal(err)
	}
	const ready = `echo '{"what":"ready","unit":"torch 9"}'` + "\n"
	script(t, filepath.Join(r.Dir, "torch_eager.py"), ready+`while read seconds batch; do echo "{\"what\":\"eager\",\"batch\":$batch,\"p50\":9}"; done`)
	script(t, filepath.Join(r.Dir, "torch_graph.py"), ready+"read line; echo 'out of memory' >&2; exit 1")
	err = r.torch(t.Context())
	if err == nil || !strings.Contains(err.Error(), "torch_graph.py") || !strings.Contains(err.Error(), "out of memory") || strings.Contains(err.Error(), "eager") {
		t.Errorf("%v", err)
	}
	if n := len(r.taken.of(series{"torch", byTorch, "eager", 64})); n != 2 || r.result.GPU.Torch != "torch 9" {
		t.Errorf("%d answers of two rounds, of %q", n, r.result.GPU.Torch)
	}
	if n := len(r.taken.of(series{"torch", byOurs, "resident", 1})); n != 2 {
		t.Errorf("%d of ours beside them", n)
	}
	if err := r.device.Close(); err != nil {
		t.Error(err)
	}
}

// TestGPUWithoutOne: a machine without a GPU gets one error that says so.
func TestGPUWithoutOne(t *testing.T) {
	if present, _ := gpu.Present(); present {
		t.Skip("there is a GPU here")
	}
	if _, err := GPU(t.Context(), GPUConfig{Dir: t.TempDir()}); !errors.Is(err, ErrNoGPU) {
		t.Errorf("%v", err)
	}
	if _, err := GPUMemory(time.Millisecond); !errors.Is(err, ErrNoGPU) {
		t.Errorf("%v", err)
	}
}
