package engine

import (
	"errors"
	"fmt"
	"math/bits"
	"time"
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
	quarters [risk.SignalsMax][]uint64 // by signal: the row quarters that it writes when it fires
	batcher  *batcher                  // stream dispatch; nil: resident
	follower *follower                 // nil: not followed
	looks    uint32                    // polls that found nothing
	sinceNs  int64                     // since when the device owes a row, 0: not known to
}

// looksPerCheck is how many empty polls pass between two questions to the driver whether the kernel still runs: a
// millisecond or so.
const looksPerCheck = 1 << 14

// A device that owes a row for so long is taken to be lost. The clock is looked at once in so many empty polls; nothing but
// this depends on it.
const (
	answerTimeoutNs = int64(5 * time.Second)
	looksPerClock   = 1 << 8
)

func newGPULane(s *gpuSet, l *lane, instruments int) (*gpuLane, error) {
	p := s.config.Program
	g := &gpuLane{set: s, lane: l, words: uint32(p.StateWords)}
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
		Base: uint32(g.lane.computed.Load()), // nothing is staged yet
	}
}

// putQuarter writes a quarter in one piece, as the kernel reads it.
func putQuarter(to *program.Quarter, from program.Quarter) {
	mailbox.Put((*mailbox.Quarter)(unsafe.Pointer(to)), (*mailbox.Quarter)(unsafe.Pointer(&from)))
}

// poll takes the rows that are whole, in order, and returns how many; at most limit.
func (g *gpuLane) poll(l *lane, limit uint64) (uint64, error) {
	from, to := l.computed.Load(), l.staged.Load()
	if to-from > limit {
		to = from + limit
	}
	at := from
	for at != to && g.whole(l, at) {
		at++
	}
	l.computed.Store(at)
	return at - from, nil
}

// overdue is asked after a poll that found nothing: the device is lost, its kernel has ended, or it owes a row for too long.
func (g *gpuLane) overdue(l *lane) error {
	if l.computed.Load() == l.staged.Load() {
		g.sinceNs = 0
		return nil
	}
	g.looks++
	if g.looks%looksPerCheck == 0 && g.batcher == nil {
		if err := g.set.ended(); err != nil {
			return err
		}
	}
	if g.looks%looksPerClock != 0 {
		return nil
	}
	nowNs := g.set.clock.NowNs()
	if g.sinceNs == 0 {
		g.sinceNs = nowNs
	}
	if nowNs-g.sinceNs > g.set.answerNs {
		g.set.device.Lose(fmt.Errorf("no answer for %v", time.Duration(nowNs-g.sinceNs)))
		return g.set.device.Lost()
	}
	return nil
}

// whole reports whether a row is complete: its masks, and the outputs of the signals that fired.
func (g *gpuLane) whole(l *lane, slot uint64) bool {
	at, capacity, stamp := slot&l.mask, l.mask+1, uint32(slot)+1
	out := l.memory.Out
	if stampOf(&out[at]) != stamp {
		return false
	}
	if isCommand(l, at) {
		return true
	}
	if stampOf(&out[at+program.RowExit*capacity]) != stamp || stampOf(&out[at+program.RowSuppressed*capacity]) != stamp {
		return false
	}
	for fired := out[at].Value | out[at+program.RowExit*capacity].Value; fired != 0; fired &= fired - 1 {
		for _, q := range g.quarters[bits.TrailingZeros64(fired)] {
			if stampOf(&out[at+q*capacity]) != stamp {
				return false
			}
		}
	}
	return true
}

func stampOf(q *program.Quarter) uint32 {
	stamp, _ := mailbox.Stamp((*mailbox.Quarter)(unsafe.Pointer(q)))
	return stamp
}

// isCommand reports whether a slot is a command to the kernel and no tick.
func isCommand(l *lane, at uint64) bool {
	capacity := l.mask + 1
	return l.memory.In[at+program.SlotF3*capacity].Aux != 0 && l.memory.In[at+program.SlotF1*capacity].Aux&program.CtlKindMask == 0
}

// command stages a command; its slot must be free.
func (l *lane) command(command, index uint32, f0, f1 uint64) uint64 {
	slot := l.stagedBy
	at, capacity, stamp := slot&l.mask, l.mask+1, uint32(slot)+1
	in := l.memory.In
	putQuarter(&in[at], program.Quarter{Value: f0, Aux: index, Stamp: stamp})
	putQuarter(&in[at+capacity], program.Quarter{Value: f1, Stamp: stamp})
	putQuarter(&in[at+2*capacity], program.Quarter{Stamp: stamp})
	putQuarter(&in[at+3*capacity], program.Quarter{Aux: command, Stamp: stamp})
	for q := uint64(program.SlotTime); q < uint64(len(in))/capacity; q++ {
		putQuarter(&in[at+q*capacity], program.Quarter{Stamp: stamp})
	}
	l.stagedBy = slot + 1
	return slot
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
	if f == nil || to == from {
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

// setWord writes a state word of an instrument that has had no tick: in band for a resident kernel, whose caches know
// of no other way.
func (g *gpuLane) setWord(index uint32, word int, value uint64) error {
	if g.follower != nil {
		g.follower.executor.SetWord(int(index), word, value)
	}
	if g.batcher == nil {
		return nil
	}
	at := int(index)*int(g.words) + word
	err := gpu.Write(g.state.Span(at, at+1), []uint64{value})
	if err == nil {
		return nil
	}
	g.set.device.Lose(err) // its state is not what it should be
	if g.follower != nil {
		return nil
	}
	return err
}

// stop tells the kernel to end. The lane has nothing staged.
func (g *gpuLane) stop() {
	if g.follower != nil {
		g.follower.takeOver() // before its slots are written over
	}
	if g.batcher == nil && !g.lost {
		g.lane.command(cuda.CommandStop, 0, 0, 0)
	}
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
