package engine

import (
	"sync/atomic"

	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/ring"
	"github.com/sigengine/sigengine/risk"
)

// deskStage takes orders in sequence order, joins each with its row and lets the desk decide.
type deskStage struct {
	desk    *risk.Desk
	rules   []risk.Rule
	orders  *ring.Ring[order]
	lanes   []*lane
	decided *decided
	timing  *Timing
	row     row
	touched [LanesMax]uint64 // by lane: rows consumed in this batch up to here
	observe func(Observation)
	latched func(risk.Latches)
	changes uint64 // of latches, as told last
	state   *atomic.Uint32
	ended   bool // a row will not come: nothing is decided any more, so what was is a beginning of the whole
}

func newDeskStage(e *Engine, taker *decided) (*deskStage, error) {
	desk, err := risk.NewDesk(e.config.Desk, taker)
	if err != nil {
		return nil, err
	}
	return &deskStage{
		desk: desk, rules: e.config.Desk.Rules, orders: e.orders, lanes: e.lanes, decided: taker, timing: e.timing,
		observe: e.ports.Observe, latched: e.ports.Latched, state: &e.state,
	}, nil
}

// drain takes every order whose row is there and returns how many it took.
func (d *deskStage) drain() int {
	total := 0
	for {
		batch := d.orders.Poll()
		if len(batch) == 0 {
			return total
		}
		startNs := d.timing.now()
		taken := d.take(batch)
		if taken > 0 {
			d.timing.decided(batch[:taken], startNs, d.timing.now())
			d.release()
			d.state.Store(uint32(d.desk.StateNow()))
			d.tellLatches()
			d.orders.Release(taken)
			total += taken
		}
		if taken < len(batch) {
			return total
		}
	}
}

// tellLatches tells what is latched if that has changed.
func (d *deskStage) tellLatches() {
	if d.latched == nil || d.changes == d.desk.LatchChanges() {
		return
	}
	d.changes = d.desk.LatchChanges()
	d.latched(d.desk.Latches())
}

// take applies orders until one's row is not computed yet.
func (d *deskStage) take(batch []order) int {
	for i := range batch {
		o := &batch[i]
		if d.ended {
			if !d.skip(o) {
				return i
			}
			continue
		}
		switch {
		case o.define != nil:
			d.define(o.define)
		case o.lane == nil:
			d.decided.receiveNs = o.at
			if d.observe != nil {
				d.observe(Observation{Event: o.event, Desk: d.desk})
			}
			d.desk.Apply(&o.event, risk.Fired{}, nil)
		default:
			if o.slot >= o.lane.computed.Load() {
				if o.lane.failed.Load() == nil {
					return i
				}
				d.ended = true
				d.skip(o)
				continue
			}
			if o.command {
				d.touched[o.lane.number] = o.slot + 1
				continue
			}
			d.decided.receiveNs = o.at
			d.apply(o)
		}
	}
	return len(batch)
}

// skip passes an order over, unless its slot is still a device's to read.
func (d *deskStage) skip(o *order) bool {
	if o.lane == nil {
		return true
	}
	if o.slot >= o.lane.computed.Load() && o.lane.failed.Load() == nil {
		return false
	}
	d.touched[o.lane.number] = o.slot + 1
	return true
}

// define makes an instrument known to desk and sink. It allocates.
func (d *deskStage) define(f *definition) {
	d.desk.Define(f.id, f.symbol, f.source, f.killed)
	sink, ok := d.decided.sink.(Preparer)
	if !ok {
		return
	}
	for i := range d.rules {
		if f.signals>>i&1 != 0 {
			sink.Prepare(d.desk.Pair(i, f.id), d.rules[i].Name, f.symbol.Venue, f.symbol.Name)
		}
	}
}

// apply joins an order with its slot and row.
func (d *deskStage) apply(o *order) {
	d.row = o.lane.row(o.slot)
	for i := range o.event.F {
		o.event.F[i] = d.row.field(uint64(i))
	}
	fired := risk.Fired{
		When: d.row.bits(program.RowWhen), Exit: d.row.bits(program.RowExit),
		Suppressed: d.row.bits(program.RowSuppressed),
	}
	if d.observe != nil {
		d.observe(Observation{Event: o.event, Fired: fired, Desk: d.desk, row: d.row})
	}
	d.desk.Apply(&o.event, fired, &d.row)
	d.touched[o.lane.number] = o.slot + 1
}

// release tells the sequencer which slots are free.
func (d *deskStage) release() {
	for i, l := range d.lanes {
		if d.touched[i] != 0 {
			l.consumed.Store(d.touched[i])
			d.touched[i] = 0
		}
	}
}
