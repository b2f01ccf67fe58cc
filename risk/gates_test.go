package risk

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// enabled says how to switch a gate on, and nothing else. Gates that are always on have an empty one.
var enabled = map[Gate]func(t *rapid.T, c *Config, l *Limits){
	GateSequence: nothing, GateKill: nothing, GatePeer: nothing, GateRecorder: nothing, GateDisk: nothing, GateDevice: nothing,
	GateLatency: nothing, GateDeadman: nothing, GateClock: nothing, GateHalted: nothing, GateGap: gapTicks, GateReducing: nothing,
	GateValue: func(t *rapid.T, _ *Config, l *Limits) {
		l.ValueMax = float64(rapid.IntRange(0, 3).Draw(t, "value max"))
	},
	GateDecode: func(t *rapid.T, c *Config, _ *Limits) { c.DecodeHoldNs = rapid.Int64Range(1, 30).Draw(t, "decode") },
	GateHours: func(t *rapid.T, c *Config, l *Limits) {
		period := rapid.Int64Range(1, 40).Draw(t, "hours")
		c.Hours = []Hours{func(now int64) (bool, int64) { return now/period%2 == 0, (now/period + 1) * period }}
		l.Hours = 1
	},
	GateWarmup: func(t *rapid.T, _ *Config, l *Limits) {
		l.WarmNs, l.WarmTicks = rapid.Int64Range(0, 30).Draw(t, "warm"), rapid.Uint32Range(0, 4).Draw(t, "warm ticks")
	},
	GateStale: func(t *rapid.T, _ *Config, l *Limits) {
		l.StaleNs, l.StaleTradeNs = rapid.Int64Range(0, 20).Draw(t, "stale"), rapid.Int64Range(0, 20).Draw(t, "stale trade")
		l.StaleReferenceNs = rapid.Int64Range(0, 20).Draw(t, "stale reference")
	},
	GateCrossed: func(_ *rapid.T, _ *Config, l *Limits) { l.RefuseCrossed = true },
	GateLocked:  func(_ *rapid.T, _ *Config, l *Limits) { l.RefuseLocked = true },
	GateDepth:   func(_ *rapid.T, _ *Config, l *Limits) { l.RefuseEmpty = true },
	GateSpread:  func(t *rapid.T, _ *Config, l *Limits) { l.Spread = rapid.Float64Range(0.001, 0.5).Draw(t, "spread") },
	GateCollar: func(t *rapid.T, _ *Config, l *Limits) {
		l.Collar, l.CollarWindowNs = rapid.Float64Range(0.001, 0.2).Draw(t, "collar"), rapid.Int64Range(10, 200).Draw(t, "collar window")
		l.Band, l.PriceLow, l.PriceHigh = rapid.Bool().Draw(t, "band"), 101, 109
	},
	GateVelocity: func(t *rapid.T, _ *Config, l *Limits) {
		l.Velocity = rapid.Float64Range(0.001, 0.2).Draw(t, "velocity")
		l.VelocityWindowNs, l.VelocityHoldNs = rapid.Int64Range(4, 40).Draw(t, "velocity window"), rapid.Int64Range(1, 40).Draw(t, "hold")
	},
	GateRepeat: func(t *rapid.T, _ *Config, l *Limits) {
		l.RepeatCount, l.RepeatWindowNs = rapid.Uint32Range(1, 4).Draw(t, "repeat"), rapid.Int64Range(5, 200).Draw(t, "repeat window")
	},
	GateDuplicate: func(t *rapid.T, _ *Config, l *Limits) {
		l.DuplicateNs, l.DuplicateStep = rapid.Int64Range(1, 40).Draw(t, "duplicate"), float64(rapid.IntRange(0, 2).Draw(t, "step"))
	},
	GateFills: func(t *rapid.T, c *Config, l *Limits) {
		c.Budget.StaleNs, c.Budget.Gross = rapid.Int64Range(1, 60).Draw(t, "fills"), 1e9
		l.SignalSize = float64(rapid.IntRange(0, 2).Draw(t, "size"))
	},
	GatePosition: func(t *rapid.T, _ *Config, l *Limits) {
		l.PositionMax, l.SignalSize = float64(rapid.IntRange(1, 6).Draw(t, "position")), float64(rapid.IntRange(0, 3).Draw(t, "size"))
	},
	GateExposure: func(t *rapid.T, c *Config, l *Limits) {
		c.Budget.Gross, c.Budget.Net = float64(rapid.IntRange(0, 9).Draw(t, "gross"))*100, float64(rapid.IntRange(0, 5).Draw(t, "net"))*100
		l.SignalSize = float64(rapid.IntRange(0, 2).Draw(t, "size"))
	},
	GateDrawdown: func(t *rapid.T, c *Config, _ *Limits) {
		c.Budget.Drawdown, c.Budget.DayLoss = float64(rapid.IntRange(0, 30).Draw(t, "drawdown")), float64(rapid.IntRange(0, 30).Draw(t, "day loss"))
	},
	GateRate: func(t *rapid.T, _ *Config, l *Limits) {
		l.RateNs, l.RateBurst = rapid.Int64Range(1, 20).Draw(t, "rate"), rapid.Int64Range(1, 4).Draw(t, "burst")
	},
	GateRateTotal: func(t *rapid.T, c *Config, _ *Limits) {
		c.TotalRateNs, c.TotalBurst = rapid.Int64Range(1, 20).Draw(t, "total"), rapid.Int64Range(1, 4).Draw(t, "total burst")
	},
	GateThrottle: func(t *rapid.T, c *Config, _ *Limits) {
		for i := range c.Rules {
			c.Rules[i].ThrottleNs = rapid.Int64Range(0, 20).Draw(t, "throttle")
		}
	},
}

