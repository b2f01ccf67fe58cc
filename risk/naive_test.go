package risk

import (
	"math"
	"sort"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// naive is the desk once more in the plainest form: it keeps every event and every decision, and answers each question by
// looking through all of them. It shares no code with the desk but the types.
type naive struct {
	config  Config
	symbols []feed.Symbol // by id
	sources []uint64      // by id
	limits  func(rule, id int) Limits
	events  []Event
	log     []naiveDecision
	refused map[Gate]int
	out     []string

	stoppedAt, stopResumed int // number of events when it was stopped last, and when that was resumed; 0: never
	peak, dayBase, last    float64
	dayEnds                int64
}

// naiveDecision is one decided signal or, with gate, one refused.
type naiveDecision struct {
	at      int // number of events up to its own
	id, sig int
	action  signal.Action
	gate    Gate
	ns      int64
	value   float64
	side    float64
	opened  bool
	until   int64
}

// ask is a naive question.
type naiveAsk struct {
	e           Event
	id, sig     int
	rule        Rule
	l           Limits
	open        bool
	value, side float64
}

func (n *naive) isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func (n *naive) signOf(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// concerns reports whether an event is about an instrument.
func (n *naive) concerns(e *Event, id int) bool {
	return int(e.Instrument) == id || e.Instrument == feed.AllInstruments && n.sources[id]>>e.Source&1 != 0
}

// decisions returns those of a pair, oldest first.
func (n *naive) decisions(id, sig int) (all []naiveDecision) {
	for _, d := range n.log {
		if d.id == id && d.sig == sig && d.gate == GateNone {
			all = append(all, d)
		}
	}
	return all
}

// isOpen says whether the pair's last decision left it open.
func (n *naive) isOpen(id, sig int, now int64) bool {
	all := n.decisions(id, sig)
	if len(all) == 0 {
		return false
	}
	d, r := all[len(all)-1], n.config.Rules[sig]
	if d.action == signal.ActionExit || d.action == signal.ActionWithdraw || !(r.HasExit || r.ExpiresNs > 0) {
		return false
	}
	for _, e := range n.events {
		now = max(now, e.EngineNs)
	}
	return r.ExpiresNs == 0 || now <= d.until
}

// lastMarket returns the last event of an instrument that a test accepts, nil if there is none.
func (n *naive) newest(id int, accept func(*Event) bool) *Event {
	for i := len(n.events) - 1; i >= 0; i-- {
		if e := &n.events[i]; e.Kind.IsMarketData() && int(e.Instrument) == id && accept(e) {
			return e
		}
	}
	return nil
}

func isQuote(e *Event) bool { return e.Kind == feed.KindQuote }
func isTrade(e *Event) bool { return e.Kind == feed.KindTrade }
func isAny(*Event) bool     { return true }

// book returns the instrument's bid, bid size, ask and ask size.
func (n *naive) book(id int) (bid, bidSize, ask, askSize float64) {
	if e := n.newest(id, isQuote); e != nil {
		return e.F[0], e.F[1], e.F[2], e.F[3]
	}
	return math.NaN(), 0, math.NaN(), 0
}

func (n *naive) lastPrice(id int) float64 {
	if e := n.newest(id, isTrade); e != nil {
		return e.F[0]
	}
	return math.NaN()
}

// pricesOf returns the finite prices of fresh quotes or trades with their times. Books are as of each event.
func (n *naive) pricesOf(id int, trades bool) (prices []float64, times []int64) {
	bid, ask, last := math.NaN(), math.NaN(), math.NaN()
	latest := Event{}
	for i := range n.events {
		e := &n.events[i]
		old := e.Sequence < latest.Sequence || e.EngineNs < latest.EngineNs
		latest.Sequence, latest.EngineNs = max(latest.Sequence, e.Sequence), max(latest.EngineNs, e.EngineNs)
		if !e.Kind.IsMarketData() || int(e.Instrument) != id {
			continue
		}
		switch e.Kind {
		case feed.KindQuote:
			bid, ask = e.F[0], e.F[2]
		case feed.KindTrade:
			last = e.F[0]
		}
		price := (bid + ask) / 2
		fresh := e.QuoteFresh
		if trades {
			price, fresh = last, e.TradeFresh
		}
		if fresh && !old && n.isFinite(price) {
			prices, times = append(prices, price), append(times, e.EngineNs)
		}
	}
	return prices, times
}

// sinceGap counts fresh quotes or trades since the last gap; without a gap it is beyond counting.
func (n *naive) sinceGap(id int, trades bool) int {
	count := 0
	for i := len(n.events) - 1; i >= 0; i-- {
		e := &n.events[i]
		if e.Kind == feed.KindGap && n.concerns(e, id) {
			return count
		}
		if int(e.Instrument) == id && (trades && e.TradeFresh || !trades && e.QuoteFresh) {
			count++
		}
	}
	return math.MaxInt
}

// position returns what the fills so far say of an instrument: size, price and whether there is one.
func (n *naive) position(id int) (size, mark float64, priced bool) {
	size, mark, priced, _ = n.holding(id)
	return size, mark, priced
}

func (n *naive) holding(id int) (size, mark float64, priced bool, cash float64) {
	bid, ask, last, quoted := math.NaN(), math.NaN(), math.NaN(), false
	for i := range n.events {
		e := &n.events[i]
		if int(e.Instrument) != id {
			continue
		}
		switch e.Kind {
		case feed.KindQuote:
			bid, ask = e.F[0], e.F[2]
		case feed.KindTrade:
			last = e.F[0]
		case feed.KindFill:
			if feed.FillWhat(e.F[2]) == feed.FillHeartbeat {
				continue
			}
			change, price := e.F[1], e.F[0]
			if feed.FillWhat(e.F[2]) == feed.FillPosition {
				change = e.F[1] - size
				if !n.isFinite(price) && priced {
					price = mark
				}
			}
			size += change
			cash -= change * price
			if !priced && n.isFinite(price) {
				mark, priced = price, true
			}
		}
		if e.QuoteFresh {
			quoted = true
			if mid := (bid + ask) / 2; n.isFinite(mid) {
				mark, priced = mid, true
			}
		}
		if e.TradeFresh && !quoted && n.isFinite(last) {
			mark, priced = last, true
		}
	}
	return size, mark, priced, cash
}

// totals adds up what fills say over all instruments. known is false for good after a fill that is no number.
func (n *naive) totals() (gross, net, profit float64, known bool) {
	for id := range n.symbols {
		size, mark, _, cash := n.holding(id)
		gross += math.Abs(size * mark)
		net += size * mark
		profit += cash + size*mark
	}
	return gross, net, profit, !math.IsNaN(profit) && !n.missing()
}

// missing says whether fills went missing and positions have not all been told since.
func (n *naive) missing() bool {
	told, missing := false, false
	for _, e := range n.events {
		switch {
		case e.Kind == feed.KindFill:
			told = true
			if feed.FillWhat(e.F[2]) == feed.FillHeartbeat && e.F[1] == 1 {
				missing = false
			}
		case e.Kind == feed.KindGap && e.Source == 0 && told:
			missing = true
		}
	}
	return missing
}

// measure follows profit and loss after an event that could change it, and reports whether too much was lost.
func (n *naive) measure(e *Event) bool {
	b := n.config.Budget
	_, _, profit, known := n.totals()
	if b.Drawdown == 0 && b.DayLoss == 0 || !known {
		return false
	}
	moves := e.Kind == feed.KindFill && feed.FillWhat(e.F[2]) != feed.FillHeartbeat
	if e.Kind.IsMarketData() && (e.QuoteFresh || e.TradeFresh) {
		size, _, _ := n.position(int(e.Instrument))
		moves = size != 0 && n.marks(e)
	}
	if !moves {
		return false
	}
	n.peak = math.Max(n.peak, profit)
	if n.dayEnds == 0 || e.EngineNs >= n.dayEnds {
		n.dayBase, n.dayEnds = n.last, n.config.NextDay(e.EngineNs)
	}
	n.last = profit
	return b.Drawdown > 0 && n.peak-profit > b.Drawdown || b.DayLoss > 0 && n.dayBase-profit > b.DayLoss
}

// marks reports whether an event of market data gives its instrument a price.
func (n *naive) marks(e *Event) bool {
	id := int(e.Instrument)
	bid, _, ask, _ := n.book(id)
	if e.QuoteFresh && n.isFinite((bid+ask)/2) {
		return true
	}
	quoted := n.newest(id, func(e *Event) bool { return e.QuoteFresh }) != nil
	return e.TradeFresh && !quoted && n.isFinite(n.lastPrice(id))
}

// byName returns the instruments in the order of their escaped names.
func (n *naive) byName() []int {
	ids := make([]int, len(n.symbols))
	for i := range ids {
		ids[i] = i
	}
	sort.Slice(ids, func(a, b int) bool { return EscapedName(n.symbols[ids[a]]) < EscapedName(n.symbols[ids[b]]) })
	return ids
}
