package journal

import (
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/ring"
)

// buffer is a slot of the ring between a producer and the writer: one block on its way. Its slices are preallocated and
// swapped with the producer's own at hand-over, so nothing is copied there.
type buffer struct {
	typ   Type
	count int
	first uint64
	ticks []feed.Tick
	venue []uint64
	// hasVenue says that venue is not all zero.
	hasVenue bool
	bytes    []byte // the payload of types other than ticks
}

// payloadBytes returns the size of the block's payload.
func (b *buffer) payloadBytes() int {
	switch {
	case b.typ != TypeTicks:
		return len(b.bytes)
	case b.hasVenue:
		return b.count * (feed.TickSize + venueBytes)
	default:
		return b.count * feed.TickSize
	}
}

// putPayload writes the payload to dst, which has its size.
func (b *buffer) putPayload(dst []byte) {
	if b.typ != TypeTicks {
		copy(dst, b.bytes)
		return
	}
	putTicks(dst, b.ticks[:b.count])
	if !b.hasVenue {
		return
	}
	column := dst[b.count*feed.TickSize:]
	for i, sequence := range b.venue[:b.count] {
		le.PutUint64(column[i*venueBytes:], sequence)
	}
}

// handOver is a producer's end of its ring to the writer.
type handOver struct {
	ring    *ring.Ring[buffer]
	writer  *Writer
	blocked *counter
}

// slot waits for a free slot. After the writer has closed there is none, and the journal fails.
func (h *handOver) slot() *buffer {
	if slot, ok := h.ring.Claim(); ok {
		return slot
	}
	h.blocked.add(1)
	for turn := 0; ; turn++ {
		if h.ring.Abandoned() {
			h.writer.fail(ErrClosed)
			return nil
		}
		if h.writer.options.Inline {
			h.writer.Poll()
		} else {
			pause(turn)
		}
		if slot, ok := h.ring.Claim(); ok {
			return slot
		}
	}
}
