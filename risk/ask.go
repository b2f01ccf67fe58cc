package risk

import "math/bits"

// question is one enter or update that the gates are asked about.
type question struct {
	event   *Event
	market  *market
	rule    *Rule
	profile *profile
	pair    *pairState
	pairs   []pairState // of the instrument
	open    uint64      // pairs of the instrument, a bit a signal
	latched uint64      // likewise
	index   int         // of the rule
	isOpen  bool
	value   float64
	side    float64 // undefined if the rule has none
}

// ask runs the gates for one enter or update and returns the first that refuses. It changes nothing.
func (d *Desk) ask(q *question) Gate {
	left := q.profile.asked
	if d.facts == 0 {
		left &^= factGates
	}
	for ; left != 0; left &= left - 1 {
		if gate := Order[bits.TrailingZeros64(uint64(left))]; d.refuses(gate, q) {
			return gate
		}
	}
	return GateNone
}

// refuses is the definition of every gate, each a function of what was journaled, of engine time and of the
// configuration. A gate that cannot decide refuses: comparisons are written so that an undefined number does not pass.
func (d *Desk) refuses(gate Gate, q *question) bool {
	m, l, nowNs := q.market, &q.profile.limits, q.event.EngineNs
	switch gate {
	case GateSequence:
		return d.disordered(q.event)
	case GateValue:
		return !finite(q.value) || l.ValueMax > 0 && d.config.GatesOn && abs(q.value) > l.ValueMax
	case GateKill:
		return d.killed(q.event.Instrument, q.index)
	case GatePeer, GateRecorder, GateDisk, GateDevice, GateLatency, GateDeadman:
		return d.facts&factOf(gate) != 0
	case GateDrawdown:
		return d.stopped || !d.book.certain()
	case GateClock:
		return q.event.ClockTrails
	case GateHours:
		return !d.openHours(l.Hours, nowNs)
	case GateHalted:
		return m.halted
	case GateDecode:
		return d.unreadable(m.sources, nowNs)
	case GateGap:
		return q.rule.UsesQuote && (m.gapQuote || m.quotesSinceGap < l.GapTicks) ||
			q.rule.UsesTrade && (m.gapTrade || m.tradesSinceGap < l.GapTicks)
	case GateWarmup:
		return m.ticks == 0 || m.ticks < l.WarmTicks || nowNs-m.beganNs < l.WarmNs
	case GateStale:
		return d.stale(q)
	case GateCrossed:
		return m.bid > m.ask
	case GateLocked:
		return m.bid == m.ask
	case GateDepth:
		return !(m.bidSize > 0 && m.askSize > 0)
	case GateSpread:
		return !(m.ask-m.bid <= float64(l.Spread*abs(m.mid())))
	case GateCollar, GateVelocity:
		return d.moved(gate, q)
	case GateRepeat:
		return d.repeated(q)
	case GateDuplicate:
		return d.duplicate(q)
	case GateFills, GateReducing, GatePosition, GateExposure:
		return d.budgeted(gate, q)
	case GateRate:
		return !m.rate.conforms(nowNs, l.RateNs, l.RateBurst)
	case GateRateTotal:
		return !d.total.conforms(nowNs, d.totalRateNs, d.config.TotalBurst)
	case GateThrottle:
		return q.pair.passed && nowNs-q.pair.passedNs < q.rule.ThrottleNs
	}
	return true // a gate that nobody has written lets nothing pass
}

// charge notes that an enter or update has passed every gate.
func (d *Desk) charge(q *question) {
	l, nowNs, p := &q.profile.limits, q.event.EngineNs, q.pair
	p.passed, p.passedNs = true, nowNs
	p.live, p.sideSign, p.value = true, sign(q.side), quantised(q.value, l.DuplicateStep)
	if l.RateNs > 0 {
		q.market.rate.charge(nowNs, l.RateNs)
	}
	if d.totalRateNs > 0 {
		d.total.charge(nowNs, d.totalRateNs)
	}
	if l.RepeatCount > 0 && !q.isOpen && q.rule.opens() {
		p.entries.add(nowNs, l.RepeatWindowNs)
	}
}

