package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/awkward"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/risk"
	"github.com/sigengine/sigengine/signal"
)

// cutShapes are the engines whose states are taken: the frozen programs, and one with all that has state of its own beside the
// program: references, clocks, sessions, gates of prices, rates, budgets, fills.
func cutShapes(t testing.TB) map[string]engine.Config {
	t.Helper()
	first := record(t, 1, 1).symbols[0]
	all := map[string]engine.Config{}
	for name, text := range map[string]string{
		"six":    "signals_file: " + filepath.Join("..", "..", "bench", "programs", "six.yaml"),
		"twenty": "signals_file: " + filepath.Join("..", "..", "bench", "programs", "twenty.yaml"),
		"others": strings.NewReplacer("VENUE", first.Venue, "NAME", first.Name).Replace(`
let: {first: 'ref("VENUE", "NAME")'}
session: {reset: "00:00", zone: UTC}
signals:
  - name: lead
    value: of(first, diff(mid, 5)) - diff(mid, 5)
    when: abs(value) > level
    on: [self, first]
    params: {level: 0.2}
    overrides: [{for: '*.*1*', params: {level: 0.4}}]
  - {name: beat, value: 'sma(mid, 2s)', when: 'crosses(mid - value, 0)', on: clock(20ms), expires: 50ms}
  - {name: pair, value: 'sma(of(first, mid), 5) - of(first, mid)', when: 'crosses(value, 0)', on: [self, first], on_gap: rewarm}
  - {name: flow, value: 'ofi(200ms)', when: abs(value) > 10, exit: abs(value) < 5, throttle: 2ms}
risk: {collar: 1pct, velocity: 1pct, rate: 50, rate_total: 2000, repeat: 40, duplicate: 5ms, fills: fill.>, budget: {gross: 1e9, drawdown: 1e8}}`),
	} {
		c, err := config.Parse("test.yaml", []byte("version: 1\nfeeds: [{name: a, subject: md.>, codec: json}]\n"+text+"\n"), readFile)
		if err != nil {
			t.Fatal(err)
		}
		shape, _, err := setup.Engine(c)
		if err != nil {
			t.Fatal(err)
		}
		shape.Instruments, shape.LaneSlots, shape.Batch = 32, 256, 64
		if name == "others" {
			shape.NextReset = func(afterNs int64) int64 { return (afterNs/7e6 + 1) * 7e6 } // sessions end often
		}
		all[name] = shape
	}
	return all
}

// awkwardShape runs a random program. Its rows are those that a signal writes whenever it fires.
func awkwardShape(random *rand.Rand) engine.Config {
	p := awkward.Signals(random)
	shape := engine.Default()
	shape.Program, shape.Instruments, shape.LaneSlots, shape.Batch = p, 32, 256, 64
	shape.Desk = risk.Config{Partition: "p"}
	shape.Clocks = []engine.Clock{{PeriodNs: 3e6, Signals: 1}, {PeriodNs: 7e6, Signals: 2}}
	for i := range valueQuarters(p) {
		shape.Desk.Rules = append(shape.Desk.Rules, risk.Rule{
			Name: fmt.Sprintf("s%d", i), HasExit: i%2 == 0, ExpiresNs: int64(i%3) * 5e6, ThrottleNs: int64(i%2) * 1e6,
			ValueQuarter: valueQuarters(p)[i], SideQuarter: -1, StrengthQuarter: -1,
		})
	}
	return shape
}

// valueQuarters returns the first row quarter of each signal of a program that awkward.Signals made: the signals' emits follow
// one another, and each signal's have a guard of its own.
func valueQuarters(p *program.Program) (quarters []int) {
	guard := program.NoValue
	for _, part := range [][]program.Instr{p.Before, p.Recur, p.After} {
		for i := range part {
			if in := &part[i]; in.Op == program.OpEmit && in.A != guard {
				guard = in.A
				quarters = append(quarters, int(in.Imm))
			}
		}
	}
	return quarters
}

