package examples

import (
	"slices"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/signal"
)

// checkCauses checks that every decided signal was caused by what the example's page says evaluates it. A withdraw is
// caused by what made it necessary instead.
func checkCauses(t *testing.T, x *example, market *tape, decided []signal.Body) {
	t.Helper()
	for i := range decided {
		body := &decided[i]
		if body.Action == signal.ActionWithdraw {
			continue
		}
		tick := &market.ticks[body.Sequence-1]
		if x.clockNs > 0 {
			if body.EngineNs%x.clockNs != 0 || body.EngineNs > tick.ReceiveNs {
				t.Fatalf("%s: %s of %s at %d ns of engine time, by tick %d: not at a boundary before it", x.name, body.Signal, body.Symbol, body.EngineNs, body.Sequence)
			}
			continue
		}
		by := market.symbols[tick.Instrument]
		own := by.Name == body.Symbol && by.Venue == body.Venue
		if own && !slices.Contains(x.kinds, tick.Kind) || !own && (!slices.Contains(x.also, by.Name) || tick.Kind != feed.KindQuote) {
			t.Fatalf("%s: %s of %s was caused by tick %d, a %s of %s", x.name, body.Signal, body.Symbol, body.Sequence, tick.Kind, by.Name)
		}
	}
}

// always runs an example so that its last signal is decided whenever it is evaluated with a value.
func always(t *testing.T, x *example) (*tape, []signal.Body) {
	t.Helper()
	c, _ := load(t, x.name)
	s := &c.Signals[len(c.Signals)-1]
	s.When, s.Exit, s.Throttle, s.Expires = "value == value", "", 0, 0
	s.Params, s.Overrides = nil, nil // they are for conditions
	c.Risk.Gates = config.Off
	e, _, err := setup.Engine(c)
	if err != nil {
		t.Fatal(err)
	}
	e.Mode = engine.ModeFused
	market := x.tape(t)
	decided := market.replay(t, e).decided
	return market, slices.DeleteFunc(decided, func(b signal.Body) bool { return b.Signal != s.Name })
}

// TestEvaluation: with a condition that is always true, an example is decided on the ticks of which its page speaks, on no
// other and on nearly all of these once it is warm.
func TestEvaluation(t *testing.T) {
	for i := range all {
		x := &all[i]
		t.Run(x.name, func(t *testing.T) {
			market, decided := always(t, x)
			checkCauses(t, x, market, decided)
			checkAll(t, x, market, decided)
			checkRewarm(t, x, market, decided)
		})
	}
}

// checkAll checks that everything which is said to evaluate the example does.
func checkAll(t *testing.T, x *example, market *tape, decided []signal.Body) {
	t.Helper()
	at, began := map[string]map[uint64]bool{}, map[string]uint64{} // by symbol
	kinds, others := map[feed.Kind]int{}, 0
	for i := range decided {
		body := &decided[i]
		if at[body.Symbol] == nil {
			at[body.Symbol], began[body.Symbol] = map[uint64]bool{}, body.Sequence
		}
		at[body.Symbol][body.Sequence] = true
		tick := &market.ticks[body.Sequence-1]
		if by := market.symbols[tick.Instrument]; by.Name == body.Symbol && by.Venue == body.Venue {
			kinds[tick.Kind]++
		} else {
			others++
		}
	}
	for _, kind := range x.kinds {
		if kinds[kind] == 0 {
			t.Errorf("no %s evaluates it", kind)
		}
	}
	if len(x.also) > 0 && others == 0 {
		t.Errorf("no tick of %s evaluates it", x.also)
	}
	if x.seldom || x.clockNs > 0 {
		return
	}
	due, done := 0, 0
	for id, symbol := range market.symbols {
		for i := range market.ticks {
			tick := &market.ticks[i]
			if from, warm := began[symbol.Name]; !warm || tick.Seq < from || tick.Instrument != uint32(id) || !slices.Contains(x.kinds, tick.Kind) ||
				len(x.also) > 0 && id == 0 { // the reference, of the same symbol perhaps
				continue
			}
			due++
			if at[symbol.Name][tick.Seq] {
				done++
			}
		}
	}
	if done < due*4/10 { // the rest is warm-up
		t.Errorf("evaluated with a value on %d ticks of %d", done, due)
	}
}

// checkRewarm checks how long nothing is decided at the start and after a gap.
func checkRewarm(t *testing.T, x *example, market *tape, decided []signal.Body) {
	t.Helper()
	checked := 0
	for id, symbol := range market.symbols {
		for _, hole := range holes(x, market, uint32(id)) {
			if hole == 0 && x.rewarm.holds {
				continue
			}
			next := slices.IndexFunc(decided, func(b signal.Body) bool {
				return b.Symbol == symbol.Name && b.Venue == symbol.Venue && b.Sequence > hole
			})
			if next < 0 {
				continue
			}
			checked++
			checkQuiet(t, x, market, uint32(id), hole, &decided[next])
		}
	}
	if checked == 0 {
		t.Error("no gap to check")
	}
}

// checkQuiet checks the first signal of an instrument after a hole.
func checkQuiet(t *testing.T, x *example, market *tape, id uint32, hole uint64, body *signal.Body) {
	t.Helper()
	ticks, first := 0, int64(0)
	for i := hole; i < body.Sequence; i++ {
		tick := &market.ticks[i]
		if tick.Instrument != id || !tick.Kind.IsMarketData() {
			continue
		}
		if first == 0 {
			first = tick.ReceiveNs
		}
		if slices.Contains(x.kinds, tick.Kind) && tick.F[0]+tick.F[2] == tick.F[0]+tick.F[2] { // both sides
			ticks++
		}
	}
	switch ns := body.EngineNs - first; {
	case x.rewarm.holds && ticks != 1:
		t.Errorf("after tick %d the value of %s is defined on its tick %d, want 1", hole, body.Symbol, ticks)
	case ticks < x.rewarm.ticks || ns < x.rewarm.ns:
		t.Errorf("after tick %d the value of %s is defined after %d ticks and %.3f s, want at least %d and %.3f s",
			hole, body.Symbol, ticks, float64(ns)/1e9, x.rewarm.ticks, float64(x.rewarm.ns)/1e9)
	}
}

// holes are the sequence numbers after which an instrument's value has to warm up: the start, and gaps. A gap in the ticks of
// what it refers to, which is instrument 0, is known with the next of these.
func holes(x *example, market *tape, id uint32) []uint64 {
	out := []uint64{0}
	of := func(gap *feed.Tick, id uint32) bool {
		return gap.Instrument == id || gap.Instrument == feed.AllInstruments && gap.Source == sourceOf(id)
	}
	for i := range market.ticks {
		gap := &market.ticks[i]
		if gap.Kind != feed.KindGap {
			continue
		}
		if of(gap, id) {
			out = append(out, gap.Seq)
		}
		if len(x.also) == 0 || id == 0 || !of(gap, 0) {
			continue
		}
		for k := i + 1; k < len(market.ticks); k++ {
			if next := &market.ticks[k]; next.Instrument == 0 && next.Kind.IsMarketData() {
				out = append(out, next.Seq-1)
				break
			}
		}
	}
	return out
}
