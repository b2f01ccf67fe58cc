package risk

import (
	"math/bits"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// gap marks the instruments whose data went missing and withdraws what is open on them.
func (d *Desk) gap(event *Event) {
	d.each(event, func(d *Desk, id uint32) {
		m := &d.markets[id]
		m.gapQuote, m.gapTrade = true, true
		d.withdraw(event, id, ^uint64(0), signal.ReasonGap)
	})
}

// status follows the trading state. A halt or close withdraws; a resume or open lifts it.
func (d *Desk) status(event *Event) {
	status := feed.Status(feed.Code(event.F[0]))
	d.each(event, func(d *Desk, id uint32) {
		switch status {
		case feed.StatusHalt, feed.StatusClose:
			d.markets[id].halted = true
			d.withdraw(event, id, ^uint64(0), signal.ReasonHalt)
		case feed.StatusResume, feed.StatusOpen:
			d.markets[id].halted = false
		}
	})
}

// control takes an operator's kill or resume. A verb or scope it does not know kills everything: a command
// that cannot be understood must not be one that lets signals through.
func (d *Desk) control(event *Event) {
	kill := feed.ControlVerb(feed.Code(event.F[0])) != feed.ControlResume
	scope := feed.ControlScope(feed.Code(event.F[1]))
	index := -1
	if event.F[2] >= 0 && event.F[2] < float64(len(d.rules)) {
		index = int(feed.Code(event.F[2]))
	}
	switch {
	case scope == feed.ScopeInstrument && event.Instrument < uint32(len(d.markets)):
		d.markets[event.Instrument].killed = kill
		if kill {
			d.withdraw(event, event.Instrument, ^uint64(0), signal.ReasonKill)
		}
	case scope == feed.ScopeSignal && index >= 0:
		d.killSignals &^= 1 << index
		if kill {
			d.killSignals |= 1 << index
			for _, id := range d.byName {
				d.withdraw(event, id, 1<<index, signal.ReasonKill)
			}
		}
	case scope == feed.ScopeAll && !kill:
		d.killAll = false
	case scope == feed.ScopeSignal && !kill: // of a signal that there is none of here
	default:
		d.killAll = true
		for _, id := range d.byName {
			d.withdraw(event, id, ^uint64(0), signal.ReasonKill)
		}
	}
}

// each calls do for the event's instrument, or for every instrument of its source in the order of names.
func (d *Desk) each(event *Event, do func(*Desk, uint32)) {
	if event.Instrument != feed.AllInstruments {
		do(d, event.Instrument)
		return
	}
	for _, id := range d.byName {
		if d.markets[id].sources>>event.Source&1 != 0 {
			do(d, id)
		}
	}
}

// withdraw decides one withdraw for each open pair of the instrument among the signals of mask.
func (d *Desk) withdraw(event *Event, id uint32, mask uint64, reason signal.Reason) {
	for left := d.open[id] & mask; left != 0; left &= left - 1 {
		index := bits.TrailingZeros64(left)
		if d.isOpen(id, index, event.EngineNs) {
			d.open[id] &^= 1 << index
			d.decide(event, id, index, signal.ActionWithdraw, reason, nil)
		}
	}
}
