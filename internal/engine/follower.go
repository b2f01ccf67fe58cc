package engine

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sigengine/sigengine/kernels/program"
)

// follower runs a lane's program on the CPU behind the device, over the same slots, and compares the rows. When the
// device is lost it becomes the lane's executor: its state is the device's, slot for slot. A row that differs loses the
// device: the desk may have had that row and those since, which cannot be undone; what follows is the CPU's.
type follower struct {
	lane     *lane
	executor *program.Executor
	rows     []program.Quarter
	stop     atomic.Bool
	running  sync.WaitGroup

	_        [cacheLines]byte
	followed atomic.Uint64 // slots before this were run here; the sequencer keeps the rest
	_        [cacheLines]byte
}

const (
	followerSlots = 256
	followerNap   = 200 * time.Microsecond
)

func newFollower(l *lane, p *program.Program, instruments int) (*follower, error) {
	executor, err := program.NewExecutor(p, instruments)
	if err != nil {
		return nil, err
	}
	f := &follower{lane: l, executor: executor, rows: make([]program.Quarter, len(l.memory.Out))}
	f.followed.Store(l.computed.Load())
	return f, nil
}

func (f *follower) start() {
	f.running.Go(func() {
		for !f.stop.Load() {
			if f.advance(f.lane.computed.Load()) == 0 {
				time.Sleep(followerNap)
			}
		}
	})
}

// advance runs up to a slot, at most so many, compares, and returns how many it ran.
func (f *follower) advance(to uint64) uint64 {
	from := f.followed.Load()
	to = min(to, from+followerSlots)
	if to == from {
		return 0
	}
	f.run(from, to)
	for slot := from; slot != to; slot++ {
		if !f.same(slot) {
			f.lane.gpu.wrong.Add(1)
			f.lane.gpu.set.device.Lose(fmt.Errorf("%w: lane %d, slot %d", ErrMismatch, f.lane.number, slot))
		}
	}
	f.followed.Store(to)
	return to - from
}

// run executes slots. Commands take effect at their place.
func (f *follower) run(from, to uint64) {
	memory := program.Lane{In: f.lane.memory.In, Out: f.rows, Capacity: f.lane.mask + 1}
	for from != to {
		end := from
		for end != to && !isCommand(f.lane, end&f.lane.mask) {
			end++
		}
		if end != from {
			f.executor.Run(&memory, from, end)
		}
		if from = end; from != to {
			if command, index, word, value := f.lane.commandSlot(from); command == commandSet {
				f.executor.SetWord(int(index), word, value)
			}
			from++
		}
	}
}

// same compares a row: the masks, and the outputs of what fired.
func (f *follower) same(slot uint64) bool {
	at, capacity := slot&f.lane.mask, f.lane.mask+1
	if isCommand(f.lane, at) {
		return true
	}
	device := f.lane.memory.Out
	var fired uint64
	for q := range uint64(program.RowFirst) {
		if device[at+q*capacity].Value != f.rows[at+q*capacity].Value {
			return false
		}
		if q != program.RowSuppressed {
			fired |= f.rows[at+q*capacity].Value
		}
	}
	for i, quarters := range f.lane.gpu.quarters {
		if fired>>i&1 == 0 {
			continue
		}
		for _, q := range quarters {
			if device[at+q*capacity].Value != f.rows[at+q*capacity].Value {
				return false
			}
		}
	}
	return true
}

// takeOver ends the following and catches up with the last row that the device gave. From then on the lane's own
// goroutine runs the executor.
func (f *follower) takeOver() {
	f.close()
	for f.advance(f.lane.computed.Load()) > 0 {
	}
}

func (f *follower) close() {
	f.stop.Store(true)
	f.running.Wait()
}
