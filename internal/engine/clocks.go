package engine

import (
	"math"
	"math/bits"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/risk"
)

// clocks derives boundaries from engine time. A boundary at or before the time of a tick runs before that tick;
// several passed at once collapse to the last.
type clocks struct {
	list    []Clock
	last    [ClocksMax]int64 // number of the last boundary that was run, or that engine time began after
	nextNs  int64            // the earliest boundary to come
	started bool
}

func newClocks(config *Config) clocks { return clocks{list: config.Clocks, nextNs: math.MaxInt64} }

// due reports whether a boundary has been passed.
func (c *clocks) due(nowNs int64) bool {
	if len(c.list) == 0 {
		return false
	}
	if !c.started {
		c.started = true
		for i := range c.list {
			c.last[i] = floorDiv(nowNs, c.list[i].PeriodNs)
		}
		c.plan()
		return false
	}
	return nowNs >= c.nextNs
}

// plan finds the earliest boundary to come.
func (c *clocks) plan() {
	c.nextNs = math.MaxInt64
	for i := range c.list {
		c.nextNs = min(c.nextNs, (c.last[i]+1)*c.list[i].PeriodNs)
	}
}

// earliest returns the next boundary to run before nowNs and the clocks whose it is, or no clocks. Each clock's is the
// last one it has passed.
func (c *clocks) earliest(nowNs int64) (boundaryNs int64, mask uint32) {
	boundaryNs = math.MaxInt64
	for i := range c.list {
		number := floorDiv(nowNs, c.list[i].PeriodNs)
		if number == c.last[i] {
			continue
		}
		switch at := number * c.list[i].PeriodNs; {
		case at < boundaryNs:
			boundaryNs, mask = at, 1<<i
		case at == boundaryNs:
			mask |= 1 << i
		}
	}
	return boundaryNs, mask
}

// ran notes that a boundary has been run.
func (c *clocks) ran(nowNs int64, mask uint32) {
	for i := range c.list {
		if mask>>i&1 != 0 {
			c.last[i] = floorDiv(nowNs, c.list[i].PeriodNs)
		}
	}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// boundaries runs every boundary passed before a tick, earliest first: one slot for each instrument with a signal on
// one of its clocks, in the order of names.
func (s *sequencer) boundaries(tick *feed.Tick, nowNs int64) {
	for {
		atNs, mask := s.clocks.earliest(nowNs)
		if mask == 0 {
			break
		}
		s.clocks.ran(nowNs, mask)
		s.counts.Boundaries.Add(1)
		var signals uint64
		for i := range s.clocks.list {
			if mask>>i&1 != 0 {
				signals |= s.clocks.list[i].Signals
			}
		}
		for _, id := range s.byName {
			if s.signals[id]&signals != 0 {
				s.evaluate(id, program.CtlClockEvaluation, mask, 0, tick, atNs)
			}
		}
	}
	s.clocks.plan()
}

// evaluate stages a slot that no tick of the instrument caused: a clock's, or a reference's.
func (s *sequencer) evaluate(id, control, clocks, fresh uint32, tick *feed.Tick, atNs int64) {
	gap := s.anyGap(id)
	if gap {
		control |= program.CtlGap
	}
	control |= s.session(id)
	s.references.owe(id, control)
	var none [4]float64
	s.stage(id, &none, control, clocks, fresh, risk.Event{
		Sequence: tick.Seq, EngineNs: atNs, ReceiveNs: tick.ReceiveNs, Instrument: id, Source: tick.Source, Gap: gap,
		Reset: control&program.CtlSessionReset != 0, ClockTrails: s.clockTrails(tick),
	}, tick.ReceiveNs)
}

// anyGap takes the gaps that the instrument's slots have not carried yet, of whatever source.
func (s *sequencer) anyGap(id uint32) bool {
	gap := false
	for from := s.from[id]; from != 0; from &= from - 1 {
		source := bits.TrailingZeros64(from)
		key := s.key(uint16(source), id)
		if s.gapSeen[key] != s.gapGeneration[source] {
			s.gapSeen[key] = s.gapGeneration[source]
			s.openEvent[key] = 0
			gap = true
		}
	}
	return gap
}
