package risk

import (
	"fmt"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

// TestLatches: what is in force is told, and its number of changes grows with it and with nothing else.
func TestLatches(t *testing.T) {
	fresh := func() *Desk {
		desk, err := NewDesk(Config{
			Partition: "p", Instruments: 3, GatesOn: true, Limits: Limits{RepeatCount: 1, RepeatWindowNs: 1000},
			Rules: []Rule{{Name: "a", HasExit: true, SideQuarter: -1, StrengthQuarter: -1}, {Name: "b", HasExit: true, SideQuarter: -1, StrengthQuarter: -1}},
		}, &collect{})
		if err != nil {
			t.Fatal(err)
		}
		desk.Define(0, feed.Symbol{Venue: "v", Name: "Z"}, 1, false)
		desk.Define(1, feed.Symbol{Venue: "v", Name: "A"}, 1, true) // configuration's kill is not a latch
		return desk
	}
	desk := fresh()
	seq := uint64(0)
	apply := func(e Event, when, exit uint64) {
		seq++
		e.Sequence, e.EngineNs = seq, int64(seq)
		desk.Apply(&e, Fired{When: when, Exit: exit}, values(1))
	}
	control := func(verb feed.ControlVerb, scope feed.ControlScope, signal, note float64) {
		apply(Event{Kind: feed.KindControl, F: [4]float64{float64(verb), float64(scope), signal, note}}, 0, 0)
	}
	quote := Event{Kind: feed.KindQuote, QuoteFresh: true, F: [4]float64{1, 1, 2, 1}}
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() { apply(quote, 1, 0); apply(quote, 0, 1) }, "{false false false [] [] [] [] [] []}"},
		{func() { apply(quote, 1, 0) }, "{false false false [] [] [] [] [{a {v Z}}] []}"},
		{func() { control(feed.ControlKill, feed.ScopeInstrument, 0, 0) }, "{false false false [] [] [{v Z}] [] [{a {v Z}}] []}"},
		{func() { control(feed.ControlReduce, feed.ScopeInstrument, 0, 0) }, "{false false false [] [] [{v Z}] [{v Z}] [{a {v Z}}] []}"},
		{func() { control(feed.ControlResume, feed.ScopeInstrument, 0, 0) }, "{false false false [] [] [] [] [{a {v Z}}] []}"},
		{func() { control(feed.ControlResume, feed.ScopeInstrument, 0, 1) }, "{false false false [] [] [] [] [] []}"},
		{func() { control(feed.ControlKill, feed.ScopeSignal, 1, 0) }, "{false false false [b] [] [] [] [] []}"},
		{func() { control(feed.ControlReduce, feed.ScopeSignal, 0, 0) }, "{false false false [b] [a] [] [] [] []}"},
		{func() { control(feed.ControlKill, feed.ScopeAll, 0, 0) }, "{true false false [b] [a] [] [] [] []}"},
		{func() { control(feed.ControlReduce, feed.ScopeAll, 0, 0) }, "{true true false [b] [a] [] [] [] []}"},
		{func() { control(feed.ControlLatch, feed.ScopeAll, -1, 1) }, "{true true true [b] [a] [] [] [] []}"},
		{func() { control(feed.ControlResume, feed.ScopeAll, 0, 1) }, "{false false false [b] [a] [] [] [] []}"},
	} {
		before := desk.LatchChanges()
		step.do()
		got := desk.Latches()
		if fmt.Sprint(got) != step.want {
			t.Errorf("%+v, want %s", got, step.want)
		}
		loaded := fresh()
		if err := loaded.LoadState(desk.AppendState(nil)); err != nil || fmt.Sprint(loaded.Latches()) != step.want {
			t.Errorf("loaded %+v, want %s, %v", loaded.Latches(), step.want, err)
		}
		if any := got.Any(); any != (step.want != "{false false false [] [] [] [] [] []}") || any && desk.LatchChanges() == before {
			t.Errorf("%s: any %v, changes %d after %d", step.want, any, desk.LatchChanges(), before)
		}
	}
	before := desk.LatchChanges()
	apply(quote, 0, 0)
	if desk.LatchChanges() != before {
		t.Error("a quote changed the latches")
	}
}

// TestFillSources: a gap of the source of fills makes positions unknown, also before its first fill; one of a market does not.
func TestFillSources(t *testing.T) {
	for _, test := range []struct {
		name    string
		first   []Event
		unknown bool
	}{
		{"configured", nil, true},
		{"it sends market data after all", []Event{{Kind: feed.KindQuote, Source: 2, QuoteFresh: true, F: [4]float64{1, 1, 2, 1}}}, false},
		{"and a fill", []Event{
			{Kind: feed.KindQuote, Source: 2, QuoteFresh: true, F: [4]float64{1, 1, 2, 1}}, {Kind: feed.KindFill, Source: 2, F: [4]float64{1, 1, 0}},
		}, true},
	} {
		desk, err := NewDesk(Config{Partition: "p", Instruments: 1, GatesOn: true, FillSources: 1 << 2, Budget: Budget{Gross: 1}}, &collect{})
		if err != nil {
			t.Fatal(err)
		}
		desk.Define(0, feed.Symbol{Venue: "v", Name: "A"}, 2, false)
		for i, e := range append(test.first, Event{Kind: feed.KindGap, Instrument: feed.AllInstruments, Source: 2}) {
			e.Sequence = uint64(i + 1)
			desk.Apply(&e, Fired{}, nil)
		}
		if desk.book.certain() == test.unknown {
			t.Errorf("%s: certain %v", test.name, desk.book.certain())
		}
	}
}

// TestStateNow: without news of fills the desk is reducing only if a signal is asked for them.
func TestStateNow(t *testing.T) {
	for _, test := range []struct {
		name   string
		config Config
		want   State
	}{
		{"no budget", Config{Budget: Budget{StaleNs: 10}}, StateActive},
		{"a position without staleness", Config{Limits: Limits{PositionMax: 1}}, StateActive},
		{"a position", Config{Limits: Limits{PositionMax: 1}, Budget: Budget{StaleNs: 10}}, StateReducing},
		{"killed by configuration", Config{KillAll: true}, StateHalted},
	} {
		c := test.config
		c.Partition, c.Instruments, c.GatesOn, c.Rules = "p", 1, true, []Rule{{Name: "a", SideQuarter: -1, StrengthQuarter: -1}}
		desk, err := NewDesk(c, &collect{})
		if err != nil {
			t.Fatal(err)
		}
		desk.Define(0, feed.Symbol{Venue: "v", Name: "A"}, 1, false)
		if got := desk.StateNow(); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		desk.Apply(&Event{Sequence: 1, EngineNs: 5, Kind: feed.KindControl, F: [4]float64{float64(feed.ControlKill), float64(feed.ScopeAll)}}, Fired{}, nil)
		if got := desk.StateNow(); got != StateHalted {
			t.Errorf("%s and killed: %s", test.name, got)
		}
	}
}
