package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/bench"
	"github.com/sigengine/sigengine/internal/config"
)

// benchOptions are the flags of bench.
type benchOptions struct {
	shape  shapeFlags
	length time.Duration
	rate   float64
	pairs  int
	dir    string
	asJSON bool
	gpu    benchGPUOptions
}

func newBench(a *app) *cobra.Command {
	var o benchOptions
	c := &cobra.Command{
		Use:   "bench ring|codec|program|gpu|pipeline|all",
		Short: "Measure this machine beside plain baselines",
		Long: `bench measures on this machine what the README's figures say of another: the ring beside a channel, decoders
beside fastjson and encoding/json, the program by batch and operator, and the whole path from a feed process
through NATS and the engine to a consumer process, beside a relay that computes nothing. gpu measures the first
GPU beside C++ and PyTorch programs, which bench/gpu/run.sh builds first; it is not part of all.

Ratios are medians of at least seven interleaved pairs. Leave the machine alone meanwhile.`,
		Example: `  sigengine bench codec
  sigengine bench all -o bench/results/mymachine
  sigengine bench pipeline --json --rate 50000`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("say what to measure: ring, codec, program, gpu, pipeline or all")
			}
			return nil
		},
		RunE: run(func(ctx context.Context, args []string) error { return a.bench(ctx, args, o) }),
	}
	o.shape.add(c)
	o.gpu.add(c)
	c.Flags().DurationVar(&o.length, "length", 0, "of each measurement; 0 takes the default")
	c.Flags().Float64Var(&o.rate, "rate", 0, "ticks a second of the pipeline's latency runs; 0 takes 20000")
	c.Flags().IntVar(&o.pairs, "pairs", 0, "latency runs of the pipeline, engine and relay in turn; 0 takes 7")
	c.Flags().StringVarP(&o.dir, "output", "o", "", "directory for the results, one JSON file a benchmark")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object a benchmark on stdout")
	return c
}

func (a *app) bench(ctx context.Context, args []string, o benchOptions) error {
	if args[0] == "child" {
		return a.benchChild(ctx, args[1:])
	}
	if err := o.shape.check(); err != nil {
		return err
	}
	if len(args) > 1 {
		return usagef("bench takes one argument, got %d", len(args))
	}
	which := []string{args[0]}
	if args[0] == "all" {
		which = []string{"ring", "codec", "program", "pipeline"}
	}
	for _, what := range which {
		if err := a.benchOne(ctx, what, o); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) benchOne(ctx context.Context, what string, o benchOptions) error {
	if what == "gpu" {
		return a.benchGPU(ctx, o)
	}
	length := o.length
	if length == 0 {
		length = 100 * time.Millisecond
	}
	var result any
	var table *bench.Report
	var err error
	switch what {
	case "ring":
		table, err = bench.Ring(0)
		result = table
	case "codec":
		table, err = bench.Codec(length)
		result = table
	case "program":
		table, err = bench.Program(length)
		result = table
	case "pipeline":
		var p *bench.PipelineResult
		if p, err = a.benchPipeline(ctx, o); err == nil {
			result, table = p, p.Report
		}
	default:
		return usagef("bench knows ring, codec, program, gpu, pipeline and all, not %q", what)
	}
	if err != nil {
		return err
	}
	return a.benchResult(what, table, result, o)
}

func (a *app) benchPipeline(ctx context.Context, o benchOptions) (*bench.PipelineResult, error) {
	c := bench.DefaultPipeline()
	if o.length > 0 {
		c.Length = o.length
	}
	if o.rate > 0 {
		c.Rate = o.rate
	}
	if o.pairs > 0 {
		c.Pairs = o.pairs
	}
	section := config.Default().Engine // the CPU, and nothing beside it, unless a flag says otherwise
	section.Executor, section.Follow = config.ExecutorCPU, config.FollowOff
	owner := o.shape.owner(a, section, true)
	defer a.closeDevices(owner)
	c.Shape, c.Place = o.shape.apply, place(owner)
	c.Progress = func(what string) { a.log.Info(what) }
	return bench.Pipeline(ctx, c)
}

// benchResult prints a report, and keeps it if there is a directory.
func (a *app) benchResult(what string, table *bench.Report, result any, o benchOptions) error {
	if o.dir != "" {
		text, err := json.MarshalIndent(result, "", " ")
		if err != nil {
			return err
		}
		if err := os.MkdirAll(o.dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(o.dir, what+".json"), append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	if o.asJSON {
		return a.printJSON(result)
	}
	_, err := fmt.Fprint(a.out, table.String())
	return err
}

// benchChild is one of the processes that the pipeline benchmark, or a script of bench, starts.
func (a *app) benchChild(ctx context.Context, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "gpu-memory":
		return a.benchGPUMemory()
	case len(args) == 3 && args[0] == "consume":
		return bench.ChildConsume(args[1], args[2], a.in, a.out)
	case len(args) == 3 && args[0] == "receive":
		return bench.ChildReceive(args[1], args[2], a.in, a.out)
	case len(args) == 7 && args[0] == "feed":
		f := bench.ChildFeed{URL: args[1]}
		var err error
		if f.Rate, err = strconv.ParseFloat(args[2], 64); err != nil {
			return asUsage(err)
		}
		if f.Length, err = time.ParseDuration(args[3]); err != nil {
			return asUsage(err)
		}
		if f.Binary, err = strconv.ParseBool(args[4]); err != nil {
			return asUsage(err)
		}
		if f.PerMessage, err = strconv.Atoi(args[5]); err != nil {
			return asUsage(err)
		}
		if f.Symbols, err = strconv.Atoi(args[6]); err != nil {
			return asUsage(err)
		}
		stats, err := f.Run(ctx)
		if err != nil {
			return err
		}
		return a.printJSON(stats)
	}
	return usagef("bench child is for bench itself")
}
