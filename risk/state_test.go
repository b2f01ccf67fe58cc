package risk

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
)

// again returns a desk that knows what another one knows, by way of its state's bytes.
func (h *history) again(taken *recorder) *Desk {
	desk, err := NewDesk(h.n.config, taken)
	if err != nil {
		h.t.Fatal(err)
	}
	taken.desk = desk
	for id, symbol := range h.n.symbols {
		for source := range 3 {
			if h.n.sources[id]>>source&1 != 0 {
				desk.Define(uint32(id), symbol, uint16(source), false)
			}
		}
	}
	state := h.desk.AppendState([]byte("before"))[len("before"):]
	if err := desk.LoadState(state); err != nil {
		h.t.Fatal(err)
	}
	if saved := desk.AppendState(nil); !bytes.Equal(saved, state) {
		h.t.Fatalf("saved again it is another state: %d and %d bytes", len(saved), len(state))
	}
	return desk
}

// TestStateRoundTrip: a desk that was saved and loaded at any place goes on as one that was not.
func TestStateRoundTrip(t *testing.T) {
	for _, gate := range Order {
		rapid.Check(t, func(t *rapid.T) { roundTrip(t, []Gate{gate}) })
	}
	rapid.Check(t, func(t *rapid.T) { roundTrip(t, Order[:]) })
}

func roundTrip(t *rapid.T, gates []Gate) {
	h := newHistory(t, gates)
	var loaded *Desk
	taken := &recorder{}
	size := len(h.desk.AppendState(nil))
	for range rapid.IntRange(1, 60).Draw(t, "events") {
		if loaded == nil || rapid.IntRange(0, 9).Draw(t, "load") == 0 {
			taken = &recorder{}
			loaded = h.again(taken)
		}
		e, fired := h.event()
		h.draw()
		taken.lines = nil
		loaded.Apply(&e, fired, h)
		h.apply(e, fired)
		if !slices.Equal(taken.lines, h.taken.lines) {
			t.Fatalf("loaded %q, not loaded %q", taken.lines, h.taken.lines)
		}
		if now := len(h.desk.AppendState(nil)); now != size {
			t.Fatalf("the state grew from %d to %d bytes", size, now)
		}
	}
}

// stateOf returns a small desk and its state.
func stateOf(t testing.TB) (*Desk, []byte) {
	desk, err := NewDesk(Config{
		Partition: "p", Instruments: 2, GatesOn: true, Rules: []Rule{{Name: "a", UsesQuote: true, SideQuarter: -1, StrengthQuarter: -1}},
		Limits: Limits{Collar: 0.1, CollarWindowNs: 100, Velocity: 0.1, VelocityWindowNs: 10, VelocityHoldNs: 5},
	}, &collect{})
	if err != nil {
		t.Fatal(err)
	}
	desk.Define(0, feed.Symbol{Venue: "v", Name: "A"}, 1, false)
	e := Event{Sequence: 1, EngineNs: 5, Kind: feed.KindQuote, QuoteFresh: true, F: [4]float64{1, 1, 2, 1}}
	desk.Apply(&e, Fired{When: 1}, values(1))
	return desk, desk.AppendState(nil)
}

// TestStateRefusesOthers: a state that was damaged, or is another desk's, is not taken.
func TestStateRefusesOthers(t *testing.T) {
	desk, state := stateOf(t)
	for i := range state {
		bad := bytes.Clone(state)
		bad[i] ^= 0x40
		if err := desk.LoadState(bad); !errors.Is(err, ErrState) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
		if err := desk.LoadState(state[:i]); !errors.Is(err, ErrState) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	for name, other := range map[string]Config{
		"rules":  {Partition: "p", Instruments: 2, Rules: []Rule{{Name: "b"}}},
		"limits": {Partition: "p", Instruments: 2, Rules: []Rule{{Name: "a"}}},
	} {
		d, err := NewDesk(other, &collect{})
		if err != nil {
			t.Fatal(err)
		}
		d.Define(0, feed.Symbol{Venue: "v", Name: "A"}, 1, false)
		if err := d.LoadState(state); !errors.Is(err, ErrState) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := desk.LoadState(state); err != nil {
		t.Error(err)
	}
}

// FuzzLoadState: no bytes crash it, and what it takes it saves again.
func FuzzLoadState(f *testing.F) {
	desk, state := stateOf(f)
	f.Add(state[:len(state)-4])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		whole := seal(bytes.Clone(body), 0)
		if err := desk.LoadState(whole); err != nil {
			if !errors.Is(err, ErrState) {
				t.Fatal(err)
			}
			return
		}
		if err := desk.LoadState(desk.AppendState(nil)); err != nil {
			t.Fatalf("what it saved it does not load: %v", err)
		}
	})
}
