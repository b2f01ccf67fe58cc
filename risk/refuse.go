package risk

import (
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// Refusals are handed on whole while they are few. Within a second of engine time, of one signal on one instrument the
// first refusedFully go out, then those whose number is a power of two; of all together the first refusedInAll, then
// those whose number is a power of two. Every record says how many there were, so none is lost to a count.
const (
	refusedFully = 4
	refusedInAll = 1000
)

// refuse counts a refusal and hands it on if it is one of those.
func (d *Desk) refuse(event *Event, id uint32, index int, gate Gate, action signal.Action, row Row) {
	d.counts.Rejected[gate].Add(1)
	pair := d.Pair(index, id)
	p := &d.pairs[pair]
	p.refused++
	second := floorDiv(event.EngineNs, 1e9)
	if second != p.refusedSecond {
		p.refusedSecond, p.refusedInSecond = second, 0
	}
	p.refusedInSecond = more(p.refusedInSecond)
	every := d.config.EveryRefusal
	if !every && !sampled(p.refusedInSecond, refusedFully) {
		return
	}
	if second != d.rejectedSecond {
		d.rejectedSecond, d.rejectedInSecond = second, 0
	}
	d.rejectedInSecond = more(d.rejectedInSecond)
	if d.refuser == nil || !every && !sampled(d.rejectedInSecond, refusedInAll) {
		return
	}
	m, rule := &d.markets[id], &d.rules[index]
	d.rejection = signal.Rejection{
		Version: signal.Version, Partition: d.config.Partition, Generation: d.config.Generation,
		Sequence: event.Sequence, Number: p.refused, Gate: gate.String(),
		Signal: rule.Name, Venue: m.venue, Symbol: m.symbol,
		ExchangeNs: event.ExchangeNs, EngineNs: event.EngineNs, Action: action,
		Value: feed.NaN(), Side: feed.NaN(), Bid: m.bid, Ask: m.ask, Last: m.last, Flags: d.flags(event, m),
	}
	if row != nil {
		d.rejection.Value = row.Value(rule.ValueQuarter)
		if rule.SideQuarter >= 0 {
			d.rejection.Side = row.Value(rule.SideQuarter)
		}
	}
	d.refuser.Refuse(pair, gate, &d.rejection)
}

// sampled reports whether the n-th is one of the first or its number is a power of two.
func sampled(n, first uint32) bool { return n <= first || n&(n-1) == 0 }
