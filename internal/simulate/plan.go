package simulate

import (
	"fmt"
	"strings"
)

// Plan is everything about a simulation that its seed decides before it starts. Rates are a million.
type Plan struct {
	Seed       uint64
	Turns      int // of the world with faults
	QuietTurns int // and without

	// What the engine is given.
	Signals         string // the configuration's signals; empty: a set that fires often
	Exchange        bool   // engine time from exchange times
	LateDrop        bool
	Lanes           int
	BatchTicks      int
	Slots           [feeds]int // of the rings
	InstrumentsMax  int
	Instruments     [feeds]int
	TicksPerMessage [feeds]int
	BinaryOut       bool
	PendingMessages int
	BlockBytes      int
	TickBlocks      int
	SyncBlocks      bool
	ContinueOnError bool // go on without a journal when it fails

	// Faults in transit, a message.
	Drop, Duplicate, Malformed, Corrupt, BrokenEvent int
	DelayNsMax                                       int

	// Faults a turn.
	Disconnect, Stall, EngineStall, ClockStep, ConnFail, StoreFail, Kill, Command, Burst int
}

// feeds is how many markets and sources there are: JSON, binary, and JSON arrays.
const feeds = 3

const (
	venues          = "ABA" // by feed: the first and the last name the same instruments
	turnNs          = 250_000
	startNs         = int64(1_750_000_000_000_000_000)
	ratePerSecond   = 4000
	quietTurns      = 1000
	faultyTurns     = 1500
	instrumentsFeed = 8
)

// NewPlan returns the plan of a seed.
func NewPlan(seed uint64) Plan {
	c := newChance(seed, streamPlan)
	p := Plan{
		Seed: seed, Turns: faultyTurns, QuietTurns: quietTurns,
		Exchange: c.hits(250_000), Lanes: c.between(1, 3), BatchTicks: pick(c, 1, 2, 7, 64, 256),
		InstrumentsMax: pick(c, 64, 64, 2*instrumentsFeed-2), BinaryOut: c.coin(), PendingMessages: pick(c, 16, 64, 1024),
		BlockBytes: pick(c, 4096, 8192), TickBlocks: pick(c, 2, 8, 64), SyncBlocks: c.hits(200_000),
		ContinueOnError: c.hits(150_000),
	}
	p.LateDrop = p.Exchange && c.coin()
	for i := range feeds {
		p.Slots[i] = pick(c, 16, 64, 1024)
		p.Instruments[i] = c.between(2, instrumentsFeed)
		p.TicksPerMessage[i] = []int{1, pick(c, 1, 8, 20), pick(c, 2, 5)}[i]
		for p.Slots[i] < 4*p.TicksPerMessage[i] {
			p.Slots[i] *= 2 // a ring that one message fills can never be well
		}
	}
	// Each fault is absent from some seeds, rare in some and frequent in others.
	rate := func(most int) int { return pick(c, 0, 0, most/10, most/10, most/3, most) }
	p.Drop, p.Duplicate, p.Malformed = rate(50_000), rate(50_000), rate(50_000)
	p.Corrupt, p.BrokenEvent = pick(c, 0, 0, 0, 1000, 20_000), rate(10_000)
	p.DelayNsMax = rate(20_000_000)
	p.Disconnect, p.Stall, p.EngineStall, p.ClockStep = rate(3000), rate(20_000), rate(20_000), rate(1500)
	p.ConnFail, p.StoreFail, p.Kill, p.Command, p.Burst = rate(10_000), rate(1500), rate(1000), rate(10_000), rate(5000)
	return p
}

// config is the text of the engine's configuration.
func (p *Plan) config() string {
	var text strings.Builder
	fmt.Fprintf(&text, "version: 1\npartition: simulated\n")
	if p.Exchange {
		text.WriteString("clock: exchange\n")
	}
	if p.LateDrop {
		text.WriteString("late_drop: 5ms\n")
	}
	fmt.Fprintf(&text, "feeds: [{name: all, subject: md.>, codec: json}]\n")
	fmt.Fprintf(&text, "risk: {stale: 50ms, max_trail: 1s, collar: 0, velocity: 0}\n")
	fmt.Fprintf(&text, "engine: {mode: fused, executor: cpu, lanes: %d, batch: %d, instruments: %d, heartbeat: 10ms}\n",
		p.Lanes, p.BatchTicks, p.InstrumentsMax)
	if p.Signals != "" {
		return text.String() + p.Signals
	}
	return text.String() + signals
}

// signals fire often, so that a short simulation has many: each of the ways to open, close and refuse is among them.
const signals = `signals:
  - {name: lean, value: imbalance, when: abs(value) > 0.2, exit: abs(value) < 0.1, throttle: 5ms, side: sign(value), for: "*"}
  - {name: drift, value: "mid - sma(mid, 10)", when: abs(value) > 0.25 * spread, exit: abs(value) < 0.1 * spread, throttle: 2ms, expires: 50ms, for: "*"}
  - {name: press, value: ofi(100ms), when: "crosses(value, 0)", side: sign(value), expires: 20ms, for: "*"}
  - {name: takers, value: "sma(size * sign(aggressor), 5)", when: value > 0, exit: value < 0, throttle: 10ms, for: "*"}
  - {name: tape, value: "price - ema(price, 10)", when: "crosses(value, 0)", for: "*", on_gap: hold}
  - {name: wide, value: "zscore(spread, 200ms)", when: value > 1, exit: value < 0, expires: 1s, horizon: 5s, strength: value * 2, for: "A.*", on_gap: hold}
  - {name: apart, value: price - mid, when: abs(value) > 0.5 * spread, exit: abs(value) < 0.1 * spread, throttle: 10ms, for: "*", on_gap: hold}
`

// warmUp is how many samples a signal's windows need, from the start and after each gap. Those that hold at a gap are not
// here.
var warmUp = map[string]struct{ quotes, trades int }{"drift": {quotes: 10}, "takers": {trades: 5}}
