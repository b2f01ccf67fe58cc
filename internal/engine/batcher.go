package engine

import (
	"errors"
	"fmt"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// Batches of a lane in stream dispatch.
const (
	flightsMax   = 3    // in flight at once, so that copies and kernels overlap
	flightSlots  = 4096 // most slots of one, and no more than the lane has
	flightLeast  = 32
	sendSlotsMin = 1
)

// A batch is dealt out over blocks by instrument: one for so many slots, and at most so many.
const (
	ShardSlots = 16
	ShardsMax  = 64
)

// batcher runs a lane by copies and launches on a stream of its own: slots in, kernel, rows out, several batches in
// flight, in order.
type batcher struct {
	g       *gpuLane
	stream  *gpu.Stream
	kernel  *gpu.Kernel[laneArguments]
	shape   gpu.Config
	flights [flightsMax]flight
	head    int    // the oldest in flight
	count   int    // in flight
	sent    uint64 // slots before this are in flight or done
	slots   uint64 // most slots of a batch
}

// flight is one batch's memory: staged on the host, copied, run, copied back.
type flight struct {
	table         *gpu.HostBuffer[cuda.Lane]
	hostIn        *gpu.HostBuffer[program.Quarter]
	hostOut       *gpu.HostBuffer[program.Quarter]
	in, out       *gpu.Buffer[program.Quarter]
	done          *gpu.Event
	from, to      uint64
	ringOfThisOne uint64
}

func newBatcher(g *gpuLane, l *lane) (*batcher, error) {
	b := &batcher{g: g, sent: l.staged.Load(), slots: min(flightSlots, max(l.mask+1, flightLeast))}
	var err error
	if b.stream, err = g.set.device.NewStream(gpu.StreamOptions{Name: fmt.Sprintf("lane %d", l.number)}); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	if b.kernel, err = gpu.LoadKernel[laneArguments](g.set.module, string(cuda.Batch)); err != nil {
		return nil, errors.Join(fmt.Errorf("engine: %w", err), b.close())
	}
	if b.shape, err = launchShape(b.kernel, g.set.shape, cuda.Batch, 1); err != nil {
		return nil, errors.Join(err, b.close())
	}
	for i := range b.flights {
		if err := b.flights[i].allocate(g, int(b.slots)); err != nil {
			return nil, errors.Join(fmt.Errorf("engine: batch memory: %w", err), b.close())
		}
	}
	return b, nil
}

func (f *flight) allocate(g *gpuLane, slots int) error {
	p, d := g.set.config.Program, g.set.device
	var errs [6]error
	f.table, errs[0] = gpu.AllocHost[cuda.Lane](d, 1, gpu.Staging)
	f.hostIn, errs[1] = gpu.AllocHost[program.Quarter](d, slots*p.SlotQuarters, gpu.Staging)
	f.hostOut, errs[2] = gpu.AllocHost[program.Quarter](d, slots*p.RowQuarters, gpu.Staging)
	f.in, errs[3] = gpu.Alloc[program.Quarter](d, slots*p.SlotQuarters)
	f.out, errs[4] = gpu.Alloc[program.Quarter](d, slots*p.RowQuarters)
	f.done, errs[5] = d.NewEvent(false)
	return errors.Join(errs[:]...)
}

// advance sends what is staged and takes what is done. It returns how many rows became whole.
func (b *batcher) advance(l *lane, limit uint64) (uint64, error) {
	if staged := l.staged.Load(); staged != b.sent && b.count < flightsMax {
		n := min(staged-b.sent, b.slots, max(limit, sendSlotsMin))
		switch to := l.beforeCommand(b.sent, b.sent+n); {
		case to != b.sent:
			if err := b.send(l, b.sent, to); err != nil {
				return 0, err
			}
		case b.count == 0:
			return b.obey(l, to)
		}
	}
	if b.count == 0 {
		return 0, nil
	}
	f := &b.flights[b.head]
	done, err := f.done.Done()
	if err != nil || !done {
		return 0, err
	}
	if err := b.take(l, f); err != nil {
		return 0, err
	}
	b.head = (b.head + 1) % flightsMax
	b.count--
	to := f.from
	for to != f.to && err == nil {
		if err = b.g.possible(l, to); err == nil {
			to++
		}
	}
	l.computed.Store(to)
	return to - f.from, err
}

// send puts a batch on the stream.
func (b *batcher) send(l *lane, from, to uint64) error {
	f, p := &b.flights[(b.head+b.count)%flightsMax], b.g.set.config.Program
	size := uint64(flightLeast)
	for size < to-from {
		size *= 2
	}
	f.from, f.to, f.ringOfThisOne = from, to, size
	slots, err := f.hostIn.Slice()
	if err != nil {
		return err
	}
	gather(slots, l, p.SlotQuarters, size, from, to)
	table, err := f.table.Slice()
	if err != nil {
		return err
	}
	table[0] = cuda.Lane{
		In: f.in.Ptr().Address(), Out: f.out.Ptr().Address(), State: b.g.state.Ptr().Address(),
		Ring: uint32(size), SlotQuarters: uint32(p.SlotQuarters), Words: b.g.words, From: 0, Count: uint32(to - from),
		Shards: uint32(shardsFor(int(to - from))),
	}
	inLen, outLen := int(size)*p.SlotQuarters, int(size)*p.RowQuarters
	if err := gpu.Copy(b.stream, f.in.Span(0, inLen), f.hostIn.Span(0, inLen)); err != nil {
		return err
	}
	shape := b.shape
	shape.Grid.X = int(table[0].Shards)
	if err := gpu.Launch(b.stream, b.kernel, shape, &laneArguments{f.table.Ptr()},
		f.table.In(), f.in.Span(0, inLen).In(), f.out.Span(0, outLen).Out(), b.g.state.Out()); err != nil {
		return err
	}
	if err := gpu.Copy(b.stream, f.hostOut.Span(0, outLen), f.out.Span(0, outLen)); err != nil {
		return err
	}
	if err := f.done.Record(b.stream); err != nil {
		return err
	}
	b.count++
	b.sent = to
	return nil
}

// shardsFor returns over how many blocks a batch is dealt out, by instrument: a block takes 32 slots at once, and many more
// blocks than multiprocessors gain nothing.
func shardsFor(slots int) int { return min((slots+ShardSlots-1)/ShardSlots, ShardsMax) }

// take copies a finished batch's rows to the lane's.
func (b *batcher) take(l *lane, f *flight) error {
	rows, err := f.hostOut.Slice()
	if err != nil {
		return err
	}
	capacity := l.mask + 1
	for q := range uint64(b.g.set.config.Program.RowQuarters) {
		from := rows[q*f.ringOfThisOne:]
		for i := range f.to - f.from {
			l.memory.Out[q*capacity+(f.from+i)&l.mask] = from[i]
		}
	}
	return nil
}

// gather copies slots of a lane's ring to a batch of its own size, quarter by quarter.
func gather(to []program.Quarter, l *lane, quarters int, size, from, end uint64) {
	capacity, n := l.mask+1, end-from
	first := min(n, capacity-from&l.mask)
	for q := range uint64(quarters) {
		ring, out := l.memory.In[q*capacity:][:capacity], to[q*size:][:n]
		copy(out[:first], ring[from&l.mask:])
		copy(out[first:], ring)
	}
}

func (b *batcher) close() error {
	var errs []error
	if b.stream != nil {
		errs = append(errs, b.g.set.closeStream(b.stream))
	}
	for i := range b.flights {
		f := &b.flights[i]
		if f.table != nil {
			errs = append(errs, f.table.Close())
		}
		if f.hostIn != nil {
			errs = append(errs, f.hostIn.Close())
		}
		if f.hostOut != nil {
			errs = append(errs, f.hostOut.Close())
		}
		if f.in != nil {
			errs = append(errs, f.in.Close())
		}
		if f.out != nil {
			errs = append(errs, f.out.Close())
		}
		if f.done != nil {
			errs = append(errs, f.done.Close())
		}
	}
	return errors.Join(errs...)
}
