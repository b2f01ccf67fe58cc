package journal

import (
	"errors"
	"fmt"
	"io/fs"
)

// writeBytes is how much is gathered before it is written, unless nothing more is waiting.
const writeBytes = 256 << 10

// segmentWriter numbers, seals and writes blocks, and begins, ends and removes segments. Writer goroutine only.
type segmentWriter struct {
	store    Store
	options  *Options
	counters *counters
	catalog  catalog
	chain    *chain

	file     File
	index    uint64 // of the segment that is open
	run      uint64
	bytes    int64 // of that segment, with what is in out
	own      bool  // it has more than what is repeated
	earlier  []FileInfo
	out      []byte // blocks that are sealed but not written
	pending  tally  // in out
	dirty    bool   // written but not synced
	syncedNs int64

	nextBlock   uint64
	nextSeq     uint64
	nextOutcome uint64
}

// tally counts what is in blocks.
type tally struct{ blocks, ticks, outcomes uint64 }

func (t *tally) add(b *buffer) {
	t.blocks++
	switch b.typ {
	case TypeTicks:
		t.ticks += uint64(b.count)
	case TypeOutcome:
		t.outcomes += uint64(b.count)
	}
}

// lose counts a block that is not written.
func (s *segmentWriter) lose(b *buffer) {
	s.pending.add(b)
	s.losePending()
}

func (s *segmentWriter) losePending() {
	s.counters.lostBlocks.add(s.pending.blocks)
	s.counters.lostTicks.add(s.pending.ticks)
	s.counters.lostOutcomes.add(s.pending.outcomes)
	s.pending, s.out = tally{}, s.out[:0]
}

// add seals a block, in a new segment if it does not fit, and writes when enough has gathered.
func (s *segmentWriter) add(b *buffer) error {
	if s.own && s.bytes+int64(BlockHeaderBytes+padded(b.payloadBytes())) > s.options.SegmentBytes {
		if err := s.rotate(); err != nil {
			s.lose(b)
			return err
		}
	}
	s.seal(b, 0)
	s.own = true
	if b.typ != TypeTicks && b.typ != TypeOutcome && !s.catalog.note(b.typ, b.first, b.bytes) {
		s.losePending()
		return ErrDefinitions
	}
	if len(s.out) >= writeBytes {
		return s.write()
	}
	return nil
}

// seal appends the block's bytes to out: header, payload, padding, checksums, chain.
func (s *segmentWriter) seal(b *buffer, flags uint16) {
	size := b.payloadBytes()
	total := BlockHeaderBytes + padded(size)
	start := len(s.out)
	s.out = grow(s.out, total)
	header, payload := s.out[start:start+BlockHeaderBytes], s.out[start+BlockHeaderBytes:]
	b.putPayload(payload[:size])
	clear(payload[size:])
	if b.typ == TypeTicks && b.hasVenue {
		flags |= flagVenue
	}
	h := blockHeader{
		typ: b.typ, version: payloadVersion, flags: flags, bytes: uint32(size),
		count: uint32(b.count), number: s.nextBlock, first: b.first,
	}
	h.encodeChained(header)
	value := s.chain.peek(header[:blockChainedBytes], payload)
	copy(header[blockChainedBytes:], value[:])
	s.chain.value = *value
	le.PutUint32(header[64:], checksum(payload))
	le.PutUint32(header[blockHeaderCRCAt:], checksum(header[:blockHeaderCRCAt]))

	s.bytes += int64(total)
	s.nextBlock++
	s.pending.add(b)
	switch b.typ {
	case TypeTicks:
		s.nextSeq = b.ticks[b.count-1].Seq + 1
	case TypeOutcome:
		s.nextOutcome = b.first + uint64(b.count)
	}
}

// grow returns p longer by n bytes, whose contents are undefined.
func grow(p []byte, n int) []byte {
	if len(p)+n <= cap(p) {
		return p[:len(p)+n]
	}
	return append(p, make([]byte, n)...)
}

