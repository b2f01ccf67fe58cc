package risk

import (
	"math"
	"slices"
	"strings"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// Define makes an instrument known, or adds a source to it. killed is the configuration's word on it.
// It is called before the first event of the instrument, in sequence order.
func (d *Desk) Define(id uint32, symbol feed.Symbol, source uint16, killed bool) {
	m := &d.markets[id]
	m.sources |= 1 << source
	if m.symbol != "" {
		return
	}
	m.venue, m.symbol, m.killedByConfig = symbol.Venue, symbol.Name, killed
	d.names[id] = EscapedName(symbol)
	at, _ := slices.BinarySearchFunc(d.byName, d.names[id], func(other uint32, name string) int {
		return strings.Compare(d.names[other], name)
	})
	d.byName = slices.Insert(d.byName, at, id)
	for i, reference := range d.config.References {
		if reference == symbol {
			d.references[i] = id + 1
		}
	}
	d.limit(id, symbol)
}

// Symbol returns the name of a defined instrument.
func (d *Desk) Symbol(id uint32) feed.Symbol {
	m := &d.markets[id]
	return feed.Symbol{Venue: m.venue, Name: m.symbol}
}

// limit gives an instrument and its pairs their limits.
func (d *Desk) limit(id uint32, symbol feed.Symbol) {
	m := &d.markets[id]
	m.own = &profile{limits: d.limitsOf(-1, symbol), rule: -1}
	follow := false
	for i := range d.rules {
		at, ok := d.profile(i, d.limitsOf(i, symbol))
		if !ok {
			m.killedByConfig = true // limits that cannot be kept must not be limits that are not asked
		}
		d.pairs[d.Pair(i, id)].profile = at
		follow = follow || d.profiles[at].asked&setOf(GateCollar, GateVelocity) != 0
	}
	if follow {
		m.prices = new([priceCount]prices)
	}
}

func (d *Desk) limitsOf(rule int, symbol feed.Symbol) Limits {
	if d.config.LimitsOf == nil {
		return d.config.Limits
	}
	return d.config.LimitsOf(rule, symbol)
}

// profile returns the place of a rule's limits among the profiles, each of which is kept once.
func (d *Desk) profile(rule int, limits Limits) (at uint16, ok bool) {
	for i, p := range d.profiles {
		if p.rule == rule && p.configured == limits {
			return uint16(i), true
		}
	}
	if len(d.profiles) > math.MaxUint16 {
		return 0, false
	}
	d.profiles = append(d.profiles, &profile{
		limits: d.tightened.of(limits), configured: limits, rule: rule, asked: d.config.gatesOf(&d.rules[rule], &limits),
	})
	d.asksFills = d.asksFills || d.profiles[len(d.profiles)-1].asked.has(GateFills)
	return uint16(len(d.profiles) - 1), limits.Validate() == nil && int(limits.Hours) <= len(d.config.Hours)
}

// EscapedName is what orders instruments where an order across them is needed.
func EscapedName(symbol feed.Symbol) string {
	name := signal.AppendEscaped(nil, symbol.Venue)
	return string(signal.AppendEscaped(append(name, '.'), symbol.Name))
}

// see updates the instrument's market from market data. It reports whether too much was lost.
func (d *Desk) see(event *Event, m *market) bool {
	m.take(event)
	d.fillSources &^= 1 << event.Source
	lost := false
	if event.QuoteFresh {
		lost = d.price(event, m, priceMid, m.mid())
	}
	if event.TradeFresh {
		lost = d.price(event, m, priceTrade, m.last) || lost
	}
	return lost
}

// price lets the gates of prices and of positions see a new one.
func (d *Desk) price(event *Event, m *market, which int, price float64) bool {
	if m.prices != nil && finite(price) && !d.disordered(event) {
		m.prices[which].see(price, event.EngineNs, &m.own.limits)
	}
	if which == priceMid || !m.quoted {
		return d.mark(event, m, price)
	}
	return false
}

// take puts market data into the market.
func (m *market) take(event *Event) {
	switch event.Kind {
	case feed.KindQuote:
		m.bid, m.bidSize, m.ask, m.askSize = event.F[0], event.F[1], event.F[2], event.F[3]
	case feed.KindTrade:
		m.last = event.F[0]
	}
	if event.Reset || event.Gap {
		m.ticks = 0
	}
	if m.ticks == 0 {
		m.beganNs = event.EngineNs
	}
	m.ticks = more(m.ticks)
	m.seenNs, m.seen = event.EngineNs, true
	if event.QuoteFresh {
		m.quoteNs, m.quoted, m.gapQuote = event.EngineNs, true, false
		m.quotesSinceGap = more(m.quotesSinceGap)
	}
	if event.TradeFresh {
		m.tradeNs, m.traded, m.gapTrade = event.EngineNs, true, false
		m.tradesSinceGap = more(m.tradesSinceGap)
	}
}

// more counts without wrapping.
func more(n uint32) uint32 {
	if n == math.MaxUint32 {
		return n
	}
	return n + 1
}