func nothing(*rapid.T, *Config, *Limits) {}

func gapTicks(t *rapid.T, _ *Config, l *Limits) {
	l.GapTicks = rapid.Uint32Range(0, 3).Draw(t, "gap ticks")
}

// TestEveryGate drives the desk through any history, with one gate switched on and then with all, and compares each decision
// and each refusal, and its reason, with the naive desk's.
func TestEveryGate(t *testing.T) {
	for _, gate := range Order {
		t.Run(gate.String(), func(t *testing.T) {
			refused := map[Gate]int{}
			rapid.Check(t, func(t *rapid.T) { compare(t, []Gate{gate}, refused) })
			if refused[gate] == 0 && !testing.Short() {
				t.Error("it never refused: the test shows nothing")
			}
		})
	}
	t.Run("all", func(t *testing.T) {
		refused := map[Gate]int{}
		rapid.Check(t, func(t *rapid.T) { compare(t, Order[:], refused) })
	})
}

// history is a desk, its naive twin, and the events that both are given.
type history struct {
	t      *rapid.T
	desk   *Desk
	n      *naive
	taken  *recorder
	now    int64
	seq    uint64
	mid    int
	gates  []Gate
	values [SignalsMax][2]float64
}

// recorder writes down what a desk decides and refuses as the naive one does.
type recorder struct {
	desk  *Desk
	lines []string
}

func (r *recorder) Take(pair uint32, b *signal.Body) {
	line := fmt.Sprintf("%d: %s of %s", int(pair)/len(r.desk.rules), b.Action, b.Signal)
	if b.Reason != signal.ReasonNone {
		line += " " + b.Reason.String()
	}
	r.lines = append(r.lines, line)
}

func (r *recorder) Refuse(pair uint32, gate Gate, x *signal.Rejection) {
	r.lines = append(r.lines, fmt.Sprintf("%d: %s of %s refused %s", int(pair)/len(r.desk.rules), x.Action, x.Signal, gate))
}

