package simulate

import (
	"math"
	"sort"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/risk"
	"github.com/sigengine/sigengine/signal"
)

// oracle reads a journal tick by tick and knows, in the plainest way, what may be published at each. It shares no code
// with the engine.
type oracle struct {
	j       *judge
	rules   []risk.Rule
	byName  map[string]int // rule
	nowNs   int64
	markets []*view
	ids     map[feed.Symbol]uint32
	open    map[openKey]uint8 // classes of an unfinished event
	killAll bool
	killed  map[int]bool    // rules
	gapped  map[uint32]bool // a gap that the instrument's next tick will bring to its windows
}

// view is an instrument as the ticks so far show it.
type view struct {
	symbol             feed.Symbol
	name               string // escaped: the order of withdraws
	sources            map[uint16]bool
	bid, ask, last     float64
	quoteNs            int64
	quoted             bool
	gapQuote, gapTrade bool
	halted, killed     bool
	quotes, trades     int // fresh since windows last began anew
	pairs              []pairView
}

// pairView is a signal on an instrument.
type pairView struct {
	open         bool
	validUntilNs int64
	passed       bool
	passedNs     int64
	outputs      uint64
}

type openKey struct {
	source uint16
	id     uint32
}

const (
	freshQuote = 1 << iota
	freshTrade
	freshBook
)

// decisions runs the oracle over the journal.
func (j *judge) decisions() {
	o := &oracle{
		j: j, rules: j.run.Shape.Desk.Rules, byName: map[string]int{}, ids: map[feed.Symbol]uint32{},
		open: map[openKey]uint8{}, killed: map[int]bool{}, gapped: map[uint32]bool{},
	}
	for i := range o.rules {
		o.byName[o.rules[i].Name] = i
	}
	definitions, emitted := j.recorded.Definitions, j.run.Emitted
	for i := range j.recorded.Ticks {
		t := &j.recorded.Ticks[i]
		for len(definitions) > 0 && definitions[0].At <= t.Seq {
			o.define(definitions[0].ID, definitions[0].Source, feed.Symbol{Venue: definitions[0].Venue, Name: definitions[0].Symbol})
			definitions = definitions[1:]
		}
		var bodies []signal.Body
		for len(emitted) > 0 {
			body, ok := decodeEmission(emitted[0])
			if !ok {
				j.violation("output", "a signal that cannot be decoded")
				return
			}
			if body.Sequence > t.Seq {
				break
			}
			if body.Sequence < t.Seq {
				j.violation("decision", "signal of tick %d after tick %d", body.Sequence, t.Seq-1)
			}
			bodies, emitted = append(bodies, body), emitted[1:]
		}
		o.tick(t, bodies)
	}
	if j.run.Good && len(emitted) > 0 {
		j.violation("decision", "%d signals of ticks that are not in the journal", len(emitted))
	}
}

func decodeEmission(e Emission) (signal.Body, bool) {
	body, _, err := signal.DecodeBinary(e.Encoded)
	return body, err == nil
}

func (o *oracle) define(id uint32, source uint16, symbol feed.Symbol) {
	for int(id) >= len(o.markets) {
		o.markets = append(o.markets, nil)
	}
	m := o.markets[id]
	if m == nil {
		nan := math.NaN()
		m = &view{symbol: symbol, sources: map[uint16]bool{}, bid: nan, ask: nan, last: nan, pairs: make([]pairView, len(o.rules))}
		m.name = string(signal.AppendEscaped(append(signal.AppendEscaped(nil, symbol.Venue), '.'), symbol.Name))
		o.markets[id] = m
		o.ids[symbol] = id
	}
	if m.symbol != symbol {
		o.j.violation("sequence", "instrument %d is %v and %v", id, m.symbol, symbol)
	}
	m.sources[source] = true
}

