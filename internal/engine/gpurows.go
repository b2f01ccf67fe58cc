package engine

import (
	"fmt"
	"math/bits"
	"runtime"
	"time"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/mailbox"
	"github.com/sigengine/sigengine/kernels/program"
)

// A device that owes a row for so long is taken to be lost, and meanwhile the driver is asked now and then whether the kernel
// still runs. The clock is looked at once in so many empty polls; nothing but this depends on it.
const (
	answerTimeoutNs = int64(5 * time.Second)
	askEveryNs      = int64(2 * time.Millisecond)
	looksPerClock   = 1 << 8
	looksPerYield   = 1 << 10 // some microseconds: a row in time is not kept waiting
)

// poll takes the rows that are whole, in order, and returns how many; at most limit.
func (g *gpuLane) poll(l *lane, limit uint64) (uint64, error) {
	from, to := l.computed.Load(), l.staged.Load()
	if to-from > limit {
		to = from + limit
	}
	at := from
	var err error
	for at != to && err == nil && g.whole(l, at) {
		if err = g.possible(l, at); err == nil {
			at++
		}
	}
	if at != from && (g.stale(l, from) || g.stale(l, at-1)) {
		g.refresh(l, from, at)
	}
	l.computed.Store(at)
	return at - from, err
}

// staleSlots is how often the stamps of what is seldom written are made new: long before the numbers come round.
const staleSlots = 1 << 31

// stale reports whether a slot belongs to a lap in which unwritten quarters get new stamps. The lane's first is one: new
// memory bears the stamp 0, which is as good as any other.
func (g *gpuLane) stale(l *lane, slot uint64) bool { return (slot-g.first)%staleSlots <= l.mask }

// refresh stamps the quarters of whole rows that their ticks, or commands, did not write. A signal that fires once in 2^32 slots would
// otherwise find, in the very place of its value, a stamp of the same number and take the old value for its own.
func (g *gpuLane) refresh(l *lane, from, to uint64) {
	capacity, out := l.mask+1, l.memory.Out
	for slot := from; slot != to; slot++ {
		stamp := uint32(slot) + 1
		for at := slot&l.mask + program.RowExit*capacity; at < uint64(len(out)); at += capacity {
			if q := &out[at]; stampOf(q) != stamp {
				putQuarter(q, program.Quarter{Value: q.Value, Aux: q.Aux, Stamp: stamp})
			}
		}
	}
}

// possible reports a row that no device can have computed from these slots: a signal that there is not.
func (g *gpuLane) possible(l *lane, slot uint64) error {
	at, capacity, out := slot&l.mask, l.mask+1, l.memory.Out
	said := out[at].Value | out[at+program.RowExit*capacity].Value | out[at+program.RowSuppressed*capacity].Value
	if said&^g.signals == 0 || isCommand(l, at) {
		return nil
	}
	g.wrong.Add(1)
	return fmt.Errorf("%w: lane %d, slot %d: signals %#x of %#x", ErrMismatch, l.number, slot, said, g.signals)
}

// overdue is asked after a poll that found nothing: the device is lost, its kernel has ended, or it owes a row for too long.
func (g *gpuLane) overdue(l *lane) error {
	if !l.owed() {
		g.sinceNs = 0
		return nil
	}
	if g.looks++; g.looks%looksPerClock != 0 {
		return nil
	}
	nowNs := g.set.clock.NowNs()
	if g.sinceNs == 0 {
		g.sinceNs, g.askedNs = nowNs, nowNs
	}
	if g.looks%looksPerYield == 0 {
		runtime.Gosched() // what the device waits for may be a goroutine: a follower, on few processors
	}
	if nowNs-g.askedNs > askEveryNs {
		g.askedNs = nowNs
		if err := g.ended(l); err != nil {
			return err
		}
	}
	if nowNs-g.sinceNs > g.set.answerNs {
		return fmt.Errorf("engine: the device has owed a row for %v", time.Duration(nowNs-g.sinceNs))
	}
	return nil
}

// ended asks the driver whether what owes a row still runs.
func (g *gpuLane) ended(l *lane) error {
	if g.batcher != nil {
		return g.batcher.ended(l)
	}
	return g.set.ended()
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
