package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// Interval is when a device did one part of one batch, by the device's own clock, from the first batch's begin.
type Interval struct {
	Stream   int           `json:"stream"`
	Batch    int           `json:"batch"`
	What     string        `json:"what"` // in, kernel, out
	From, To time.Duration `json:"-"`
}

// Timeline runs batches of slots in stream dispatch's way, dealt over streams, each stream a lane of its own, and returns
// what the device did when. The ticks are repeated as often as needed; their instruments are below len(ticks).
func Timeline(device *gpu.Device, p *program.Program, ticks []feed.Tick, slots, batches, streams int) (_ []Interval, err error) {
	if slots < 1 || slots > flightSlots || len(ticks) == 0 {
		return nil, fmt.Errorf("%w: a timeline of batches of %d slots and %d ticks", ErrConfig, slots, len(ticks))
	}
	module, err := device.LoadModule([]byte(cuda.Whole(cuda.Batch, p, cuda.ShapeOf(p).Warps)))
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	defer func() { err = errors.Join(err, module.Close()) }()
	kernel, err := gpu.LoadKernel[laneArguments](module, string(cuda.Batch))
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	shape, err := launchShape(kernel, cuda.ShapeOf(p), cuda.Batch, shardsFor(slots))
	if err != nil {
		return nil, err
	}
	var lines []*timeline
	defer func() {
		for _, l := range lines {
			err = errors.Join(err, l.close())
		}
	}()
	for range streams {
		l, err := newTimeline(device, p, ticks, slots)
		lines = append(lines, l)
		if err != nil {
			return nil, fmt.Errorf("engine: %w", err)
		}
	}
	for b := range batches {
		if err := lines[b%streams].send(kernel, shape, b); err != nil {
			return nil, fmt.Errorf("engine: %w", err)
		}
	}
	return intervals(lines)
}

// timeline is one stream of a Timeline.
type timeline struct {
	device          *gpu.Device
	slots           int
	stream          *gpu.Stream
	table           *gpu.HostBuffer[cuda.Lane]
	hostIn, hostOut *gpu.HostBuffer[program.Quarter]
	in, out         *gpu.Buffer[program.Quarter]
	state           *gpu.Buffer[uint64]
	marks           [][4]*gpu.Event // by batch of this stream: begin, copied in, run, copied out
	batches         []int
	inSpan, outSpan int
}

func newTimeline(device *gpu.Device, p *program.Program, ticks []feed.Tick, slots int) (*timeline, error) {
	size := flightLeast
	for size < slots {
		size *= 2
	}
	l := &timeline{device: device, slots: slots, inSpan: size * p.SlotQuarters, outSpan: size * p.RowQuarters}
	var errs [7]error
	l.stream, errs[0] = device.NewStream(gpu.StreamOptions{})
	l.table, errs[1] = gpu.AllocHost[cuda.Lane](device, 1, gpu.Staging)
	l.hostIn, errs[2] = gpu.AllocHost[program.Quarter](device, l.inSpan, gpu.Staging)
	l.hostOut, errs[3] = gpu.AllocHost[program.Quarter](device, l.outSpan, gpu.Staging)
	l.in, errs[4] = gpu.Alloc[program.Quarter](device, l.inSpan)
	l.out, errs[5] = gpu.Alloc[program.Quarter](device, l.outSpan)
	l.state, errs[6] = gpu.Alloc[uint64](device, len(ticks)*p.StateWords)
	if err := errors.Join(errs[:]...); err != nil {
		return l, err
	}
	state := initialState(p, len(ticks))
	for i := range len(ticks) {
		state[i*p.StateWords+enableWord] = ^uint64(0)
	}
	if err := gpu.Write(l.state.All(), state); err != nil {
		return l, err
	}
	memory, err := l.hostIn.Slice()
	if err != nil {
		return l, err
	}
	scratch := lane{memory: program.Lane{In: memory}, mask: uint64(size - 1)}
	for i := range slots {
		tick := &ticks[i%len(ticks)]
		scratch.stage(&tick.F, tick.Instrument, uint32(tick.Kind)|uint32(classOf(tick.Kind))<<freshShift, 0, tick.ReceiveNs)
	}
	table, err := l.table.Slice()
	if err != nil {
		return l, err
	}
	table[0] = cuda.Lane{
		In: l.in.Ptr().Address(), Out: l.out.Ptr().Address(), State: l.state.Ptr().Address(), Ring: uint32(size),
		SlotQuarters: uint32(p.SlotQuarters), Words: uint32(p.StateWords), Count: uint32(slots),
		Shards: uint32(shardsFor(slots)), InRing: uint32(size),
	}
	return l, nil
}

