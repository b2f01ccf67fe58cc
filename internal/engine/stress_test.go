package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
	"github.com/sigengine/sigengine/ring"
)

// stressSignals evaluate on ticks, on a clock and on another instrument.
var stressSignals = []kernels.SignalSpec{
	{Name: "a", Value: "ema(mid, 5)", When: "value > 3", Exit: "value < 2.5"},
	{Name: "b", Value: "sma(mid, 1ms)", When: "value > 3", On: []string{"clock(1ms)"}},
	{Name: "c", Value: `of(ref("v", "s1"), ema(mid, 5)) + mid`, When: "value > 4", On: []string{"self", `ref("v", "s1")`}},
}

// Several sources that name the same instruments, gaps, halts, commands and small rings, stage by stage; what was decided is
// decided again from the journal, in every shape.
func TestStressLiveEqualsReplay(t *testing.T) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		for _, wait := range []ring.Strategy{ring.Park, ring.SpinThenPark} {
			t.Run(fmt.Sprintf("seed %d wait %d", seed, wait), func(t *testing.T) { stress(t, seed, wait) })
		}
	}
}

func stress(t *testing.T, seed uint64, wait ring.Strategy) {
	c := compiledConfig(t, stressSignals)
	c.Mode, c.Lanes, c.LaneSlots, c.Batch, c.Wait = ModeStaged, 3, 16, 8, wait
	c.HeartbeatNs, c.FlushNs = 1e6, 1e6
	store, clock := &memstore.Store{}, feed.NewSystemClock()
	w, err := journal.OpenWriter(store, journal.Options{Partition: "p", NowNs: clock.NowNs, SegmentBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(c, Ports{Clock: clock, Sink: &countSink{}, Ticks: w.Ticks(), Outcomes: w.Outcomes()})
	if err != nil {
		t.Fatal(err)
	}
	var sources sync.WaitGroup
	for i := range 3 {
		full := feed.FullBlock
		if i == 2 {
			full = feed.FullDrop
		}
		inlet, err := feed.NewInlet(feed.InletConfig{Name: fmt.Sprint(i), Slots: 16, Instruments: 64, Full: full})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.AddInlet(inlet); err != nil {
			t.Fatal(err)
		}
		sources.Go(func() { stressSource(inlet, clock, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	sources.Go(func() { stressCommands(e, rand.New(rand.NewPCG(seed, 99))) })
	if seed%2 == 1 {
		time.AfterFunc(30*time.Millisecond, e.Stop) // in the middle
	}
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	sources.Wait()
	hash, signals := e.OutputHash()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, shape := range []struct {
		mode                Mode
		lanes, slots, batch int
	}{{ModeFused, 1, 8192, 64}, {ModeFused, 3, 16, 8}, {ModeStaged, 2, 16, 3}} {
		c.Mode, c.Lanes, c.LaneSlots, c.Batch = shape.mode, shape.lanes, shape.slots, shape.batch
		if again, n := replayed(t, c, store); again != hash || n != signals {
			t.Errorf("seed %d, replayed as %v: %s of %d signals, live %s of %d", seed, shape, again[:8], n, hash[:8], signals)
		}
	}
}

func stressSource(inlet *feed.Inlet, clock feed.Clock, r *rand.Rand) {
	defer inlet.Close()
	for k := range 6000 {
		handle, err := inlet.Symbols.Intern([]byte("v"), fmt.Appendf(nil, "s%d", r.IntN(1+k/200)%24))
		if err != nil {
			panic(err)
		}
		tick := feed.Tick{
			ReceiveNs: clock.NowNs(), Instrument: handle, Kind: feed.KindQuote,
			F: [4]float64{1 + 2*r.Float64(), 1, 3 + 2*r.Float64(), 1},
		}
		switch r.IntN(40) {
		case 0:
			tick.Flags = feed.FlagMore
		case 1:
			tick.Kind, tick.F = feed.KindStatus, [4]float64{float64(1 + r.IntN(5))}
		case 2:
			tick.Kind, tick.F = feed.KindGap, [4]float64{1}
		case 3:
			inlet.MarkGap(feed.GapDisconnect, 1)
		case 4, 5:
			tick.Kind, tick.F = feed.KindTrade, [4]float64{1, 1, 1}
		}
		inlet.Offer(&tick, 0)
		if r.IntN(4) == 0 {
			inlet.Flush()
		}
		if r.IntN(500) == 0 {
			time.Sleep(2 * time.Millisecond)
		}
	}
}

func stressCommands(e *Engine, r *rand.Rand) {
	for range 50 {
		_ = e.Command(Command{ // refused once the engine has stopped
			Verb: feed.ControlVerb(1 + r.IntN(2)), Scope: feed.ControlScope(1 + r.IntN(3)), Signal: r.IntN(3), By: "stress", Reason: "test",
			Symbol: feed.Symbol{Venue: "v", Name: fmt.Sprintf("s%d", r.IntN(24))},
		})
		time.Sleep(time.Millisecond)
	}
}

// replayed decides a journal again.
func replayed(t *testing.T, c Config, store journal.Store) (string, uint64) {
	t.Helper()
	e, err := New(c, Ports{Clock: feed.NewManualClock(0)})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	recording := e.Record()
	var pending []journal.Definition
	for {
		block, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for d := range block.Definitions() {
			pending = append(pending, d)
		}
		if block.Type != journal.TypeTicks {
			continue
		}
		for _, tick := range block.Ticks() {
			for len(pending) > 0 && pending[0].At <= tick.Seq {
				d := pending[0]
				pending = pending[1:]
				if err := recording.Define(d.ID, d.Source, feed.Symbol{Venue: d.Venue, Name: d.Symbol}); err != nil {
					t.Fatal(err)
				}
			}
			if err := recording.Tick(&tick); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := recording.Close(); err != nil {
		t.Fatal(err)
	}
	return e.OutputHash()
}
