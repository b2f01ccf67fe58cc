package examples

import (
	"bytes"
	"testing"

	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/signal"
)

// decidedBy runs an example as it is.
func decidedBy(t *testing.T, name string) (*tape, []signal.Body) {
	t.Helper()
	for i := range all {
		if all[i].name == name {
			market := all[i].tape(t)
			_, c := load(t, name)
			c.Mode = engine.ModeFused
			return market, market.replay(t, c).decided
		}
	}
	t.Fatalf("no example %s", name)
	return nil, nil
}

// TestSessionBeginsWithATrade: after the reset the first value of an instrument is caused by its first trade, against whose
// price it is measured.
func TestSessionBeginsWithATrade(t *testing.T) {
	x := &all[2]
	market, decided := always(t, x)
	seen := map[string]bool{}
	for i := range decided {
		body := &decided[i]
		if body.EngineNs < marketReset.UnixNano() || seen[body.Symbol] {
			continue
		}
		seen[body.Symbol] = true
		tick := &market.ticks[body.Sequence-1]
		// In the order of the program: mid, vwap of one trade, distance.
		mid := (body.Bid + body.Ask) / 2
		vwap := float64(tick.F[0]*tick.F[1]) / tick.F[1]
		if want := 10000 * (mid/vwap - 1); tick.Kind != trade || body.Value != want {
			t.Errorf("%s begins the session with %v by tick %d, a %s, want %v by a trade", body.Symbol, body.Value, body.Sequence, tick.Kind, want)
		}
	}
	if len(seen) != marketSymbols {
		t.Errorf("%d instruments have a value after the reset", len(seen))
	}
}

// TestSessionResetChanges: without the reset the signals after it are others, and those before it the same.
func TestSessionResetChanges(t *testing.T) {
	market := recordedMarket(t)
	_, c := load(t, "03-session-vwap")
	c.Mode = engine.ModeFused
	with := market.replay(t, c).decided
	c.NextReset = nil
	without := market.replay(t, c).decided
	same := 0
	for same < len(with) && same < len(without) && sameBody(&with[same], &without[same]) {
		same++
	}
	if same == 0 || same == len(with) || with[same].EngineNs < marketReset.UnixNano() {
		t.Errorf("of %d signals the first %d do not depend on the reset", len(with), same)
	}
}

func sameBody(a, b *signal.Body) bool {
	return bytes.Equal(signal.AppendBinary(nil, a), signal.AppendBinary(nil, b))
}

// TestBreakoutEntersAndLeaves: a breakout is entered above the range by more than a tenth of the average range, and left
// below it by a whole one.
func TestBreakoutEntersAndLeaves(t *testing.T) {
	_, decided := decidedBy(t, "09-breakout")
	exits := 0
	for i := range decided {
		switch body := &decided[i]; body.Action {
		case signal.ActionEnter, signal.ActionUpdate:
			if !(body.Value >= -1) || body.Side != 1 {
				t.Errorf("%s of %s at %v, side %v", body.Action, body.Symbol, body.Value, body.Side)
			}
		case signal.ActionExit:
			exits++
			if !(body.Value < -1) {
				t.Errorf("exit of %s at %v", body.Symbol, body.Value)
			}
		}
	}
	if exits == 0 {
		t.Error("nothing is left")
	}
}

// TestReversalPauses: an instrument is entered at most once in five seconds, against the book.
func TestReversalPauses(t *testing.T) {
	_, decided := decidedBy(t, "10-book-pressure-reversal")
	last := map[string]int64{}
	for i := range decided {
		body := &decided[i]
		if body.Action != signal.ActionEnter {
			continue
		}
		if before, ok := last[body.Symbol]; ok && body.EngineNs-before < 5e9 {
			t.Errorf("%s is entered twice in %d ms", body.Symbol, (body.EngineNs-before)/1e6)
		}
		last[body.Symbol] = body.EngineNs
		if body.Side*body.Value >= 0 {
			t.Errorf("%s: value %v, side %v", body.Symbol, body.Value, body.Side)
		}
	}
	if len(last) != marketSymbols {
		t.Errorf("%d instruments were entered", len(last))
	}
}

// TestLeadIsOfTheDependent: the examples over two instruments say something of the one that follows only.
func TestLeadIsOfTheDependent(t *testing.T) {
	for name, venue := range map[string]string{"02-lead-lag": "binance", "05-pairs-spread": "sim"} {
		_, decided := decidedBy(t, name)
		for i := range decided {
			if body := &decided[i]; body.Venue != venue || body.Symbol == "SIM000" {
				t.Errorf("%s decides %s of %s %s", name, body.Signal, body.Venue, body.Symbol)
			}
		}
	}
}