// send puts a batch on the stream, with marks around its parts.
func (l *timeline) send(kernel *gpu.Kernel[laneArguments], shape gpu.Config, batch int) error {
	var marks [4]*gpu.Event
	for i := range marks {
		var err error
		if marks[i], err = l.device.NewEvent(true); err != nil {
			return err
		}
		l.marks = append(l.marks[:len(l.batches)], marks)
	}
	l.batches = append(l.batches, batch)
	in, out := l.in.Span(0, l.inSpan), l.out.Span(0, l.outSpan)
	steps := [...]func() error{
		func() error { return gpu.Copy(l.stream, in, l.hostIn.All()) },
		func() error {
			return gpu.Launch(l.stream, kernel, shape, &laneArguments{l.table.Ptr()}, l.table.In(), in.In(), out.Out(), l.state.Out())
		},
		func() error { return gpu.Copy(l.stream, l.hostOut.All(), out) },
	}
	if err := marks[0].Record(l.stream); err != nil {
		return err
	}
	for i, step := range steps {
		if err := step(); err != nil {
			return err
		}
		if err := marks[i+1].Record(l.stream); err != nil {
			return err
		}
	}
	return nil
}

// intervals waits for every stream and reads the marks.
func intervals(lines []*timeline) ([]Interval, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for _, l := range lines {
		if err := l.stream.Sync(ctx); err != nil {
			return nil, fmt.Errorf("engine: %w", err)
		}
	}
	if len(lines[0].marks) == 0 {
		return nil, nil
	}
	begin := lines[0].marks[0][0]
	var out []Interval
	for s, l := range lines {
		for b, marks := range l.marks {
			var at [4]time.Duration
			for i, mark := range marks {
				if mark == begin {
					continue
				}
				var err error
				if at[i], err = mark.Since(begin); err != nil {
					return nil, fmt.Errorf("engine: %w", err)
				}
			}
			for i, what := range []string{"in", "kernel", "out"} {
				out = append(out, Interval{Stream: s, Batch: l.batches[b], What: what, From: at[i], To: at[i+1]})
			}
		}
	}
	return out, nil
}

func (l *timeline) close() error {
	var errs []error
	if l.stream != nil {
		errs = append(errs, l.stream.Close())
	}
	for _, marks := range l.marks {
		for _, mark := range marks {
			if mark != nil {
				errs = append(errs, mark.Close())
			}
		}
	}
	if l.table != nil {
		errs = append(errs, l.table.Close())
	}
	if l.hostIn != nil {
		errs = append(errs, l.hostIn.Close())
	}
	if l.hostOut != nil {
		errs = append(errs, l.hostOut.Close())
	}
	if l.in != nil {
		errs = append(errs, l.in.Close())
	}
	if l.out != nil {
		errs = append(errs, l.out.Close())
	}
	if l.state != nil {
		errs = append(errs, l.state.Close())
	}
	return errors.Join(errs...)
}

// BatchPTX is the text of stream dispatch's kernel with a program in it, kernel `batch`, for a program of another language
// that runs the same code, and how it is launched.
func BatchPTX(p *program.Program) (text string, threads, sharedBytes int) {
	shape := cuda.ShapeOf(p)
	return cuda.Whole(cuda.Batch, p, shape.Warps), shape.Threads(cuda.Batch), shape.ExchangeBytes
}
