package risk

import (
	"math/bits"

	"github.com/sigengine/sigengine/feed"
)

// facts are what the world outside the journal said last, a bit each: see feed.Fact. The desk knows them from records
// alone; who watched a clock or a disk wrote one.
type facts uint32

// factGates are the gates that only look at a fact.
var factGates = setOf(GatePeer, GateRecorder, GateDisk, GateDevice, GateLatency, GateDeadman)

// factOf returns the fact that a gate looks at.
func factOf(gate Gate) facts {
	switch gate {
	case GatePeer:
		return 1 << feed.FactPeer
	case GateRecorder:
		return 1 << feed.FactRecorder
	case GateDisk:
		return 1 << feed.FactDisk
	case GateDevice:
		return 1 << feed.FactDevice
	case GateLatency:
		return 1 << feed.FactLatency
	case GateDeadman:
		return 1 << feed.FactDeadman
	}
	return ^facts(0) // any fact refuses a gate that has none of its own
}

// fact takes a record of the world outside. It reports false for one that it does not know.
func (d *Desk) fact(event *Event) bool {
	fact := feed.Fact(feed.Code(event.F[1]))
	switch fact {
	case feed.FactPeer, feed.FactRecorder, feed.FactDisk, feed.FactDevice, feed.FactLatency, feed.FactDeadman:
		switch event.F[2] {
		case 0:
			d.facts &^= 1 << fact
		default: // what is not surely over goes on
			d.facts |= 1 << fact
		}
		return true
	case feed.FactDecode:
		if source := event.F[2]; source >= 0 && source < feed.SourcesMax {
			d.unreadNs[feed.Code(source)] = saturatingAdd(event.EngineNs, d.config.DecodeHoldNs)
			return true
		}
	}
	return false
}

// unreadable reports whether any of an instrument's sources is not believed for now.
func (d *Desk) unreadable(sources uint64, nowNs int64) bool {
	for left := sources; left != 0; left &= left - 1 {
		if nowNs < d.unreadNs[bits.TrailingZeros64(left)] {
			return true
		}
	}
	return false
}

// openHours reports whether trading hours are on. What was asked is kept until it ends.
func (d *Desk) openHours(hours uint8, nowNs int64) bool {
	if hours == 0 {
		return true
	}
	h := &d.hours[hours-1]
	if !h.known || nowNs >= h.untilNs || nowNs < h.sinceNs {
		h.open, h.untilNs = d.config.Hours[hours-1](nowNs)
		h.sinceNs, h.known = nowNs, true
	}
	return h.open
}

// hoursState is the answer of one Hours, which holds from since to until.
type hoursState struct {
	sinceNs, untilNs int64
	open, known      bool
}
