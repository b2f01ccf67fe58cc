package sim

import (
	"math"

	"github.com/sigengine/sigengine/feed"
)

// Positions in faultLimits, in the order of Faults.
const (
	faultHalt = iota
	faultDeclaredGap
	faultSilentGap
	faultLocked
	faultCrossed
	faultAbsentSide
	faultBurst
)

// fault makes the fault that draw, below a million, falls on.
func (m *Market) fault(tick *feed.Tick, in *instrument, i int, draw uint64) {
	kind := 0
	for draw >= m.faultLimits[kind] {
		kind++
	}
	switch kind {
	case faultHalt:
		m.halt(tick, in)
	case faultDeclaredGap:
		m.stats.DeclaredGaps++
		lost := m.lose(in)
		tick.Kind = feed.KindGap
		tick.F = [4]float64{float64(feed.GapDeclared), float64(lost)}
	case faultSilentGap:
		m.stats.SilentGaps++
		m.lose(in)
		m.quote(tick, in)
	case faultLocked:
		m.stats.Locked++
		m.quote(tick, in)
		tick.F[2] = tick.F[0]
	case faultCrossed:
		m.stats.Crossed++
		m.quote(tick, in)
		tick.F[0] = in.price(in.ask + 1)
	case faultAbsentSide:
		m.stats.AbsentSides++
		m.quote(tick, in)
		side := 2 * m.random.below(2)
		tick.F[side], tick.F[side+1] = feed.NaN(), 0
	case faultBurst:
		m.stats.Bursts++
		lengthNs := min(burstSeconds, burstTicks/m.config.RatePerSecond) * 1e9 * m.random.exponential()
		m.burstEndNs = m.nowNs + int64(lengthNs)
		m.trade(tick, in)
	}
}

// lose skips sequence numbers of one instrument while its market moves on, and returns how many.
func (m *Market) lose(in *instrument) uint64 {
	lost := 1 + m.random.below(gapLostMax)
	for range lost {
		in.step(&m.random, m.nowNs, m.factor, burstWider)
		in.trade(&m.random)
	}
	in.venueSeq += lost
	m.stats.LostInGaps += lost
	return lost
}

// halt stops an instrument. Only the halt itself is its next tick, then nothing until resume.
func (m *Market) halt(tick *feed.Tick, in *instrument) {
	m.stats.Halts++
	tick.Kind = feed.KindStatus
	tick.F[0] = float64(feed.StatusHalt)
	in.halted = true
	in.runLeft = 0
	in.resumeNs = m.nowNs + haltNsMin + int64(float64(haltNsSpan*m.random.uniform()))
	if m.haltedCount == 0 || in.resumeNs < m.nextResumeNs {
		m.nextResumeNs = in.resumeNs
	}
	m.haltedCount++
}

// firstToResume returns the halted instrument whose time is up first. Halts are rare: a scan will do.
func (m *Market) firstToResume() int {
	first := -1
	for i := range m.instruments {
		in := &m.instruments[i]
		if in.halted && (first < 0 || in.resumeNs < m.instruments[first].resumeNs) {
			first = i
		}
	}
	return first
}

// resume ends a halt. The instrument quotes at once afterwards.
func (m *Market) resume(tick *feed.Tick, i int) {
	m.stats.Resumes++
	tick.Kind = feed.KindStatus
	tick.F[0] = float64(feed.StatusResume)
	m.instruments[i].halted = false
	m.quoteNext = i
	m.haltedCount--
	m.nextResumeNs = math.MaxInt64
	if m.haltedCount > 0 {
		m.nextResumeNs = m.instruments[m.firstToResume()].resumeNs
	}
}
