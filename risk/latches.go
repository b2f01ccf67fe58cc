package risk

import (
	"math/bits"

	"github.com/sigengine/sigengine/feed"
)

// Latches are what operators killed, reduced and tightened and what latched by itself: what a restart must put in force again.
type Latches struct {
	KillAll       bool          `json:"kill_all"`
	ReduceAll     bool          `json:"reduce_all"`
	Stopped       bool          `json:"stopped"` // too much was lost
	KillSignals   []string      `json:"kill_signals,omitempty"`
	ReduceSignals []string      `json:"reduce_signals,omitempty"`
	Killed        []feed.Symbol `json:"killed,omitempty"`
	Reduced       []feed.Symbol `json:"reduced,omitempty"`
	Pairs         []Latch       `json:"pairs,omitempty"` // too many entries
	Tightened     []Tightened   `json:"tightened,omitempty"`
}

// Latch is a pair that enters no more.
type Latch struct {
	Signal string      `json:"signal"`
	Symbol feed.Symbol `json:"instrument"`
}

// Any reports whether anything is in force.
func (l *Latches) Any() bool {
	return l.KillAll || l.ReduceAll || l.Stopped ||
		len(l.KillSignals)+len(l.ReduceSignals)+len(l.Killed)+len(l.Reduced)+len(l.Pairs)+len(l.Tightened) > 0
}

// LatchChanges returns a number that grows whenever Latches may have changed.
func (d *Desk) LatchChanges() uint64 { return d.latchChanges }

// Latches returns what is in force, in the order of signals and of the instruments' escaped names. It allocates.
func (d *Desk) Latches() Latches {
	l := Latches{KillAll: d.killAll, ReduceAll: d.reduceAll, Stopped: d.stopped, Tightened: d.tightened.list()}
	for i := range d.rules {
		if d.killSignals>>i&1 != 0 {
			l.KillSignals = append(l.KillSignals, d.rules[i].Name)
		}
		if d.reduceSignals>>i&1 != 0 {
			l.ReduceSignals = append(l.ReduceSignals, d.rules[i].Name)
		}
	}
	for _, id := range d.byName {
		m := &d.markets[id]
		symbol := feed.Symbol{Venue: m.venue, Name: m.symbol}
		if m.killed {
			l.Killed = append(l.Killed, symbol)
		}
		if m.reduce {
			l.Reduced = append(l.Reduced, symbol)
		}
		for left := d.latched[id]; left != 0; left &= left - 1 {
			l.Pairs = append(l.Pairs, Latch{Signal: d.rules[bits.TrailingZeros64(left)].Name, Symbol: symbol})
		}
	}
	return l
}

// setLatch latches pairs of an instrument, a bit a signal.
func (d *Desk) setLatch(id uint32, mask uint64) {
	if d.latched[id]&mask != mask {
		d.latched[id] |= mask
		d.latchChanges++
	}
}
