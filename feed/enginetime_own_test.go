package feed

import "testing"

// The engine's own ticks have only a receive time, the present. Under the exchange clock it must not move engine time:
// a gap or a command would make all history that follows late.
func TestEngineTimeIgnoresOwnTicksUnderExchange(t *testing.T) {
	for _, c := range []struct {
		kind  Kind
		base  TimeBase
		tick  Tick
		nowNs int64
	}{
		{KindGap, TimeExchange, Tick{ReceiveNs: 900}, 100},
		{KindControl, TimeExchange, Tick{ReceiveNs: 900}, 100},
		{KindHeartbeat, TimeExchange, Tick{ReceiveNs: 900}, 100},
		{KindFill, TimeExchange, Tick{ReceiveNs: 900}, 100},
		{KindGap, TimeExchange, Tick{ReceiveNs: 900, ExchangeNs: 150}, 150}, // the feed said when
		{KindQuote, TimeExchange, Tick{ReceiveNs: 900}, 900},
		{KindStatus, TimeExchange, Tick{ReceiveNs: 900}, 900},
		{KindGap, TimeReceive, Tick{ReceiveNs: 900}, 900},
		{KindControl, TimeReceive, Tick{ReceiveNs: 900}, 900},
	} {
		e := EngineTime{Base: c.base}
		e.Advance(&Tick{Kind: KindTrade, ExchangeNs: 100, ReceiveNs: 100})
		c.tick.Kind = c.kind
		if now, late := e.Advance(&c.tick); now != c.nowNs || late != 0 || e.NowNs() != c.nowNs {
			t.Errorf("%s under %s: engine time %d, late %d; want %d", c.kind, c.base, now, late, c.nowNs)
		}
	}
}

// TestEngineTimeResumes: a clock that was put where another stood goes on as that does.
func TestEngineTimeResumes(t *testing.T) {
	for _, base := range []TimeBase{TimeReceive, TimeExchange} {
		a, b := EngineTime{Base: base}, EngineTime{Base: base}
		a.Advance(&Tick{Kind: KindTrade, ExchangeNs: 100, ReceiveNs: 200})
		b.Resume(a.NowNs())
		tick := Tick{Kind: KindTrade, ExchangeNs: 90, ReceiveNs: 190}
		nowA, lateA := a.Advance(&tick)
		if nowB, lateB := b.Advance(&tick); nowA != nowB || lateA != lateB {
			t.Errorf("%s: %d, %d late; want %d, %d", base, nowB, lateB, nowA, lateA)
		}
	}
}
