package risk

import (
	"math"

	"github.com/sigengine/sigengine/feed"
)

// tightened are the limits that operators tightened, by feed.Limit; 0: as configured. A configured limit only ever becomes
// tighter by them, and one that is off stays off: which gates are asked is the configuration's.
type tightened [feed.LimitCount]float64

// tighten takes an operator's record. It reports false for one that cannot be understood.
func (d *Desk) tighten(event *Event) bool {
	limit, value := feed.Code(event.F[1]), event.F[2]
	if limit < 1 || limit >= feed.LimitCount || !(value >= 0) || math.IsInf(value, 0) {
		return false
	}
	d.tightened[limit] = value
	d.latchChanges++
	d.retighten()
	return true
}

// retighten makes every limit what configuration and operators say together.
func (d *Desk) retighten() {
	for _, p := range d.profiles {
		p.limits = d.tightened.of(p.configured)
	}
	d.totalRateNs = d.config.TotalRateNs
	d.tightened.longest(&d.totalRateNs, feed.LimitRateTotal)
	gross, net := d.config.Budget.Gross, d.config.Budget.Net
	d.tightened.least(&gross, feed.LimitGross)
	d.tightened.least(&net, feed.LimitNet)
	d.most.gross, d.most.net = limitOf(gross), limitOf(net)
}

// of returns configured limits, tightened.
func (t *tightened) of(l Limits) Limits {
	if value := t[feed.LimitStale]; value > 0 && l.StaleNs > 0 {
		l.StaleNs = min(l.StaleNs, nanoseconds(value))
	}
	t.least(&l.ValueMax, feed.LimitValue)
	t.least(&l.Spread, feed.LimitSpread)
	t.least(&l.Collar, feed.LimitCollar)
	t.least(&l.Velocity, feed.LimitVelocity)
	t.least(&l.PositionMax, feed.LimitPosition)
	t.longest(&l.RateNs, feed.LimitRate)
	return l
}

// least makes a limit that is on the tightened one if that is less.
func (t *tightened) least(at *float64, limit feed.Limit) {
	if value := t[limit]; value > 0 && *at > 0 {
		*at = min(*at, value)
	}
}

// longest makes what one signal costs, if that is on, at least what a rate says.
func (t *tightened) longest(everyNs *int64, limit feed.Limit) {
	if perSecond := t[limit]; perSecond > 0 && *everyNs > 0 {
		*everyNs = max(*everyNs, nanoseconds(1/perSecond))
	}
}

// nanoseconds of seconds: at least one, for none would switch a gate off, and at most a century.
func nanoseconds(seconds float64) int64 {
	const most = 100 * 366 * 86400
	return max(int64(min(seconds, most)*1e9), 1)
}

// Tightened is a limit that an operator tightened.
type Tightened struct {
	Limit string  `json:"limit"` // name
	Value float64 `json:"value"`
}

// list returns what is tightened, in the order of feed.Limit.
func (t *tightened) list() (out []Tightened) {
	for l := feed.Limit(1); l < feed.LimitCount; l++ {
		if t[l] > 0 {
			out = append(out, Tightened{Limit: l.String(), Value: t[l]})
		}
	}
	return out
}
