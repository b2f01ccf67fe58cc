package feed

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/sigengine/sigengine/ring"
)

// FullPolicy says what becomes of a tick that finds its inlet's ring full.
type FullPolicy uint8

// The policies.
const (
	FullDrop  FullPolicy = 0 // drop it and mark a gap: for transports that cannot wait, such as core NATS
	FullBlock FullPolicy = 1 // wait for room: for transports that can, such as files
)

// String returns the policy as the configuration spells it.
func (p FullPolicy) String() string {
	if p == FullBlock {
		return "block"
	}
	return "drop"
}

// Bounds of an inlet.
const (
	// SourcesMax is how many inlets one engine can have: instruments keep a bit a source.
	SourcesMax = 64
	// reserveMax slots are kept free of market data, so that a halt still fits a ring full of quotes.
	reserveMax = 64
	// blockedLookNs is how often a blocked producer looks whether the consumer has left.
	blockedLookNs = 50 * time.Millisecond
)

// ErrInlet says that an inlet cannot be made as asked.
var ErrInlet = errors.New("feed: bad inlet")

// InletConfig describes an inlet.
type InletConfig struct {
	Name        string // for counters and messages
	Slots       int    // ring capacity, a power of two of at least 16
	Instruments int    // most instruments the source may name
	Full        FullPolicy
}

// Inlet is one source's way into the engine: a ring of ticks, the venue's sequence numbers beside them, the
// table of instruments that the ticks' handles refer to, and marks for what was lost.
//
// The source's goroutine owns Offer, Flush and Close; the sequencer owns Poll, Release, Hole and Connect's
// moment; MarkGap and the counters are anyone's.
type Inlet struct {
	Symbols *Symbols
	name    string
	full    FullPolicy
	ring    *ring.Ring[Tick]
	column  []uint64 // venue sequence by ring slot

	// The producer's.
	id       uint16
	reserve  int
	pending  int // offered, not yet committed
	consumer *ring.Parker
	waiter   ring.Waiter
	room     *ring.Parker // where the producer waits; nil under FullDrop

	// The consumer's last look.
	lostSeen, gapsSeen uint64

	gaps      atomic.Uint64
	upstream  atomic.Uint64 // lost before they could be offered
	gapReason atomic.Uint32
	offered   atomic.Uint64
	blocked   atomic.Uint64
}

// NewInlet returns an empty inlet. The error wraps ErrInlet.
func NewInlet(config InletConfig) (*Inlet, error) {
	if config.Slots < 16 || config.Instruments < 1 {
		return nil, fmt.Errorf("%w %q: %d slots (want a power of two of at least 16), %d instruments (want at least 1)",
			ErrInlet, config.Name, config.Slots, config.Instruments)
	}
	r, err := ring.New(make([]Tick, config.Slots))
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrInlet, config.Name, err)
	}
	in := &Inlet{
		Symbols: NewSymbols(config.Instruments),
		name:    config.Name,
		full:    config.Full,
		ring:    r,
		column:  make([]uint64, config.Slots),
		reserve: min(reserveMax, config.Slots/8),
	}
	if config.Full == FullBlock {
		in.room = ring.NewParker()
		in.waiter = ring.NewWaiter(ring.SpinThenPark, in.room)
		in.reserve = 0
	}
	return in, nil
}

// Connect gives the inlet its source number and the parker of the goroutine that will poll it. It is called once,
// before the source starts.
func (in *Inlet) Connect(id uint16, consumer *ring.Parker) { in.id, in.consumer = id, consumer }

// Name returns the inlet's name.
func (in *Inlet) Name() string { return in.name }

// Source returns the number that the inlet's ticks carry.
func (in *Inlet) Source() uint16 { return in.id }

// Offer copies a tick and its venue sequence number (0: none) into the ring; Flush makes it visible. It reports
// false if the tick was dropped: the ring was full under FullDrop, or the engine has left. It never allocates.
func (in *Inlet) Offer(tick *Tick, venueSequence uint64) bool {
	reserve := 0
	if isMarketData(tick.Kind) {
		reserve = in.reserve
	}
	if _, ok := in.ring.ClaimAt(in.pending + reserve); !ok && !in.makeRoom(reserve) {
		in.ring.MarkLost(1)
		return false
	}
	slot, _ := in.ring.ClaimAt(in.pending)
	*slot = *tick
	slot.Source = in.id
	in.column[(in.ring.NextSequence()+uint64(in.pending))&in.ring.Mask()] = venueSequence
	in.pending++
	return true
}

