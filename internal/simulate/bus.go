package simulate

import (
	"fmt"
	"slices"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/sim"
)

// bus carries the markets' messages to the sources. Within a feed it keeps the order, as a subscription does; between
// feeds, delays change it.
type bus struct {
	w       *world
	c       chance
	markets [feeds]*sim.Market
	publish [feeds]*sim.Publisher
	links   [feeds]link
	down    bool
	upNs    int64 // when it comes up again
	lost    [feeds]uint64
	healthy [feeds]uint64 // messages carried since the faults stopped
}

// link is what is on its way to one source.
type link struct {
	messages []inFlight
	lastNs   int64
	delayNs  int // now, at most
}

type inFlight struct {
	dueNs int64
	payload
}

func newBus(w *world) (*bus, error) {
	b := &bus{w: w, c: newChance(w.plan.Seed, streamBus)}
	for i := range feeds {
		config := sim.Config{
			Seed: w.plan.Seed*feeds + uint64(i), Instruments: w.plan.Instruments[i], RatePerSecond: ratePerSecond,
			StartNs: startNs, Venue: venues[i : i+1],
			Faults: sim.Faults{Halts: 100, DeclaredGaps: 500, SilentGaps: 500, Locked: 3000, Crossed: 3000, AbsentSides: 2000, Bursts: 500},
		}
		var err error
		if b.markets[i], err = sim.New(config); err != nil {
			return nil, err
		}
		encoding := sim.JSON
		if i == 1 {
			encoding = sim.Binary
		}
		if b.publish[i], err = sim.NewPublisher(sim.PublisherConfig{
			Market: b.markets[i], Clock: feed.NewManualClock(0), Codec: encoding, TicksPerMessage: w.plan.TicksPerMessage[i],
			Session: 1 + w.plan.Seed,
			Send: func(_ string, bytes []byte) error {
				b.send(i, bytes)
				return nil
			},
		}); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// turn lets the markets publish what is due and delivers what has arrived.
func (b *bus) turn() {
	for i := range feeds {
		b.publish[i].Pump(b.w.nowNs)
	}
	if b.down && b.w.nowNs >= b.upNs {
		b.connect()
	}
	for i := range feeds {
		l := &b.links[i]
		n := 0
		for n < len(l.messages) && l.messages[n].dueNs <= b.w.nowNs {
			b.w.process.receive(i, l.messages[n].payload)
			n++
		}
		l.messages = l.messages[n:]
	}
}

// send takes one message of a market, and makes of it what the network makes.
func (b *bus) send(i int, bytes []byte) {
	p := &b.w.plan
	bytes = append([]byte(nil), bytes...)
	if b.w.quiet {
		b.healthy[i]++
		b.carry(i, payload{bytes: bytes})
		return
	}
	if b.c.hits(p.Malformed) {
		bad := badJSON
		if i == 1 {
			bad = badBinary
		}
		b.carry(i, pick(b.c, bad...))
	}
	if i != 1 && b.c.hits(p.BrokenEvent) {
		m := b.markets[i]
		b.carry(i, event(m.NowNs(), m.Symbol(b.c.below(m.Len())), b.c.coin()))
	}
	switch {
	case b.c.hits(p.Drop):
		b.lost[i]++
	case b.c.hits(p.Corrupt):
		b.carry(i, corrupt(b.c, bytes))
	default:
		b.carry(i, payload{bytes: bytes})
		if b.c.hits(p.Duplicate) {
			b.carry(i, payload{bytes: bytes})
		}
	}
}

// carry puts a message on its way.
func (b *bus) carry(i int, p payload) {
	if b.down {
		b.lost[i]++
		return
	}
	l := &b.links[i]
	dueNs := b.w.nowNs + 20_000
	if !b.w.quiet && b.w.plan.DelayNsMax > 0 {
		if b.c.hits(10_000) {
			l.delayNs = b.c.below(b.w.plan.DelayNsMax)
		}
		dueNs += int64(l.delayNs)
	}
	l.lastNs = max(l.lastNs, dueNs)
	l.messages = append(l.messages, inFlight{l.lastNs, p})
}

// disconnect takes the connection away for a while: what is on its way is lost.
func (b *bus) disconnect(forNs int64) {
	if b.down {
		return
	}
	b.w.trace.event("disconnect", uint64(forNs))
	b.down, b.upNs = true, b.w.nowNs+forNs
	b.clear()
	b.w.process.lost(feed.GapDisconnect)
}

func (b *bus) connect() {
	b.w.trace.event("connect")
	b.down = false
	b.w.process.lost(feed.GapDisconnect)
}

// clear loses what is on its way.
func (b *bus) clear() {
	for i := range b.links {
		b.lost[i] += uint64(len(b.links[i].messages))
		b.links[i].messages = nil
	}
}

// corrupted reports whether something corrupt is on its way.
func (l *link) corrupted() bool {
	return slices.ContainsFunc(l.messages, func(m inFlight) bool { return m.unknown })
}

func isUnknown(p payload) bool { return p.unknown }

// burst makes the markets catch up at once, as after a pause of the network.
func (b *bus) burst() { b.w.nowNs += 20 * turnNs }

func codecName(i int) string {
	if i == 1 {
		return "binary"
	}
	return "json"
}

func feedName(i int) string { return fmt.Sprintf("feed %d", i+1) }
