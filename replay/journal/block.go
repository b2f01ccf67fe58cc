package journal

import (
	"iter"

	"github.com/sigengine/sigengine/feed"
)

// Block is one verified block. It and everything it gives out by reference is valid until the reader's next Next.
type Block struct {
	Type     Type
	Repeated bool   // said in an earlier segment already; see Reader.Next
	Run      uint64 // which opening of the journal wrote it, from 1; the engine started anew at each
	Segment  uint64
	Offset   int64  // of the block in its segment, in bytes
	Number   uint64 // from 1, over all segments
	First    uint64 // Ticks: sequence of the first. Config, Blob, Definition: sequence it holds from. Outcome: its number.
	Count    int    // of records

	hasVenue bool
	payload  []byte
	words    []uint64 // the memory of payload
	ticks    []feed.Tick
	venue    []uint64
}

// Ticks returns the ticks of a Ticks block, where possible in place; empty for others.
func (b *Block) Ticks() []feed.Tick {
	if b.Type != TypeTicks {
		return nil
	}
	b.ticks = viewTicks(b.words, b.Count, b.ticks)
	return b.ticks
}

// VenueSequences returns the venue's own sequence numbers, one a tick, 0 where it gave none; nil if it gave none at all.
func (b *Block) VenueSequences() []uint64 {
	if b.Type != TypeTicks || !b.hasVenue {
		return nil
	}
	column := b.words[b.Count*feed.TickSize/venueBytes:][:b.Count]
	if hostLittleEndian {
		return column
	}
	b.venue = b.venue[:0]
	for i := range column {
		b.venue = append(b.venue, le.Uint64(bytesOf(column[i:])))
	}
	return b.venue
}

// Definitions iterates over the records of a Definition block.
func (b *Block) Definitions() iter.Seq[Definition] {
	return func(yield func(Definition) bool) {
		if b.Type != TypeDefinition {
			return
		}
		for rest := b.payload; len(rest) > 0; {
			size := definitionBytes(rest)
			if !yield(decodeDefinition(rest[:size])) {
				return
			}
			rest = rest[size:]
		}
	}
}

// Config returns a copy of the record of a Config block; ok is false for others.
func (b *Block) Config() (config Config, ok bool) {
	if b.Type != TypeConfig {
		return Config{}, false
	}
	return decodeConfig(b.payload), true
}

// Blob returns a copy of the record of a Blob block; ok is false for others.
func (b *Block) Blob() (blob Blob, ok bool) {
	if b.Type != TypeBlob {
		return Blob{}, false
	}
	return decodeBlob(b.payload), true
}

// Outcomes iterates over the records of an Outcome block.
func (b *Block) Outcomes() iter.Seq[Outcome] {
	return func(yield func(Outcome) bool) {
		if b.Type != TypeOutcome {
			return
		}
		number := b.First
		for rest := b.payload; len(rest) > 0; number++ {
			size := outcomeBytes(rest)
			if !yield(Outcome{Number: number, Result: rest[4], Body: rest[outcomeFixedBytes:size:size]}) {
				return
			}
			rest = rest[size:]
		}
	}
}
