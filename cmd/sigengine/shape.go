package main

import (
	"log/slog"
	"math"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"go.uber.org/automaxprocs/maxprocs"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
)

// shapeFlags change how the engine runs, never what it decides.
type shapeFlags struct {
	executor, dispatch, mode string
	lanes, batch             int
}

func (s *shapeFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&s.executor, "executor", "", "where the program runs: auto, cpu or gpu (this build has the CPU executor only)")
	c.Flags().StringVar(&s.dispatch, "dispatch", "", "how a GPU is given its work: resident or stream")
	c.Flags().StringVar(&s.mode, "mode", "", "auto, fused (one goroutine) or staged (one a stage)")
	c.Flags().IntVar(&s.lanes, "lanes", 0, "shards of the instruments, 1 to 64")
	c.Flags().IntVar(&s.batch, "batch", 0, "most ticks a turn, 1 to 4096")
}

// check refuses what this build cannot do.
func (s *shapeFlags) check() error {
	switch s.executor {
	case "", "auto", "cpu":
	case "gpu":
		return usagef("--executor gpu: this build has the CPU executor only; use cpu or auto, the output is the same")
	default:
		return usagef("--executor is %q; want auto, cpu or gpu", s.executor)
	}
	if s.dispatch != "" && s.dispatch != "resident" && s.dispatch != "stream" {
		return usagef("--dispatch is %q; want resident or stream", s.dispatch)
	}
	if s.mode != "" && s.mode != "auto" && s.mode != "fused" && s.mode != "staged" {
		return usagef("--mode is %q; want auto, fused or staged", s.mode)
	}
	if s.lanes < 0 || s.lanes > engine.LanesMax {
		return usagef("--lanes is %d; want 1 to %d", s.lanes, engine.LanesMax)
	}
	if s.batch < 0 || s.batch > engine.BatchMax {
		return usagef("--batch is %d; want 1 to %d", s.batch, engine.BatchMax)
	}
	return nil
}

// apply puts the flags that were given over a configuration.
func (s *shapeFlags) apply(c *engine.Config) {
	if s.lanes > 0 {
		c.Lanes = s.lanes
	}
	if s.batch > 0 {
		c.Batch = s.batch
		for c.LaneSlots < 2*c.Batch {
			c.LaneSlots *= 2
		}
	}
	switch s.mode {
	case "auto":
		c.Mode = engine.ModeAuto
	case "fused":
		c.Mode = engine.ModeFused
	case "staged":
		c.Mode = engine.ModeStaged
	}
}

// tune sets up the process: processors, and a garbage collector that runs rarely under a memory limit.
func tune(log *slog.Logger, c *config.Config) {
	undo, err := maxprocs.Set(maxprocs.Logger(func(string, ...any) {}))
	_ = undo // for the life of the process
	if err != nil {
		log.Warn("processors: the container's quota could not be read; GOMAXPROCS is as Go sets it", "error", err)
	}
	debug.SetGCPercent(c.Engine.GOGC)
	limit := c.Engine.MemoryLimitBytes
	if limit > 0 {
		debug.SetMemoryLimit(limit)
	} else if limit = debug.SetMemoryLimit(-1); limit == math.MaxInt64 {
		limit = 0
	}
	log.Info("process", "gomaxprocs", runtime.GOMAXPROCS(0), "cpus", runtime.NumCPU(), "gogc", c.Engine.GOGC,
		"memory_limit_bytes", limit, "go", runtime.Version())
}