// busyTape is a market with resets, halts, fills, facts and unfinished events put in, all drawn from a seed.
func busyTape(t testing.TB, seed uint64, ticks int) *tape {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 3))
	in, out := record(t, seed, ticks), &tape{}
	out.symbols = in.symbols
	for _, tick := range in.ticks {
		if tick.Kind.IsMarketData() && random.IntN(8) == 0 {
			tick.Flags |= feed.FlagMore
		}
		out.add(tick)
		if tick.Instrument == feed.AllInstruments || random.IntN(20) != 0 {
			continue
		}
		extra := feed.Tick{ReceiveNs: tick.ReceiveNs, Instrument: tick.Instrument, Source: tick.Source}
		switch random.IntN(5) {
		case 0:
			extra.Kind, extra.F[0] = feed.KindStatus, float64(feed.StatusReset)
		case 1:
			extra.Kind, extra.F[0] = feed.KindStatus, float64(feed.StatusHalt)
			out.add(extra)
			extra.F[0] = float64(feed.StatusResume)
		case 2:
			extra.Kind, extra.F = feed.KindFill, [4]float64{tick.F[0], float64(random.IntN(9) - 4)}
			extra.Source = 3
		case 3:
			extra.Kind, extra.Instrument = feed.KindGap, feed.AllInstruments
		case 4:
			extra.Kind, extra.Instrument = feed.KindHeartbeat, feed.AllInstruments
			extra.ReceiveNs += random.Int64N(30e6)
		}
		out.add(extra)
	}
	return out
}

// part plays ticks from..to-1 on an engine, taking its state first and last. State nil: from the beginning.
func (r *tape) part(shape engine.Config, state *engine.State, from, to int, end bool) (o outcomeOf, err error) {
	e, err := engine.New(shape, engine.Ports{Clock: feed.NewManualClock(0), Sink: &o})
	if err != nil {
		return o, err
	}
	if state != nil {
		if err := e.Restore(state); err != nil {
			return o, err
		}
	}
	recording := e.Record()
	for i := from; i < to && err == nil; i++ {
		tick := &r.ticks[i]
		if id := tick.Instrument; id != feed.AllInstruments {
			err = recording.Define(id, tick.Source, r.symbols[id])
		}
		if err == nil {
			err = recording.Tick(tick)
		}
	}
	if err == nil && !end {
		o.state, err = recording.Snapshot()
	}
	err = errors.Join(err, recording.Close())
	o.hash, o.count = e.OutputHash()
	o.sequenced, o.rejected = e.Counts().Sequenced.Load(), fmt.Sprint(setup.Rejected(e.Rejections()))
	return o, err
}

// outcomeOf is what part gave. It is the engine's sink.
type outcomeOf struct {
	bodies    []string
	hash      string
	count     uint64
	sequenced uint64
	rejected  string
	state     *engine.State
}

func (o *outcomeOf) Emit(_ uint32, body *signal.Body, _ int64) uint8 {
	o.bodies = append(o.bodies, string(signal.AppendBinary(nil, body)))
	return 0
}

func drawShape(t *rapid.T, shape engine.Config, label string) engine.Config {
	shape.Mode = rapid.SampledFrom([]engine.Mode{engine.ModeFused, engine.ModeStaged}).Draw(t, label+" mode")
	shape.Lanes = rapid.SampledFrom([]int{1, 3}).Draw(t, label+" lanes")
	shape.Batch = rapid.SampledFrom([]int{1, 64}).Draw(t, label+" batch")
	return shape
}

