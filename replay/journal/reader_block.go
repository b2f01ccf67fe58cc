package journal

import (
	"errors"
	"fmt"
	"io"
)

// fill reads p at an offset. It returns errTail if the segment does not have all of it (yet).
func (r *Reader) fill(p []byte, at int64) error {
	end := at + int64(len(p))
	if end > r.size {
		size, err := r.file.Size()
		if err != nil {
			return fmt.Errorf("journal: size of %s: %w", SegmentName(r.index), err)
		}
		if r.size = size; end > size {
			return errTail
		}
	}
	n, err := r.file.ReadAt(p, at)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		r.size = at + int64(n) // it was cut since
		return errTail
	default:
		return fmt.Errorf("journal: read %s: %w", SegmentName(r.index), err)
	}
}

func (r *Reader) readSegmentHeader() error {
	if err := r.fill(r.headers[:], 0); err != nil {
		return err
	}
	var h segmentHeader
	if wrong, unsupported := h.decode(&r.headers); wrong != "" {
		if unsupported {
			return &UnsupportedError{r.index, 0, wrong}
		}
		return r.damaged("a sound "+wrong, SegmentHeaderBytes)
	}
	switch {
	case h.index != r.index:
		return r.damage("the segment's own index to be that of its name")
	case r.started && h.chain != r.chain.value:
		return r.damage("the chain value of the previous segment's end")
	case r.started && (h.firstBlock != r.nextBlock || h.firstSeq != r.nextSeq || h.firstOutcome != r.nextOutcome):
		return r.damage("block, tick and outcome numbers that follow the previous segment's")
	case r.started && (h.partition != r.header.partition || h.flags != r.header.flags):
		return r.damage("the partition and flags of the previous segment")
	case r.started && h.run != r.header.run && h.run != r.header.run+1:
		return r.damage("the run of the previous segment, or the next")
	}
	r.repeats = !r.started || h.run != r.header.run
	r.header = h
	r.nextBlock, r.nextSeq, r.nextOutcome = h.firstBlock, h.firstSeq, h.firstOutcome
	r.chain.segment(&r.headers)
	r.started = true
	r.offset = SegmentHeaderBytes
	return nil
}

// readBlock reads and verifies the block at the offset. Nothing of the reader's state moves before all of it holds.
func (r *Reader) readBlock() (*Block, error) {
	header := (*[BlockHeaderBytes]byte)(r.headers[:])
	if err := r.fill(header[:], r.offset); err != nil {
		if err == errTail && r.size == r.offset {
			return nil, errClean
		}
		return nil, err
	}
	var h blockHeader
	if wrong := h.decode(header); wrong != "" {
		return nil, r.damaged("a sound "+wrong, r.size-r.offset)
	}
	if h.bytes > PayloadBytesMax {
		return nil, &UnsupportedError{r.index, r.offset, fmt.Sprintf("a payload of %d bytes", h.bytes)}
	}
	size := padded(int(h.bytes))
	r.reserve(size)
	payload := bytesOf(r.block.words)[:size]
	if err := r.fill(payload, r.offset+BlockHeaderBytes); err != nil {
		return nil, err
	}
	if checksum(payload) != h.crc {
		return nil, r.damaged("a sound payload CRC", int64(BlockHeaderBytes+size))
	}
	if value := r.chain.peek(header[:blockChainedBytes], payload); *value != h.chain {
		return nil, r.damage("the hash chain to hold: a block before this one is missing, was exchanged or added")
	}
	b := &r.block
	b.Type, b.Number, b.First, b.Count = h.typ, h.number, h.first, int(h.count)
	b.Repeated, b.hasVenue = h.flags&flagRepeated != 0, h.flags&flagVenue != 0
	b.Run, b.Segment, b.Offset, b.payload = r.header.run, r.index, r.offset, payload[:h.bytes]
	for _, pad := range payload[h.bytes:] {
		if pad != 0 {
			return nil, r.damage("zeros as padding")
		}
	}
	if err := r.check(&h); err != nil {
		return nil, err
	}
	r.chain.value = h.chain
	r.offset += int64(BlockHeaderBytes + size)
	r.nextBlock++
	return b, nil
}

// reserve makes the block's memory at least size bytes; it grows to the largest block there is.
func (r *Reader) reserve(size int) {
	if len(r.block.words) < size/8 {
		r.block.words = make([]uint64, max(size/8, 8<<10))
	}
}

// damaged is damage, unless it is what a power loss leaves of the last block: file systems show blocks of zeros where
// data had not reached the disk. It is a tail only if no sound block header follows.
func (r *Reader) damaged(expected string, extent int64) error {
	damage := r.damage(expected)
	later, err := r.laterExists()
	if err != nil {
		return err
	}
	if later {
		return damage
	}
	zeros, err := r.zeroSector(extent)
	if err != nil {
		return err
	}
	if !zeros {
		return damage
	}
	follows, err := r.headerFollows()
	if err != nil {
		return err
	}
	if follows {
		return damage
	}
	return errTail
}

const sectorBytes = 512

// zeroSector says whether one of the sectors that the extent from the offset on touches is zero within it.
func (r *Reader) zeroSector(extent int64) (bool, error) {
	end := min(r.offset+extent, r.size)
	var sector [sectorBytes]byte
	for at := r.offset; at < end; {
		n := min(sectorBytes-at%sectorBytes, end-at)
		if err := r.fill(sector[:n], at); err != nil {
			return false, err
		}
		zero := true
		for _, b := range sector[:n] {
			zero = zero && b == 0
		}
		if zero {
			return true, nil
		}
		at += n
	}
	return false, nil
}

// headerFollows says whether a sound block header lies anywhere after the offset.
func (r *Reader) headerFollows() (bool, error) {
	var header [BlockHeaderBytes]byte
	for at := r.offset + 8; at+BlockHeaderBytes <= r.size; at += 8 {
		if err := r.fill(header[:], at); err != nil {
			return false, err
		}
		var h blockHeader
		if h.decode(&header) == "" {
			return true, nil
		}
	}
	return false, nil
}