// tick takes the next tick and what was published because of it.
func (o *oracle) tick(t *feed.Tick, bodies []signal.Body) {
	lateNs := o.time(t)
	drop := o.j.run.Shape.LateDropNs
	if t.Kind.IsMarketData() && drop > 0 && lateNs > drop {
		o.none(t, bodies)
		return
	}
	switch t.Kind {
	case feed.KindQuote, feed.KindTrade, feed.KindDepth:
		o.market(t, bodies)
	case feed.KindGap:
		o.gap(t, bodies)
	case feed.KindStatus:
		o.status(t, bodies)
	case feed.KindControl:
		o.control(t, bodies)
	default:
		o.none(t, bodies)
	}
	for i := range bodies {
		if bodies[i].EngineNs != o.nowNs {
			o.j.violation("time", "signal of tick %d at engine time %d, want %d", t.Seq, bodies[i].EngineNs, o.nowNs)
		}
	}
}

// time moves engine time; it returns by how much the tick is late.
func (o *oracle) time(t *feed.Tick) int64 {
	at := t.ReceiveNs
	exchange := o.j.run.Shape.TimeBase == feed.TimeExchange
	if exchange {
		if own := !t.Kind.IsMarketData() && t.Kind != feed.KindStatus; own && t.ExchangeNs == 0 {
			return 0 // the engine's own, which knows nothing of the market's time
		}
		if t.ExchangeNs != 0 {
			at = t.ExchangeNs
		}
	}
	o.nowNs = max(o.nowNs, at)
	if exchange {
		return o.nowNs - at
	}
	return 0
}

func (o *oracle) none(t *feed.Tick, bodies []signal.Body) {
	if len(bodies) > 0 {
		o.j.violation("decision", "tick %d, a %s, must decide nothing, but decided %d signals", t.Seq, t.Kind, len(bodies))
	}
}

// concerned returns the instruments that a tick without a slot is about, in the order of their names.
func (o *oracle) concerned(t *feed.Tick) []*view {
	if t.Instrument != feed.AllInstruments {
		return []*view{o.markets[t.Instrument]}
	}
	var all []*view
	for _, m := range o.markets {
		if m != nil && m.sources[t.Source] {
			all = append(all, m)
		}
	}
	sort.Slice(all, func(a, b int) bool { return all[a].name < all[b].name })
	return all
}

func (o *oracle) gap(t *feed.Tick, bodies []signal.Body) {
	for key := range o.open { // order-free: deletes
		if key.source == t.Source && (t.Instrument == feed.AllInstruments || key.id == t.Instrument) {
			delete(o.open, key)
		}
	}
	concerned := o.concerned(t)
	for _, m := range concerned {
		m.gapQuote, m.gapTrade = true, true
		o.gapped[o.ids[m.symbol]] = true
	}
	o.withdraws(t, bodies, concerned, nil, signal.ReasonGap)
}

func (o *oracle) status(t *feed.Tick, bodies []signal.Body) {
	concerned := o.concerned(t)
	switch feed.Status(t.F[0]) {
	case feed.StatusHalt, feed.StatusClose:
		for _, m := range concerned {
			m.halted = true
		}
		o.withdraws(t, bodies, concerned, nil, signal.ReasonHalt)
		return
	case feed.StatusResume, feed.StatusOpen:
		for _, m := range concerned {
			m.halted = false
		}
	}
	o.none(t, bodies)
}

func (o *oracle) control(t *feed.Tick, bodies []signal.Body) {
	kill := feed.ControlVerb(t.F[0]) == feed.ControlKill
	var concerned []*view
	var rules map[int]bool // nil: all
	switch feed.ControlScope(t.F[1]) {
	case feed.ScopeAll:
		o.killAll = kill
		concerned = o.everyone()
	case feed.ScopeInstrument:
		concerned = o.concerned(t)
		concerned[0].killed = kill
	case feed.ScopeSignal:
		o.killed[int(t.F[2])] = kill
		concerned, rules = o.everyone(), map[int]bool{int(t.F[2]): true}
	}
	if kill {
		o.withdraws(t, bodies, concerned, rules, signal.ReasonKill)
		return
	}
	o.none(t, bodies)
}

func (o *oracle) everyone() []*view {
	var all []*view
	for _, m := range o.markets {
		if m != nil {
			all = append(all, m)
		}
	}
	sort.Slice(all, func(a, b int) bool { return all[a].name < all[b].name })
	return all
}
