package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/engine"
)

// A sweep runs one stream of ticks under many sets of parameter values of one program at once: every set is an instrument
// of its own for each one of the stream, with the same ticks and other parameters, and so a state of its own.
//
//	tick of instrument i ─┬─► slot of i under set 0   ─┐
//	                      ├─► slot of i under set 1    ├─► lanes, dealt by set ─► a row a set
//	                      └─► slot of i under set 255 ─┘
const (
	sweepSets    = 256
	sweepProgram = "sweep.yaml"
	sweepStepNs  = 1e6 // engine time between two ticks of the stream: windows of seconds fill within a measurement
	sweepCompare = 128 // ticks of each instrument on which both executors must fire alike: more than the first signal's windows
)

var sweepStreams = []int{1, 16} // instruments of the stream

// sweepShape is the engine's configuration of a sweep over a stream of so many instruments.
func sweepShape(instruments int) (engine.Config, error) {
	shape, err := gpuShape(sweepProgram)
	if err != nil {
		return shape, err
	}
	if shape.Parameters == nil {
		return shape, fmt.Errorf("bench: %s has no parameters", sweepProgram)
	}
	written := shape.Parameters
	shape.Parameters = func(symbol feed.Symbol) []engine.Parameter {
		id, err := strconv.Atoi(strings.TrimPrefix(symbol.Name, "I"))
		if err != nil {
			return written(symbol)
		}
		return sweepSet(written(symbol), id%sweepSets)
	}
	return shape, nil
}

// sweepSet is a set's parameters: those written, the first set's as they are, each of the others' up to half as large again or
// as small.
func sweepSet(written []engine.Parameter, set int) []engine.Parameter {
	random := rand.New(rand.NewPCG(uint64(set), sweepSets))
	for i := range written {
		if v := &written[i]; set > 0 {
			v.Value = float64(v.Value * (0.5 + random.Float64()))
		}
	}
	return written
}

// newSweepLoad is a lane's part of a sweep: the ticks of a stream of so many instruments, each once for every set of the lane.
// Instrument i under set k is number i × sweepSets + k. Every lane has the same stream.
func newSweepLoad(lane, lanes, instruments int) *load {
	sets := sweepSets / lanes
	stream := newLoad(0, 1, instruments)
	stream.ticks = stream.ticks[:max(len(stream.ticks)/sets, 2*instruments)/instruments*instruments]
	l := &load{nowNs: stream.nowNs, stepNs: sweepStepNs, together: sets, ticks: make([]feed.Tick, 0, len(stream.ticks)*sets)}
	for i := range stream.ticks {
		for set := lane; set < sweepSets; set += lanes {
			t := stream.ticks[i]
			t.Instrument = t.Instrument*sweepSets + uint32(set)
			l.ticks = append(l.ticks, t)
		}
	}
	return l
}

// sweepWay is one way to run a sweep.
type sweepWay struct {
	device      *gpu.Device
	lanes       int
	instruments int
}

func (w sweepWay) text() string {
	executor := "stream"
	if w.device == nil {
		executor = "CPU executor"
	}
	return fmt.Sprintf("sweep of %d sets, %s, %d instruments", sweepSets, executor, w.instruments)
}

// sweeps measures sweeps on lanes that are kept full, and first compares what the executors compute.
func (r *gpuRun) sweeps(ctx context.Context) error {
	var best sweepWay
	var bestRate float64
	for _, instruments := range sweepStreams {
		if err := r.sweepAlike(instruments); err != nil {
			r.fail("sweep", err)
		}
		for _, way := range []sweepWay{
			{r.device, 1, instruments},
			{r.device, gpuLanes, instruments},
			{r.device, 2 * gpuLanes, instruments},
			{nil, 1, instruments},
			{nil, gpuLanes, instruments},
		} {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			rate, err := r.sweep(way)
			if err != nil {
				return err
			}
			if err := r.keep("sweep", 1, single(way.text(), way.lanes, rate, sweepUnit)); err != nil {
				return err
			}
			if way.device != nil && rate > bestRate || best.device == nil {
				best, bestRate = way, rate
			}
		}
	}
	for round := 1; round <= max(r.Rounds/2, 1); round++ {
		rate, err := r.sweep(best)
		if err != nil {
			return err
		}
		if err := r.keep("sweep", round, single("sweep", 0, rate, sweepUnit)); err != nil {
			return err
		}
	}
	return nil
}

const sweepUnit = "million ticks x sets/s"

// sweep returns million ticks × sets a second: every row is one tick under one set.
func (r *gpuRun) sweep(way sweepWay) (rate float64, err error) {
	shape, err := sweepShape(way.instruments)
	if err != nil {
		return 0, err
	}
	shape = onGPU(shape, way.device, engine.DispatchStream, way.lanes)
	shape.LaneSlots = 4 * streamChunk
	err = withProbe(shape, way.instruments*sweepSets, func(p *engine.Probe) error {
		loads := make([]*load, way.lanes)
		for i := range loads {
			loads[i] = newSweepLoad(i, way.lanes, way.instruments)
		}
		rate, _, err = saturate(p, loads, streamChunk, r.Length)
		return err
	})
	return rate, err
}

// sweepAlike runs the same ticks on both executors: lane by lane they must fire the first signal in as many rows.
func (r *gpuRun) sweepAlike(instruments int) error {
	var fired [2][gpuLanes]uint64
	for i, device := range []*gpu.Device{nil, r.device} {
		shape, err := sweepShape(instruments)
		if err != nil {
			return err
		}
		shape = onGPU(shape, device, engine.DispatchStream, gpuLanes)
		shape.LaneSlots = 4 * streamChunk
		err = withProbe(shape, instruments*sweepSets, func(p *engine.Probe) error {
			for n := range fired[i] {
				l := newSweepLoad(n, gpuLanes, instruments)
				for range sweepCompare * instruments * l.together {
					for !p.Stage(l.next()) {
						if err := p.Poll(); err != nil {
							return err
						}
					}
				}
			}
			if err := p.Poll(); err != nil {
				return err
			}
			for n := range fired[i] {
				fired[i][n] = p.Lane(n).Fired()
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	var cpu, device uint64
	for n := range fired[0] {
		cpu, device = cpu+fired[0][n], device+fired[1][n]
	}
	const unit = "rows"
	err := r.keep("sweep", 1, single(fmt.Sprintf("sweep of %d instruments: first signal fired, CPU executor", instruments), 0, float64(cpu), unit),
		single(fmt.Sprintf("sweep of %d instruments: first signal fired, stream", instruments), 0, float64(device), unit))
	if fired[0] != fired[1] {
		err = errors.Join(err, fmt.Errorf("the executors differ over %d instruments: of the same rows the first signal fired in %d on the CPU, in %d on the device",
			instruments, cpu, device))
	}
	return err
}
