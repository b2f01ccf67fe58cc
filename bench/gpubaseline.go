package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/engine"
)

// childTimeout is how long a baseline may take.
const childTimeout = 60 * time.Second

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', 4, 64) }

func (r *gpuRun) path(name string) string { return filepath.Join(r.Dir, name) }

// child runs a baseline to its end and keeps what it reports.
func (r *gpuRun) child(ctx context.Context, part string, round int, by, program string, arguments ...string) error {
	return r.command(ctx, part, round, by, filepath.Join(r.Baselines, program), arguments...)
}

func (r *gpuRun) command(ctx context.Context, part string, round int, by, program string, arguments ...string) error {
	ctx, cancel := context.WithTimeout(ctx, childTimeout)
	defer cancel()
	c := exec.CommandContext(ctx, program, arguments...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(program), err, strings.TrimSpace(said.String()))
	}
	for line := range strings.Lines(string(out)) {
		s, err := readSample(line, by)
		if err == nil {
			err = r.keep(part, round, s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(program), err)
		}
	}
	return nil
}

func readSample(line, by string) (Sample, error) {
	var s Sample
	if err := json.Unmarshal([]byte(line), &s); err != nil {
		return s, fmt.Errorf("%w in %q", err, line)
	}
	s.By = by
	return s, nil
}

// torchScript is a running PyTorch program, which measures when it is told to.
type torchScript struct {
	name    string
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    strings.Builder
	failed  error
}

// torchStart is how long PyTorch may take to be there.
const torchStart = 90 * time.Second

func (r *gpuRun) startTorch(ctx context.Context, name string) (*torchScript, error) {
	t := &torchScript{name: name, command: exec.CommandContext(ctx, r.Python, filepath.Join(r.Baselines, name))}
	t.command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	t.command.Stderr = &t.said
	var err error
	if t.in, err = t.command.StdinPipe(); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	out, err := t.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	t.out = bufio.NewReader(out)
	if err := t.command.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// answer reads a line; the script is ended if none comes in time.
func (t *torchScript) answer(within time.Duration) (Sample, error) {
	timer := time.AfterFunc(within, func() { _ = t.command.Process.Kill() })
	defer timer.Stop()
	line, err := t.out.ReadString('\n')
	if err != nil {
		_ = t.command.Process.Kill()
		_ = t.command.Wait() // everything that it said has been read then
		text := strings.TrimSpace(t.said.String())
		return Sample{}, fmt.Errorf("%s: %w: %s", t.name, err, text[max(0, len(text)-500):])
	}
	return readSample(line, byTorch)
}

func (t *torchScript) end() {
	_ = t.in.Close()
	timer := time.AfterFunc(5*time.Second, func() { _ = t.command.Process.Kill() })
	defer timer.Stop()
	_ = t.command.Wait()
}

// torch interleaves PyTorch's programs with the resident round trip of one tick.
func (r *gpuRun) torch(ctx context.Context) error {
	var errs []error
	var scripts []*torchScript
	for _, name := range []string{"torch_eager.py", "torch_graph.py"} {
		t, err := r.startTorch(ctx, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		defer t.end()
		scripts = append(scripts, t)
	}
	var alive []*torchScript
	for _, t := range scripts {
		s, err := t.answer(torchStart)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		r.result.GPU.Torch = s.Unit
		alive = append(alive, t)
	}
	if len(alive) == 0 {
		return errors.Join(errs...)
	}
	for round := 1; round <= r.Rounds && ctx.Err() == nil; round++ {
		if err := r.residents("torch", round, 1); err != nil {
			return errors.Join(append(errs, err)...)
		}
		for _, t := range alive {
			if t.failed == nil {
				t.failed = r.askTorch(t, round)
			}
		}
	}
	for _, t := range alive {
		errs = append(errs, t.failed)
	}
	return errors.Join(errs...)
}

func (r *gpuRun) askTorch(t *torchScript, round int) error {
	for _, size := range streamSizes {
		if _, err := fmt.Fprintln(t.in, seconds(r.Length/5), size); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		s, err := t.answer(childTimeout)
		if err != nil {
			return err
		}
		if err := r.keep("torch", round, s); err != nil {
			return err
		}
	}
	return nil
}

// memory measures how much is resident in a process that does nothing but the resident round trip.
func (r *gpuRun) memory(ctx context.Context) error {
	if len(r.Self) == 0 {
		return errors.New("left out")
	}
	return r.command(ctx, "memory", 1, byOurs, r.Self[0], r.Self[1:]...)
}

// GPUMemory is what the process that Self starts does: the resident round trip for a moment, as program.cu does its own, and
// then its memory.
func GPUMemory(length time.Duration) (_ Sample, err error) {
	if present, why := gpu.Present(); !present {
		return Sample{}, fmt.Errorf("%w: %w", ErrNoGPU, why)
	}
	r := &gpuRun{GPUConfig: GPUConfig{Length: length}}
	if r.device, err = gpu.Open(0); err != nil {
		return Sample{}, fmt.Errorf("bench: %w", err)
	}
	defer func() { err = errors.Join(err, r.device.Close()) }()
	if r.six, err = gpuShape(gpuProgram); err != nil {
		return Sample{}, err
	}
	var kib float64
	err = withProbe(onGPU(r.six, r.device, engine.DispatchResident, 1), gpuUniverse, func(p *engine.Probe) error {
		r.store = make([]int64, 0, samplesMax)
		if _, err := r.roundTrips("resident", p, newLoad(0, 1, gpuUniverse), 1, length); err != nil {
			return err
		}
		text, _, _ := strings.Cut(firstField("/proc/self/status", "VmRSS"), " ")
		kib, err = strconv.ParseFloat(text, 64)
		return err
	})
	return Sample{What: "rss", Value: round(kib / 1024), Unit: "MB"}, err
}
