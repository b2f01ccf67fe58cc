package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/sim"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
)

// six loads the frozen program of the benchmarks.
func six(t testing.TB) *config.Config {
	t.Helper()
	path := filepath.Join("..", "..", "bench", "programs", "six.yaml")
	c, err := config.Parse("test.yaml", []byte("version: 1\nsignals_file: "+path+"\n"+
		"feeds: [{name: sim, subject: md.>, codec: json}]\n"), readFile)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tape is a recorded market: what a journal holds, in memory.
type tape struct {
	symbols []feed.Symbol
	ticks   []feed.Tick
}

// record makes a tape of a simulated market, with heartbeats, gaps of both reaches and commands put in.
func record(t testing.TB, seed uint64, ticks int) *tape {
	t.Helper()
	c := sim.Default()
	c.Seed, c.Instruments = seed, 24
	m, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	out := &tape{}
	for i := range m.Len() {
		out.symbols = append(out.symbols, m.Symbol(i))
	}
	for i := range ticks {
		var tick feed.Tick
		m.Next(&tick)
		tick.Source = uint16(1 + tick.Instrument%2)
		tick.ReceiveNs = tick.ExchangeNs + 1000*int64(i%7)
		out.add(tick)
		switch i % 4000 {
		case 1500:
			out.add(feed.Tick{ReceiveNs: tick.ReceiveNs, Instrument: feed.AllInstruments, Kind: feed.KindGap, Source: 1, F: [4]float64{1, 3}})
		case 2500:
			out.add(feed.Tick{ReceiveNs: tick.ReceiveNs, Instrument: tick.Instrument, Kind: feed.KindGap, Source: tick.Source, F: [4]float64{4}})
		case 3000:
			out.add(feed.Tick{ReceiveNs: tick.ReceiveNs, Instrument: feed.AllInstruments, Kind: feed.KindControl, F: [4]float64{1, 3, 0}})
		case 3200:
			out.add(feed.Tick{ReceiveNs: tick.ReceiveNs, Instrument: feed.AllInstruments, Kind: feed.KindControl, F: [4]float64{2, 3, 0}})
		case 3300:
			out.add(feed.Tick{ReceiveNs: tick.ReceiveNs + 5e6, Instrument: feed.AllInstruments, Kind: feed.KindHeartbeat})
		}
	}
	return out
}

func (r *tape) add(tick feed.Tick) {
	tick.Seq = uint64(len(r.ticks) + 1)
	r.ticks = append(r.ticks, tick)
}

// replay runs a tape through a new engine and returns the output hash and the number of signals.
func (r *tape) replay(t testing.TB, config engine.Config) (string, uint64) {
	t.Helper()
	e, err := engine.New(config, engine.Ports{Clock: feed.NewManualClock(0)})
	if err != nil {
		t.Fatal(err)
	}
	recording := e.Record()
	for id, symbol := range r.symbols {
		if err := recording.Define(uint32(id), uint16(1+id%2), symbol); err != nil {
			t.Fatal(err)
		}
	}
	for i := range r.ticks {
		if err := recording.Tick(&r.ticks[i]); err != nil {
			t.Fatal(err)
		}
	}
	recording.Close()
	return e.OutputHash()
}

// TestSameBitsEverywhere is contract D2: executor shape never changes what is decided.
func TestSameBitsEverywhere(t *testing.T) {
	c := six(t)
	ticks := 24_000
	if testing.Short() {
		ticks = 12_000
	}
	tape := record(t, 7, ticks)
	base, _, err := setup.Engine(c)
	if err != nil {
		t.Fatal(err)
	}
	base.Mode = engine.ModeFused
	want, signals := tape.replay(t, base)
	if signals < 10 {
		t.Fatalf("only %d signals: the test compares too little", signals)
	}
	t.Logf("%d ticks, %d signals, hash %s", len(tape.ticks), signals, want)
	for _, procs := range []int{1, 2} {
		for _, mode := range []engine.Mode{engine.ModeFused, engine.ModeStaged} {
			for _, batch := range []int{1, 2, 7, 64, 4096} {
				for _, lanes := range []int{1, 2, 3, 8} {
					name := fmt.Sprintf("procs=%d/%s/batch=%d/lanes=%d", procs, mode, batch, lanes)
					t.Run(name, func(t *testing.T) {
						if mode == engine.ModeStaged && procs == 1 && batch == 1 && lanes > 1 && testing.Short() {
							t.Skip("short: a goroutine switch a tick and stage")
						}
						defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
						shape := base
						shape.Mode, shape.Batch, shape.Lanes = mode, batch, lanes
						if got, n := tape.replay(t, shape); got != want {
							t.Errorf("seed 7: hash %s of %d signals, want %s of %d", got, n, want, signals)
						}
					})
				}
			}
		}
	}
}

// TestRunTwice is contract D1, and its counterpart: another input has another hash.
func TestRunTwice(t *testing.T) {
	base, _, err := setup.Engine(six(t))
	if err != nil {
		t.Fatal(err)
	}
	a, b := record(t, 1, 8000), record(t, 2, 8000)
	first, n := a.replay(t, base)
	again, _ := a.replay(t, base)
	other, _ := b.replay(t, base)
	if first != again {
		t.Errorf("the same tape gave %s and %s", first, again)
	}
	if n == 0 || first == other {
		t.Errorf("two tapes gave the same hash %s of %d signals", first, n)
	}
}

// TestLaneSmallerThanTape wraps every ring many times.
func TestLaneSmallerThanTape(t *testing.T) {
	base, _, err := setup.Engine(six(t))
	if err != nil {
		t.Fatal(err)
	}
	tape := record(t, 3, 8000)
	want, _ := tape.replay(t, base)
	for _, mode := range []engine.Mode{engine.ModeFused, engine.ModeStaged} {
		shape := base
		shape.Mode, shape.LaneSlots, shape.Batch, shape.Lanes = mode, 16, 8, 2
		if got, _ := tape.replay(t, shape); got != want {
			t.Errorf("%s with 16 slots: %s, want %s", mode, got, want)
		}
	}
}

// TestLive runs inlets through Run and checks that nothing is lost and everything is counted.
func TestLive(t *testing.T) {
	for _, mode := range []engine.Mode{engine.ModeFused, engine.ModeStaged} {
		t.Run(mode.String(), func(t *testing.T) {
			config, _, err := setup.Engine(six(t))
			if err != nil {
				t.Fatal(err)
			}
			config.Mode, config.Lanes = mode, 2
			e, err := engine.New(config, engine.Ports{Clock: feed.NewSystemClock()})
			if err != nil {
				t.Fatal(err)
			}
			tape := record(t, 5, 20_000)
			inlets := make([]*feed.Inlet, 2)
			for i := range inlets {
				inlets[i], err = feed.NewInlet(feed.InletConfig{Name: fmt.Sprint(i), Slots: 256, Instruments: 64, Full: feed.FullBlock})
				if err != nil {
					t.Fatal(err)
				}
				if err := e.AddInlet(inlets[i]); err != nil {
					t.Fatal(err)
				}
				go offer(inlets[i], tape, uint16(i+1))
			}
			if err := e.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			var want uint64
			for i := range tape.ticks {
				if tape.ticks[i].Source > 0 {
					want++
				}
			}
			c := e.Counts()
			if got := c.Sequenced.Load() - c.Heartbeats.Load(); got != want {
				t.Errorf("sequenced %d ticks of %d", got, want)
			}
			if _, n := e.OutputHash(); n == 0 || n != c.Signals.Load() {
				t.Errorf("%d signals hashed, %d counted", n, c.Signals.Load())
			}
		})
	}
}

func offer(inlet *feed.Inlet, tape *tape, source uint16) {
	handles := map[uint32]uint32{}
	for i := range tape.ticks {
		tick := tape.ticks[i]
		if tick.Source != source {
			continue
		}
		if tick.Instrument != feed.AllInstruments {
			symbol := tape.symbols[tick.Instrument]
			handle, err := inlet.Symbols.Intern([]byte(symbol.Venue), []byte(symbol.Name))
			if err != nil {
				panic(err)
			}
			handles[tick.Instrument] = handle
			tick.Instrument = handle
		}
		tick.Seq = 0
		inlet.Offer(&tick, 0)
		inlet.Flush()
	}
	inlet.Close()
}
