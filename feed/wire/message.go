package wire

import "github.com/sigengine/sigengine/feed"

// message is what a decoder remembers about the message it is in the middle of.
type message struct {
	receiveNs int64
	active    bool        // begun, no verdict yet
	ticks     bool        // at least one tick came out of it
	first     feed.Reject // reason of the first rejected tick
	open      bool        // an event is open: a tick with FlagMore was not yet followed by its last
	event     uint32      // the instrument of the open event; AllInstruments for several
}

// begin starts a message, settling one that the caller abandoned.
func (m *message) begin(stats *feed.DecodeStats, receiveNs int64) {
	m.settle(stats)
	stats.Begin()
	*m = message{receiveNs: receiveNs, active: true}
}

// settle gives the message its verdict.
func (m *message) settle(stats *feed.DecodeStats) {
	if !m.active {
		return
	}
	m.active = false
	if m.first != feed.RejectNone && !m.ticks {
		stats.RejectedForTicks(m.first)
		return
	}
	stats.Decoded()
}

// reject gives the message the verdict that it could not be read at all.
func (m *message) reject(stats *feed.DecodeStats, why feed.Reject) {
	m.active = false
	stats.Rejected(why)
}

// follow notes what an emitted tick does to the event it may belong to. Only needed for a tick with
// FlagMore, or while an event is open.
func (m *message) follow(tick *feed.Tick) {
	switch {
	case tick.Flags&feed.FlagMore != 0:
		if m.open && m.event != tick.Instrument {
			m.event = feed.AllInstruments
			return
		}
		m.open, m.event = true, tick.Instrument
	case m.open && m.event == tick.Instrument:
		m.open = false
	}
}

// rejectTick counts a rejected tick. If it was part of an event it becomes a Gap in tick, and true is
// returned: its instrument is the open event's, or all of the source's if that cannot be known.
func (m *message) rejectTick(stats *feed.DecodeStats, why feed.Reject, more bool, source uint16, tick *feed.Tick) bool {
	stats.RejectedTick(why)
	if m.first == feed.RejectNone {
		m.first = why
	}
	if !m.open && !more {
		return false
	}
	instrument := feed.AllInstruments
	if m.open {
		instrument = m.event
	}
	m.open = false
	*tick = feed.Tick{
		ReceiveNs: m.receiveNs, Instrument: instrument, Kind: feed.KindGap, Source: source,
		F: [4]float64{float64(feed.GapRejected), 1},
	}
	return true
}
