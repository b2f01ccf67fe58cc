package engine

import (
	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/risk"
)

// Observation is one event as the desk is about to take it. It may be used until Ports.Observe returns.
type Observation struct {
	Event risk.Event
	Fired risk.Fired
	Desk  *risk.Desk // as it was before the event; for Explain only
	row   row
}

// HasSlot reports whether the program ran for the event. Gaps, halts and commands pass without.
func (o *Observation) HasSlot() bool { return o.row.lane != nil }

// Row returns the value of a quarter of the row.
func (o *Observation) Row(quarter int) uint64 { return o.row.bits(uint64(quarter)) }

// Slot returns a quarter of the slot.
func (o *Observation) Slot(quarter int) program.Quarter {
	return o.row.lane.memory.In[uint64(quarter)*(o.row.lane.mask+1)+o.row.at]
}

// Explain says what the desk is about to make of one signal.
func (o *Observation) Explain(index int) risk.Explanation {
	if !o.HasSlot() {
		return o.Desk.Explain(&o.Event, o.Fired, nil, index)
	}
	return o.Desk.Explain(&o.Event, o.Fired, &o.row, index)
}
