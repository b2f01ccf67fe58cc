package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/executor"
	"github.com/sigengine/sigengine/replay"
)

// executorFlags say where the program runs. They change no result.
type executorFlags struct {
	executor, dispatch, follow string
	devices                    []int
}

func (e *executorFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&e.executor, "executor", "", "where the program runs: auto (a GPU if one can be used), cpu or gpu")
	c.Flags().StringVar(&e.dispatch, "dispatch", "", "how a GPU is given its work: auto, resident or stream")
	c.Flags().StringVar(&e.follow, "follow", "", "the CPU computes behind the GPU and compares: auto, on or off")
	c.Flags().Lookup("follow").NoOptDefVal = string(config.FollowOn)
	c.Flags().IntSliceVar(&e.devices, "devices", nil, "GPUs to use, by number: 0,1 (default all that can be used)")
}

// check refuses words that mean nothing.
func (e *executorFlags) check() error {
	switch config.Executor(e.executor) {
	case "", config.ExecutorAuto, config.ExecutorCPU, config.ExecutorGPU:
	default:
		return usagef("--executor is %q; want auto, cpu or gpu", e.executor)
	}
	switch config.Dispatch(e.dispatch) {
	case "", config.DispatchAuto, config.DispatchResident, config.DispatchStream:
	default:
		return usagef("--dispatch is %q; want auto, resident or stream", e.dispatch)
	}
	switch config.Follow(e.follow) {
	case "", config.FollowAuto, config.FollowOn, config.FollowOff:
	default:
		return usagef("--follow is %q; want auto, on or off (--follow alone is on)", e.follow)
	}
	if wrong, hint := config.WrongDevices(e.devices); wrong != "" {
		return usagef("--devices %s; %s", wrong, hint)
	}
	return nil
}

// owner merges the flags with a configuration's section.
func (e *executorFlags) owner(a *app, section config.Engine, live bool) *executor.Owner {
	r := executor.Request{
		Executor: section.Executor, Dispatch: section.Dispatch, Follow: section.Follow, Devices: section.Devices,
		Live: live, Log: a.log, Open: a.openDriver,
	}
	if e.executor != "" {
		r.Executor = config.Executor(e.executor)
	}
	if e.dispatch != "" {
		r.Dispatch = config.Dispatch(e.dispatch)
	}
	if e.follow != "" {
		r.Follow = config.Follow(e.follow)
	}
	if len(e.devices) > 0 {
		r.Devices = e.devices
	}
	return executor.New(r)
}

// place is Place with this program's exit code.
func place(o *executor.Owner) func(*engine.Config) error {
	return func(c *engine.Config) error {
		if err := o.Place(c); err != nil {
			return &exitError{exitGPU, fmt.Errorf("executor gpu: %w", err)}
		}
		return nil
	}
}

// closeDevices closes the devices of a run that is over. A failure to do so is no failure of the run.
func (a *app) closeDevices(o *executor.Owner) {
	if err := o.Close(); err != nil {
		a.log.Warn("a GPU could not be closed in good order", "error", err)
	}
}

// replayPlace is how a replay's program is placed.
type replayPlace struct {
	owner *executor.Owner
	shape *shapeFlags
	paced bool // a tick is not handed on before it is due
	fused bool // recomputed signals must come on the caller's goroutine
}

// prepare places the program. The journal's own configuration says where it ran then, on another machine perhaps, so that is
// not asked. Larger turns, and stages beside each other, keep a GPU busy unless something else was asked for.
func (p replayPlace) prepare(_ *config.Config, c *engine.Config, _ *engine.Ports) error {
	if err := place(p.owner)(c); err != nil || c.GPU == nil || p.paced {
		return err
	}
	if p.shape.batch == 0 && c.GPU.Dispatch == engine.DispatchStream {
		c.Batch = engine.BatchMax
		c.LaneSlots = max(c.LaneSlots, 4*engine.BatchMax)
	}
	if p.shape.mode == "" && !p.fused && runtime.GOMAXPROCS(0) > c.Lanes+1 {
		c.Mode = engine.ModeStaged
	}
	return nil
}

// sayLost warns of devices that were lost during a replay that went on without them.
func (a *app) sayLost(r *replay.Result) {
	if lost := r.GPU.Lost(); len(lost) > 0 {
		a.log.Warn("a GPU was lost; the replay went on without it, with the same signals", "lost", lost, "mismatches", r.GPU.Mismatches)
	}
}