// write writes out.
func (s *segmentWriter) write() error {
	if len(s.out) == 0 {
		return nil
	}
	if _, err := s.file.Write(s.out); err != nil {
		s.losePending()
		return fmt.Errorf("journal: write %s: %w", SegmentName(s.index), err)
	}
	s.counters.bytes.add(uint64(len(s.out)))
	s.counters.blocks.add(s.pending.blocks)
	s.counters.ticks.add(s.pending.ticks)
	s.counters.outcomes.add(s.pending.outcomes)
	s.pending, s.out, s.dirty = tally{}, s.out[:0], true
	if s.options.Sync == SyncBlocks {
		return s.sync()
	}
	return nil
}

func (s *segmentWriter) sync() error {
	if !s.dirty {
		return nil
	}
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("journal: sync %s: %w", SegmentName(s.index), err)
	}
	s.dirty = false
	s.counters.syncs.add(1)
	return nil
}

// settle ends a turn: it writes what has gathered and syncs if the interval has passed.
func (s *segmentWriter) settle() error {
	if err := s.write(); err != nil {
		return err
	}
	if !s.dirty || s.options.Sync != SyncInterval {
		return nil
	}
	now := s.options.NowNs()
	if since := now - s.syncedNs; since >= 0 && since < s.options.SyncEveryNs {
		return nil
	}
	s.syncedNs = now
	return s.sync()
}

// begin creates segment index and writes its header and what it repeats.
func (s *segmentWriter) begin() error {
	now := s.options.NowNs()
	file, err := s.store.Create(SegmentName(s.index))
	if err != nil {
		return fmt.Errorf("journal: create %s: %w", SegmentName(s.index), err)
	}
	s.file, s.own, s.syncedNs = file, false, now
	header := segmentHeader{
		index: s.index, run: s.run, createdNs: now, chain: s.chain.value, partition: s.options.Partition,
		firstBlock: s.nextBlock, firstSeq: s.nextSeq, firstOutcome: s.nextOutcome,
	}
	if s.options.Sparse {
		header.flags |= segmentSparse
	}
	s.out = grow(s.out[:0], SegmentHeaderBytes)
	encoded := (*[SegmentHeaderBytes]byte)(s.out)
	header.encode(encoded)
	s.chain.segment(encoded)
	s.bytes = SegmentHeaderBytes
	s.catalog.blocks(s.options.BlockBytes, func(b *buffer) { s.seal(b, flagRepeated) })
	s.counters.segments.add(1)
	if err := s.write(); err != nil {
		s.file = nil
		return errors.Join(err, file.Close())
	}
	return nil
}

// end writes, syncs and closes the open segment.
func (s *segmentWriter) end() error {
	if s.file == nil {
		return nil
	}
	err := s.write()
	if err == nil && s.options.Sync != SyncNone {
		err = s.sync()
	}
	err = errors.Join(err, s.file.Close())
	s.file = nil
	return err
}

// rotate ends the segment, begins the next and removes what retention does not keep.
func (s *segmentWriter) rotate() error {
	if err := s.end(); err != nil {
		return err
	}
	s.earlier = append(s.earlier, FileInfo{SegmentName(s.index), s.bytes})
	s.index++
	if err := s.begin(); err != nil {
		return err
	}
	return s.retain()
}

// retain removes the oldest segments until what is left and a full open segment fit the limit.
func (s *segmentWriter) retain() error {
	if s.options.RetainBytes == 0 {
		return nil
	}
	total := s.options.SegmentBytes
	for _, file := range s.earlier {
		total += file.Bytes
	}
	for len(s.earlier) > 0 && total > s.options.RetainBytes {
		oldest := s.earlier[0]
		if err := s.store.Remove(oldest.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("journal: remove %s: %w", oldest.Name, err)
		}
		total -= oldest.Bytes
		s.earlier = append(s.earlier[:0], s.earlier[1:]...)
		s.counters.segmentsRemoved.add(1)
	}
	return nil
}
