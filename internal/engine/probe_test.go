package engine

import (
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/risk"
)

// probeConfig is an engine of one signal that fires on every quote whose bid is above 100.
func probeConfig(t *testing.T, lanes int) Config {
	t.Helper()
	compiled, errs := kernels.Compile([]kernels.SignalSpec{{Name: "high", Value: "bid", When: "bid > 100"}}, kernels.Options{})
	if len(errs) > 0 {
		t.Fatal(&errs[0])
	}
	c := Default()
	c.Program, c.Lanes, c.LaneSlots, c.Batch = compiled.Program, lanes, 64, 16
	c.Desk = risk.Config{Partition: "p", Rules: []risk.Rule{{Name: "high", ValueQuarter: program.RowFirst, SideQuarter: -1, StrengthQuarter: -1}}}
	return c
}

func probeTick(i int) feed.Tick {
	t := feed.Tick{Seq: uint64(i + 1), ReceiveNs: int64(i+1) * 1e6, Instrument: uint32(i % 5), Source: 1, Kind: feed.KindQuote}
	t.F = [4]float64{99 + float64(i%4), 1, 104, 1}
	return t
}

// TestProbeLanes: what is staged comes back, no more fits than there are slots, and nothing allocates.
func TestProbeLanes(t *testing.T) {
	p, err := NewProbe(probeConfig(t, 2), 5)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { check(t, p.Close()) }()
	for i := range 40 {
		tick := probeTick(i)
		if !p.Stage(&tick) {
			t.Fatalf("no room for tick %d", i)
		}
	}
	if n := p.Lane(0).Waiting() + p.Lane(1).Waiting(); n != 40 {
		t.Errorf("%d wait, of 40", n)
	}
	check(t, p.Poll())
	if n := p.Lane(0).Waiting() + p.Lane(1).Waiting(); n != 0 {
		t.Errorf("%d still wait", n)
	}
	if n := p.Lane(0).Fired() + p.Lane(1).Fired(); n != 20 { // bids of 101 and 102
		t.Errorf("%d of 40 rows fired, want 20", n)
	}
	lane, tick, room := p.Lane(0), probeTick(0), 0
	for lane.Stage(&tick) {
		room++
	}
	if room != 64 {
		t.Errorf("room for %d, want 64", room)
	}
	if n := lane.Poll(); n != 64 {
		t.Errorf("%d rows, want 64", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		lane.Stage(&tick)
		lane.Poll()
	}); n > 0 {
		t.Errorf("%v allocations a tick", n)
	}
}

// TestProbeTurnsDecideAsARecording: a turn is the engine's own, only timed.
func TestProbeTurnsDecideAsARecording(t *testing.T) {
	const ticks = 200
	p, err := NewProbe(probeConfig(t, 2), 5)
	check(t, err)
	clock := feed.NewManualClock(0)
	for from := 0; from < ticks; from += 10 {
		var batch []feed.Tick
		for i := range 10 {
			batch = append(batch, probeTick(from+i))
		}
		if _, err := p.Turn(clock, batch); err != nil {
			t.Fatal(err)
		}
	}
	check(t, p.Close())
	got, signals := p.e.OutputHash()

	config := probeConfig(t, 1)
	config.Mode, config.Instruments = ModeFused, 5
	e, err := New(config, Ports{Clock: clock})
	check(t, err)
	r := e.Record()
	for i := range 5 {
		check(t, r.Define(uint32(i), 1, feed.Symbol{Venue: "probe", Name: "I" + string(rune('0'+i))}))
	}
	for i := range ticks {
		tick := probeTick(i)
		check(t, r.Tick(&tick))
	}
	r.Close()
	if want, n := e.OutputHash(); got != want || signals != n || n != ticks/2 {
		t.Errorf("hash %s of %d signals, want %s of %d, %d", got, signals, want, n, ticks/2)
	}
}

func TestProbeRefusesABadConfiguration(t *testing.T) {
	c := probeConfig(t, 1)
	c.LaneSlots = 3
	if _, err := NewProbe(c, 5); err == nil {
		t.Error("slots that are no power of two were taken")
	}
	if _, err := Timeline(nil, c.Program, nil, 10, 1, 1); err == nil {
		t.Error("a timeline of no ticks was taken")
	}
}

// TestSlot: a slot for others is what a lane holds.
func TestSlot(t *testing.T) {
	c, tick := probeConfig(t, 1), probeTick(2)
	slot := Slot(c.Program, &tick)
	if len(slot) != c.Program.SlotQuarters || slot[program.SlotTime].Value != uint64(tick.ReceiveNs) || slot[0].Aux != tick.Instrument ||
		slot[program.SlotF1].Aux != uint32(feed.KindQuote)|program.CtlFreshQuote {
		t.Errorf("%+v", slot)
	}
}
