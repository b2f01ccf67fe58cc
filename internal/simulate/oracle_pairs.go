package simulate

import (
	"math"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/risk"
	"github.com/sigengine/sigengine/signal"
)

// market takes a quote, trade or level, and judges what was decided because of it.
func (o *oracle) market(t *feed.Tick, bodies []signal.Body) {
	m := o.markets[t.Instrument]
	key := openKey{t.Source, t.Instrument}
	class := uint8(freshBook)
	switch t.Kind {
	case feed.KindQuote:
		class = freshQuote
		m.bid, m.ask = t.F[0], t.F[2]
	case feed.KindTrade:
		class = freshTrade
		m.last = t.F[0]
	}
	if o.gapped[t.Instrument] {
		delete(o.gapped, t.Instrument)
		m.quotes, m.trades = 0, 0
	}
	fresh := o.open[key] | class
	if t.Flags&feed.FlagMore != 0 {
		o.open[key] = fresh
		o.none(t, bodies)
		return
	}
	delete(o.open, key)
	if fresh&freshQuote != 0 {
		m.quoted, m.quoteNs, m.gapQuote = true, o.nowNs, false
		m.quotes++
	}
	if fresh&freshTrade != 0 {
		m.gapTrade = false
		m.trades++
	}
	for i := range bodies {
		o.decided(t, m, &bodies[i])
	}
}

// decided judges one enter, update or exit.
func (o *oracle) decided(t *feed.Tick, m *view, b *signal.Body) {
	index, known := o.byName[b.Signal]
	if !known || b.Venue != m.symbol.Venue || b.Symbol != m.symbol.Name {
		o.j.violation("decision", "tick %d of %v decided %s of %s %s", t.Seq, m.symbol, b.Signal, b.Venue, b.Symbol)
		return
	}
	rule, pair := &o.rules[index], &m.pairs[index]
	opens := rule.HasExit || rule.ExpiresNs > 0
	isOpen := pair.open && (rule.ExpiresNs == 0 || o.nowNs <= pair.validUntilNs)
	wrong := func(why string) {
		o.j.violation("decision", "tick %d: %s of %s on %v %s", t.Seq, b.Action, b.Signal, m.symbol, why)
	}
	o.body(t, m, b, pair, wrong)
	switch b.Action {
	case signal.ActionExit:
		if !isOpen || !rule.HasExit {
			wrong("which was not open")
		}
		pair.open = false
		return
	case signal.ActionEnter:
		if isOpen {
			wrong("which was open already")
		}
	case signal.ActionUpdate:
		if !isOpen {
			wrong("which was not open")
		}
	default:
		wrong("at market data")
		return
	}
	if why := o.refuse(t, m, index, rule, pair); why != "" {
		wrong(why)
	}
	pair.open = opens
	pair.passed, pair.passedNs = true, o.nowNs
	want := int64(0)
	if rule.ExpiresNs > 0 {
		pair.validUntilNs = o.nowNs + rule.ExpiresNs
		want = pair.validUntilNs
	}
	if b.ValidUntilNs != want {
		wrong("is valid until another time than it says")
	}
}

// body checks what every record must say about its moment.
func (o *oracle) body(t *feed.Tick, m *view, b *signal.Body, pair *pairView, wrong func(string)) {
	pair.outputs++
	if b.OutputSequence != pair.outputs {
		wrong("has another output sequence than one more than the last")
		pair.outputs = b.OutputSequence
	}
	if !same(b.Bid, m.bid) || !same(b.Ask, m.ask) || !same(b.Last, m.last) || b.ExchangeNs != t.ExchangeNs {
		wrong("says other prices or times than its tick")
	}
	if gap := m.gapQuote || m.gapTrade; gap && b.Flags&signal.FlagGap == 0 {
		wrong("does not say that there was a gap")
	}
}

// refuse says why a gate must have refused an enter or update; empty: none must.
func (o *oracle) refuse(t *feed.Tick, m *view, index int, rule *risk.Rule, pair *pairView) string {
	shape := &o.j.run.Shape
	trails := shape.TimeBase == feed.TimeReceive && o.nowNs-t.ReceiveNs > shape.ClockTrailsNs
	switch {
	case o.killAll || o.killed[index] || m.killed:
		return "although it is killed"
	case trails:
		return "although the clock trails"
	case m.halted:
		return "although it is halted"
	case rule.UsesQuote && m.gapQuote || rule.UsesTrade && m.gapTrade:
		return "between a gap and fresh data"
	case rule.UsesQuote && (!m.quoted || o.nowNs-m.quoteNs > shape.Desk.StaleNs):
		return "on a stale quote"
	case shape.Desk.RefuseCrossed && m.bid > m.ask:
		return "in a crossed market"
	case shape.Desk.RefuseLocked && m.bid == m.ask:
		return "in a locked market"
	case m.quotes < warmUp[rule.Name].quotes || m.trades < warmUp[rule.Name].trades:
		return "before it was warm"
	case rule.ThrottleNs > 0 && pair.passed && o.nowNs-pair.passedNs < rule.ThrottleNs:
		return "too soon after the last"
	}
	return ""
}

// withdraws requires one withdraw for every open pair of the instruments, in order, and nothing else.
func (o *oracle) withdraws(t *feed.Tick, bodies []signal.Body, concerned []*view, rules map[int]bool, reason signal.Reason) {
	for _, m := range concerned {
		for index := range m.pairs {
			pair, rule := &m.pairs[index], &o.rules[index]
			if !pair.open || rules != nil && !rules[index] {
				continue
			}
			pair.open = false
			if rule.ExpiresNs > 0 && o.nowNs > pair.validUntilNs {
				continue // it had closed silently
			}
			if len(bodies) == 0 {
				o.j.violation("decision", "tick %d, a %s: no withdraw of %s on %v, which is open", t.Seq, t.Kind, rule.Name, m.symbol)
				continue
			}
			b := &bodies[0]
			bodies = bodies[1:]
			if b.Action != signal.ActionWithdraw || b.Reason != reason || b.Signal != rule.Name || b.Symbol != m.symbol.Name || b.Venue != m.symbol.Venue {
				o.j.violation("decision", "tick %d, a %s: %s of %s on %s for %s, want a withdraw of %s on %v for %s",
					t.Seq, t.Kind, b.Action, b.Signal, b.Symbol, b.Reason, rule.Name, m.symbol, reason)
			}
			o.body(t, m, b, pair, func(why string) {
				o.j.violation("decision", "tick %d: withdraw of %s on %v %s", t.Seq, b.Signal, m.symbol, why)
			})
		}
	}
	o.none(t, bodies)
}

// same compares numbers as records do: undefined equals undefined.
func same(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b)
}
