package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/bench"
)

// benchGPUOptions are the flags of bench gpu alone.
type benchGPUOptions struct {
	baselines, parity string
	rounds            int
}

func (o *benchGPUOptions) add(c *cobra.Command) {
	c.Flags().StringVar(&o.baselines, "baselines", "bench/baselines", "gpu: directory of the built C++ programs and the PyTorch scripts")
	c.Flags().StringVar(&o.parity, "parity", "", "gpu: output of the engine's tests on this GPU, for the parity that the result says")
	c.Flags().IntVar(&o.rounds, "rounds", 0, "gpu: interleaved rounds; 0 takes 7")
}

// benchGPU measures the GPU. Parts that failed are in the result, which is printed and kept, and make the exit code.
func (a *app) benchGPU(ctx context.Context, o benchOptions) error {
	c := bench.GPUConfig{
		Baselines: o.gpu.baselines, Parity: o.gpu.parity, Rounds: o.gpu.rounds, Length: o.length, Dir: o.dir,
		Progress: func(what string) { a.log.Info(what) },
	}
	if self, err := os.Executable(); err == nil {
		c.Self = []string{self, "bench", "child", "gpu-memory"}
	}
	if c.Dir == "" {
		dir, err := os.MkdirTemp("", "sigengine-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		c.Dir = dir
	} else if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	result, err := bench.GPU(ctx, c)
	if result == nil {
		return err
	}
	if err := a.benchResult("gpu", result.Report, result, o); err != nil {
		return err
	}
	for _, text := range result.Failed {
		fmt.Fprintln(a.err, "missing: "+text)
	}
	if err == nil && len(result.Failed) > 0 {
		err = differencef("%d parts of the benchmark are missing, see above", len(result.Failed))
	}
	return err
}

// benchGPUMemory is the process whose memory bench gpu reports.
func (a *app) benchGPUMemory() error {
	s, err := bench.GPUMemory(200 * time.Millisecond)
	if err != nil {
		return err
	}
	text, err := json.Marshal(&s)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s\n", text)
	return err
}
