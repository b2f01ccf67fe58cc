package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/sigengine/sigengine/bench/programs"
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/engine"
)

// GPUConfig says how the GPU is measured.
type GPUConfig struct {
	Baselines string        // directory of the baselines, built: floor, step, program, torch_eager.py, torch_graph.py
	Dir       string        // where raw output is written as it comes; must exist
	Parity    string        // output of the engine's tests on this GPU; empty: no parity is said
	Length    time.Duration // of a measurement; 0: a second
	Rounds    int           // interleaved; 0: 7
	Python    string        // empty: python3
	Self      []string      // command line of this binary that measures its memory; empty: left out
	Device    *gpu.Device   // nil: the first, opened and closed here
	Progress  func(string)
}

const (
	gpuRounds    = 7
	gpuUniverse  = 1024 // instruments of the latency figures
	gpuProgram   = "six.yaml"
	gpuBurst     = "twenty.yaml"
	gpuLanes     = 8
	gpuRawName   = "gpu.jsonl"
	gpuPTXName   = "batch.ptx"
	gpuTicksName = "ticks.bin"
)

// ErrNoGPU says that there is nothing to measure.
var ErrNoGPU = errors.New("bench: no GPU here that could be measured")

// gpuRun is a run of the benchmark.
type gpuRun struct {
	GPUConfig
	device *gpu.Device
	six    engine.Config
	burst  engine.Config // of twenty signals, if there are
	of     string        // which program that is
	store  []int64
	taken  samples
	raw    *os.File
	failed []string
	result *GPUResult
	clock  feed.Clock
}

// GPU measures the machine's first GPU beside the baselines. A part that fails is reported in the result and the others go
// on; without a GPU it returns ErrNoGPU.
func GPU(ctx context.Context, c GPUConfig) (*GPUResult, error) {
	r := &gpuRun{GPUConfig: c, clock: feed.NewSystemClock()}
	if err := r.begin(); err != nil {
		return nil, err
	}
	parts := []struct {
		name string
		do   func(context.Context) error
	}{
		{"rounds", r.rounds},
		{"torch", r.torch},
		{"neighbour", r.neighbour},
		{"throughput", r.throughput},
		{"burst", r.bursts},
		{"turn", r.turns},
		{"replay", r.replays},
		{"sweep", r.sweeps},
		{"timeline", r.timelines},
		{"crossover", r.crossover},
		{"memory", r.memory},
	}
	for _, part := range parts {
		if ctx.Err() != nil {
			break
		}
		r.say(part.name)
		if err := part.do(ctx); err != nil {
			r.fail(part.name, err)
		}
	}
	err := errors.Join(ctx.Err(), r.raw.Close())
	if c.Device == nil {
		err = errors.Join(err, r.device.Close())
	}
	r.result.assemble(r.taken)
	r.result.Failed = append(r.result.Failed, r.failed...)
	return r.result, err
}

// begin opens the device and prepares everything that the parts share.
func (r *gpuRun) begin() error {
	if r.Length == 0 {
		r.Length = time.Second
	}
	if r.Rounds == 0 {
		r.Rounds = gpuRounds
	}
	if r.Python == "" {
		r.Python = "python3"
	}
	if r.device = r.Device; r.device == nil {
		if present, err := gpu.Present(); !present {
			return fmt.Errorf("%w: %w", ErrNoGPU, err)
		}
		var err error
		if r.device, err = gpu.Open(0); err != nil {
			return fmt.Errorf("%w: %w", ErrNoGPU, err)
		}
	}
	var err error
	if r.six, err = gpuShape(gpuProgram); err != nil {
		return err
	}
	r.burst, r.of = r.six, gpuProgram
	if _, ok := programs.Named(gpuBurst); ok {
		if r.burst, err = gpuShape(gpuBurst); err != nil {
			return err
		}
		r.of = gpuBurst
	}
	if r.raw, err = os.Create(filepath.Join(r.Dir, gpuRawName)); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	ptx, _, _ := engine.BatchPTX(r.six.Program)
	if err := os.WriteFile(filepath.Join(r.Dir, gpuPTXName), []byte(ptx), 0o644); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if err := writeStep(filepath.Join(r.Dir, gpuTicksName), r.six.Program, gpuUniverse); err != nil {
		return err
	}
	r.result = newGPUResult(r.device, r.of)
	if r.Parity == "" {
		r.result.Failed = append(r.result.Failed, "parity: no output of the engine's tests was given, so nothing is said of it")
		return nil
	}
	if r.result.Parity, err = readParity(r.Parity); err != nil {
		r.fail("parity", err)
	}
	return nil
}

func (r *gpuRun) say(what string) {
	if r.Progress != nil {
		r.Progress(what)
	}
}

func (r *gpuRun) fail(part string, err error) {
	text := part + ": " + strings.ReplaceAll(err.Error(), "\n", "; ")
	r.failed = append(r.failed, text)
	r.say("failed: " + text)
}

// keep adds a sample and writes it down at once: what comes after may fail.
func (r *gpuRun) keep(part string, round int, list ...Sample) error {
	for _, s := range list {
		s.Part, s.Round = part, round
		r.taken = append(r.taken, s)
		text, err := json.Marshal(&s)
		if err != nil {
			return fmt.Errorf("bench: %w", err)
		}
		if _, err := r.raw.Write(append(text, '\n')); err != nil {
			return fmt.Errorf("bench: %w", err)
		}
	}
	return nil
}

// onThread runs a measurement on a thread of its own.
func onThread(do func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC() // not within the measurement
	return do()
}

// withProbe starts lanes, runs do and ends them.
func withProbe(shape engine.Config, instruments int, do func(*engine.Probe) error) (err error) {
	p, err := engine.NewProbe(shape, instruments)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	return onThread(func() error { return do(p) })
}
