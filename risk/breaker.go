package risk

import "fmt"

// Breaker is the latency breaker: it opens when late of the last of latencies are beyond the limit, and closes after clean in
// a row that are not. It reads no clock: who measures gives it latencies, and sequences what it says as a fact. One goroutine.
type Breaker struct {
	limitNs         int64
	late, of, clean int
	ring            []bool // late or not, of the last latencies
	next            int
	count           int // late ones in ring
	row             int // in time, in a row
	open            bool
}

// NewBreaker returns a closed breaker. The error wraps ErrConfig.
func NewBreaker(limitNs int64, late, of, clean int) (*Breaker, error) {
	if limitNs < 1 || late < 1 || of < late || of > 1<<20 || clean < 1 {
		return nil, fmt.Errorf("%w: a breaker of %d of %d beyond %d ns, closed by %d", ErrConfig, late, of, limitNs, clean)
	}
	return &Breaker{limitNs: limitNs, late: late, of: of, clean: clean, ring: make([]bool, of)}, nil
}

// Observe takes a latency and returns whether the breaker is open now.
func (b *Breaker) Observe(latencyNs int64) (open bool) {
	isLate := latencyNs > b.limitNs
	if b.ring[b.next] {
		b.count--
	}
	b.ring[b.next] = isLate
	b.next = (b.next + 1) % b.of
	b.row++
	if isLate {
		b.count++
		b.row = 0
	}
	switch {
	case !b.open && b.count >= b.late:
		b.open = true
	case b.open && b.row >= b.clean:
		b.open, b.count = false, 0
		clear(b.ring)
	}
	return b.open
}
