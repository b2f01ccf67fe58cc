package journal

import "github.com/sigengine/sigengine/feed"

// TickAppender is the sequencer's door to the journal: ticks, definitions, configurations and blobs. One goroutine. The
// order in which they were given is the order in which a reader applies them.
type TickAppender struct {
	ticks  []feed.Tick // the open block; ticks[:count] are filled
	venue  []uint64
	count  int
	orred  uint64 // of the venue sequences of the open block
	next   uint64 // the sequence that the next tick must have, or at least have if sparse
	sparse bool

	definitions     []byte // the open block of definitions, which goes before the open block of ticks
	definitionCount int
	definitionAt    uint64 // of the first of them
	out             handOver
}

// Append journals a sequenced tick and the venue's own sequence number, 0 if it gives none. It copies the tick and
// returns; it waits only when every block is in flight. A tick out of sequence is a fault of the caller: it is not
// journaled and the journal fails with ErrSequence.
func (a *TickAppender) Append(t *feed.Tick, venueSequence uint64) {
	if t.Seq != a.next && (!a.sparse || t.Seq < a.next) {
		a.outOfSequence(t.Seq)
		return
	}
	n := a.count
	a.ticks[n] = *t
	a.venue[n] = venueSequence
	a.orred |= venueSequence
	a.next = t.Seq + 1
	a.count = n + 1
	if a.count == len(a.ticks) {
		a.handOver()
	}
}

// NextSeq returns the sequence that the next tick must have; if sparse, at least have.
func (a *TickAppender) NextSeq() uint64 { return a.next }

// Flush hands over what is in the open blocks. The owner calls it when idle and every few milliseconds.
func (a *TickAppender) Flush() {
	a.handOver()
	if a.out.writer.options.Inline {
		a.out.writer.drainAll()
	}
}

// handOver gives the open blocks to the writer, definitions first: each says by itself from which tick on it holds.
func (a *TickAppender) handOver() {
	if a.definitionCount > 0 {
		if slot := a.out.slot(); slot != nil {
			slot.typ, slot.count, slot.first = TypeDefinition, a.definitionCount, a.definitionAt
			slot.bytes, a.definitions = a.definitions, slot.bytes
			a.out.ring.Commit(1)
		}
		if cap(a.definitions) < a.out.writer.options.BlockBytes {
			a.definitions = make([]byte, 0, a.out.writer.options.BlockBytes)
		}
		a.definitions, a.definitionCount = a.definitions[:0], 0
	}
	if a.count == 0 {
		return
	}
	if slot := a.out.slot(); slot != nil {
		slot.typ, slot.count, slot.first, slot.hasVenue = TypeTicks, a.count, a.ticks[0].Seq, a.orred != 0
		slot.ticks, a.ticks = a.ticks, slot.ticks
		slot.venue, a.venue = a.venue, slot.venue
		a.out.ring.Commit(1)
	}
	a.count, a.orred = 0, 0
}
