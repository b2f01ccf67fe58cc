package journal

import (
	"fmt"

	"github.com/sigengine/sigengine/feed"
)

// check verifies what a block says against what came before it, and its structure, and then moves the numbers on.
func (r *Reader) check(h *blockHeader) error {
	if h.version != payloadVersion {
		return r.unsupported(fmt.Sprintf("version %d of %s blocks", h.version, h.typ))
	}
	if h.flags&^flagsKnown != 0 {
		return r.unsupported(fmt.Sprintf("block flags %#x", h.flags))
	}
	if h.number != r.nextBlock {
		return r.damage(fmt.Sprintf("block number %d, not %d", r.nextBlock, h.number))
	}
	if h.count == 0 {
		return r.damage("at least one record")
	}
	if (h.typ == TypeTicks || h.typ == TypeOutcome) && h.flags&flagRepeated != 0 || h.typ != TypeTicks && h.flags&flagVenue != 0 {
		return r.damage("flags that fit the type of block")
	}
	switch h.typ {
	case TypeTicks:
		return r.checkTicks(h)
	case TypeDefinition:
		return r.checkDefinitions(h)
	case TypeConfig:
		return r.checkSingle(h, configWrong(r.block.payload))
	case TypeBlob:
		return r.checkSingle(h, blobWrong(r.block.payload))
	case TypeOutcome:
		return r.checkOutcomes(h)
	default:
		return r.unsupported(fmt.Sprintf("block type %d", h.typ))
	}
}

func (r *Reader) unsupported(what string) error { return &UnsupportedError{r.index, r.offset, what} }

func (r *Reader) checkTicks(h *blockHeader) error {
	size := uint64(feed.TickSize)
	if h.flags&flagVenue != 0 {
		size += venueBytes
	}
	if uint64(h.count)*size != uint64(h.bytes) {
		return r.damage("ticks that fill their block")
	}
	ticks := r.block.Ticks()
	if h.first != ticks[0].Seq {
		return r.damage("the sequence of the first tick in the block header")
	}
	next, sparse := r.nextSeq, r.Sparse()
	for i := range ticks {
		if seq := ticks[i].Seq; seq != next && (!sparse || seq < next) {
			return r.damage(fmt.Sprintf("sequence %d, not %d", next, seq))
		}
		next = ticks[i].Seq + 1
	}
	r.nextSeq = next
	return nil
}

func (r *Reader) checkDefinitions(h *blockHeader) error {
	count, at := uint32(0), h.first
	repeated := h.flags&flagRepeated != 0
	for rest := r.block.payload; len(rest) > 0; count++ {
		size := definitionBytes(rest)
		if size == 0 {
			return r.damage("definitions that fill their block")
		}
		recordAt, class := le.Uint64(rest), Class(rest[14])
		if count == 0 && recordAt != h.first || recordAt < at || !repeated && recordAt < r.nextSeq {
			return r.damage("definitions that hold from rising sequences on, after the ticks before them")
		}
		if class != ClassInstrument && class != ClassName {
			return r.unsupported(fmt.Sprintf("definition class %d", class))
		}
		at, rest = recordAt, rest[size:]
	}
	if count != h.count {
		return r.damage("the number of definitions in the block header")
	}
	return nil
}

func (r *Reader) checkSingle(h *blockHeader, wrong string) error {
	switch {
	case wrong != "":
		return r.damage(wrong)
	case h.count != 1:
		return r.damage("one record in a block of this type")
	case h.flags&flagRepeated == 0 && h.first != r.nextSeq:
		return r.damage("the sequence of the next tick in the block header")
	}
	return nil
}

func (r *Reader) checkOutcomes(h *blockHeader) error {
	if h.first != r.nextOutcome {
		return r.damage(fmt.Sprintf("outcome number %d, not %d", r.nextOutcome, h.first))
	}
	count := uint32(0)
	for rest := r.block.payload; len(rest) > 0; count++ {
		size := outcomeBytes(rest)
		if size == 0 {
			return r.damage("outcomes that fill their block")
		}
		rest = rest[size:]
	}
	if count != h.count {
		return r.damage("the number of outcomes in the block header")
	}
	r.nextOutcome += uint64(count)
	return nil
}
