package risk

import (
	"math"
	"math/bits"

	"github.com/sigengine/sigengine/feed"
)

// money is in millionths, so that sums are exact in whatever order they change.
type money int64

const (
	moneyUnit = 1e6
	moneyMax  = 1 << 60
)

// book is what fills add up to over all instruments.
type book struct {
	gross, net, cash money
	broken           bool // a sum did not fit, or a fill was not a number: nothing is certain any more
	missing          bool // fills went missing, and positions have not all been told anew since

	peak, dayBase money
	last          money // profit as last measured
	dayEndsNs     int64 // 0: no day has begun
	newsNs        int64 // engine time of the last fill, position or heartbeat of fills
	news          bool
}

// holding is what fills add up to on one instrument.
type holding struct {
	position float64
	mark     float64 // the price that values it: mid, else trade, else fill
	priced   bool
	value    money // position × mark × multiplier, as it is part of the book's sums
}

// certain reports whether exposure, profit and loss are known.
func (b *book) certain() bool { return !b.broken && !b.missing }

// profit returns profit and loss since the run began.
func (b *book) profit() money { return b.cash + b.net }

// toMoney converts an amount; ok is false if it does not fit.
func toMoney(amount float64) (m money, ok bool) {
	scaled := float64(amount * moneyUnit)
	if !(abs(scaled) < moneyMax) {
		return 0, false
	}
	return money(floor(scaled + 0.5)), true
}

func floor(v float64) float64 { return math.Floor(v) }

// fill takes a fill, a position or a heartbeat of fills. It reports whether too much was lost.
func (d *Desk) fill(event *Event) bool {
	d.book.news, d.book.newsNs = true, event.EngineNs
	d.fillSources |= 1 << event.Source
	what := feed.FillWhat(event.F[2])
	if what == feed.FillHeartbeat {
		if event.F[1] == 1 {
			d.book.missing = false
		}
		return false
	}
	price, size := event.F[0], event.F[1]
	if event.Instrument >= uint32(len(d.markets)) || d.markets[event.Instrument].own == nil || !finite(size) || what != feed.FillTrade && what != feed.FillPosition {
		d.book.broken = true
		return false
	}
	m := &d.markets[event.Instrument]
	h := &m.holding
	change := size
	if what == feed.FillPosition {
		change = size - h.position
	}
	h.position += change
	if abs(h.position) <= float64(1e-9*abs(change)) {
		h.position = 0 // what rounding left
	}
	if !finite(price) && what == feed.FillPosition && h.priced {
		price = h.mark // one that only says how much
	}
	if !h.priced && finite(price) {
		h.mark, h.priced = price, true
	}
	spent, ok := toMoney(float64(float64(change*price) * m.multiplier()))
	if !ok || abs(float64(d.book.cash)) >= moneyMax {
		d.book.broken = true
		return false
	}
	d.book.cash -= spent
	d.value(m)
	return d.measure(event.EngineNs)
}

// mark values a position at a new price. It reports whether too much was lost.
func (d *Desk) mark(event *Event, m *market, price float64) bool {
	h := &m.holding
	if !finite(price) {
		return false
	}
	h.mark, h.priced = price, true
	if h.position == 0 {
		return false
	}
	d.value(m)
	return d.measure(event.EngineNs)
}

// value puts what an instrument's position is worth into the sums, in place of what it was worth before.
func (d *Desk) value(m *market) {
	h, b := &m.holding, &d.book
	b.net -= h.value
	b.gross -= absMoney(h.value)
	h.value = 0
	if h.position == 0 {
		return
	}
	worth, ok := toMoney(float64(float64(h.position*h.mark) * m.multiplier()))
	if !ok || abs(float64(b.net)) >= moneyMax || float64(b.gross) >= moneyMax {
		b.broken = true
		return
	}
	h.value = worth
	b.net += worth
	b.gross += absMoney(worth)
}

func absMoney(m money) money {
	if m < 0 {
		return -m
	}
	return m
}

// measure compares profit and loss with the budgets and reports whether one is used up.
func (d *Desk) measure(nowNs int64) bool {
	b := &d.book
	if !d.config.Budget.measured() || !b.certain() {
		return false
	}
	profit := b.profit()
	b.peak = max(b.peak, profit)
	if nowNs >= b.dayEndsNs || b.dayEndsNs == 0 {
		b.dayBase, b.dayEndsNs = b.last, d.dayEnd(nowNs)
	}
	b.last = profit
	return exceeds(b.peak-profit, d.most.drawdown) || exceeds(b.dayBase-profit, d.most.dayLoss)
}

