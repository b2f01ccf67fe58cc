package simulate

import (
	"slices"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
	"github.com/sigengine/sigengine/signal"
)

// A checker that notices nothing passes every seed. These tests break what is checked, one thing at a time.

// TestSabotage breaks the running system; each time Check must name the contract.
func TestSabotage(t *testing.T) {
	for _, c := range []struct {
		name     string
		what     sabotage
		contract string
		says     string
	}{
		{"losses not marked", sabotageGap, "gap", "without a Gap"},
		{"ticks lost on the way", sabotageLose, "accounting", "ticks decoded"},
		{"no gates", sabotageGates, "decision", "although"},
		{"no throttle", sabotageThrottle, "decision", "too soon"},
		{"sink lies", sabotageLie, "outcome", "not what was emitted"},
		{"published twice", sabotageRepeat, "output", "duplicate true"},
		{"kills not lifted", sabotageMute, "liveness", "nothing entered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := uint64(1); seed <= 10; seed++ { // not every seed has every fault
				if found(Check(simulate(t, seed, Options{sabotage: c.what})), c.contract, c.says) {
					return
				}
			}
			t.Errorf("10 seeds, and Check never said %s: …%s…", c.contract, c.says)
		})
	}
}

func found(violations []Violation, contract, says string) bool {
	return slices.ContainsFunc(violations, func(v Violation) bool {
		return v.Contract == contract && strings.Contains(v.What, says)
	})
}

