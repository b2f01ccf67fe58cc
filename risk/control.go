package risk

import (
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// control takes an operator's command, or a record of the world outside. A verb, scope or fact it does not know kills
// everything: a command that cannot be understood must not be one that lets signals through.
func (d *Desk) control(event *Event) {
	verb := feed.ControlVerb(feed.Code(event.F[0]))
	if verb == feed.ControlFact || verb == feed.ControlTighten {
		if understood := verb == feed.ControlFact && d.fact(event) || verb == feed.ControlTighten && d.tighten(event); !understood {
			d.kill(event)
		}
		return
	}
	d.latchChanges++
	scope := feed.ControlScope(feed.Code(event.F[1]))
	index := -1
	if event.F[2] >= 0 && event.F[2] < float64(len(d.rules)) {
		index = int(feed.Code(event.F[2]))
	}
	known := event.Instrument < uint32(len(d.markets))
	switch {
	case verb == feed.ControlLatch:
		d.latch(event, scope, index)
	case scope == feed.ScopeInstrument && known:
		d.controlInstrument(event, verb)
	case scope == feed.ScopeSignal && index >= 0:
		d.controlSignal(event, verb, index)
	case scope == feed.ScopeAll && verb == feed.ControlResume:
		d.resume(event)
	case scope == feed.ScopeAll && verb == feed.ControlReduce:
		d.reduceAll = true
	case scope == feed.ScopeSignal && verb == feed.ControlResume: // of a signal that there is none of here
	default:
		d.kill(event)
	}
}

// kill stops everything.
func (d *Desk) kill(event *Event) {
	d.killAll = true
	d.latchChanges++
	for _, id := range d.byName {
		d.withdraw(event, id, ^uint64(0), signal.ReasonKill)
	}
}

// noted reports whether a command says who gave it and why. What latched by itself is not resumed without.
func noted(event *Event) bool { return event.F[3] > 0 }

// resume undoes a kill or reduce of everything and, with a note, every latch.
func (d *Desk) resume(event *Event) {
	d.killAll, d.reduceAll = false, false
	if !noted(event) {
		return
	}
	if d.stopped {
		d.stopped = false
		d.book.rebase()
	}
	for _, id := range d.byName {
		d.unlatch(id, ^uint64(0))
	}
}

// unlatch lets pairs enter again; their entries are counted afresh.
func (d *Desk) unlatch(id uint32, mask uint64) {
	for index := range d.rules {
		if d.latched[id]&mask>>index&1 != 0 {
			d.pairs[d.Pair(index, id)].entries = entries{}
		}
	}
	d.latched[id] &^= mask
}

func (d *Desk) controlInstrument(event *Event, verb feed.ControlVerb) {
	id := event.Instrument
	m := &d.markets[id]
	switch verb {
	case feed.ControlResume:
		m.killed, m.reduce = false, false
		if noted(event) {
			d.unlatch(id, ^uint64(0))
		}
	case feed.ControlReduce:
		m.reduce = true
	default:
		m.killed = true
		d.withdraw(event, id, ^uint64(0), signal.ReasonKill)
	}
}

func (d *Desk) controlSignal(event *Event, verb feed.ControlVerb, index int) {
	bit := uint64(1) << index
	switch verb {
	case feed.ControlResume:
		d.killSignals &^= bit
		d.reduceSignals &^= bit
		if noted(event) {
			for _, id := range d.byName {
				d.unlatch(id, bit)
			}
		}
	case feed.ControlReduce:
		d.reduceSignals |= bit
	default:
		d.killSignals |= bit
		for _, id := range d.byName {
			d.withdraw(event, id, bit, signal.ReasonKill)
		}
	}
}

// latch puts a latch of a run before in force again: of one pair, or of everything.
func (d *Desk) latch(event *Event, scope feed.ControlScope, index int) {
	switch {
	case scope == feed.ScopeInstrument && index >= 0 && event.Instrument < uint32(len(d.markets)):
		d.setLatch(event.Instrument, 1<<index)
	case scope == feed.ScopeInstrument && event.F[2] >= 0 && index < 0: // of a signal that there is none of here
	default:
		d.stop(event)
	}
}
