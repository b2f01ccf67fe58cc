package risk

import (
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// everything returns a desk with every gate on and limits that let all pass, a row, and quotes in turn that move the price.
func everything(t testing.TB, taker Taker, refuse bool) (*Desk, []Event) {
	c := Config{
		Partition: "p", Instruments: 64, GatesOn: true, TotalRateNs: 1, TotalBurst: rateBurstMax, DecodeHoldNs: 1e9,
		References: []feed.Symbol{{Venue: "v", Name: "AB"}}, Hours: []Hours{func(now int64) (bool, int64) { return true, now + 1e12 }},
		Budget: Budget{Gross: 1e9, Net: 1e9, Drawdown: 1e9, DayLoss: 1e9, StaleNs: 1e15},
		Limits: Limits{
			StaleNs: 1e9, StaleTradeNs: 1e15, StaleReferenceNs: 1e15, GapTicks: 1, WarmNs: 1, WarmTicks: 1, SkewNs: 1,
			RefuseCrossed: true, RefuseLocked: true, RefuseEmpty: true, ValueMax: 1e6, Spread: 0.5,
			Collar: 0.5, CollarWindowNs: 300e9, Band: true, PriceLow: 1, PriceHigh: 1e6, Velocity: 0.5, VelocityWindowNs: 1e9, VelocityHoldNs: 5e9,
			DuplicateNs: 1, DuplicateStep: 0.5, RateNs: 1, RateBurst: rateBurstMax, RepeatCount: repeatCountMax, RepeatWindowNs: 5,
			Hours: 1, PositionMax: 1e9, SignalSize: 1, Multiplier: 1,
		},
		Rules: []Rule{{
			Name: "s", ThrottleNs: 1, HasExit: true, UsesQuote: true, UsesTrade: true, References: 1, ValueQuarter: 3, SideQuarter: sideQuarter, StrengthQuarter: -1,
		}},
	}
	desk, err := NewDesk(c, taker)
	if err != nil {
		t.Fatal(err)
	}
	for id := range uint32(64) {
		desk.Define(id, feed.Symbol{Venue: "v", Name: string([]byte{'A' + byte(id/26), 'A' + byte(id%26)})}, 1, false)
	}
	var events []Event
	for i := range 640 {
		price := 100 + float64(i%7)
		e := Event{Instrument: uint32(i % 64), Source: 1, Kind: feed.KindQuote, QuoteFresh: true, F: [4]float64{price, 1, price + 1, 1}}
		if i < 64 {
			e.Kind, e.QuoteFresh, e.TradeFresh = feed.KindTrade, false, true
		}
		events = append(events, e)
	}
	for id := range uint32(64) {
		e := Event{Sequence: uint64(id + 1), EngineNs: int64(id+1) * 1000, Instrument: id, Source: 1, Kind: feed.KindTrade, TradeFresh: true, F: [4]float64{100, 1}}
		desk.Apply(&e, Fired{}, nil)
		e.Kind, e.F = feed.KindFill, [4]float64{100, 1, 0}
		desk.Apply(&e, Fired{}, nil)
	}
	if refuse {
		halt := Event{Sequence: 65, EngineNs: 65000, Instrument: feed.AllInstruments, Source: 1, Kind: feed.KindStatus, F: [4]float64{1}}
		desk.Apply(&halt, Fired{}, nil)
	}
	return desk, events[64:]
}

// drive applies events in turn and returns how often one was applied.
type driver struct {
	desk   *Desk
	events []Event
	row    scriptRow
	at     int
	seq    uint64
}

func (d *driver) next(fired Fired) {
	e := &d.events[d.at%len(d.events)]
	d.at++
	d.seq++
	e.Sequence, e.EngineNs = 1000+d.seq, int64(100_000+d.seq*1000)
	d.row = scriptRow{value: float64(d.seq % 5), side: 1}
	d.desk.Apply(e, fired, &d.row)
}

// TestGatesDoNotAllocate: with every gate on, neither what passes nor what is refused allocates.
func TestGatesDoNotAllocate(t *testing.T) {
	for name, refuse := range map[string]bool{"passes": false, "refused": true} {
		var count refusals
		desk, events := everything(t, &count, refuse)
		d := driver{desk: desk, events: events}
		if n := testing.AllocsPerRun(2000, func() { d.next(Fired{When: 1}); d.next(Fired{When: 1, Exit: 1}) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
		if refuse && (count.refused == 0 || count.taken != 0) || !refuse && count.taken < 4000 {
			t.Errorf("%s: %d taken, %d refused", name, count.taken, count.refused)
		}
	}
}

// refusals counts what a desk says.
type refusals struct{ taken, refused int }

func (r *refusals) Take(uint32, *signal.Body) { r.taken++ }

func (r *refusals) Refuse(uint32, Gate, *signal.Rejection) { r.refused++ }

// BenchmarkGates measures what every gate together costs a signal: a quote with a signal that passes all of them, less a
// quote with one that no gate is asked about, and a quote alone.
func BenchmarkGates(b *testing.B) {
	b.Run("asked", func(b *testing.B) {
		var count refusals
		desk, events := everything(b, &count, false)
		d := driver{desk: desk, events: events}
		d.next(Fired{When: 1})
		d.row = scriptRow{value: 7, side: 1}
		q := desk.question(&events[0], 0, false, &d.row)
		q.event.EngineNs += 1e6
		b.ReportAllocs()
		passed := 0
		for b.Loop() {
			if desk.ask(&q) == GateNone {
				passed++
			}
		}
		if passed == 0 {
			b.Fatalf("refused by %s", desk.ask(&q))
		}
	})
	for _, on := range []bool{true, false} {
		b.Run(map[bool]string{true: "signal_all_gates", false: "signal_gates_off"}[on], func(b *testing.B) {
			var count refusals
			desk, events := everything(b, &count, false)
			if !on {
				off := desk.config
				off.GatesOn = false
				desk, _ = NewDesk(off, &count)
				for id := range uint32(64) {
					desk.Define(id, feed.Symbol{Venue: "v", Name: string([]byte{'A' + byte(id/26), 'A' + byte(id%26)})}, 1, false)
				}
			}
			d := driver{desk: desk, events: events}
			b.ReportAllocs()
			for b.Loop() {
				d.next(Fired{When: 1})
			}
			if count.taken == 0 {
				b.Fatal("nothing passed")
			}
		})
	}
	b.Run("quote_alone", func(b *testing.B) {
		var count refusals
		desk, events := everything(b, &count, false)
		d := driver{desk: desk, events: events}
		b.ReportAllocs()
		for b.Loop() {
			d.next(Fired{})
		}
	})
}
