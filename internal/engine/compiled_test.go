package engine

import (
	"fmt"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/risk"
	"github.com/sigengine/sigengine/signal"
)

// countSink counts what is decided.
type countSink struct{ n int }

func (c *countSink) Emit(uint32, *signal.Body, int64) uint8 { c.n++; return 0 }

// compiledConfig is an engine's configuration of signals as they are written.
func compiledConfig(t *testing.T, specs []kernels.SignalSpec) Config {
	t.Helper()
	compiled, mistakes := kernels.Compile(specs, kernels.Options{})
	if mistakes != nil {
		t.Fatal(mistakes)
	}
	c := Default()
	c.Instruments, c.Mode, c.Program = 64, ModeFused, compiled.Program
	for _, p := range compiled.Clocks {
		c.Clocks = append(c.Clocks, Clock{PeriodNs: p})
	}
	c.References.Program = compiled.ReferenceProgram
	for _, r := range compiled.References {
		c.References.List = append(c.References.List, Reference{
			Symbol: feed.Symbol{Venue: r.Venue, Name: r.Symbol}, Bit: r.Bit, Row: r.Output, Quarter: r.Quarter,
		})
	}
	c.Desk = risk.Config{Partition: "p", Instruments: 64, GatesOn: true}
	for i := range compiled.Signals {
		s := &compiled.Signals[i]
		if s.Clock >= 0 {
			c.Clocks[s.Clock].Signals |= 1 << i
		}
		for _, r := range s.OnReferences {
			c.References.List[r].Signals |= 1 << i
		}
		c.Desk.Rules = append(c.Desk.Rules, risk.Rule{
			Name: fmt.Sprintf("s%d", i), HasExit: s.HasExit, UsesQuote: s.UsesQuote, UsesTrade: s.UsesTrade,
			ValueQuarter: s.ValueQuarter, SideQuarter: s.SideQuarter, StrengthQuarter: s.StrengthQuarter,
		})
	}
	return c
}

// tape is a recording to which ticks a millisecond apart are added.
type tape struct {
	t    *testing.T
	e    *Engine
	r    *Recording
	sink *countSink
	seq  uint64
}

func newTape(t *testing.T, c Config) *tape {
	t.Helper()
	sink := &countSink{}
	e, err := New(c, Ports{Clock: feed.NewManualClock(0), Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	return &tape{t: t, e: e, r: e.Record(), sink: sink}
}

func (p *tape) define(id uint32, source uint16, name string) {
	p.t.Helper()
	if err := p.r.Define(id, source, feed.Symbol{Venue: "v", Name: name}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *tape) put(tick feed.Tick) {
	p.t.Helper()
	p.seq++
	tick.Seq, tick.ReceiveNs = p.seq, int64(p.seq)*1e6
	if tick.Kind == feed.KindQuote {
		tick.F = [4]float64{1, 1, 2, 1}
	}
	if err := p.r.Tick(&tick); err != nil {
		p.t.Fatal(err)
	}
}

// decided returns how many signals were decided since it was asked last.
func (p *tape) decided() int {
	p.e.pipeline.kick()
	n := p.sink.n
	p.sink.n = 0
	return n
}

func (p *tape) close() {
	p.t.Helper()
	if err := p.r.Close(); err != nil {
		p.t.Fatal(err)
	}
}
