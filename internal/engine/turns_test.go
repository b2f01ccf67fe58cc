package engine

import (
	"errors"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/risk"
)

// steppedEngine is an engine with so many sources, driven a turn at a time.
func steppedEngine(t *testing.T, c Config, clock feed.Clock, sources int) (*Stepper, *countSink, []*feed.Inlet) {
	t.Helper()
	sink := &countSink{}
	e, err := New(c, Ports{Clock: clock, Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	var inlets []*feed.Inlet
	for range sources {
		inlet, err := feed.NewInlet(feed.InletConfig{Name: "a", Slots: 1024, Instruments: 64})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.AddInlet(inlet); err != nil {
			t.Fatal(err)
		}
		inlets = append(inlets, inlet)
	}
	return e.Steps(), sink, inlets
}

func offer(t *testing.T, inlet *feed.Inlet, n int, receiveNs int64) {
	t.Helper()
	handle, err := inlet.Symbols.Intern([]byte("v"), []byte("s"))
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		inlet.Offer(&feed.Tick{ReceiveNs: receiveNs, Instrument: handle, Kind: feed.KindQuote, F: [4]float64{1, 1, 2, 1}}, 0)
	}
	inlet.Flush()
}

func step(t *testing.T, s *Stepper) Progress {
	t.Helper()
	progress, err := s.Step()
	if err != nil {
		t.Fatal(err)
	}
	return progress
}

// What a clock decides in silence leaves with the heartbeat, not with the next tick.
func TestClockSignalsLeaveInSilence(t *testing.T) {
	clock := feed.NewManualClock(1e9 + 1)
	c := compiledConfig(t, []kernels.SignalSpec{{Name: "a", Value: "mid", When: "value > 0", On: []string{"clock(100ms)"}}})
	s, sink, inlets := steppedEngine(t, c, clock, 1)
	offer(t, inlets[0], 1, clock.NowNs())
	step(t, s)
	for range 100 {
		clock.Advance(10e6)
		step(t, s)
	}
	if sink.n != 10 {
		t.Errorf("%d signals left in a second of silence, want 10 (boundaries: %d)", sink.n, s.e.Counts().Boundaries.Load())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A source that fills every batch does not keep the others, or an operator's command, waiting.
func TestSourcesTakeTurns(t *testing.T) {
	c := compiledConfig(t, []kernels.SignalSpec{{Name: "a", Value: "mid", When: "value > 1e9"}})
	s, _, inlets := steppedEngine(t, c, feed.NewManualClock(1), 3)
	offer(t, inlets[2], 10, 1)
	offer(t, inlets[1], 10, 1)
	for range 3 {
		offer(t, inlets[0], c.Batch, 1)
		step(t, s)
	}
	for i := 1; i < 3; i++ {
		if left := inlets[i].Queued(); left != 0 {
			t.Errorf("after as many turns as sources, %d ticks of source %d still wait", left, i+1)
		}
	}
	offer(t, inlets[0], c.Batch, 1)
	if err := s.e.Command(Command{Verb: feed.ControlKill, Scope: feed.ScopeAll}); err != nil {
		t.Fatal(err)
	}
	step(t, s)
	if s.e.control.Queued() != 0 {
		t.Error("a command waits behind market data")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// What is refused does not keep time from passing.
func TestHeartbeatsUnderRefusals(t *testing.T) {
	clock := feed.NewManualClock(1)
	c := compiledConfig(t, []kernels.SignalSpec{{Name: "a", Value: "mid", When: "value > 1e9"}})
	c.Instruments, c.Desk.Instruments = 1, 1
	s, _, inlets := steppedEngine(t, c, clock, 2)
	offer(t, inlets[0], 1, 1)
	step(t, s)
	handle, err := inlets[1].Symbols.Intern([]byte("v"), []byte("no room"))
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		clock.Advance(c.HeartbeatNs)
		inlets[1].Offer(&feed.Tick{ReceiveNs: clock.NowNs(), Instrument: handle, Kind: feed.KindQuote}, 0)
		inlets[1].Flush()
		if progress := step(t, s); progress != Beat {
			t.Fatalf("progress %d, want a heartbeat", progress)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCommandAfterEnd(t *testing.T) {
	c := compiledConfig(t, []kernels.SignalSpec{{Name: "a", Value: "mid", When: "value > 1e9"}})
	s, _, _ := steppedEngine(t, c, feed.NewManualClock(1), 1)
	s.e.Stop()
	step(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.e.Command(Command{Verb: feed.ControlKill, Scope: feed.ScopeAll}); !errors.Is(err, ErrCommand) {
		t.Errorf("an engine that has ended took a command: %v", err)
	}
}

// Nothing is decided from a window that a gap of any of the instrument's sources has emptied.
func TestGapOfEitherSource(t *testing.T) {
	for _, from := range []uint16{1, 2} {
		p := newTape(t, compiledConfig(t, []kernels.SignalSpec{{Name: "a", Value: "sma(mid, 5)", When: "value > 0"}}))
		p.define(0, 1, "A")
		p.define(0, 2, "A")
		for i := range 20 {
			p.put(feed.Tick{Source: uint16(1 + i%2), Kind: feed.KindQuote})
		}
		if p.decided() == 0 {
			t.Fatal("nothing decided before the gap")
		}
		p.put(feed.Tick{Source: 1, Kind: feed.KindGap, Instrument: feed.AllInstruments})
		for range 4 {
			p.put(feed.Tick{Source: from, Kind: feed.KindQuote})
		}
		if n := p.decided(); n != 0 {
			t.Errorf("%d signals of a window of 5 after a gap and 4 quotes of source %d", n, from)
		}
		p.put(feed.Tick{Source: from, Kind: feed.KindQuote})
		if n := p.decided(); n != 1 {
			t.Errorf("%d signals with the fifth quote of source %d, want 1", n, from)
		}
		p.close()
	}
}

// A window of a reference starts anew at a gap of the instrument, also when that instrument's clock took the gap.
func TestGapOfReference(t *testing.T) {
	p := newTape(t, compiledConfig(t, []kernels.SignalSpec{
		{Name: "a", Value: `of(ref("v", "R"), sma(mid, 5))`, When: "value > 0", On: []string{"self", `ref("v", "R")`}},
		{Name: "c", Value: "mid", When: "value > 1e9", On: []string{"clock(1ms)"}},
	}))
	p.define(0, 1, "R")
	p.define(1, 2, "D")
	both := func(times int) {
		for range times {
			p.put(feed.Tick{Source: 1, Kind: feed.KindQuote})
			p.put(feed.Tick{Source: 2, Instrument: 1, Kind: feed.KindQuote})
		}
	}
	both(10)
	if p.decided() == 0 {
		t.Fatal("nothing decided before the gap")
	}
	p.put(feed.Tick{Source: 1, Kind: feed.KindGap, Instrument: feed.AllInstruments})
	both(4)
	if n := p.decided(); n != 0 {
		t.Errorf("%d signals of a reference's window of 5 after 4 quotes", n)
	}
	both(2)
	if p.decided() == 0 {
		t.Error("nothing decided when the reference's window is full again")
	}
	p.close()
}

// An event of a quote and a level is a quote for the gates, too.
func TestQuoteEndedByDepth(t *testing.T) {
	c := compiledConfig(t, []kernels.SignalSpec{{Name: "a", Value: "mid", When: "value > 0"}})
	c.Desk.StaleNs = 1e9
	p := newTape(t, c)
	p.define(0, 1, "A")
	for range 10 {
		p.put(feed.Tick{Source: 1, Kind: feed.KindQuote, Flags: feed.FlagMore})
		p.put(feed.Tick{Source: 1, Kind: feed.KindDepth, F: [4]float64{feed.DepthValue(true, 0), 1, 1}})
	}
	if n := p.decided(); n != 10 {
		t.Errorf("%d signals of 10 events; %d refused as stale", n, p.e.Rejections().Rejected[risk.GateStale].Load())
	}
	p.close()
}

// An unknown command to stop stops everything; an unknown one to go on changes nothing.
func TestUnknownSignalInCommand(t *testing.T) {
	command := func(verb feed.ControlVerb) feed.Tick {
		return feed.Tick{Kind: feed.KindControl, Instrument: feed.AllInstruments, F: [4]float64{float64(verb), float64(feed.ScopeSignal), 2}}
	}
	for _, test := range []struct {
		verb feed.ControlVerb
		want int
	}{{feed.ControlKill, 0}, {feed.ControlResume, 1}} {
		p := newTape(t, compiledConfig(t, []kernels.SignalSpec{{Name: "a", Value: "mid", When: "value > 0"}}))
		p.define(0, 1, "A")
		p.put(command(test.verb))
		p.put(feed.Tick{Source: 1, Kind: feed.KindQuote})
		if n := p.decided(); n != test.want {
			t.Errorf("verb %d: %d signals, want %d", test.verb, n, test.want)
		}
		p.close()
	}
}

func TestDefineAnother(t *testing.T) {
	p := newTape(t, compiledConfig(t, []kernels.SignalSpec{{Name: "a", Value: "mid", When: "value > 0"}}))
	p.define(0, 1, "A")
	p.define(0, 1, "A")
	p.define(0, 2, "A")
	for _, test := range []struct {
		id     uint32
		source uint16
		name   string
	}{{0, 1, "B"}, {0, 2, "B"}, {0, 3, "B"}, {1, 1, "A"}} {
		if err := p.r.Define(test.id, test.source, feed.Symbol{Venue: "v", Name: test.name}); !errors.Is(err, ErrRecording) {
			t.Errorf("instrument %d of source %d is %s too: %v", test.id, test.source, test.name, err)
		}
	}
	p.close()
}
