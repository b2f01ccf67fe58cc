package examples

import (
	"testing"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/sim"
)

// tape is a recorded market: what a journal holds, in memory.
type tape struct {
	symbols []feed.Symbol // by instrument id
	ticks   []feed.Tick
}

// The recorded market: two minutes of four instruments, the session's reset of 17:00 in New York after the first.
const (
	marketSeed    = 20250616
	marketTicks   = 30_000
	marketRate    = 250
	marketSymbols = 4
)

var (
	marketStart = time.Date(2025, 6, 16, 20, 59, 0, 0, time.UTC)
	marketReset = time.Date(2025, 6, 16, 21, 0, 0, 0, time.UTC)
)

// recordedMarket returns the same ticks on every machine: quotes, trades with aggressors, halts, gaps of one instrument and of
// a whole source, heartbeats. Instruments take turns in two sources.
func recordedMarket(t testing.TB) *tape {
	t.Helper()
	c := sim.Default()
	c.Seed, c.Instruments, c.RatePerSecond, c.StartNs = marketSeed, marketSymbols, marketRate, marketStart.UnixNano()
	c.Faults = sim.Faults{Halts: 150, DeclaredGaps: 120, SilentGaps: 100, Locked: 300, Crossed: 300, AbsentSides: 300, Bursts: 300}
	m, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	out := &tape{}
	for i := range m.Len() {
		out.symbols = append(out.symbols, m.Symbol(i))
	}
	for i := range marketTicks {
		var tick feed.Tick
		m.Next(&tick)
		tick.Source = sourceOf(tick.Instrument)
		tick.ReceiveNs = tick.ExchangeNs + 1000*int64(i%7)
		out.add(tick)
		switch i {
		case 4000, 14_000, 24_000:
			out.add(feed.Tick{ReceiveNs: tick.ReceiveNs + 5e6, Instrument: feed.AllInstruments, Kind: feed.KindHeartbeat})
		case 19_000:
			out.add(feed.Tick{
				ReceiveNs: tick.ReceiveNs, Instrument: feed.AllInstruments, Kind: feed.KindGap, Source: 1,
				F: [4]float64{float64(feed.GapDisconnect), 12},
			})
		}
	}
	return out
}

func sourceOf(instrument uint32) uint16 { return uint16(1 + instrument%2) }

func (r *tape) add(tick feed.Tick) {
	tick.Seq = uint64(len(r.ticks) + 1)
	r.ticks = append(r.ticks, tick)
}

// TestMarket: the market holds what the examples have to cope with.
func TestMarket(t *testing.T) {
	market := recordedMarket(t)
	counts := map[feed.Kind]int{}
	statuses := map[feed.Status]int{}
	aggressors := map[float64]int{}
	for i := range market.ticks {
		tick := &market.ticks[i]
		counts[tick.Kind]++
		switch tick.Kind {
		case feed.KindStatus:
			statuses[feed.Status(feed.Code(tick.F[0]))]++
		case feed.KindTrade:
			aggressors[tick.F[2]]++
		}
	}
	first, last := market.ticks[0].ReceiveNs, market.ticks[len(market.ticks)-1].ReceiveNs
	if reset := marketReset.UnixNano(); first > reset-30e9 || last < reset+30e9 {
		t.Errorf("the session is reset %d s after the first tick and %d s before the last", (reset-first)/1e9, (last-reset)/1e9)
	}
	if counts[feed.KindGap] < 4 || counts[feed.KindHeartbeat] != 3 || statuses[feed.StatusHalt] < 2 || statuses[feed.StatusResume] < 2 ||
		aggressors[1] < 1000 || aggressors[-1] < 1000 || counts[feed.KindQuote] < 10_000 {
		t.Errorf("ticks by kind %v, statuses %v, aggressors %v", counts, statuses, aggressors)
	}
}
