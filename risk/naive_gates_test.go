package risk

import (
	"maps"
	"math"
	"slices"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// naiveGates says of every gate when it refuses, in one sentence of code each.
var naiveGates = map[Gate]func(n *naive, q naiveAsk) bool{
	GateSequence: func(n *naive, q naiveAsk) bool {
		for _, e := range n.events[:len(n.events)-1] {
			if e.Sequence > q.e.Sequence || e.EngineNs > q.e.EngineNs {
				return true
			}
		}
		return false
	},
	GateValue: func(n *naive, q naiveAsk) bool {
		return !n.isFinite(q.value) || q.l.ValueMax > 0 && math.Abs(q.value) > q.l.ValueMax
	},
	GateKill: func(n *naive, q naiveAsk) bool { return n.commanded(q, feed.ControlKill) },
	GatePeer: fact(feed.FactPeer), GateRecorder: fact(feed.FactRecorder), GateDisk: fact(feed.FactDisk),
	GateDevice: fact(feed.FactDevice), GateLatency: fact(feed.FactLatency), GateDeadman: fact(feed.FactDeadman),
	GateDrawdown: func(n *naive, _ naiveAsk) bool {
		_, _, _, known := n.totals()
		return !known || n.stoppedAt > n.stopResumed
	},
	GateClock: func(_ *naive, q naiveAsk) bool { return q.e.ClockTrails },
	GateHours: func(n *naive, q naiveAsk) bool {
		open, _ := n.config.Hours[q.l.Hours-1](q.e.EngineNs)
		return !open
	},
	GateHalted: func(n *naive, q naiveAsk) bool {
		halted := false
		for i := range n.events {
			if e := &n.events[i]; e.Kind == feed.KindStatus && n.concerns(e, q.id) {
				switch feed.Status(e.F[0]) {
				case feed.StatusHalt, feed.StatusClose:
					halted = true
				case feed.StatusResume, feed.StatusOpen:
					halted = false
				}
			}
		}
		return halted
	},
	GateDecode: func(n *naive, q naiveAsk) bool {
		for _, e := range n.events {
			if e.Kind == feed.KindControl && feed.ControlVerb(e.F[0]) == feed.ControlFact && feed.Fact(e.F[1]) == feed.FactDecode &&
				n.sources[q.id]>>int(e.F[2])&1 != 0 && q.e.EngineNs < e.EngineNs+n.config.DecodeHoldNs {
				return true
			}
		}
		return false
	},
	GateGap: func(n *naive, q naiveAsk) bool {
		need := max(1, int(q.l.GapTicks))
		return q.rule.UsesQuote && n.sinceGap(q.id, false) < need || q.rule.UsesTrade && n.sinceGap(q.id, true) < need
	},
	GateWarmup: func(n *naive, q naiveAsk) bool {
		count, began := 0, int64(0)
		for i := range n.events {
			e := &n.events[i]
			if e.Kind == feed.KindGap && n.concerns(e, q.id) || e.Kind == feed.KindStatus && feed.Status(e.F[0]) == feed.StatusReset && n.concerns(e, q.id) {
				count = 0
			}
			if e.Kind.IsMarketData() && int(e.Instrument) == q.id {
				if e.Reset || e.Gap {
					count = 0
				}
				if count == 0 {
					began = e.EngineNs
				}
				count++
			}
		}
		return count == 0 || count < int(q.l.WarmTicks) || q.e.EngineNs-began < q.l.WarmNs
	},
	GateStale: func(n *naive, q naiveAsk) bool {
		old := func(id int, limit int64, accept func(*Event) bool) bool {
			e := n.newest(id, accept)
			return limit > 0 && (e == nil || q.e.EngineNs-e.EngineNs > limit)
		}
		if q.rule.UsesQuote && old(q.id, q.l.StaleNs, func(e *Event) bool { return e.QuoteFresh }) ||
			q.rule.UsesTrade && old(q.id, q.l.StaleTradeNs, func(e *Event) bool { return e.TradeFresh }) {
			return true
		}
		for i, symbol := range n.config.References {
			id := -1
			for k, s := range n.symbols {
				if s == symbol {
					id = k
				}
			}
			if q.rule.References>>i&1 != 0 && q.l.StaleReferenceNs > 0 && (id < 0 || old(id, q.l.StaleReferenceNs, isAny)) {
				return true
			}
		}
		return false
	},
	GateCrossed: func(n *naive, q naiveAsk) bool { bid, _, ask, _ := n.book(q.id); return bid > ask },
	GateLocked:  func(n *naive, q naiveAsk) bool { bid, _, ask, _ := n.book(q.id); return bid == ask },
	GateDepth: func(n *naive, q naiveAsk) bool {
		_, bidSize, _, askSize := n.book(q.id)
		return bidSize <= 0 || askSize <= 0
	},
	GateSpread: func(n *naive, q naiveAsk) bool {
		bid, _, ask, _ := n.book(q.id)
		return math.IsNaN(bid) || math.IsNaN(ask) || ask-bid > q.l.Spread*math.Abs((bid+ask)/2)
	},
	GateCollar:   naiveCollar,
	GateVelocity: naiveVelocity,
	GateRepeat: func(n *naive, q naiveAsk) bool {
		if n.isLatched(q.id, q.sig) {
			return true
		}
		part := func(ns int64) int64 { return int64(math.Floor(float64(ns) / float64(q.l.RepeatWindowNs/repeatParts))) }
		count := 0
		for _, d := range n.decisions(q.id, q.sig) {
			if d.opened && d.at > n.unlatchedAt(q.id, q.sig) && part(d.ns) >= part(q.e.EngineNs)-repeatParts {
				count++
			}
		}
		return !q.open && count >= int(q.l.RepeatCount)
	},
	GateDuplicate: func(n *naive, q naiveAsk) bool {
		all := n.decisions(q.id, q.sig)
		if len(all) == 0 {
			return false
		}
		d := all[len(all)-1]
		round := func(v float64) float64 {
			if q.l.DuplicateStep > 0 {
				return math.Floor(v/q.l.DuplicateStep + 0.5)
			}
			return v
		}
		return (d.action == signal.ActionEnter || d.action == signal.ActionUpdate) && q.e.EngineNs-d.ns < q.l.DuplicateNs &&
			n.signOf(d.side) == n.signOf(q.side) && round(d.value) == round(q.value) && (q.rule.ExpiresNs == 0 || q.e.EngineNs <= d.until)
	},
	GateFills:    func(n *naive, q naiveAsk) bool { return !n.reduces(q) && n.silent(q) },
	GateReducing: func(n *naive, q naiveAsk) bool { return !n.reduces(q) && n.commanded(q, feed.ControlReduce) },
	GatePosition: func(n *naive, q naiveAsk) bool {
		_, _, _, known := n.totals()
		if n.reduces(q) {
			return false
		}
		size, _, _ := n.position(q.id)
		for _, way := range n.ways(q) {
			worst := size + way*q.l.SignalSize
			for sig := range n.config.Rules {
				if sig == q.sig || !n.isOpen(q.id, sig, q.e.EngineNs) {
					continue
				}
				all := n.decisions(q.id, sig)
				if n.signOf(all[len(all)-1].side) != -way {
					worst += way * n.limits(sig, q.id).SignalSize
				}
			}
			if math.Abs(worst) > q.l.PositionMax {
				return true
			}
		}
		return !known
	},
	GateExposure: func(n *naive, q naiveAsk) bool {
		gross, net, _, known := n.totals()
		bid, _, ask, _ := n.book(q.id)
		price := (bid + ask) / 2
		if math.IsNaN(price) {
			price = n.lastPrice(q.id)
		}
		if n.reduces(q) {
			return false
		}
		more := q.l.SignalSize * price
		b := n.config.Budget
		over := !known || math.IsNaN(price) || b.Gross > 0 && gross+math.Abs(more) > b.Gross
		for _, way := range n.ways(q) {
			over = over || b.Net > 0 && math.Abs(net+way*more) > b.Net
		}
		return over
	},
	GateRate: func(n *naive, q naiveAsk) bool {
		return n.bucket(q, q.l.RateBurst, func(d naiveDecision) int64 {
			if d.id != q.id {
				return 0
			}
			return n.limits(d.sig, d.id).RateNs
		}, q.l.RateNs)
	},
	GateRateTotal: func(n *naive, q naiveAsk) bool {
		return n.bucket(q, n.config.TotalBurst, func(naiveDecision) int64 { return n.config.TotalRateNs }, n.config.TotalRateNs)
	},
	GateThrottle: func(n *naive, q naiveAsk) bool {
		for _, d := range n.decisions(q.id, q.sig) {
			if (d.action == signal.ActionEnter || d.action == signal.ActionUpdate) && q.e.EngineNs-d.ns < q.rule.ThrottleNs {
				return true
			}
		}
		return false
	},
}

// bucket keeps a bucket of tokens, a nanosecond each: full at first, and a signal needs and takes what it costs.
func (n *naive) bucket(q naiveAsk, burst int64, cost func(naiveDecision) int64, own int64) bool {
	full := burst * own
	level, at := full, int64(math.MinInt64/4)
	for _, d := range n.log {
		if d.gate != GateNone || d.action != signal.ActionEnter && d.action != signal.ActionUpdate {
			continue
		}
		level = min(full, level+(d.ns-at)) - cost(d)
		at = d.ns
	}
	return min(full, level+(q.e.EngineNs-at)) < own
}

func fact(which feed.Fact) func(*naive, naiveAsk) bool {
	return func(n *naive, _ naiveAsk) bool {
		holds := false
		for _, e := range n.events {
			if e.Kind == feed.KindControl && feed.ControlVerb(e.F[0]) == feed.ControlFact && feed.Fact(e.F[1]) == which {
				holds = e.F[2] != 0
			}
		}
		return holds
	}
}

// commanded folds the commands of one verb that cover the question: the last of each scope counts.
func (n *naive) commanded(q naiveAsk, verb feed.ControlVerb) bool {
	in := map[feed.ControlScope]bool{}
	for _, e := range n.events {
		if e.Kind != feed.KindControl {
			continue
		}
		scope, is := feed.ControlScope(e.F[1]), feed.ControlVerb(e.F[0])
		covers := scope == feed.ScopeAll || scope == feed.ScopeInstrument && int(e.Instrument) == q.id || scope == feed.ScopeSignal && int(e.F[2]) == q.sig
		if covers && is == verb {
			in[scope] = true
		}
		if covers && is == feed.ControlResume {
			in[scope] = false
		}
	}
	return in[feed.ScopeAll] || in[feed.ScopeInstrument] || in[feed.ScopeSignal]
}

// ways are the directions that a signal may mean.
func (n *naive) ways(q naiveAsk) []float64 {
	if way := n.signOf(q.side); way != 0 {
		return []float64{way}
	}
	return []float64{1, -1}
}

func (n *naive) reduces(q naiveAsk) bool {
	size, _, _ := n.position(q.id)
	_, _, _, known := n.totals()
	way := n.signOf(q.side)
	return known && way != 0 && way == -n.signOf(size) && q.l.SignalSize <= math.Abs(size)
}

func (n *naive) silent(q naiveAsk) bool {
	for _, e := range n.events {
		if e.Kind == feed.KindFill && q.e.EngineNs-e.EngineNs <= n.config.Budget.StaleNs {
			return false
		}
	}
	return true
}

// unlatchedAt returns the number of events at the last resume with a note that covers a pair's latch.
func (n *naive) unlatchedAt(id, sig int) int {
	at := 0
	latched := false
	refused := n.log
	for i, e := range n.events {
		for len(refused) > 0 && refused[0].at <= i {
			latched = latched || refused[0].gate == GateRepeat && refused[0].id == id && refused[0].sig == sig
			refused = refused[1:]
		}
		if e.Kind == feed.KindControl && feed.ControlVerb(e.F[0]) == feed.ControlResume && e.F[3] > 0 && latched {
			switch scope := feed.ControlScope(e.F[1]); {
			case scope == feed.ScopeAll, scope == feed.ScopeInstrument && int(e.Instrument) == id, scope == feed.ScopeSignal && int(e.F[2]) == sig:
				at, latched = i+1, false
			}
		}
	}
	return at
}

func (n *naive) isLatched(id, sig int) bool {
	since := n.unlatchedAt(id, sig)
	for _, d := range n.log {
		if d.gate == GateRepeat && d.id == id && d.sig == sig && d.at > since {
			return true
		}
	}
	return false
}

func naiveCollar(n *naive, q naiveAsk) bool {
	prices, times := n.pricesOf(q.id, !q.rule.UsesQuote)
	if len(prices) == 0 {
		return true
	}
	reference := prices[0]
	step := float64(q.l.CollarWindowNs / collarParts)
	part := func(i int) float64 { return math.Floor(float64(times[i]) / step) }
	for i := range prices {
		closes := map[float64]float64{}
		for k := range i {
			if part(k) < part(i) && part(k) >= part(i)-collarParts {
				closes[part(k)] = prices[k]
			}
		}
		if sorted := slices.Sorted(maps.Values(closes)); len(sorted) > 0 {
			reference = (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
		}
	}
	bid, _, ask, _ := n.book(q.id)
	price := (bid + ask) / 2
	if !q.rule.UsesQuote {
		price = n.lastPrice(q.id)
	}
	if math.IsNaN(price) || q.l.Band && (price < q.l.PriceLow || price > q.l.PriceHigh) {
		return true
	}
	return q.l.Collar > 0 && price != reference && math.Abs(price-reference)/math.Abs(reference) > q.l.Collar
}

func naiveVelocity(n *naive, q naiveAsk) bool {
	prices, times := n.pricesOf(q.id, !q.rule.UsesQuote)
	if len(prices) == 0 {
		return true
	}
	number := func(ns, step int64) float64 { return math.Floor(float64(ns) / float64(step)) }
	fastest := 0.0
	for i := range prices {
		age := number(q.e.EngineNs, q.l.VelocityHoldNs) - number(times[i], q.l.VelocityHoldNs)
		if age > 1 {
			continue
		}
		for k := range i + 1 {
			step := q.l.VelocityWindowNs / velocityParts
			if number(times[i], step)-number(times[k], step) <= velocityParts && prices[i] != prices[k] {
				fastest = math.Max(fastest, math.Abs(prices[i]-prices[k])/math.Abs(prices[k]))
			}
		}
	}
	return fastest > q.l.Velocity
}