// Flush makes the ticks offered so far visible and wakes the sequencer.
func (in *Inlet) Flush() {
	if in.pending == 0 {
		return
	}
	in.offered.Store(in.offered.Load() + uint64(in.pending)) // one writer
	in.ring.CommitWake(in.pending, in.consumer)
	in.pending = 0
}

// makeRoom handles a full ring: it lets the sequencer have what is pending and, under FullBlock, waits.
func (in *Inlet) makeRoom(reserve int) bool {
	in.Flush()
	if _, ok := in.ring.ClaimAt(reserve); ok {
		return true
	}
	if in.full != FullBlock {
		return false
	}
	in.blocked.Add(1)
	for {
		if _, ok := in.ring.ClaimAt(reserve); ok {
			in.waiter.Busy()
			return true
		}
		if in.ring.Abandoned() {
			in.waiter.Busy()
			return false
		}
		in.waiter.Idle(blockedLookNs)
	}
}

// Close says that the source will offer nothing more.
func (in *Inlet) Close() {
	in.Flush()
	in.ring.Close()
	if in.consumer != nil {
		in.consumer.Wake()
	}
}

// MarkGap says that data of this source went missing before it could be offered: lost messages, 0 if their number is
// not known. What is queued is then not traded on: the sequencer discards the queued market data and sequences one
// Gap. Any goroutine.
func (in *Inlet) MarkGap(reason GapReason, lost uint64) {
	in.upstream.Add(lost)
	in.gapReason.Store(uint32(reason))
	in.gaps.Add(1)
	if in.consumer != nil {
		in.consumer.Wake()
	}
}

// Poll returns the oldest ticks, at most most, to be read in place and given back with Release, and their venue
// sequence numbers. Sequencer only.
func (in *Inlet) Poll(most int) ([]Tick, []uint64) {
	ticks := in.ring.PollMax(most)
	at := in.ring.Sequence() & in.ring.Mask()
	return ticks, in.column[at : at+uint64(len(ticks))]
}

// Release gives back the first count polled ticks. Sequencer only.
func (in *Inlet) Release(count int) { in.ring.ReleaseWake(count, in.room) }

// Queued returns how many ticks wait. Exact on the sequencer's goroutine at that moment, a figure elsewhere.
func (in *Inlet) Queued() int { return in.ring.Len() }

// Done reports that the source has closed the inlet and everything was released. Sequencer only.
func (in *Inlet) Done() bool { return in.ring.Closed() }

// Abandoned reports whether the sequencer polls no more. Any goroutine.
func (in *Inlet) Abandoned() bool { return in.ring.Abandoned() }

// Abandon says that the sequencer polls no more, so that a blocked source can leave.
func (in *Inlet) Abandon() {
	in.ring.Abandon()
	if in.room != nil {
		in.room.Wake()
	}
}

// Hole reports whether something was lost since the last call, why, and how many ticks if that is known. Call it
// after Poll: it then tells of every loss before the last tick polled. Sequencer only.
func (in *Inlet) Hole() (reason GapReason, lost uint64, ok bool) {
	gaps := in.gaps.Load()
	total := in.ring.Lost() + in.upstream.Load()
	if total == in.lostSeen && gaps == in.gapsSeen {
		return 0, 0, false
	}
	reason, lost = GapRingFull, total-in.lostSeen
	if gaps != in.gapsSeen {
		reason = GapReason(in.gapReason.Load())
	}
	in.lostSeen, in.gapsSeen = total, gaps
	return reason, lost, true
}

// InletStats are an inlet's counters.
type InletStats struct {
	Offered uint64 // ticks that entered the ring
	Dropped uint64 // ticks that found it full
	Lost    uint64 // messages lost before they could be offered, as far as known
	Blocked uint64 // times the source waited for room
	Gaps    uint64 // gaps marked by the source
}

// Stats returns the counters. Any goroutine.
func (in *Inlet) Stats() InletStats {
	return InletStats{
		Offered: in.offered.Load(), Dropped: in.ring.Lost(), Lost: in.upstream.Load(), Blocked: in.blocked.Load(), Gaps: in.gaps.Load(),
	}
}

// isMarketData reports whether a tick of this kind may be discarded after a loss, because newer ones replace it.
func isMarketData(kind Kind) bool { return kind == KindQuote || kind == KindTrade || kind == KindDepth }

// IsMarketData reports whether a tick of this kind is discarded when its source lost data.
func (k Kind) IsMarketData() bool { return isMarketData(k) }
