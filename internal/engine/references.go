package engine

import (
	"fmt"
	"math"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels/program"
)

// Bits of the Aux of a reference's slot quarter.
const (
	referenceFresh = 1 << 0 // the reference's own tick caused this slot and updated it
	referenceGap   = 1 << 1 // something went missing on the reference since this instrument's last slot
)

// references computes expressions over other instruments on their own ticks, and stamps the results on slots. The few
// there are run here, on the sequencer's goroutine, so that lanes need not read each other.
type references struct {
	list       []Reference
	fanOut     int
	lane       *lane         // a lane of the referenced instruments, one slot at a time
	indexOf    []int32       // by id: index in lane, -1 if not referenced
	symbols    []feed.Symbol // by index in lane
	values     [ReferencesMax]uint64
	generation [ReferencesMax]uint32 // gaps of the reference
	seen       []uint32              // by reference × instruments + id
	owed       []uint32              // by index in lane: gap and reset that slots without a tick took
	count      int                   // instruments
}

func newReferences(config *Config) (references, error) {
	r := references{list: config.References.List, fanOut: config.References.FanOut, count: config.Instruments}
	if config.References.Program == nil || len(r.list) == 0 {
		r.list = nil
		return r, nil
	}
	if r.fanOut == 0 {
		r.fanOut = FanOutDefault
	}
	r.indexOf = make([]int32, config.Instruments)
	for i := range r.indexOf {
		r.indexOf[i] = -1
	}
	r.seen = make([]uint32, len(r.list)*config.Instruments)
	for i := range r.list {
		r.values[i] = feed.CanonicalNaN
		if r.index(r.list[i].Symbol) < 0 {
			r.symbols = append(r.symbols, r.list[i].Symbol)
		}
		if q := r.list[i].Quarter; config.Program == nil || q < program.SlotQuartersBase || q >= config.Program.SlotQuarters {
			return r, fmt.Errorf("%w: reference %d is in slot quarter %d, which the program does not have", ErrConfig, i, q)
		}
	}
	r.owed = make([]uint32, len(r.symbols))
	var err error
	r.lane, err = newLane(config.References.Program, 2, len(r.symbols))
	return r, err
}

func (r *references) index(symbol feed.Symbol) int {
	for i := range r.symbols {
		if r.symbols[i] == symbol {
			return i
		}
	}
	return -1
}

// define notes the id of an instrument that others may refer to.
func (r *references) define(id uint32, symbol feed.Symbol) {
	if len(r.list) == 0 {
		return
	}
	if at := r.index(symbol); at >= 0 {
		r.indexOf[id] = int32(at)
		r.lane.executor.SetWord(at, enableWord, ^uint64(0))
	}
}

// owe keeps a gap or reset that a slot without a tick took from a referenced instrument, for its next tick.
func (r *references) owe(id, control uint32) {
	if len(r.list) > 0 && r.indexOf[id] >= 0 {
		r.owed[r.indexOf[id]] |= control & (program.CtlGap | program.CtlSessionReset)
	}
}

// follow computes the expressions over a tick's instrument and returns which references it updated, a bit each.
func (r *references) follow(tick *feed.Tick, control uint32, nowNs int64) (fresh uint32) {
	if len(r.list) == 0 || r.indexOf[tick.Instrument] < 0 {
		return 0
	}
	at := r.indexOf[tick.Instrument]
	control |= r.owed[at]
	r.owed[at] = 0
	slot := r.lane.stage(&tick.F, uint32(at), control, 0, nowNs)
	r.lane.executor.Run(&r.lane.memory, slot, slot+1)
	row := r.lane.row(slot)
	outputs := row.bits(program.RowWhen)
	symbol := r.symbols[at]
	for i := range r.list {
		ref := &r.list[i]
		if ref.Symbol != symbol {
			continue
		}
		if control&program.CtlGap != 0 {
			r.generation[i]++
		}
		r.values[i] = math.Float64bits(row.Value(ref.Row))
		if outputs>>ref.Bit&1 != 0 {
			fresh |= 1 << i
		}
	}
	return fresh
}

// write stamps every reference on a slot.
func (r *references) write(l *lane, slot uint64, id, fresh uint32) {
	at, capacity, stamp := slot&l.mask, l.mask+1, uint32(slot)+1
	for i := range r.list {
		aux := fresh >> i & referenceFresh
		if seen := &r.seen[i*r.count+int(id)]; *seen != r.generation[i] {
			*seen = r.generation[i]
			aux |= referenceGap
		}
		l.put(at+uint64(r.list[i].Quarter)*capacity, program.Quarter{Value: r.values[i], Aux: aux, Stamp: stamp})
	}
}

// dependents evaluates the instruments that asked for a reference's ticks, in the order of names, at most so many.
func (s *sequencer) dependents(tick *feed.Tick, fresh uint32, nowNs int64) {
	var signals uint64
	for i := range s.references.list {
		if fresh>>i&1 != 0 {
			signals |= s.references.list[i].Signals
		}
	}
	if signals == 0 {
		return
	}
	left := s.references.fanOut
	for _, id := range s.byName {
		if s.signals[id]&signals == 0 || id == tick.Instrument {
			continue
		}
		if left == 0 {
			s.counts.FanOutCut.Add(1)
			continue
		}
		left--
		s.evaluate(id, program.CtlRefEvaluation, 0, fresh, tick, nowNs)
	}
}