// disordered reports whether an event is older than one applied before it.
func (d *Desk) disordered(event *Event) bool {
	return event.Sequence < d.lastSequence || event.EngineNs < d.lastNs
}

// stale reports whether something that the signal uses is too old, or was never there.
func (d *Desk) stale(q *question) bool {
	m, l, nowNs := q.market, &q.profile.limits, q.event.EngineNs
	if q.rule.UsesQuote && l.StaleNs > 0 && (!m.quoted || nowNs-m.quoteNs > l.StaleNs) {
		return true
	}
	if q.rule.UsesTrade && l.StaleTradeNs > 0 && (!m.traded || nowNs-m.tradeNs > l.StaleTradeNs) {
		return true
	}
	return d.staleReference(q)
}

// staleReference reports whether another instrument that the signal uses is silent for too long, or was never there.
func (d *Desk) staleReference(q *question) bool {
	m, l, nowNs := q.market, &q.profile.limits, q.event.EngineNs
	if l.StaleReferenceNs == 0 {
		return false
	}
	for left := q.rule.References; left != 0; left &= left - 1 {
		id := d.references[bits.TrailingZeros32(left)]
		if id == 0 {
			return true
		}
		other := &d.markets[id-1]
		if id-1 == q.event.Instrument {
			other = m
		}
		if !other.seen || nowNs-other.seenNs > l.StaleReferenceNs {
			return true
		}
	}
	return false
}

// moved compares the price that the signal lives by with where it was.
func (d *Desk) moved(gate Gate, q *question) bool {
	l := &q.profile.limits
	which := q.rule.priced()
	if which == priceNone || q.market.prices == nil {
		return true
	}
	p := &q.market.prices[which]
	if !p.known {
		return true
	}
	if gate == GateVelocity {
		hold := q.market.own.limits.VelocityHoldNs
		return hold < 1 || p.fastest(q.event.EngineNs, hold) > l.Velocity
	}
	price := q.market.last
	if which == priceMid {
		price = q.market.mid()
	}
	if l.Band && !(price >= l.PriceLow && price <= l.PriceHigh) {
		return true
	}
	return l.Collar > 0 && !(distance(price, p.reference) <= l.Collar)
}

// duplicate reports whether the pair's last decision says the same and still stands.
func (d *Desk) duplicate(q *question) bool {
	p, l, nowNs := q.pair, &q.profile.limits, q.event.EngineNs
	return p.live && nowNs-p.passedNs < l.DuplicateNs && p.sideSign == sign(q.side) &&
		p.value == quantised(q.value, l.DuplicateStep) && (q.rule.ExpiresNs == 0 || nowNs <= p.validUntilNs)
}

// repeated reports whether the pair is latched, or this entry would be one too many.
func (d *Desk) repeated(q *question) bool {
	if q.latched>>q.index&1 != 0 {
		return true
	}
	l := &q.profile.limits
	return !q.isOpen && q.pair.entries.within(q.event.EngineNs, l.RepeatWindowNs) >= l.RepeatCount
}

// killed reports whether configuration or an operator stops this signal on this instrument.
func (d *Desk) killed(instrument uint32, signalIndex int) bool {
	return d.config.KillAll || d.killAll ||
		(d.config.KillSignals|d.killSignals)>>signalIndex&1 != 0 ||
		d.markets[instrument].killed || d.markets[instrument].killedByConfig
}

// sign returns the direction of a side: 1 buys, -1 sells, 0 neither or not known.
func sign(side float64) int8 {
	switch {
	case side > 0:
		return 1
	case side < 0:
		return -1
	}
	return 0
}

// quantised returns a value as duplicates compare it.
func quantised(value, step float64) float64 {
	if step > 0 {
		return floor(value/step + 0.5)
	}
	return value
}
