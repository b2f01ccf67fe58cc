package risk

import "math"

// The prices of an instrument that gates follow.
const (
	priceMid   = 0 // of quotes
	priceTrade = 1
	priceCount = 2
	priceNone  = -1
)

// Parts of the windows: a window is kept in this many closed parts and one running.
const (
	collarParts   = 10
	velocityParts = 4
	repeatParts   = 5
)

// prices is what the gates collar and velocity know of one price of an instrument. Its size is fixed. Times do not go back.
type prices struct {
	known     bool    // a price was seen
	last      float64 // the price seen last
	reference float64 // median of the last prices of the closed parts of the collar's window; the first price until there is one
	part      int64   // number of the running part
	partEndNs int64
	closes    [collarParts + 1]float64 // the last price of each part
	held      [collarParts + 1]bool

	block           int64 // number of the running part of velocity's window
	blockEndNs      int64
	low, high       [velocityParts + 1]float64
	filled          [velocityParts + 1]bool
	lowest, highest float64 // of the window

	hold         int64 // number of the running block of velocity's hold
	holdEndNs    int64
	move, before float64 // greatest move in the running block, and in the one before
}

// see takes a finite price.
func (p *prices) see(price float64, nowNs int64, l *Limits) {
	if l.CollarWindowNs >= collarParts {
		p.collar(price, nowNs, l.CollarWindowNs/collarParts)
	}
	if l.VelocityWindowNs >= velocityParts && l.VelocityHoldNs > 0 {
		p.velocity(price, nowNs, l.VelocityWindowNs/velocityParts, l.VelocityHoldNs)
	}
	p.known, p.last = true, price
}

// collar notes the running part's last price. Those of the closed parts make the reference; where none has a price the last
// reference stays. A median, so that a bad print at the end of one part does not move it.
func (p *prices) collar(price float64, nowNs, stepNs int64) {
	if !p.known {
		p.part, p.reference = floorDiv(nowNs, stepNs), price
		p.partEndNs = (p.part + 1) * stepNs
	}
	if nowNs >= p.partEndNs {
		part := floorDiv(nowNs, stepNs)
		for n := max(p.part+1, part-collarParts); n <= part; n++ {
			p.held[floorMod(n, collarParts+1)] = false
		}
		p.part, p.partEndNs = part, (part+1)*stepNs
		p.median(floorMod(part, collarParts+1))
	}
	i := floorMod(p.part, collarParts+1)
	p.closes[i], p.held[i] = price, true
}

// median makes the reference of all parts but the running one. Of an even number it is half way between the middle two.
func (p *prices) median(running int64) {
	var sorted [collarParts]float64
	count := 0
	for i := range p.closes {
		if !p.held[i] || int64(i) == running {
			continue
		}
		at := count
		for at > 0 && sorted[at-1] > p.closes[i] {
			sorted[at] = sorted[at-1]
			at--
		}
		sorted[at] = p.closes[i]
		count++
	}
	if count > 0 {
		p.reference = (sorted[(count-1)/2] + sorted[count/2]) / 2
	}
}

// velocity notes the greatest move from any price of the window to this one.
func (p *prices) velocity(price float64, nowNs, stepNs, holdNs int64) {
	switch {
	case !p.known:
		p.lowest, p.highest = price, price
		p.turn(price, nowNs, stepNs)
	case nowNs >= p.blockEndNs:
		p.turn(price, nowNs, stepNs)
	case price == p.last && nowNs < p.holdEndNs:
		return // nothing that was not noted already
	}
	i := floorMod(p.block, velocityParts+1)
	if price < p.low[i] {
		p.low[i] = price
	}
	if price > p.high[i] {
		p.high[i] = price
	}
	if price < p.lowest {
		p.lowest = price
	}
	if price > p.highest {
		p.highest = price
	}
	move := larger(distance(price, p.lowest), distance(price, p.highest))
	if nowNs < p.holdEndNs {
		p.move = larger(p.move, move)
		return
	}
	hold := floorDiv(nowNs, holdNs)
	p.before = 0
	if hold == p.hold+1 && p.known {
		p.before = p.move
	}
	p.hold, p.holdEndNs, p.move = hold, (hold+1)*holdNs, move
}

// turn begins a part of the window with a price.
func (p *prices) turn(price float64, nowNs, stepNs int64) {
	block := floorDiv(nowNs, stepNs)
	if p.known {
		for n := max(p.block+1, block-velocityParts); n <= block; n++ {
			p.filled[floorMod(n, velocityParts+1)] = false
		}
	}
	p.block, p.blockEndNs = block, (block+1)*stepNs
	i := floorMod(block, velocityParts+1)
	p.low[i], p.high[i], p.filled[i] = price, price, true
	p.lowest, p.highest = price, price
	for k := range p.filled {
		if p.filled[k] && p.low[k] < p.lowest {
			p.lowest = p.low[k]
		}
		if p.filled[k] && p.high[k] > p.highest {
			p.highest = p.high[k]
		}
	}
}

// fastest returns the greatest move within the last one to two holds.
func (p *prices) fastest(nowNs int64, holdNs int64) float64 {
	switch floorDiv(nowNs, holdNs) - p.hold {
	case 0:
		return larger(p.move, p.before)
	case 1:
		return p.move
	}
	return 0
}

// distance returns |price / from - 1|, infinite from zero.
func distance(price, from float64) float64 {
	if price == from {
		return 0
	}
	return abs(price-from) / abs(from)
}

func larger(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

func abs(v float64) float64 {
	if v < 0 {
		return -v
	}
	return v
}

// finite reports whether v is a number. It looks at the bits: v-v of a product would be fused where processors can.
func finite(v float64) bool {
	const exponent = 0x7ff0000000000000
	return math.Float64bits(v)&exponent != exponent
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 {
	m := a % b
	if m < 0 {
		m += b
	}
	return m
}
