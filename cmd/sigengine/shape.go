package main

import (
	"log/slog"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/automaxprocs/maxprocs"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
)

// shapeFlags change how the engine runs, never what it decides.
type shapeFlags struct {
	executorFlags
	mode         string
	lanes, batch int
	flags        *pflag.FlagSet // tells 0 from nothing
}

func (s *shapeFlags) add(c *cobra.Command) {
	s.addSize(c)
	c.Flags().StringVar(&s.mode, "mode", "", "auto, fused (one goroutine) or staged (one a stage)")
}

// addSize adds the flags for commands whose mode is fixed.
func (s *shapeFlags) addSize(c *cobra.Command) {
	s.executorFlags.add(c)
	s.flags = c.Flags()
	c.Flags().IntVar(&s.lanes, "lanes", 0, "shards of the instruments, 1 to 64")
	c.Flags().IntVar(&s.batch, "batch", 0, "most ticks a turn, 1 to 4096")
}

// check refuses what makes no sense.
func (s *shapeFlags) check() error {
	if err := s.executorFlags.check(); err != nil {
		return err
	}
	if s.mode != "" && s.mode != "auto" && s.mode != "fused" && s.mode != "staged" {
		return usagef("--mode is %q; want auto, fused or staged", s.mode)
	}
	if s.lanes < 0 || s.lanes > engine.LanesMax || s.lanes == 0 && s.given("lanes") {
		return usagef("--lanes is %d; want 1 to %d", s.lanes, engine.LanesMax)
	}
	if s.batch < 0 || s.batch > engine.BatchMax || s.batch == 0 && s.given("batch") {
		return usagef("--batch is %d; want 1 to %d", s.batch, engine.BatchMax)
	}
	return nil
}

func (s *shapeFlags) given(name string) bool { return s.flags != nil && s.flags.Changed(name) }

// checkTimes refuses times that lie before the start.
func checkTimes(length, every time.Duration) error {
	if length < 0 {
		return usagef("--for is %s; want a time above 0, such as 30s, or 0 for no end", length)
	}
	if every < 0 {
		return usagef("--status is %s; want a time above 0, such as 10s, or 0 for no status", every)
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
