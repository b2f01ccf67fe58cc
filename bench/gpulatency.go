package bench

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/engine"
)

// roundTrips stages so many ticks and waits for their rows, again and again. With one lane nothing but that lane is in the
// way; with more, one goroutine does it for all.
func (r *gpuRun) roundTrips(what string, p *engine.Probe, l *load, batch int, length time.Duration) (Sample, error) {
	w := newStopwatch(length, &r.store)
	lane := p.Lane(0)
	for w.more() {
		w.begin()
		for range batch {
			p.Stage(l.next())
		}
		if p.Lanes() > 1 {
			if err := p.Poll(); err != nil {
				return Sample{}, err
			}
		} else if err := await(p, lane); err != nil {
			return Sample{}, err
		}
		w.done()
	}
	return distribution(what, batch, w.tookNs), nil
}

// await polls a lane until no row is missing.
func await(p *engine.Probe, lane *engine.ProbeLane) error {
	for looks := 1; lane.Waiting() > 0; looks++ {
		if lane.Poll() == 0 && looks%1024 == 0 {
			if err := p.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// residents measures round trips through the resident kernel.
func (r *gpuRun) residents(part string, round int, sizes ...int) error {
	return withProbe(onGPU(r.six, r.device, engine.DispatchResident, 1), gpuUniverse, func(p *engine.Probe) error {
		all, one := newLoad(0, 1, gpuUniverse), newLoad(0, 1, 1)
		for _, size := range sizes {
			s, err := r.roundTrips("resident", p, all, size, r.Length/2)
			if err == nil {
				err = r.keep(part, round, s)
			}
			if err == nil && size > 1 {
				one.nowNs = all.nowNs
				if s, err = r.roundTrips("resident, one instrument", p, one, size, r.Length/2); err == nil {
					err = r.keep(part, round, s)
				}
				all.nowNs = one.nowNs
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// streams measures round trips by copies and launches.
func (r *gpuRun) streams(round int) error {
	return withProbe(onGPU(r.six, r.device, engine.DispatchStream, 1), gpuUniverse, func(p *engine.Probe) error {
		l := newLoad(0, 1, gpuUniverse)
		for _, size := range streamSizes {
			s, err := r.roundTrips("stream", p, l, size, r.Length*3/10)
			if err != nil {
				return err
			}
			if err := r.keep("rounds", round, s); err != nil {
				return err
			}
		}
		return nil
	})
}

var streamSizes = []int{1, 64, 256, 1024}

// rounds are the interleaved measurements: floor, resident, C++, stream, C++'s plain step, and again.
func (r *gpuRun) rounds(ctx context.Context) error {
	steps := []func(int) error{
		func(round int) error { return r.child(ctx, "rounds", round, byFloor, "floor", seconds(r.Length)) },
		func(round int) error { return r.residents("rounds", round, 1, 8, 32) },
		func(round int) error {
			return r.child(ctx, "rounds", round, byCPP, "program", seconds(r.Length*3/20), r.path(gpuPTXName), r.path(gpuTicksName))
		},
		r.streams,
		func(round int) error {
			return r.child(ctx, "rounds", round, byCPP, "step", seconds(r.Length/10))
		},
	}
	var failed [8]error
	for round := 1; round <= r.Rounds && ctx.Err() == nil; round++ {
		for i, step := range steps {
			if failed[i] != nil {
				continue // it would fail again and take the time of the others
			}
			failed[i] = step(round)
		}
	}
	return errors.Join(failed[:]...)
}

// neighbour measures the resident round trip while another goroutine makes garbage, beside the same without.
func (r *gpuRun) neighbour(context.Context) error {
	return withProbe(onGPU(r.six, r.device, engine.DispatchResident, 1), gpuUniverse, func(p *engine.Probe) error {
		l := newLoad(0, 1, gpuUniverse)
		for round := 1; round <= r.Rounds; round++ {
			quiet, err := r.roundTrips("quiet", p, l, 1, r.Length/3)
			if err != nil {
				return err
			}
			stop := makeGarbage()
			loud, err := r.roundTrips("beside an allocating goroutine", p, l, 1, r.Length/3)
			stop()
			if err != nil {
				return err
			}
			if err := r.keep("neighbour", round, quiet, loud); err != nil {
				return err
			}
		}
		return nil
	})
}

// makeGarbage allocates on a goroutine until the function that it returns is called.
func makeGarbage() (stop func()) {
	var stopping atomic.Bool
	var running sync.WaitGroup
	running.Go(func() {
		var kept [64][]byte
		for i := 0; !stopping.Load(); i++ {
			kept[i%len(kept)] = make([]byte, 64<<10)
		}
	})
	return func() {
		stopping.Store(true)
		running.Wait()
	}
}

// bursts are as many ticks as instruments, staged by one goroutine into eight lanes; the sample is of the last row.
func (r *gpuRun) bursts(context.Context) error {
	for _, way := range []struct {
		what   string
		device *gpu.Device
		lanes  int
	}{{"burst", r.device, gpuLanes}, {"burst, CPU executor", nil, 1}} {
		err := withProbe(onGPU(r.burst, way.device, engine.DispatchResident, way.lanes), gpuUniverse, func(p *engine.Probe) error {
			l := newLoad(0, 1, gpuUniverse)
			for round := 1; round <= r.Rounds; round++ {
				s, err := r.roundTrips(way.what, p, l, gpuUniverse, r.Length/4)
				if err != nil {
					return err
				}
				if err := r.keep("burst", round, s); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// turns are bursts and lone ticks through sequencer, lanes and desk on one goroutine, with the time of each.
func (r *gpuRun) turns(context.Context) error {
	for _, way := range []struct {
		what   string
		device *gpu.Device
		lanes  int
		shape  engine.Config
		ticks  int
	}{
		{"engine, six.yaml", r.device, 1, r.six, 1},
		{"engine, six.yaml, CPU executor", nil, 1, r.six, 1},
		{"engine, " + r.of, r.device, gpuLanes, r.burst, gpuUniverse},
		{"engine, " + r.of + ", CPU executor", nil, 1, r.burst, gpuUniverse},
	} {
		err := withProbe(onGPU(way.shape, way.device, engine.DispatchResident, way.lanes), gpuUniverse, func(p *engine.Probe) error {
			l, ticks := newLoad(0, 1, gpuUniverse), make([]feed.Tick, way.ticks)
			w := newStopwatch(r.Length, &r.store)
			var sum engine.TurnTimes
			for w.more() {
				l.take(ticks)
				w.begin()
				t, err := p.Turn(r.clock, ticks)
				if err != nil {
					return err
				}
				w.done()
				sum.Sequence, sum.Lanes, sum.Desk = sum.Sequence+t.Sequence, sum.Lanes+t.Lanes, sum.Desk+t.Desk
			}
			turns := float64(max(w.count, 1)) * 1e3
			return r.keep("turn", 1,
				distribution(way.what, way.ticks, w.tookNs),
				single(way.what+": sequencer", way.ticks, float64(sum.Sequence)/turns, "us"),
				single(way.what+": lanes", way.ticks, float64(sum.Lanes)/turns, "us"),
				single(way.what+": desk", way.ticks, float64(sum.Desk)/turns, "us"))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
