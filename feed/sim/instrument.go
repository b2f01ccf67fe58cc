package sim

import "math"

// How the market moves. Times are seconds of market time.
const (
	flowSeconds   = 0.4  // order-flow pressure forgets
	flowTicks     = 25.0 // price steps a second at full pressure
	volSeconds    = 2.0  // volatility forgets
	volOctaves    = 1.2  // its spread, in powers of two
	anchorSeconds = 3600 // the fair price is drawn to where it opened, weakly
	tradeShare    = 0.22 // of an instrument's ticks, outside runs
	stepSeconds   = 1.0  // no step is longer than this: an instrument asleep does not leap
	fairTicksMin  = 64.0
	tradeOctaves  = -2.5 // a usual trade beside a usual best level
	liftTicks     = 0.25 // how far the fair price follows when a trade takes a whole level
	burstWider    = 2.5  // volatility in a news burst
)

// grid is how prices and sizes of an instrument are spelled: whole steps over a whole number, so every
// value is the float64 nearest to its decimal.
type grid struct {
	stepsPerUnit float64 // price = steps / stepsPerUnit
	lotsPerUnit  float64 // size = lots / lotsPerUnit
	openMin      uint64  // opening price, in steps
	openMax      uint64
}

var grids = [...]grid{
	{stepsPerUnit: 100, lotsPerUnit: 1, openMin: 2_000, openMax: 45_000},       // shares, 0.01
	{stepsPerUnit: 10, lotsPerUnit: 1000, openMin: 20_000, openMax: 900_000},   // large coins, 0.1
	{stepsPerUnit: 10_000, lotsPerUnit: 10, openMin: 3_000, openMax: 60_000},   // small coins, 0.0001
	{stepsPerUnit: 4, lotsPerUnit: 1, openMin: 12_000, openMax: 30_000},        // index futures, 0.25
	{stepsPerUnit: 100_000, lotsPerUnit: 1, openMin: 60_000, openMax: 170_000}, // currencies, 0.00001
}

// instrument is one instrument's state. Prices are in steps, sizes in lots.
type instrument struct {
	lastNs     int64
	fair       float64 // price steps
	open       float64
	sigma      float64 // price steps a root second, at volatility 1
	beta       float64 // share of the market factor
	factorSeen float64 // market factor at the last step
	volOctave  float64 // log2 of volatility, mean-reverting
	flow       float64 // order-flow pressure, about -1 to 1
	spread     float64 // mean-reverting, price steps
	spreadMean float64
	lotsOctave float64 // log2 of the usual size in lots

	bid, ask         int64 // steps; the quote that last went out undisturbed
	bidLots, askLots int64
	runLeft          int32 // trades of one large order still to come
	runSide          int32 // +1 buys, -1 sells
	grid             int32
	halted           bool
	resumeNs         int64
	venueSeq         uint64
}

func (in *instrument) init(r *random, startNs int64) {
	in.grid = int32(r.below(uint64(len(grids))))
	g := &grids[in.grid]
	in.open = float64(g.openMin + r.below(g.openMax-g.openMin+1))
	in.fair = in.open
	in.lastNs = startNs
	in.sigma = 1.5 + float64(6*r.uniform())
	in.beta = 0.2 + float64(0.6*r.uniform())
	in.spreadMean = 1.2 + float64(float64(r.uniform()*r.uniform())*3)
	in.spread = in.spreadMean
	in.lotsOctave = 4 + float64(4*r.uniform())
	in.quote(r)
}

// step moves the hidden state to nowNs. factor is the market factor now, wider the burst's volatility.
func (in *instrument) step(r *random, nowNs int64, factor, wider float64) {
	dt := min(float64(nowNs-in.lastNs)*1e-9, stepSeconds)
	in.lastNs = nowNs
	in.volOctave = revert(r, in.volOctave, dt/volSeconds, volOctaves)
	in.flow = revert(r, in.flow, dt/flowSeconds, 0.6)
	sigma := in.sigma * exp2(in.volOctave) * wider

	shared := in.beta * (factor - in.factorSeen)
	in.factorSeen = factor
	own := float64(float64(1-float64(0.5*in.beta))*math.Sqrt(dt)) * r.normal()
	drift := float64(flowTicks*in.flow) * dt
	pull := float64(in.open-in.fair) * dt / anchorSeconds
	in.fair += float64(sigma*(float64(shared)+float64(own))) + (float64(drift) + float64(pull))
	in.fair = max(in.fair, fairTicksMin)
}

// revert moves an Ornstein-Uhlenbeck value of mean 0 and the given spread by share of its time constant.
func revert(r *random, value, share, spread float64) float64 {
	share = min(share, 1)
	pulled := value - float64(value*share)
	noise := float64(spread*math.Sqrt(float64(2*share))) * r.normal()
	return pulled + float64(noise)
}

// quote sets a new best bid and ask around the fair price.
func (in *instrument) quote(r *random) {
	jitter := float64(0.35*in.spreadMean) * r.normal()
	in.spread += float64(0.3*(in.spreadMean-in.spread)) + float64(jitter)
	in.spread = min(max(in.spread, 1), float64(4*in.spreadMean))
	width := int64(in.spread + 0.5)
	in.bid = max(int64(in.fair-float64(0.5*float64(width))+0.5), 1)
	in.ask = in.bid + width
	in.bidLots = in.lots(r, float64(1.6*in.flow))
	in.askLots = in.lots(r, -float64(1.6*in.flow))
}

// lots draws a size, lognormal, moved by octaves.
func (in *instrument) lots(r *random, octaves float64) int64 {
	x := in.lotsOctave + octaves + float64(0.9*r.normal())
	return max(int64(exp2(x)), 1)
}

// trade returns the next trade's price in steps, its lots and its aggressor, and what it does to the book.
func (in *instrument) trade(r *random) (steps, lots, side int64) {
	if in.runLeft > 0 {
		in.runLeft--
	} else {
		in.runSide = -1
		if r.uniform() < 0.5+float64(0.35*min(max(in.flow, -1), 1)) {
			in.runSide = 1
		}
		if r.uniform() < 0.2 {
			in.runLeft = int32(1 + r.below(5))
		}
	}
	lots = in.lots(r, tradeOctaves)
	side = int64(in.runSide)
	in.flow += float64(0.04 * float64(side))
	if side > 0 {
		steps = in.ask
		in.askLots -= lots
		if in.askLots <= 0 {
			lots += in.askLots
			in.lift(r, 1)
		}
	} else {
		steps = in.bid
		in.bidLots -= lots
		if in.bidLots <= 0 {
			lots += in.bidLots
			in.lift(r, -1)
		}
	}
	return steps, lots, side
}

// lift moves both sides one step after a trade took the whole of one.
func (in *instrument) lift(r *random, direction int64) {
	if in.bid+direction < 1 {
		direction = 0
	}
	in.bid += direction
	in.ask += direction
	in.fair += float64(liftTicks * float64(direction))
	in.bidLots = in.lots(r, float64(in.flow))
	in.askLots = in.lots(r, -float64(in.flow))
}

func (in *instrument) price(steps int64) float64 { return float64(steps) / grids[in.grid].stepsPerUnit }

func (in *instrument) size(lots int64) float64 { return float64(lots) / grids[in.grid].lotsPerUnit }
