package bench

import (
	"context"
	"fmt"

	"github.com/sigengine/sigengine/bench/programs"
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/engine"
)

// Crossover is what both executors do with one goroutine staging so many ticks and waiting for the last row.
type Crossover struct {
	Signals     int `json:"signals"`
	Instruments int `json:"instruments"`
	Batch       int `json:"batch"`
	GPULanes    int `json:"gpu_lanes"` // resident; the CPU executor has one lane

	CPUP50   float64 `json:"cpu_p50_us"`
	CPUP99   float64 `json:"cpu_p99_us"`
	CPUTicks float64 `json:"cpu_million_ticks_per_second"`
	GPUP50   float64 `json:"gpu_p50_us"`
	GPUP99   float64 `json:"gpu_p99_us"`
	GPUTicks float64 `json:"gpu_million_ticks_per_second"`
}

var (
	crossoverInstruments = []int{64, 1024, 4096}
	crossoverLanes       = []struct {
		lanes   int
		batches []int
	}{{1, []int{1, 8, 32}}, {gpuLanes, []int{128, 1024}}}
)

// crossover measures both executors over signals, instruments and ticks at once.
func (r *gpuRun) crossover(ctx context.Context) error {
	for _, name := range []string{gpuProgram, gpuBurst} {
		if _, ok := programs.Named(name); !ok {
			r.fail("crossover", fmt.Errorf("there is no %s yet; it has the other program only", name))
			continue
		}
		shape, err := gpuShape(name)
		if err != nil {
			return err
		}
		for _, instruments := range crossoverInstruments {
			for _, group := range crossoverLanes {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err := r.cross(shape, instruments, group.lanes, group.batches); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (r *gpuRun) cross(shape engine.Config, instruments, lanes int, batches []int) error {
	rows := make([]Crossover, len(batches))
	for i, batch := range batches {
		rows[i] = Crossover{Signals: len(shape.Desk.Rules), Instruments: instruments, Batch: batch, GPULanes: lanes}
	}
	for _, way := range []struct {
		device *gpu.Device
		lanes  int
	}{{nil, 1}, {r.device, lanes}} {
		err := withProbe(onGPU(shape, way.device, engine.DispatchResident, way.lanes), instruments, func(p *engine.Probe) error {
			l := newLoad(0, 1, instruments)
			for i, batch := range batches {
				s, err := r.roundTrips("crossover", p, l, batch, r.Length/5)
				if err != nil {
					return err
				}
				ticks := round(float64(batch) / s.Mean)
				row := &rows[i]
				if way.device == nil {
					row.CPUP50, row.CPUP99, row.CPUTicks = s.P50, s.P99, ticks
				} else {
					row.GPUP50, row.GPUP99, row.GPUTicks = s.P50, s.P99, ticks
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	r.result.Crossover = append(r.result.Crossover, rows...)
	return nil
}