// TestSnapshotIsTheWhole: a run that is cut anywhere, its state put into another engine of any shape, gives what the whole run
// gives; and states taken at one place are the same, whatever the shape and however often it was cut before.
func TestSnapshotIsTheWhole(t *testing.T) {
	shapes := cutShapes(t)
	names := []string{"six", "twenty", "others", "awkward", "awkward", "others"}
	decided, outer := map[string]int{}, t
	rapid.Check(t, func(t *rapid.T) {
		name, seed := rapid.SampledFrom(names).Draw(t, "program"), rapid.Uint64Range(1, 1<<40).Draw(t, "seed")
		ticks := rapid.IntRange(20, 1200).Draw(t, "ticks")
		if name == "six" {
			ticks *= 4 // its signals are rare
		}
		tape := busyTape(outer, seed, ticks)
		shape, n := shapes[name], len(tape.ticks)
		if name == "awkward" {
			shape = awkwardShape(rand.New(rand.NewPCG(seed, 9)))
		}
		first, second := rapid.IntRange(0, n).Draw(t, "cut"), rapid.IntRange(0, n).Draw(t, "another cut")
		first, second = min(first, second), max(first, second)
		must := func(o outcomeOf, err error) outcomeOf {
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		whole := must(tape.part(drawShape(t, shape, "whole"), nil, 0, n, true))
		a := must(tape.part(drawShape(t, shape, "first"), nil, 0, first, false))
		b := must(tape.part(drawShape(t, shape, "second"), a.state, first, second, false))
		c := must(tape.part(drawShape(t, shape, "third"), b.state, second, n, true))
		if c.hash != whole.hash || c.count != whole.count || c.sequenced != whole.sequenced || c.rejected != whole.rejected {
			t.Errorf("cut at %d and %d of %d: hash %s of %d signals, %d ticks, refused %s;\nwhole %s of %d, %d, %s",
				first, second, n, c.hash, c.count, c.sequenced, c.rejected, whole.hash, whole.count, whole.sequenced, whole.rejected)
		}
		if got, want := strings.Join(append(append(a.bodies, b.bodies...), c.bodies...), ""), strings.Join(whole.bodies, ""); got != want {
			t.Error("the signals are not those of the whole")
		}
		if once := must(tape.part(drawShape(t, shape, "once"), nil, 0, second, false)); fmt.Sprint(once.state) != fmt.Sprint(b.state) {
			t.Errorf("the states after tick %d differ", second)
		}
		decided[name] += len(c.bodies)
	})
	t.Logf("signals after cuts: %v", decided)
	// Those of the other three are rare, in few draws there may be none; their states are compared all the same.
	if decided["others"] < 50 || !testing.Short() && decided["awkward"] == 0 {
		t.Error("the test compares too little")
	}
}

// TestEveryCut cuts a run after every tick: what is rarely on the way between two ticks, such as a session's end, is then too.
func TestEveryCut(t *testing.T) {
	shape, tape := cutShapes(t)["others"], busyTape(t, 21, 250)
	n := len(tape.ticks)
	whole, err := tape.part(shape, nil, 0, n, false)
	if err != nil || whole.count < 5 {
		t.Fatalf("%d signals, %v", whole.count, err)
	}
	for cut := range n {
		a, err := tape.part(shape, nil, 0, cut, false)
		if err != nil {
			t.Fatal(err)
		}
		b, err := tape.part(shape, a.state, cut, n, false)
		if err != nil {
			t.Fatal(err)
		}
		if b.hash != whole.hash || fmt.Sprint(b.state) != fmt.Sprint(whole.state) {
			t.Fatalf("cut after tick %d: %s of %d signals, want %s of %d, or the state at the end is another", cut, b.hash, b.count, whole.hash, whole.count)
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	shapes := cutShapes(t)
	tape := busyTape(t, 5, 500)
	taken, err := tape.part(shapes["others"], nil, 0, len(tape.ticks), false)
	if err != nil {
		t.Fatal(err)
	}
	small := shapes["others"]
	small.Instruments = 8
	for _, test := range []struct {
		name   string
		shape  engine.Config
		change func(*engine.State)
		want   string
	}{
		{"another program", shapes["six"], nil, "another program"},
		{"too few instruments", small, nil, "there is room for 8"},
		{"instruments cut", shapes["others"], func(s *engine.State) { s.Instruments = s.Instruments[:9] }, "too few bytes"},
		{"sequencer cut", shapes["others"], func(s *engine.State) { s.Sequencer = s.Sequencer[:len(s.Sequencer)-1] }, "too few bytes"},
		{"executor longer", shapes["others"], func(s *engine.State) { s.Executor = append(s.Executor[:len(s.Executor):len(s.Executor)], 0) }, "1 bytes too many"},
		{"counters empty", shapes["others"], func(s *engine.State) { s.Counters = nil }, "too few bytes"},
		{"desk damaged", shapes["others"], func(s *engine.State) { s.Desk = s.Desk[1:] }, "checksum"},
		{"output damaged", shapes["others"], func(s *engine.State) { s.Output = s.Output[1:] }, "output hash"},
	} {
		t.Run(test.name, func(t *testing.T) {
			state := *taken.state
			if test.change != nil {
				test.change(&state)
			}
			e, err := engine.New(test.shape, engine.Ports{Clock: feed.NewManualClock(0)})
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Restore(&state); !errors.Is(err, engine.ErrRestore) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	if _, err := tape.part(shapes["others"], taken.state, 7, 8, true); !errors.Is(err, engine.ErrRecording) {
		t.Errorf("a tick before the state: %v", err)
	}
}

// TestSnapshotOfNothing: an engine that records only has no state to take.
func TestSnapshotOfNothing(t *testing.T) {
	c := engine.Default()
	c.Desk.Partition = "p"
	e, err := engine.New(c, engine.Ports{Clock: feed.NewManualClock(0)})
	if err != nil {
		t.Fatal(err)
	}
	recording := e.Record()
	if _, err := recording.Snapshot(); !errors.Is(err, engine.ErrSnapshot) {
		t.Errorf("%v", err)
	}
	if err := recording.Close(); err != nil {
		t.Error(err)
	}
}

// TestStepperSnapshot: a live engine's state is that of the replay of what it sequenced, and one that is restored live goes on
// at the next sequence.
func TestStepperSnapshot(t *testing.T) {
	for _, mode := range []engine.Mode{engine.ModeFused, engine.ModeStaged} {
		shape := awkwardShape(rand.New(rand.NewPCG(4, 9)))
		shape.Mode, shape.Lanes = mode, 3
		tape := record(t, 11, 6000)
		live := func(state *engine.State, ticks []feed.Tick) (*engine.State, string) {
			e, err := engine.New(shape, engine.Ports{Clock: feed.NewManualClock(1)})
			if err != nil {
				t.Fatal(err)
			}
			inlet, err := feed.NewInlet(feed.InletConfig{Name: "x", Slots: 8192, Instruments: 64, Full: feed.FullBlock})
			if err == nil {
				err = e.AddInlet(inlet)
			}
			if err == nil && state != nil {
				err = e.Restore(state)
			}
			if err != nil {
				t.Fatal(err)
			}
			stepper := e.Steps()
			for i := range ticks {
				tick := ticks[i]
				if tick.Instrument != feed.AllInstruments {
					s := tape.symbols[tick.Instrument]
					if tick.Instrument, err = inlet.Symbols.Intern([]byte(s.Venue), []byte(s.Name)); err != nil {
						t.Fatal(err)
					}
				}
				inlet.Offer(&tick, 0)
			}
			inlet.Close()
			for progress := engine.Idle; progress != engine.Ended; {
				if progress, err = stepper.Step(); err != nil {
					t.Fatal(err)
				}
			}
			after, err := stepper.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			if err := stepper.Close(); err != nil {
				t.Fatal(err)
			}
			hash, _ := e.OutputHash()
			return after, hash
		}
		var one []feed.Tick // of one source, and no command
		for _, tick := range tape.ticks {
			if tick.Source == 1 && tick.Kind != feed.KindControl {
				one = append(one, tick)
			}
		}
		whole, hash := live(nil, one)
		half, _ := live(nil, one[:len(one)/2])
		rest, again := live(half, one[len(one)/2:])
		if whole.Signals < 5 || hash != again || fmt.Sprint(whole) != fmt.Sprint(rest) || whole.Sequence != uint64(len(one)) {
			t.Errorf("%s: %s of %d signals, tick %d; in two parts %s of %d, tick %d", mode, hash, whole.Signals, whole.Sequence, again, rest.Signals, rest.Sequence)
		}
	}
}
