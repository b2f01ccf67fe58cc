package replay

import (
	"fmt"
	"os"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
	"github.com/sigengine/sigengine/risk"
)

// gatesConfig gives each gate an instrument of its own, on which it refuses.
const gatesConfig = `version: 1
feeds: [{name: a, subject: md.>, codec: json}]
signals:
  - {name: q, value: mid, when: value > 0, exit: bid_size > 100, side: 1, for: v.*}
  - {name: t, value: price - mid, when: value > -1000, expires: 1ms, side: 1, on_gap: hold, for: v.*}
  - {name: slow, value: mid * 2, when: value > 0, throttle: 10s, for: v.throttle}
risk:
  stale: 0
  stale_reference: 0
  crossed: allow
  empty: allow
  spread: 0
  collar: 0
  velocity: 0
  duplicate: 0
  rate: 0
  repeat: 0
  max_trail: 1s
  decode_hold: 5ms
  fills: fill.>
  rate_total: 1000
  rate_total_burst: 100
  budget: {gross: 1e6, drawdown: 500, fills_stale: 1s}
  overrides:
    - {for: v.value, limits: {value_max: 10}}
    - {for: v.hours, limits: {hours: 00:00-00:01 UTC}}
    - {for: v.gap, limits: {gap_ticks: 3}}
    - {for: v.warmup, limits: {warmup_ticks: 5}}
    - {for: v.stale, limits: {stale: 1ms}}
    - {for: v.crossed, limits: {crossed: refuse}}
    - {for: v.locked, limits: {locked: refuse}}
    - {for: v.depth, limits: {empty: refuse}}
    - {for: v.spread, limits: {spread: 1pct}}
    - {for: v.collar, limits: {price_band: 1..2}}
    - {for: v.velocity, limits: {velocity: 1pct}}
    - {for: v.repeat, limits: {repeat: 1}}
    - {for: v.duplicate, limits: {duplicate: 250ms}}
    - {for: v.position, limits: {position: 1, size: 5}}
    - {for: v.exposure, limits: {size: 1e6}}
    - {for: v.rate, limits: {rate: 1, rate_burst: 1}}
`

// trader drives a live engine from outside: a market, a source of fills, an operator.
type trader struct {
	t             *testing.T
	clock         *feed.ManualClock
	engine        *engine.Engine
	stepper       *engine.Stepper
	market, fills *feed.Inlet
	price         float64
}

func (x *trader) step() {
	if _, err := x.stepper.Step(); err != nil {
		x.t.Fatal(err)
	}
}

// pass lets time pass.
func (x *trader) pass(ns int64) { x.clock.Set(x.clock.NowNs() + ns) }

func (x *trader) offer(inlet *feed.Inlet, symbol string, tick feed.Tick) {
	tick.Instrument = feed.AllInstruments
	if symbol != "" {
		handle, err := inlet.Symbols.Intern([]byte("v"), []byte(symbol))
		if err != nil {
			x.t.Fatal(err)
		}
		tick.Instrument = handle
	}
	if tick.ReceiveNs == 0 {
		tick.ReceiveNs = x.clock.NowNs()
	}
	inlet.Offer(&tick, 0)
	inlet.Flush()
	x.step()
}

// quote quotes a symbol at 100 and a bit, always another bit.
func (x *trader) quote(symbol string) {
	x.price += 0.001
	x.quoteAt(symbol, 100+x.price, 100.1+x.price, 5)
}

func (x *trader) quoteAt(symbol string, bid, ask, size float64) {
	x.pass(1e6)
	x.offer(x.market, symbol, feed.Tick{Kind: feed.KindQuote, F: [4]float64{bid, size, ask, size}})
}

func (x *trader) fill(symbol string, what feed.FillWhat, size, price float64) {
	x.offer(x.fills, symbol, feed.Tick{Kind: feed.KindFill, F: [4]float64{price, size, float64(what)}})
}

func (x *trader) must(err error) {
	if err != nil {
		x.t.Fatal(err)
	}
	x.step()
}