// historyConfig draws rules and, for the gates that are to be on, limits that differ by pair.
func historyConfig(t *rapid.T, gates []Gate) (Config, []Limits) {
	c := Config{
		Partition: "p", Instruments: 3, GatesOn: true, EveryRefusal: true, NextDay: func(ns int64) int64 { return (ns/50 + 1) * 50 },
		References: []feed.Symbol{{Venue: "v", Name: "B"}, {Venue: "v", Name: "none"}},
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "rules") {
		c.Rules = append(c.Rules, Rule{
			Name: strconv.Itoa(i), ExpiresNs: rapid.Int64Range(0, 1).Draw(t, "expires") * rapid.Int64Range(1, 30).Draw(t, "for"),
			HasExit: rapid.Bool().Draw(t, "exit"), UsesQuote: rapid.Bool().Draw(t, "quote"), UsesTrade: rapid.Bool().Draw(t, "trade"),
			References: rapid.SampledFrom([]uint32{0, 0, 1, 2}).Draw(t, "references"), ValueQuarter: 2 * i, SideQuarter: 2*i + 1, StrengthQuarter: -1,
		})
	}
	limits := make([]Limits, 0, 16)
	for range 3 * (len(c.Rules) + 1) {
		var l Limits
		for _, gate := range gates {
			enabled[gate](t, &c, &l)
		}
		if len(limits) > 0 { // these belong to the instrument, or to all; differing hours are tested by differing switches
			own := limits[0]
			l.CollarWindowNs, l.VelocityWindowNs, l.VelocityHoldNs = own.CollarWindowNs, own.VelocityWindowNs, own.VelocityHoldNs
			l.RateBurst, l.RateNs, l.Multiplier = own.RateBurst, own.RateNs, own.Multiplier
		}
		limits = append(limits, l)
	}
	c.Limits = limits[0]
	return c, limits
}

func newHistory(t *rapid.T, gates []Gate) *history {
	c, limits := historyConfig(t, gates)
	symbols := []feed.Symbol{{Venue: "v", Name: "C"}, {Venue: "v", Name: "B"}, {Venue: "v", Name: "a/"}}
	perInstrument := func(rule, id int) Limits { return limits[id*(len(c.Rules)+1)+rule+1] }
	c.LimitsOf = func(rule int, symbol feed.Symbol) Limits { return perInstrument(rule, slices.Index(symbols, symbol)) }
	h := &history{t: t, taken: &recorder{}, now: 1000, mid: 100, gates: gates}
	desk, err := NewDesk(c, h.taken)
	if err != nil {
		t.Fatal(err)
	}
	h.desk, h.taken.desk = desk, desk
	h.n = &naive{config: c, symbols: symbols, sources: []uint64{0b10, 0b110, 0b100}, limits: perInstrument, refused: map[Gate]int{}}
	for id, symbol := range symbols {
		for source := range 3 {
			if h.n.sources[id]>>source&1 != 0 {
				desk.Define(uint32(id), symbol, uint16(source), false)
			}
		}
	}
	return h
}

func compare(t *rapid.T, gates []Gate, refused map[Gate]int) {
	h := newHistory(t, gates)
	for range rapid.IntRange(1, 50).Draw(t, "events") {
		e, fired := h.event()
		h.draw()
		h.apply(e, fired)
		if !slices.Equal(h.taken.lines, h.n.out) {
			t.Fatalf("event %d: the desk said\n  %s\nthe naive one\n  %s", len(h.n.events), strings.Join(h.taken.lines, "\n  "), strings.Join(h.n.out, "\n  "))
		}
	}
	for gate, count := range h.n.refused { // order-free: adds up
		refused[gate] += count
		if got := h.desk.Counters().Rejected[gate].Load(); got != uint64(count) {
			t.Fatalf("%s counts %d, want %d", gate, got, count)
		}
	}
}

// Value returns a value or side that the history drew.
func (h *history) Value(quarter int) float64 { return h.values[quarter/2][quarter%2] }

// draw draws the values and sides of the next event's signals.
func (h *history) draw() {
	for i := range h.desk.rules {
		value := rapid.SampledFrom([]float64{1, 1, 2, -2, 3, 4.5, feed.NaN()}).Draw(h.t, "value")
		side := rapid.SampledFrom([]float64{1, 1, -1, -1, 0, feed.NaN()}).Draw(h.t, "side")
		h.values[i] = [2]float64{value, side}
	}
}

// apply applies an event to the desk and to its twin.
func (h *history) apply(e Event, fired Fired) {
	h.taken.lines, h.n.out = nil, nil
	h.desk.Apply(&e, fired, h)
	h.n.apply(e, fired, func(sig int) (float64, float64) { return h.values[sig][0], h.values[sig][1] })
}