// sample is a run in good order with something of everything, and what its journal holds.
func sample(t *testing.T) (Run, Recorded) {
	t.Helper()
	plan := NewPlan(1)
	plan.Kill, plan.StoreFail, plan.Corrupt, plan.Exchange, plan.LateDrop = 0, 0, 0, false, false
	plan.Disconnect, plan.Command, plan.ConnFail, plan.InstrumentsMax = 3000, 2000, 5000, 64
	result, err := Simulate(plan, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if violations := Check(result); len(violations) > 0 || len(result.Runs) != 1 {
		t.Fatalf("%d runs: %v", len(result.Runs), violations)
	}
	recorded, err := Read(result.Runs[0].Store)
	if err != nil {
		t.Fatal(err)
	}
	return *result.Runs[0], *recorded
}

// edit changes the first signal for which change returns true, where it was emitted and in the journal.
func edit(t *testing.T, run *Run, recorded *Recorded, change func(b *signal.Body) bool) {
	t.Helper()
	for i := range run.Emitted {
		body, ok := decodeEmission(run.Emitted[i])
		if ok && change(&body) {
			run.Emitted[i].Encoded = signal.AppendBinary(nil, &body)
			recorded.Outcomes[i] = run.Emitted[i]
			return
		}
	}
	t.Fatal("no such signal in the sample")
}

// remove takes a tick out and numbers the rest anew, as if it had never been there.
func remove(recorded *Recorded, at int) {
	recorded.Ticks = slices.Delete(recorded.Ticks, at, at+1)
	for i := range recorded.Ticks {
		recorded.Ticks[i].Seq = uint64(i) + 1
	}
	for i := range recorded.Definitions {
		if d := &recorded.Definitions[i]; d.At > uint64(at)+1 {
			d.At--
		}
	}
}

func indexOf(t *testing.T, recorded *Recorded, fits func(*feed.Tick) bool) int {
	t.Helper()
	for i := len(recorded.Ticks) / 4; i < len(recorded.Ticks); i++ {
		if fits(&recorded.Ticks[i]) {
			return i
		}
	}
	t.Fatal("no such tick in the sample")
	return 0
}

// lastGap finds the Gap after a disconnect that market data of its source follows.
func lastGap(t *testing.T, recorded *Recorded) int {
	t.Helper()
	gap := map[uint16]int{}
	for i := range recorded.Ticks {
		tick := &recorded.Ticks[i]
		at, waiting := gap[tick.Source]
		switch {
		case tick.Kind == feed.KindGap && tick.F[0] == float64(feed.GapDisconnect):
			gap[tick.Source] = i
		case waiting && tick.Kind.IsMarketData():
			return at
		case waiting:
			delete(gap, tick.Source)
		}
	}
	t.Fatal("no such gap in the sample")
	return 0
}

// TestTampering breaks what was recorded or published.
func TestTampering(t *testing.T) {
	run, recorded := sample(t)
	enter := func(b *signal.Body) bool { return b.Action == signal.ActionEnter && b.OutputSequence > 3 }
	for _, c := range []struct {
		name     string
		contract string
		says     string
		tamper   func(t *testing.T, run *Run, recorded *Recorded)
	}{
		{"tick skipped", "sequence", "in the place of", func(_ *testing.T, _ *Run, r *Recorded) { r.Ticks = slices.Delete(r.Ticks, 99, 100) }},
		{"tick repeated", "sequence", "in the place of", func(_ *testing.T, _ *Run, r *Recorded) { r.Ticks = slices.Insert(r.Ticks, 99, r.Ticks[98]) }},
		{"tick lost at the end", "journal", "after a good end", func(_ *testing.T, _ *Run, r *Recorded) { r.Ticks = r.Ticks[:len(r.Ticks)-1] }},
		{"gap taken out", "gap", "without a Gap", func(t *testing.T, _ *Run, r *Recorded) {
			remove(r, lastGap(t, r))
		}},
		{"quote taken out", "decision", "", func(t *testing.T, _ *Run, r *Recorded) {
			remove(r, indexOf(t, r, func(t *feed.Tick) bool { return t.Kind == feed.KindQuote }))
		}},
		{"price changed", "decision", "other prices", func(_ *testing.T, _ *Run, r *Recorded) {
			for i := range r.Ticks {
				if r.Ticks[i].Kind == feed.KindQuote {
					r.Ticks[i].F[0] *= 1.0000001
				}
			}
		}},
		{"definition missing", "sequence", "not defined yet", func(_ *testing.T, _ *Run, r *Recorded) { r.Definitions = r.Definitions[1:] }},
		{"output sequence reused", "decision", "output sequence", func(t *testing.T, run *Run, r *Recorded) {
			edit(t, run, r, func(b *signal.Body) bool {
				reused := enter(b)
				b.OutputSequence--
				return reused
			})
		}},
		{"engine time back", "time", "at engine time", func(t *testing.T, run *Run, r *Recorded) {
			edit(t, run, r, func(b *signal.Body) bool {
				b.EngineNs--
				return enter(b)
			})
		}},
		{"exit for enter", "decision", "was not open", func(t *testing.T, run *Run, r *Recorded) {
			edit(t, run, r, func(b *signal.Body) bool {
				was := enter(b)
				b.Action = signal.ActionExit
				return was
			})
		}},
		{"withdraw missing", "decision", "no withdraw", func(t *testing.T, run *Run, r *Recorded) {
			at := slices.IndexFunc(run.Emitted, func(e Emission) bool {
				b, _ := decodeEmission(e)
				return b.Action == signal.ActionWithdraw
			})
			run.Emitted, r.Outcomes = slices.Delete(run.Emitted, at, at+1), slices.Delete(r.Outcomes, at, at+1)
		}},
		{"gap flag missing", "decision", "does not say that there was a gap", func(t *testing.T, run *Run, r *Recorded) {
			edit(t, run, r, func(b *signal.Body) bool {
				flagged := b.Flags&signal.FlagGap != 0
				b.Flags &^= signal.FlagGap
				return flagged
			})
		}},
		{"another instrument", "decision", "decided", func(t *testing.T, run *Run, r *Recorded) {
			edit(t, run, r, func(b *signal.Body) bool {
				was := enter(b)
				b.Symbol = "SIM099"
				return was
			})
		}},
		{"outcome changed", "outcome", "not what was emitted", func(_ *testing.T, _ *Run, r *Recorded) { r.Outcomes[7].Result++ }},
		{"outcome missing", "outcome", "recorded", func(_ *testing.T, _ *Run, r *Recorded) { r.Outcomes = r.Outcomes[1:] }},
		{"message not counted", "accounting", "with a verdict", func(_ *testing.T, run *Run, _ *Recorded) { run.Sources[0].Decode.Decoded-- }},
		{"wrong verdict", "accounting", "rejected as", func(_ *testing.T, run *Run, _ *Recorded) { run.Sources[0].Decode.Rejected[feed.RejectBadSize] += 3 }},
		{"tick not counted", "accounting", "ticks offered", func(_ *testing.T, run *Run, _ *Recorded) { run.Engine.Discarded++ }},
		{"overfull", "bounds", "in the ring", func(_ *testing.T, run *Run, _ *Recorded) { run.Sources[1].QueuedMost = run.Sources[1].Slots + 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, recorded := run, recorded
			run.Emitted, run.Sources = slices.Clone(run.Emitted), slices.Clone(run.Sources)
			recorded.Ticks, recorded.Definitions = slices.Clone(recorded.Ticks), slices.Clone(recorded.Definitions)
			recorded.Outcomes = slices.Clone(recorded.Outcomes)
			c.tamper(t, &run, &recorded)
			if got := checkRecorded(&run, &recorded); !found(got, c.contract, c.says) {
				t.Errorf("want %s: …%s…; got %v", c.contract, c.says, got)
			}
		})
	}
}

// TestSkippedTickDoesNotReplay writes the journal anew without one tick, whole and sound in itself: replay must differ.
func TestSkippedTickDoesNotReplay(t *testing.T) {
	run, recorded := sample(t)
	run.Store = rewrite(t, &run, &recorded)
	if violations := checkReplay(&run, &recorded); len(violations) > 0 {
		t.Fatalf("rewritten as it was: %v", violations)
	}
	remove(&recorded, indexOf(t, &recorded, func(t *feed.Tick) bool { return t.Kind == feed.KindQuote }))
	run.Store = rewrite(t, &run, &recorded)
	if violations := checkReplay(&run, &recorded); !found(violations, "replay", "signal") {
		t.Errorf("without a tick: %v", violations)
	}
}

// rewrite makes a journal of what is in memory.
func rewrite(t *testing.T, run *Run, recorded *Recorded) *memstore.Store {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	plan := NewPlan(1)
	plan.Exchange, plan.LateDrop, plan.InstrumentsMax = false, false, 64
	store := new(memstore.Store)
	writer, err := journal.OpenWriter(store, journalOptions(func() int64 { return 1 }))
	must(err)
	must(writer.Ticks().Config(setup.Generation, "simulated.yaml", []byte(plan.config())))
	definitions := recorded.Definitions
	for i := range recorded.Ticks {
		for len(definitions) > 0 && definitions[0].At <= recorded.Ticks[i].Seq {
			must(writer.Ticks().Define(definitions[0]))
			definitions = definitions[1:]
		}
		writer.Ticks().Append(&recorded.Ticks[i], 0)
	}
	for _, o := range recorded.Outcomes {
		writer.Outcomes().Append(o.Encoded, o.Result)
	}
	text, err := replay.EncodeEnd(replay.End{Signals: uint64(len(run.Emitted)), OutputHash: run.Hash})
	must(err)
	must(writer.Ticks().Blob(replay.EndBlob, text))
	must(writer.Close())
	return store
}

// TestCheckSameNotices: another decision, another byte, another event.
func TestCheckSameNotices(t *testing.T) {
	result := simulate(t, 5, Options{NoConsumer: true})
	for _, change := range []func(*Result){
		func(r *Result) { r.Trace = "x" },
		func(r *Result) { r.Journal = "x" },
		func(r *Result) { r.Runs = r.Runs[1:] },
		func(r *Result) { r.Runs[0].Hash = "x" },
		func(r *Result) { r.Runs[0].Emitted = r.Runs[0].Emitted[1:] },
	} {
		other := *result
		other.Runs = nil
		for _, run := range result.Runs {
			clone := *run
			other.Runs = append(other.Runs, &clone)
		}
		change(&other)
		if len(CheckSame(result, &other, true)) == 0 {
			t.Error("a difference was not noticed")
		}
	}
}
