package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/engine"
)

// throughput measures lanes that are kept full, a goroutine a lane writing slots and checking every row.
func (r *gpuRun) throughput(context.Context) error {
	for _, way := range []struct {
		what        string
		device      *gpu.Device
		dispatch    engine.Dispatch
		lanes       int
		instruments int
	}{
		{"throughput, resident", r.device, engine.DispatchResident, 1, gpuUniverse},
		{"throughput, resident", r.device, engine.DispatchResident, gpuLanes, gpuUniverse},
		{"throughput, stream", r.device, engine.DispatchStream, 1, gpuUniverse},
		{"throughput, stream", r.device, engine.DispatchStream, gpuLanes, 4 * gpuUniverse},
		{"throughput, CPU executor", nil, 0, 1, gpuUniverse},
		{"throughput, CPU executor", nil, 0, gpuLanes, gpuUniverse},
	} {
		for round := 1; round <= max(r.Rounds/2, 1); round++ {
			shape, chunk := onGPU(r.six, way.device, way.dispatch, way.lanes), residentChunk
			if way.dispatch == engine.DispatchStream {
				shape.LaneSlots, chunk = 4*streamChunk, streamChunk
			}
			err := withProbe(shape, way.instruments, func(p *engine.Probe) error {
				rate, fired, err := saturate(p, dealtOut(way.lanes, way.instruments), chunk, r.Length)
				if err != nil {
					return err
				}
				return r.keep("throughput", round, single(way.what, way.lanes, rate, "million ticks/s"),
					single(way.what+": first signal fired", way.lanes, fired, "of a million rows"))
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// How many slots a goroutine writes before it looks at rows: few where the kernel takes them from under its hands, many where
// they become a batch.
const (
	residentChunk = 64
	streamChunk   = 4096
)

// dealtOut returns a load a lane, each over the lane's instruments.
func dealtOut(lanes, instruments int) []*load {
	loads := make([]*load, lanes)
	for i := range loads {
		loads[i] = newLoad(i, lanes, instruments/lanes)
	}
	return loads
}

// saturate keeps every lane full with its load for a while and returns million ticks a second, and how often the first
// signal fired.
func saturate(p *engine.Probe, loads []*load, chunk int, length time.Duration) (rate, fired float64, err error) {
	var stop atomic.Bool
	var running sync.WaitGroup
	counts := make([]uint64, p.Lanes())
	errs := make([]error, p.Lanes())
	began := time.Now()
	for i := range p.Lanes() {
		running.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			lane, l := p.Lane(i), loads[i]
			for n := uint64(0); !stop.Load(); n++ {
				for range chunk {
					if !lane.Stage(l.next()) {
						break
					}
				}
				counts[i] += lane.Poll()
				if n%1024 == 0 && p.Err() != nil {
					break
				}
			}
			errs[i] = await(p, lane)
		})
	}
	time.Sleep(length)
	var ticks uint64
	stop.Store(true)
	running.Wait()
	elapsed := time.Since(began)
	for i, n := range counts {
		ticks += n
		fired += float64(p.Lane(i).Fired())
	}
	return float64(ticks) / elapsed.Seconds() / 1e6, fired / float64(max(ticks, 1)) * 1e6, errors.Join(errs...)
}

const replayInstruments = 4096

// replayShape is one way to replay.
type replayShape struct {
	device       *gpu.Device
	lanes, batch int
}

// replays runs a tape in memory through whole engines, stages on goroutines of their own: sequencer, lanes in stream
// dispatch, desk.
func (r *gpuRun) replays(ctx context.Context) error {
	best, bestRate := replayShape{}, 0.0
	for _, shape := range []replayShape{{r.device, 8, 1024}, {r.device, 8, 4096}, {r.device, 12, 1024}, {nil, 8, 1024}} {
		rate, _, err := r.replay(shape)
		if err != nil {
			return err
		}
		executor := "stream"
		if shape.device == nil {
			executor = "CPU executor"
		}
		name := fmt.Sprintf("replay, %s, %s, %d lanes", r.of, executor, shape.lanes)
		if err := r.keep("replay", 1, single(name, shape.batch, rate, "million ticks/s")); err != nil {
			return err
		}
		if shape.device != nil && rate > bestRate {
			best, bestRate = shape, rate
		}
	}
	for round := 1; round <= 3 && ctx.Err() == nil; round++ {
		rate, hash, err := r.replay(best)
		if err != nil {
			return err
		}
		r.say(fmt.Sprintf("replay %.2f million ticks/s, %s", rate, hash))
		if err := r.keep("replay", round, single("replay", 0, rate, "million ticks/s")); err != nil {
			return err
		}
	}
	return r.replayStages(best)
}

// replay returns million ticks a second of a whole engine.
func (r *gpuRun) replay(way replayShape) (rate float64, hash string, err error) {
	shape := onGPU(r.burst, way.device, engine.DispatchStream, way.lanes)
	shape.Mode, shape.Instruments, shape.Batch, shape.LaneSlots = engine.ModeStaged, replayInstruments, way.batch, 4*streamChunk
	e, err := engine.New(shape, engine.Ports{Clock: feed.NewManualClock(0)})
	if err != nil {
		return 0, "", err
	}
	recording := e.Record()
	l := newLoad(0, 1, replayInstruments)
	for i := range replayInstruments {
		if err = recording.Define(uint32(i), 1, symbolOf(i)); err != nil {
			break
		}
	}
	began, ticks := time.Now(), 0
	for err == nil && time.Since(began) < r.Length {
		for range streamChunk {
			if err = recording.Tick(l.next()); err != nil {
				break
			}
			ticks++
		}
	}
	err = errors.Join(err, recording.Close())
	elapsed := time.Since(began)
	hash, _ = e.OutputHash()
	return float64(ticks) / elapsed.Seconds() / 1e6, hash, err
}

func symbolOf(i int) feed.Symbol { return feed.Symbol{Venue: "bench", Name: fmt.Sprintf("I%d", i)} }

// replayStages measures what each part of a replay could do alone: what is least holds the rest back.
func (r *gpuRun) replayStages(way replayShape) error {
	shape := onGPU(r.burst, way.device, engine.DispatchStream, way.lanes)
	if shape.Lanes == 0 {
		return errors.New("no shape worked")
	}
	shape.LaneSlots, shape.Batch = 4*streamChunk, way.batch
	err := withProbe(shape, replayInstruments, func(p *engine.Probe) error {
		l, ticks := newLoad(0, 1, replayInstruments), make([]feed.Tick, way.batch)
		var sum engine.TurnTimes
		n := 0
		for began := time.Now(); time.Since(began) < r.Length; n += way.batch {
			t, err := p.Turn(r.clock, l.take(ticks))
			if err != nil {
				return err
			}
			sum.Sequence, sum.Desk = sum.Sequence+t.Sequence, sum.Desk+t.Desk
		}
		return r.keep("replay", 1,
			single("replay: sequencer alone", 0, float64(n)/float64(sum.Sequence)*1e3, "million ticks/s"),
			single("replay: desk alone", 0, float64(n)/float64(sum.Desk)*1e3, "million ticks/s"))
	})
	if err != nil {
		return err
	}
	return withProbe(shape, replayInstruments, func(p *engine.Probe) error {
		rate, _, err := saturate(p, dealtOut(way.lanes, replayInstruments), streamChunk, r.Length)
		if err != nil {
			return err
		}
		return r.keep("replay", 1, single("replay: lanes alone", 0, rate, "million ticks/s"))
	})
}

// timelines measures copies and kernels by the device's own clock: one stream, then three, whose work should overlap.
func (r *gpuRun) timelines(context.Context) error {
	const slots, batches, streams = 4096, 12, 3
	l := newLoad(0, 1, gpuUniverse)
	ticks := l.take(make([]feed.Tick, gpuUniverse))
	for _, n := range []int{1, streams} {
		if _, err := engine.Timeline(r.device, r.burst.Program, ticks, slots, n, n); err != nil { // warm
			return err
		}
		list, err := engine.Timeline(r.device, r.burst.Program, ticks, slots, batches, n)
		if err != nil {
			return err
		}
		t := summarize(list, slots, n)
		r.result.Timeline = append(r.result.Timeline, t)
		if err := r.keep("timeline", 1,
			single("timeline: copy in", n, t.In, "us"), single("timeline: kernel", n, t.Kernel, "us"),
			single("timeline: copy out", n, t.Out, "us"), single("timeline: from first to last", n, t.Span, "us"),
			single("timeline: sum of all parts", n, t.Sum, "us"),
			single("timeline: a copy beside a kernel", n, t.Both, "us")); err != nil {
			return err
		}
	}
	return nil
}

// summarize reduces intervals to means, sums and what overlapped.
func summarize(list []engine.Interval, slots, streams int) GPUTimeline {
	t := GPUTimeline{Streams: streams, Slots: slots}
	var first, last time.Duration
	counts := map[string]float64{}
	sums := map[string]float64{}
	for i := range list {
		v := &list[i]
		us := float64(v.To-v.From) / 1e3
		counts[v.What]++
		sums[v.What] += us
		t.Sum += us
		first, last = min(first, v.From), max(last, v.To)
		t.Intervals = append(t.Intervals, GPUInterval{v.Stream, v.Batch, v.What, round(float64(v.From) / 1e3), round(float64(v.To) / 1e3)})
	}
	for _, part := range []struct {
		what string
		to   *float64
	}{{"in", &t.In}, {"kernel", &t.Kernel}, {"out", &t.Out}} {
		*part.to = round(sums[part.what] / max(counts[part.what], 1))
	}
	t.Span, t.Sum, t.Both = round(float64(last-first)/1e3), round(t.Sum), round(beside(list))
	return t
}

// beside returns for how many microseconds a copy of one stream ran while a kernel of another did.
func beside(list []engine.Interval) float64 {
	var sum time.Duration
	for i := range list {
		for k := range list {
			copying, kernel := &list[i], &list[k]
			if copying.What == "kernel" || kernel.What != "kernel" || copying.Stream == kernel.Stream {
				continue
			}
			sum += max(min(copying.To, kernel.To)-max(copying.From, kernel.From), 0)
		}
	}
	return float64(sum) / 1e3
}