// event draws what happens next. What the gates under test look at happens more often.
func (h *history) event() (Event, Fired) {
	t := h.t
	h.now += rapid.SampledFrom([]int64{0, 1, 1, 2, 5, 9, 40}).Draw(t, "dt")
	h.seq++
	id := rapid.Uint32Range(0, 2).Draw(t, "instrument")
	e := Event{Sequence: h.seq, EngineNs: h.now, Instrument: id, Source: uint16(rapid.IntRange(1, 2).Draw(t, "source"))}
	one := func(odds int, name string) bool { return rapid.IntRange(0, odds).Draw(t, name) == 0 }
	if slices.Contains(h.gates, GateSequence) && one(9, "old") {
		e.Sequence -= min(e.Sequence, 3)
		e.EngineNs -= rapid.Int64Range(0, 3).Draw(t, "back")
	}
	switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); kind {
	case 0:
		h.outside(&e)
		return e, Fired{}
	case 1:
		e.Source = 0
		e.Kind, e.F = feed.KindFill, [4]float64{
			float64(rapid.IntRange(99, 103).Draw(t, "fill price")), float64(rapid.IntRange(-3, 3).Draw(t, "fill size")), float64(rapid.IntRange(0, 2).Draw(t, "what")),
		}
		if one(30, "no price") {
			e.F[0] = feed.NaN()
		}
		return e, Fired{}
	case 2: // a clock's slot
	case 3, 4:
		e.Kind, e.TradeFresh = feed.KindTrade, !one(5, "more")
		e.F = [4]float64{float64(h.price()), 1}
	default:
		e.Kind, e.QuoteFresh = feed.KindQuote, !one(5, "more")
		spread := rapid.SampledFrom([]int{1, 1, 1, 1, 0, -1, 9}).Draw(t, "spread")
		price := h.price()
		e.F = [4]float64{float64(price), float64(rapid.IntRange(0, 5).Draw(t, "bid size")), float64(price + spread), float64(rapid.IntRange(0, 5).Draw(t, "ask size"))}
		if one(15, "no ask") {
			e.F[2], e.F[3] = feed.NaN(), 0
		}
	}
	e.ClockTrails, e.Reset, e.Gap = one(15, "trails"), one(15, "reset"), one(15, "gap")
	mask := uint64(1)<<len(h.desk.rules) - 1
	return e, Fired{When: rapid.Uint64Range(0, mask).Draw(t, "when"), Exit: rapid.Uint64Range(0, mask).Draw(t, "exit") & rapid.Uint64Range(0, mask).Draw(t, "exit too")}
}

// price walks, and jumps now and then.
func (h *history) price() int {
	h.mid += rapid.SampledFrom([]int{0, 0, 1, -1, 2, 20, -20}).Draw(h.t, "move")
	h.mid = max(h.mid, 10)
	return h.mid
}

// outside draws a gap, a halt, a command or a fact.
func (h *history) outside(e *Event) {
	t := h.t
	switch rapid.IntRange(0, 5).Draw(t, "outside") {
	case 0:
		e.Kind = feed.KindGap
		switch rapid.IntRange(0, 3).Draw(t, "whose") {
		case 0: // of the source of fills
			e.Instrument, e.Source = feed.AllInstruments, 0
		case 1, 2:
			e.Instrument = feed.AllInstruments
		}
	case 1:
		e.Kind, e.F[0] = feed.KindStatus, float64(rapid.IntRange(1, 5).Draw(t, "status"))
	case 2, 3:
		e.Kind, e.F = feed.KindControl, [4]float64{float64(feed.ControlFact), float64(h.aFact()), float64(rapid.IntRange(0, 2).Draw(t, "holds"))}
	default:
		verb := rapid.SampledFrom([]feed.ControlVerb{feed.ControlKill, feed.ControlResume, feed.ControlResume, feed.ControlReduce}).Draw(t, "verb")
		e.Kind, e.F = feed.KindControl, [4]float64{
			float64(verb), float64(rapid.IntRange(1, 3).Draw(t, "scope")), float64(rapid.IntRange(0, len(h.desk.rules)-1).Draw(t, "signal")),
			float64(rapid.IntRange(0, 1).Draw(t, "note")),
		}
	}
}

// aFact draws a fact; of one gate alone its own.
func (h *history) aFact() feed.Fact {
	if len(h.gates) == 1 && h.gates[0] == GateDecode {
		return feed.FactDecode
	}
	if len(h.gates) == 1 && factGates.has(h.gates[0]) {
		return feed.Fact(bits.TrailingZeros32(uint32(factOf(h.gates[0]))))
	}
	return feed.Fact(rapid.IntRange(1, 7).Draw(h.t, "fact"))
}