func (x *trader) command(verb feed.ControlVerb, scope feed.ControlScope, symbol string) {
	x.must(x.engine.Command(engine.Command{Verb: verb, Scope: scope, Symbol: feed.Symbol{Venue: "v", Name: symbol}, By: "test", Reason: "every gate"}))
}

// everyGate makes every gate refuse at least once.
func (x *trader) everyGate() {
	x.fill("", feed.FillHeartbeat, 0, 0)
	for fact := feed.FactPeer; fact <= feed.FactDeadman; fact++ {
		x.must(x.engine.Fact(fact, 1))
		x.quote("fact")
		x.must(x.engine.Fact(fact, 0))
		x.quote("fact")
	}
	x.must(x.engine.Fact(feed.FactDecode, float64(x.market.Source())))
	x.quote("decode")
	x.pass(10e6)
	x.command(feed.ControlKill, feed.ScopeInstrument, "kill")
	x.command(feed.ControlReduce, feed.ScopeInstrument, "reducing")
	x.offer(x.market, "halted", feed.Tick{Kind: feed.KindStatus, F: [4]float64{float64(feed.StatusHalt)}})
	for _, symbol := range []string{"value", "kill", "hours", "halted", "warmup", "spread", "collar", "position", "exposure", "reducing"} {
		if symbol == "spread" {
			x.quoteAt(symbol, 100, 110, 5)
		}
		x.quote(symbol)
	}
	x.quoteAt("crossed", 101, 100, 5)
	x.quoteAt("locked", 100, 100, 5)
	x.quoteAt("depth", 100, 101, 0)
	for _, symbol := range []string{"velocity", "duplicate"} {
		x.quoteAt(symbol, 100, 101, 5)
		x.quoteAt(symbol, 100, 101, 5)
	}
	x.quoteAt("velocity", 110, 111, 5)
	for range 2 {
		x.quote("rate")
		x.quote("throttle")
		x.quote("repeat")
		x.quoteAt("repeat", 100, 101, 500)
	}
	x.quote("repeat")
	x.quote("stale")
	x.pass(5e6)
	x.offer(x.market, "stale", feed.Tick{Kind: feed.KindTrade, F: [4]float64{100, 1, 1}})
	x.quote("clock")
	x.offer(x.market, "clock", feed.Tick{Kind: feed.KindQuote, ReceiveNs: x.clock.NowNs() - 5e9, F: [4]float64{105, 1, 106, 1}})
	x.quote("gap")
	x.market.MarkGap(feed.GapSlowConsumer, 3)
	x.step()
	x.quote("gap")
	x.pass(2e9) // no news of fills
	x.quote("position")
	x.fill("", feed.FillHeartbeat, 1, 0)
	for range 150 { // more at once than all together may
		x.price += 0.001
		x.offer(x.market, "total", feed.Tick{Kind: feed.KindQuote, F: [4]float64{100 + x.price, 5, 101 + x.price, 5}})
	}
	x.pass(1e9)
	x.fill("money", feed.FillTrade, 100, 100)
	x.quoteAt("money", 99, 101, 5)
	x.quoteAt("money", 90, 92, 5)
	x.quote("money")
	x.command(feed.ControlResume, feed.ScopeAll, "")
	x.quote("money")
}

