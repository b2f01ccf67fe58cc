package risk

import "math"

// Bounds that keep the arithmetic of rates and counts from overflowing.
const (
	rateBurstMax   = 1_000_000
	repeatCountMax = 10_000
)

// cell is a rate limit: a bucket that holds burst signals and gains one every everyNs. It needs one number, the time at
// which it would be full again (the generic cell rate algorithm).
type cell struct{ fullNs int64 }

// conforms reports whether one more may pass at this time.
func (c cell) conforms(nowNs, everyNs, burst int64) bool {
	return c.fullNs <= nowNs || c.fullNs-nowNs <= saturatingMul(burst-1, everyNs)
}

// charge takes one that passed.
func (c *cell) charge(nowNs, everyNs int64) {
	if c.fullNs < nowNs {
		c.fullNs = nowNs
	}
	c.fullNs = saturatingAdd(c.fullNs, everyNs)
}

// entries counts the entries of a pair in a rolling window, in parts: the count covers the window and at most one part
// more.
type entries struct {
	part   int64
	counts [repeatParts + 1]uint16
}

// within returns the entries up to a time.
func (e *entries) within(nowNs, windowNs int64) uint32 {
	part := floorDiv(nowNs, windowNs/repeatParts)
	n := uint32(0)
	for k := max(part-repeatParts, e.part-repeatParts); k <= e.part; k++ {
		n += uint32(e.counts[floorMod(k, repeatParts+1)])
	}
	return n
}

// add takes an entry.
func (e *entries) add(nowNs, windowNs int64) {
	part := floorDiv(nowNs, windowNs/repeatParts)
	for k := max(e.part+1, part-repeatParts); k <= part; k++ {
		e.counts[floorMod(k, repeatParts+1)] = 0
	}
	e.part = part
	e.counts[floorMod(part, repeatParts+1)]++
}

func saturatingAdd(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// saturatingMul multiplies numbers that are not negative.
func saturatingMul(a, b int64) int64 {
	if a != 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}
