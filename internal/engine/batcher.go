package engine

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// Batches of a lane in stream dispatch.
const (
	flightsMax   = 3                  // in flight at once, so that copies and kernels overlap
	flightSlots  = cuda.BatchSlotsMax // most slots of one, and no more than the lane has
	flightLeast  = 32
	sendSlotsMin = 1
)

// A batch is dealt out over blocks by instrument: one for so many slots, and at most so many.
const (
	ShardSlots = 16
	ShardsMax  = 64
)

// batcher runs a lane by copies and launches on a stream of its own, several batches in flight, in order:
//
//	lane's slots ─► pinned batch ─► copy ─► device ─► kernel ─► lane's rows, over the bus
//
// The kernel writes rows where the lane reads them, and only those quarters that a tick has, so nothing is copied back and
// rows are taken as they become whole.
type batcher struct {
	g       *gpuLane
	stream  *gpu.Stream
	kernel  *gpu.Kernel[laneArguments]
	shape   gpu.Config
	flights [flightsMax]flight
	head    int           // the oldest in flight
	count   int           // in flight
	sent    atomic.Uint64 // slots before this are in flight or done; the lane's goroutine writes it
	slots   uint64        // most slots of a batch
}

// flight is one batch's memory: staged on the host, copied, run. It is the device's until done.
type flight struct {
	table  *gpu.HostBuffer[cuda.Lane]
	hostIn *gpu.HostBuffer[program.Quarter]
	in     *gpu.Buffer[program.Quarter]
	done   *gpu.Event
}

func newBatcher(g *gpuLane, l *lane) (*batcher, error) {
	b := &batcher{g: g, slots: min(flightSlots, max(l.mask+1, flightLeast))}
	b.sent.Store(l.staged.Load())
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
	var errs [4]error
	f.table, errs[0] = gpu.AllocHost[cuda.Lane](d, 1, gpu.Staging)
	f.hostIn, errs[1] = gpu.AllocHost[program.Quarter](d, slots*p.SlotQuarters, gpu.Staging)
	f.in, errs[2] = gpu.Alloc[program.Quarter](d, slots*p.SlotQuarters)
	f.done, errs[3] = d.NewEvent(false)
	return errors.Join(errs[:]...)
}

// advance sends what is staged and takes the rows that are whole. It returns how many became so.
func (b *batcher) advance(l *lane, limit uint64) (uint64, error) {
	if staged, sent := l.staged.Load(), b.sent.Load(); staged != sent {
		to := l.beforeCommand(sent, sent+min(staged-sent, b.slots, max(limit, sendSlotsMin)))
		if b.count == flightsMax || to == sent {
			if err := b.land(); err != nil {
				return 0, err
			}
		}
		switch {
		case to == sent && b.count == 0 && l.computed.Load() == sent:
			return b.obey(l, to)
		case to != sent && b.count < flightsMax:
			if err := b.send(l, sent, to); err != nil {
				return 0, err
			}
		}
	}
	return b.g.poll(l, limit)
}

// land takes back the oldest batch's memory if the device is done with it.
func (b *batcher) land() error {
	if b.count == 0 {
		return nil
	}
	done, err := b.flights[b.head].done.Done()
	if err == nil && done {
		b.head = (b.head + 1) % flightsMax
		b.count--
	}
	return err
}

// ended is asked while a row is owed: what the device says of the batches in flight. A kernel that has ended has written all
// its rows.
func (b *batcher) ended(l *lane) error {
	if err := b.land(); err != nil {
		return err
	}
	if next := l.computed.Load(); b.count > 0 || b.sent.Load() == next || b.g.whole(l, next) {
		return nil
	}
	return errors.New("engine: the batch's kernel has ended without all of its rows")
}

// send puts a batch on the stream.
func (b *batcher) send(l *lane, from, to uint64) error {
	f, p := &b.flights[(b.head+b.count)%flightsMax], b.g.set.config.Program
	size := uint64(flightLeast)
	for size < to-from {
		size *= 2
	}
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
		In: f.in.Ptr().Address(), Out: b.g.out.Ptr().Address(), State: b.g.state.Ptr().Address(), Ring: uint32(l.mask + 1),
		InRing: uint32(size), SlotQuarters: uint32(p.SlotQuarters), Words: b.g.words, From: uint32(from), Count: uint32(to - from),
		Shards: uint32(shardsFor(int(to - from))),
	}
	inLen := int(size) * p.SlotQuarters
	if err := gpu.Copy(b.stream, f.in.Span(0, inLen), f.hostIn.Span(0, inLen)); err != nil {
		return err
	}
	shape := b.shape
	shape.Grid.X = int(table[0].Shards)
	if err := gpu.Launch(b.stream, b.kernel, shape, &laneArguments{f.table.Ptr()},
		f.table.In(), f.in.Span(0, inLen).In(), b.g.out.Out(), b.g.state.Out()); err != nil {
		return err
	}
	if err := f.done.Record(b.stream); err != nil {
		return err
	}
	b.count++
	b.sent.Store(to)
	return nil
}

// shardsFor returns over how many blocks a batch is dealt out, by instrument: a block takes 32 slots at once, and many more
// blocks than multiprocessors gain nothing.
func shardsFor(slots int) int { return min((slots+ShardSlots-1)/ShardSlots, ShardsMax) }

// gather copies slots of a lane's ring to a batch of its own size, quarter by quarter; a slot's place is its number in both.
func gather(to []program.Quarter, l *lane, quarters int, size, from, end uint64) {
	capacity := l.mask + 1
	for q := range uint64(quarters) {
		ring, out := l.memory.In[q*capacity:][:capacity], to[q*size:][:size]
		for at := from; at != end; {
			in, place := ring[at&l.mask:], out[at&(size-1):]
			at += uint64(copy(place[:min(uint64(len(place)), end-at)], in))
		}
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
		if f.in != nil {
			errs = append(errs, f.in.Close())
		}
		if f.done != nil {
			errs = append(errs, f.done.Close())
		}
	}
	return errors.Join(errs...)
}
