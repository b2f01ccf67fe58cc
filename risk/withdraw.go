package risk

import (
	"math/bits"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// gap marks the instruments whose data went missing and withdraws what is open on them. Where fills went missing it is the
// positions that are not known.
func (d *Desk) gap(event *Event) {
	if d.fillSources>>event.Source&1 != 0 {
		d.book.missing = true
		return
	}
	d.each(event, func(d *Desk, id uint32) {
		m := &d.markets[id]
		m.gapQuote, m.gapTrade = true, true
		m.quotesSinceGap, m.tradesSinceGap, m.ticks = 0, 0, 0
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
		case feed.StatusReset:
			d.markets[id].ticks = 0
		}
	})
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
			if d.disordered(event) {
				d.refuse(event, id, index, GateSequence, signal.ActionWithdraw, nil)
				continue
			}
			d.open[id] &^= 1 << index
			d.decide(event, id, index, signal.ActionWithdraw, reason, nil)
		}
	}
}

// stop latches everything after too much was lost, and withdraws what is open.
func (d *Desk) stop(event *Event) {
	if d.stopped {
		return
	}
	d.stopped = true
	d.latchChanges++
	for _, id := range d.byName {
		d.withdraw(event, id, ^uint64(0), signal.ReasonDrawdown)
	}
}

// flags collects the doubts about a signal decided at this event.
func (d *Desk) flags(event *Event, market *market) signal.Flags {
	var flags signal.Flags
	if event.Gap || market.gapQuote || market.gapTrade {
		flags |= signal.FlagGap
	}
	if event.Late {
		flags |= signal.FlagLate
	}
	if market.bid > market.ask {
		flags |= signal.FlagCrossed
	}
	if market.halted {
		flags |= signal.FlagHalted
	}
	if limit := market.own.limits.SkewNs; limit > 0 && event.ExchangeNs > 0 && event.ExchangeNs-event.ReceiveNs > limit {
		flags |= signal.FlagSkew
	}
	if !d.config.GatesOn {
		flags |= signal.FlagGatesOff
	}
	return flags
}