// exceeds reports whether an amount is beyond a limit; a limit of zero is none.
func exceeds(amount, limit money) bool { return limit > 0 && amount > limit }

// limitOf converts a limit. What does not fit is no limit that could be reached.
func limitOf(limit float64) money {
	if limit == 0 {
		return 0
	}
	m, ok := toMoney(limit)
	if !ok {
		return math.MaxInt64
	}
	return max(m, 1)
}

// most is Budget in money.
type most struct{ gross, net, drawdown, dayLoss money }

// dayEnd returns the end of the day of a time.
func (d *Desk) dayEnd(nowNs int64) int64 {
	if d.config.NextDay != nil {
		return d.config.NextDay(nowNs)
	}
	const day = 24 * 3600 * int64(1e9)
	return (floorDiv(nowNs, day) + 1) * day
}

// rebase begins both measures of loss anew, after an operator's resume.
func (b *book) rebase() { b.peak, b.dayBase = b.profit(), b.profit() }

// State says what the desk lets pass.
type State uint8

// The states.
const (
	StateActive   State = 0
	StateReducing State = 1 // only what reduces a position
	StateHalted   State = 2 // exits and withdraws only
)

// String returns the state's name.
func (s State) String() string {
	return [...]string{"active", "reducing", "halted"}[min(s, StateHalted)]
}

// State returns what the desk lets pass at an engine time, looking at what concerns every instrument.
func (d *Desk) State(nowNs int64) State {
	switch {
	case d.config.KillAll || d.killAll || d.stopped:
		return StateHalted
	case d.reduceAll || d.asksFills && d.newsStale(nowNs):
		return StateReducing
	}
	return StateActive
}

// StateNow is State at the engine time of the last event.
func (d *Desk) StateNow() State { return d.State(d.lastNs) }

func (d *Desk) newsStale(nowNs int64) bool {
	return !d.book.news || nowNs-d.book.newsNs > d.config.Budget.StaleNs
}

// budgeted runs the gates that let pass what reduces a position. A signal without a side counts both ways.
func (d *Desk) budgeted(gate Gate, q *question) bool {
	h, l := &q.market.holding, &q.profile.limits
	way := sign(q.side)
	reduces := d.book.certain() && way != 0 && way == -sign(h.position) && l.SignalSize <= abs(h.position)
	if reduces {
		return false
	}
	switch gate {
	case GateFills:
		return d.newsStale(q.event.EngineNs)
	case GateReducing:
		return d.reduceAll || d.reduceSignals>>q.index&1 != 0 || q.market.reduce
	case GatePosition:
		if !d.book.certain() {
			return true
		}
		return way >= 0 && d.tooLarge(q, 1) || way <= 0 && d.tooLarge(q, -1)
	}
	return d.exposed(q, way)
}

// tooLarge reports whether the position could become larger than allowed in a direction.
func (d *Desk) tooLarge(q *question, way int8) bool {
	l := &q.profile.limits
	worst := q.market.holding.position + float64(float64(way)*(l.SignalSize+d.outstanding(q, way)))
	return !(abs(worst) <= l.PositionMax)
}

// outstanding returns what the instrument's other open pairs may still add in a direction.
func (d *Desk) outstanding(q *question, way int8) float64 {
	size := 0.0
	for left := q.open &^ (1 << q.index); left != 0; left &= left - 1 {
		index := bits.TrailingZeros64(left)
		p := &q.pairs[index]
		if p.sideSign == -way || d.rules[index].ExpiresNs > 0 && q.event.EngineNs > p.validUntilNs {
			continue // the other way, or over; one without a side counts both ways
		}
		size += d.profiles[p.profile].limits.SignalSize
	}
	return size
}

// exposed compares what all positions and this signal could be worth with the budgets.
func (d *Desk) exposed(q *question, way int8) bool {
	m, b := q.market, &d.book
	price := m.mid()
	if !finite(price) {
		price = m.last
	}
	more, ok := toMoney(float64(float64(q.profile.limits.SignalSize*price) * m.multiplier()))
	if !ok || !b.certain() || exceeds(b.gross+absMoney(more), d.most.gross) {
		return true
	}
	return way >= 0 && exceeds(absMoney(b.net+more), d.most.net) || way <= 0 && exceeds(absMoney(b.net-more), d.most.net)
}
