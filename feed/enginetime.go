package feed

// TimeBase chooses what engine time is derived from.
type TimeBase uint8

// The time bases.
const (
	TimeReceive  TimeBase = 0 // running maximum of receive time; the default
	TimeExchange TimeBase = 1 // running maximum of exchange time, or receive time where a tick has none
)

// String returns the base as the configuration spells it.
func (b TimeBase) String() string {
	if b == TimeExchange {
		return "exchange"
	}
	return "receive"
}

// EngineTime derives the partition's one clock from the ticks in sequence order. It is a running
// maximum, so it never goes back; a tick behind it is applied at engine time.
//
// It is a plain value owned by the sequencer (or by whoever replays a journal); the same ticks give the
// same times.
type EngineTime struct {
	Base  TimeBase
	nowNs int64
}

// Advance takes the next tick and returns the engine time at which it applies. late is true only under
// TimeExchange, for a tick whose own time is behind engine time; lateNs says by how much. Ticks that are the
// engine's own and not the market's, such as heartbeats, gaps and commands, have no exchange time and move engine time only
// under TimeReceive: the present would make all history late.
func (e *EngineTime) Advance(tick *Tick) (nowNs int64, lateNs int64) {
	at := tick.ReceiveNs
	if e.Base == TimeExchange {
		if tick.ExchangeNs == 0 && !fromMarket(tick.Kind) {
			return e.nowNs, 0
		}
		if tick.ExchangeNs != 0 {
			at = tick.ExchangeNs
		}
	}
	if at >= e.nowNs {
		e.nowNs = at
		return at, 0
	}
	if e.Base == TimeExchange {
		return e.nowNs, e.nowNs - at
	}
	return e.nowNs, 0
}

// fromMarket reports whether ticks of this kind tell of the market, at some time of its own, and not of the engine.
func fromMarket(kind Kind) bool { return isMarketData(kind) || kind == KindStatus }

// NowNs returns engine time: the time of the last Advance, zero before the first.
func (e *EngineTime) NowNs() int64 { return e.nowNs }

// Resume puts engine time where another's was, before the first Advance.
func (e *EngineTime) Resume(nowNs int64) { e.nowNs = nowNs }

// ClockTrails reports whether a tick's receive time is more than limitNs behind engine time, which
// happens when the receiver's clock jumped forward and then was set right. The clock gate refuses
// while it lasts. Under TimeExchange the two are never compared, and the answer is false.
func (e *EngineTime) ClockTrails(tick *Tick, limitNs int64) bool {
	return e.Base == TimeReceive && e.nowNs-tick.ReceiveNs > limitNs
}
