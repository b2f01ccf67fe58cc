package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
	"github.com/sigengine/sigengine/risk"
)

// TestCommandsAreChecked: what cannot be a command is refused before it is sequenced.
func TestCommandsAreChecked(t *testing.T) {
	e, err := New(compiledConfig(t, []kernels.SignalSpec{{Name: "a", Value: "mid", When: "value > 0"}}), Ports{Clock: feed.NewManualClock(5)})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Command{
		"no verb":              {Scope: feed.ScopeAll},
		"a fact as a command":  {Verb: feed.ControlFact, Scope: feed.ScopeAll},
		"no scope":             {Verb: feed.ControlKill},
		"resume without who":   {Verb: feed.ControlResume, Scope: feed.ScopeAll, Reason: "r"},
		"resume without why":   {Verb: feed.ControlResume, Scope: feed.ScopeAll, By: "b"},
		"no such signal":       {Verb: feed.ControlKill, Scope: feed.ScopeSignal, Signal: 1},
		"latch of a signal":    {Verb: feed.ControlLatch, Scope: feed.ScopeSignal},
		"latch of none":        {Verb: feed.ControlLatch, Scope: feed.ScopeInstrument, Signal: 1},
		"nameless instrument":  {Verb: feed.ControlKill, Scope: feed.ScopeInstrument},
		"a scope of its own":   {Verb: feed.ControlKill, Scope: 4},
		"a verb of the future": {Verb: 9, Scope: feed.ScopeAll},
		"a limit without who":  {Verb: feed.ControlTighten, Scope: feed.ScopeAll, Limit: feed.LimitSpread, Reason: "r"},
		"no such limit":        {Verb: feed.ControlTighten, Scope: feed.ScopeAll, Limit: feed.LimitCount, By: "b", Reason: "r"},
		"a limit of a signal":  {Verb: feed.ControlTighten, Scope: feed.ScopeSignal, Limit: feed.LimitSpread, By: "b", Reason: "r"},
		"a negative limit":     {Verb: feed.ControlTighten, Scope: feed.ScopeAll, Limit: feed.LimitSpread, Value: -1, By: "b", Reason: "r"},
	} {
		if err := e.Command(c); !errors.Is(err, ErrCommand) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, fact := range []feed.Fact{0, feed.FactCount} {
		if err := e.Fact(fact, 1); !errors.Is(err, ErrCommand) {
			t.Errorf("fact %d: %v", fact, err)
		}
	}
}

// TestNotesAndLatches: who and why stand in the journal before the command; what is in force is told when it changes.
func TestNotesAndLatches(t *testing.T) {
	store := new(memstore.Store)
	clock := feed.NewManualClock(5)
	writer, err := journal.OpenWriter(store, journal.Options{Partition: "p", NowNs: clock.NowNs})
	if err != nil {
		t.Fatal(err)
	}
	var told []risk.Latches
	c := compiledConfig(t, []kernels.SignalSpec{{Name: "a", Value: "mid", When: "value > 0"}})
	c.Mode = ModeFused
	e, err := New(c, Ports{Clock: clock, Ticks: writer.Ticks(), Latched: func(l risk.Latches) { told = append(told, l) }})
	if err != nil {
		t.Fatal(err)
	}
	stepper := e.Steps()
	for _, c := range []Command{
		{Verb: feed.ControlKill, Scope: feed.ScopeSignal, By: "ann", Reason: "odd values"},
		{Verb: feed.ControlReduce, Scope: feed.ScopeAll},
		{Verb: feed.ControlKill, Scope: feed.ScopeInstrument, Symbol: feed.Symbol{Venue: "v", Name: "X"}, By: "bob", Reason: `halted at the "venue"`},
		{Verb: feed.ControlResume, Scope: feed.ScopeAll, By: "ann", Reason: "all is well"},
	} {
		clock.Set(clock.NowNs() + 1)
		if err := e.Command(c); err != nil {
			t.Fatal(err)
		}
		if _, err := stepper.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(stepper.Close(), writer.Close()); err != nil {
		t.Fatal(err)
	}
	if len(told) != 4 || len(told[0].KillSignals) != 1 || !told[1].ReduceAll || len(told[2].Killed) != 1 || told[3].ReduceAll || len(told[3].KillSignals) != 1 {
		t.Errorf("told %+v", told)
	}
	var notes []string
	reader, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for block, err := reader.Next(); err == nil; block, err = reader.Next() {
		if blob, ok := block.Blob(); ok && blob.Name == NoteBlob && !block.Repeated {
			notes = append(notes, string(blob.Data))
		}
	}
	want := []string{
		`note=1 seq=1 at_ns=6 verb=kill scope=signal signal="s0" instrument="" by="ann" reason="odd values"`,
		`note=2 seq=3 at_ns=8 verb=kill scope=instrument signal="" instrument="v.X" by="bob" reason="halted at the \"venue\""`,
		`note=3 seq=4 at_ns=9 verb=resume scope=all signal="" instrument="" by="ann" reason="all is well"`,
	}
	if !slices.Equal(notes, want) {
		t.Errorf("notes\n%s\nwant\n%s", strings.Join(notes, "\n"), strings.Join(want, "\n"))
	}
}