// TestEveryGateReplays: a live run in which every gate refused is decided and refused the same way from its journal.
func TestEveryGateReplays(t *testing.T) {
	c, err := config.Parse("gates.yaml", []byte(gatesConfig), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, live := range []string{"fused", "staged"} {
		store, hash, rejected, counts := runLive(t, c, live == "staged")
		for _, gate := range risk.Order {
			// Neither a sound engine nor anything outside it can make the first refuse; package risk's tests do.
			if counts[gate] == 0 && gate != risk.GateSequence {
				t.Errorf("%s: %s never refused", live, gate)
			}
		}
		for _, shape := range []func(*engine.Config){
			nil,
			func(c *engine.Config) { c.Mode, c.Batch = engine.ModeFused, 1 },
			func(c *engine.Config) { c.Mode, c.Batch, c.Lanes = engine.ModeStaged, 7, 3 },
		} {
			r, err := Play(store, Options{Shape: shape})
			if err != nil {
				t.Fatal(err)
			}
			if r.OutputHash != hash || fmt.Sprint(r.Rejected) != fmt.Sprint(rejected) {
				t.Errorf("%s: live %s refused %v\nreplayed %s refused %v", live, hash, rejected, r.OutputHash, r.Rejected)
			}
		}
	}
}

// TestPlayRefusals: over the journal of a run in which every gate refused, every gate is found, and its reasons are what the
// replay counts.
func TestPlayRefusals(t *testing.T) {
	c, err := config.Parse("gates.yaml", []byte(gatesConfig), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	store, hash, rejected, _ := runLive(t, c, false)
	r, err := PlayRefusals(store, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Result.OutputHash != hash || fmt.Sprint(r.Result.Rejected) != fmt.Sprint(rejected) {
		t.Errorf("asking changed what is decided: %s and %v, was %s and %v", r.Result.OutputHash, r.Result.Rejected, hash, rejected)
	}
	reasons := map[string]uint64{}
	for _, x := range r.Refused {
		reasons[x.Gate.String()] += x.Reason
		if x.Count < x.Reason || x.First.Sequence > x.Last.Sequence || x.First.Symbol.Name == "" || x.First.Run != 1 {
			t.Errorf("%+v", x)
		}
	}
	for _, count := range rejected {
		if reasons[count.Name] != count.N {
			t.Errorf("%s is the reason %d times, the replay counts %d", count.Name, reasons[count.Name], count.N)
		}
	}
	if len(r.Off) != 0 || r.Passed == 0 {
		t.Errorf("off %v, passed %d", r.Off, r.Passed)
	}
	off := *c
	off.Risk.Gates = config.Off
	r, err = PlayRefusals(store, Options{Config: &off})
	if err != nil || len(r.Refused) != 2 || len(r.Asked) != 4 {
		t.Errorf("gates off: %+v, asked %v, %v", r.Refused, r.Asked, err)
	}
}

// runLive records one run.
func runLive(t *testing.T, c *config.Config, staged bool) (journal.Store, string, metrics.Counts, [risk.GateCount]uint64) {
	shape, _, err := setup.Engine(c)
	if err != nil {
		t.Fatal(err)
	}
	shape.Mode = engine.ModeFused
	if staged {
		shape.Mode, shape.Lanes = engine.ModeStaged, 2
	}
	clock := feed.NewManualClock(1767268800e9) // noon
	store := new(memstore.Store)
	writer, err := journal.OpenWriter(store, journal.Options{Partition: c.Partition, NowNs: clock.NowNs})
	if err != nil {
		t.Fatal(err)
	}
	ticks := writer.Ticks()
	if err := ticks.Config(setup.Generation, "journal", []byte(c.String())); err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(shape, engine.Ports{Clock: clock, Ticks: ticks, Outcomes: writer.Outcomes()})
	if err != nil {
		t.Fatal(err)
	}
	x := &trader{t: t, clock: clock, engine: e}
	for _, inlet := range []**feed.Inlet{&x.market, &x.fills} {
		if *inlet, err = feed.NewInlet(feed.InletConfig{Name: "x", Slots: 64, Instruments: 64, Full: feed.FullBlock}); err != nil {
			t.Fatal(err)
		}
		if err := e.AddInlet(*inlet); err != nil {
			t.Fatal(err)
		}
	}
	x.stepper = e.Steps()
	x.everyGate()
	x.market.Close()
	x.fills.Close()
	x.step()
	if err := x.stepper.Close(); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	hash, signals := e.OutputHash()
	if signals < 100 {
		t.Errorf("%d signals", signals)
	}
	var counts [risk.GateCount]uint64
	for gate := range counts {
		counts[gate] = e.Rejections().Rejected[gate].Load()
	}
	return store, hash, setup.Rejected(e.Rejections()), counts
}
