package engine

import (
	"math"
	"sync/atomic"

	"github.com/sigengine/sigengine/gpu/mailbox"
	"github.com/sigengine/sigengine/kernels/program"
)

const cacheLines = 128 // two lines: the neighbour line is fetched too

// lane is a shard of the instruments: their slots, rows and state. Its cursors count slots from 0 and never
// wrap; each has one writer.
type lane struct {
	memory   program.Lane
	executor *program.Executor     // nil: a device runs the lane
	gpu      *gpuLane              // nil: the CPU runs the lane
	failed   atomic.Pointer[error] // the device was lost and nothing takes its place
	mask     uint64
	number   int
	stagedBy uint64 // the sequencer's own count, published to staged once a batch
	freeFrom uint64 // the sequencer's last look at consumed

	_        [cacheLines]byte
	staged   atomic.Uint64 // sequencer: slots before this are written
	_        [cacheLines]byte
	computed atomic.Uint64 // lane: rows before this are written
	cutOver  atomic.Uint64 // lane: rows from this slot on are in the follower's memory
	_        [cacheLines]byte
	consumed atomic.Uint64 // desk: rows before this are done with
	commands atomic.Uint64 // sequencer: there is no command from this slot on
	_        [cacheLines]byte
}

func newLane(p *program.Program, slots, instruments int) (*lane, error) {
	executor, err := program.NewExecutor(p, instruments)
	if err != nil {
		return nil, err
	}
	l := &lane{
		memory: program.Lane{
			In:       make([]program.Quarter, slots*p.SlotQuarters),
			Out:      make([]program.Quarter, slots*p.RowQuarters),
			Capacity: uint64(slots),
		},
		executor: executor,
		mask:     uint64(slots - 1),
	}
	l.cutOver.Store(math.MaxUint64)
	return l, nil
}

// begin sets the number of the first slot; nothing is staged yet. Tests begin near the stamps' end.
func (l *lane) begin(slot uint64) {
	l.stagedBy, l.freeFrom = slot, slot
	l.staged.Store(slot)
	l.computed.Store(slot)
	l.consumed.Store(slot)
}

// rowsOf returns the memory in which a slot's row is.
func (l *lane) rowsOf(slot uint64) []program.Quarter {
	if slot >= l.cutOver.Load() {
		return l.gpu.follower.rows
	}
	return l.memory.Out
}

// full reports whether the next slot is still in use.
func (l *lane) full() bool {
	if l.stagedBy-l.freeFrom <= l.mask {
		return false
	}
	l.freeFrom = l.free()
	return l.stagedBy-l.freeFrom > l.mask
}

// free returns the slot up to which nobody needs slots any more: the desk, and the follower.
func (l *lane) free() uint64 {
	free := l.consumed.Load()
	if l.gpu != nil && l.gpu.follower != nil {
		free = min(free, l.gpu.follower.followed.Load())
	}
	return free
}

// computeAll computes until every staged slot has its row, or the lane has failed.
func (l *lane) computeAll() (n uint64) {
	to := l.staged.Load()
	for l.computed.Load() != to && l.failed.Load() == nil {
		n += l.compute(to - l.computed.Load())
	}
	return n
}

// owed reports whether slots are staged whose rows are not there.
func (l *lane) owed() bool { return l.computed.Load() != l.staged.Load() }

// computeOnDevice takes rows from the device. If that is lost, the follower takes its place, or the lane has failed.
func (l *lane) computeOnDevice(limit uint64) uint64 {
	g := l.gpu
	if g.lost {
		return g.computeInstead(l, limit)
	}
	n, err := g.take(l, limit)
	if err != nil {
		g.leave(l, err)
	}
	return n
}

// stage writes values, control word and time into the next slot, which must be free, and returns the slot's number.
// What belongs to references is written by the caller.
func (l *lane) stage(values *[4]float64, index, control, clocks uint32, engineNs int64) uint64 {
	slot := l.stagedBy
	at, capacity := slot&l.mask, l.mask+1
	stamp := uint32(slot) + 1
	if l.gpu != nil {
		putSlot(l.memory.In, at, capacity, &[program.SlotQuartersBase]mailbox.Halves{
			{Value: math.Float64bits(values[0]), Tail: mailbox.Tail(index, stamp)},
			{Value: math.Float64bits(values[1]), Tail: mailbox.Tail(control, stamp)},
			{Value: math.Float64bits(values[2]), Tail: mailbox.Tail(clocks, stamp)},
			{Value: math.Float64bits(values[3]), Tail: mailbox.Tail(0, stamp)},
			{Value: uint64(engineNs), Tail: mailbox.Tail(0, stamp)},
		})
	} else {
		in := l.memory.In
		in[at] = program.Quarter{Value: math.Float64bits(values[0]), Aux: index, Stamp: stamp}
		in[at+capacity] = program.Quarter{Value: math.Float64bits(values[1]), Aux: control, Stamp: stamp}
		in[at+2*capacity] = program.Quarter{Value: math.Float64bits(values[2]), Aux: clocks, Stamp: stamp}
		in[at+3*capacity] = program.Quarter{Value: math.Float64bits(values[3]), Stamp: stamp}
		in[at+4*capacity] = program.Quarter{Value: uint64(engineNs), Stamp: stamp}
	}
	l.stagedBy = slot + 1
	return slot
}

// put writes a quarter of a slot: in one piece where a kernel may be reading.
func (l *lane) put(at uint64, q program.Quarter) {
	if l.gpu != nil {
		putQuarter(&l.memory.In[at], q)
		return
	}
	l.memory.In[at] = q
}

// compute runs the program over the slots staged and not yet computed, at most limit of them, and returns how many
// it was.
func (l *lane) compute(limit uint64) uint64 {
	if l.gpu != nil {
		return l.computeOnDevice(limit)
	}
	from, to := l.computed.Load(), l.staged.Load()
	if to-from > limit {
		to = from + limit
	}
	if to != from {
		l.executor.Run(&l.memory, from, to)
		l.computed.Store(to)
	}
	return to - from
}

// row is a view of one slot and its row. It is the desk's risk.Row.
type row struct {
	lane *lane
	out  []program.Quarter
	at   uint64
}

// row returns the view of a slot, whose row must be there.
func (l *lane) row(slot uint64) row { return row{lane: l, out: l.rowsOf(slot), at: slot & l.mask} }

// Value returns the number in a quarter of the row.
func (r *row) Value(quarter int) float64 {
	return math.Float64frombits(r.out[uint64(quarter)*(r.lane.mask+1)+r.at].Value)
}

func (r *row) bits(quarter uint64) uint64 {
	return r.out[quarter*(r.lane.mask+1)+r.at].Value
}

func (r *row) field(quarter uint64) float64 {
	return math.Float64frombits(r.lane.memory.In[quarter*(r.lane.mask+1)+r.at].Value)
}
