package engine

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/mailbox"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/risk"
)

// gpuLane is a lane's part on a device. Slots and rows are pinned host memory, which the kernel reads and writes.
type gpuLane struct {
	set      *gpuSet
	lane     *lane
	lost     bool // the lane's goroutine: the device no longer gives rows
	in, out  *gpu.HostBuffer[program.Quarter]
	state    *gpu.Buffer[uint64]
	words    uint32
	first    uint64                    // the first slot
	quarters [risk.SignalsMax][]uint64 // by signal: the row quarters that it writes when it fires
	signals  uint64                    // that there are, a bit each
	batcher  *batcher                  // stream dispatch; nil: resident
	follower *follower                 // nil: not followed
	looks    uint32                    // polls that found nothing
	sinceNs  int64                     // since when the device owes a row, 0: not known to
	wrong    atomic.Uint64             // rows that cannot be, or are not the follower's
	askedNs  int64                     // when the driver was last asked
	restored []uint64                  // state that the device is given before it starts, and nil then
}

func newGPULane(s *gpuSet, l *lane, instruments int) (*gpuLane, error) {
	p := s.config.Program
	g := &gpuLane{set: s, lane: l, words: uint32(p.StateWords), first: l.computed.Load()}
	var err error
	slots := int(l.mask + 1)
	if g.in, err = gpu.AllocHost[program.Quarter](s.device, slots*p.SlotQuarters, gpu.Mailbox); err != nil {
		return nil, fmt.Errorf("engine: slots: %w", err)
	}
	if g.out, err = gpu.AllocHost[program.Quarter](s.device, slots*p.RowQuarters, gpu.Mailbox); err != nil {
		return nil, errors.Join(fmt.Errorf("engine: rows: %w", err), g.close())
	}
	if g.state, err = gpu.Alloc[uint64](s.device, instruments*p.StateWords); err != nil {
		return nil, errors.Join(fmt.Errorf("engine: state of %d instruments: %w", instruments, err), g.close())
	}
	if err = gpu.Write(g.state.All(), initialState(p, instruments)); err != nil {
		return nil, errors.Join(fmt.Errorf("engine: state: %w", err), g.close())
	}
	in, errIn := g.in.Slice()
	out, errOut := g.out.Slice()
	if err := errors.Join(errIn, errOut); err != nil {
		return nil, errors.Join(err, g.close())
	}
	l.memory.In, l.memory.Out, l.executor = in, out, nil
	for i := range s.config.Desk.Rules {
		r := &s.config.Desk.Rules[i]
		g.signals |= 1 << i
		for _, q := range []int{r.ValueQuarter, r.SideQuarter, r.StrengthQuarter} {
			if q >= program.RowFirst {
				g.quarters[i] = append(g.quarters[i], uint64(q))
			}
		}
	}
	if s.config.GPU.Dispatch == DispatchStream {
		if g.batcher, err = newBatcher(g, l); err != nil {
			return nil, errors.Join(err, g.close())
		}
	}
	if s.config.GPU.Follow {
		if g.follower, err = newFollower(l, p, instruments); err != nil {
			return nil, errors.Join(err, g.close())
		}
	}
	return g, nil
}

// describe is the lane as the kernels know it.
func (g *gpuLane) describe() cuda.Lane {
	p := g.set.config.Program
	return cuda.Lane{
		In: g.in.Ptr().Address(), Out: g.out.Ptr().Address(), State: g.state.Ptr().Address(),
		Ring: uint32(g.in.Len() / p.SlotQuarters), SlotQuarters: uint32(p.SlotQuarters), Words: g.words,
		Base: uint32(g.first),
	}
}

// putSlot writes the quarters of a slot that are not of references, each in one piece, as the kernel reads them.
func putSlot(in []program.Quarter, at, capacity uint64, from *[program.SlotQuartersBase]mailbox.Halves) {
	mailbox.PutApart(unsafe.Slice((*mailbox.Quarter)(unsafe.Pointer(unsafe.SliceData(in))), len(in)), at, capacity, from[:])
}

// putQuarter writes a quarter in one piece, as the kernel reads it.
func putQuarter(to *program.Quarter, from program.Quarter) {
	mailbox.PutApart(unsafe.Slice((*mailbox.Quarter)(unsafe.Pointer(to)), 1), 0, 1,
		[]mailbox.Halves{{Value: from.Value, Tail: mailbox.Tail(from.Aux, from.Stamp)}})
}

// take takes rows from the device, and looks after one that gives none.
func (g *gpuLane) take(l *lane, limit uint64) (n uint64, err error) {
	if err := g.set.device.Lost(); err != nil {
		return 0, err
	}
	if g.batcher != nil {
		n, err = g.batcher.advance(l, limit)
	} else {
		n, err = g.poll(l, limit)
	}
	if n > 0 {
		g.looks, g.sinceNs = 0, 0
		return n, err
	}
	if err == nil {
		err = g.overdue(l)
	}
	return 0, err
}

// leave ends the use of the device, for its other lanes too: what failed once is not trusted again, and a kernel that nobody
// stops goes on reading slots. It may write rows late, so the lane's rows are in other memory from here on.
func (g *gpuLane) leave(l *lane, err error) {
	g.set.device.Lose(err)
	g.lost = true
	if g.follower == nil {
		l.failed.Store(&err)
		return
	}
	g.follower.takeOver()
	l.cutOver.Store(l.computed.Load())
}

// computeInstead runs the lane on the CPU after the device was lost. A lane that nothing follows has failed.
func (g *gpuLane) computeInstead(l *lane, limit uint64) uint64 {
	f := g.follower
	from, to := l.computed.Load(), l.staged.Load()
	if f == nil || to == from || l.failed.Load() != nil {
		return 0
	}
	if to-from > limit {
		to = from + limit
	}
	f.run(from, to)
	f.followed.Store(to)
	l.computed.Store(to)
	return to - from
}

func (g *gpuLane) close() error {
	var errs []error
	if g.follower != nil {
		g.follower.takeOver() // what is left is compared too
	}
	if g.batcher != nil {
		errs = append(errs, g.batcher.close())
	}
	if g.in != nil {
		errs = append(errs, g.in.Close())
	}
	if g.out != nil {
		errs = append(errs, g.out.Close())
	}
	if g.state != nil {
		errs = append(errs, g.state.Close())
	}
	return errors.Join(errs...)
}
