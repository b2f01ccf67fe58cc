package journal

import (
	"errors"
	"fmt"
	"io"
)

// resume reads what the store holds, cuts off an incomplete tail, and sets the writer to go on after it.
func (s *segmentWriter) resume() (Resumed, error) {
	s.out = make([]byte, 0, writeBytes+s.options.BlockBytes*2)
	s.chain = newChain(chainValue{})
	s.index, s.run = 1, 1
	s.nextBlock, s.nextSeq, s.nextOutcome = 1, s.options.FirstSeq, 1
	files, err := segmentFiles(s.store)
	if err != nil {
		return Resumed{}, err
	}
	resumed := Resumed{}
	if len(files) > 0 {
		if resumed, err = s.takeUp(files); err != nil {
			return Resumed{}, err
		}
	}
	resumed.Run, resumed.NextSeq, resumed.Outcomes = s.run, s.nextSeq, s.nextOutcome-1
	resumed.Definitions, resumed.Configs = s.catalog.decoded()
	return resumed, nil
}

// takeUp reads the segments, all or the last, and cuts the tail.
func (s *segmentWriter) takeUp(files []FileInfo) (resumed Resumed, err error) {
	from := 0
	if s.options.QuickOpen {
		from = len(files) - 1
	}
	r, err := s.scan(files[from])
	if r != nil && !r.started && from > 0 { // the last has no header yet
		r.Close()
		r, err = s.scan(files[from-1])
	}
	if r != nil {
		defer r.Close()
	}
	tail := new(IncompleteTailError)
	cut := errors.As(err, &tail)
	if damage := new(DamageError); errors.As(err, &damage) {
		tail, cut = s.cutDamage(damage, files[len(files)-1])
	}
	if err != io.EOF && !cut {
		return resumed, err
	}
	if err := s.adopt(r); err != nil {
		return resumed, err
	}
	last := files[len(files)-1]
	s.index, _ = segmentIndex(last.Name)
	if cut {
		resumed.CutSegment, resumed.CutBytes = last.Name, tail.Bytes
	}
	if cut && tail.Offset == 0 { // not even its header is whole
		s.earlier = files[:len(files)-1]
		return resumed, s.store.Remove(last.Name)
	}
	s.earlier = files
	s.index++
	if cut {
		files[len(files)-1].Bytes = tail.Offset
		return resumed, s.store.Truncate(last.Name, tail.Offset)
	}
	return resumed, nil
}

// cutDamage makes damage in the last segment's blocks an incomplete tail, if that is what the operator wants.
func (s *segmentWriter) cutDamage(damage *DamageError, last FileInfo) (tail *IncompleteTailError, cut bool) {
	if !s.options.CutDamage || SegmentName(damage.Segment) != last.Name || damage.Offset == 0 {
		return nil, false
	}
	return &IncompleteTailError{damage.Segment, damage.Offset, last.Bytes - damage.Offset, damage.LastSeq}, true
}

// adopt goes on where the reader ended. Nothing is changed in the store before it has agreed.
func (s *segmentWriter) adopt(r *Reader) error {
	if !r.started {
		if r.index != 1 {
			return r.damage("the segments before this one, for it has no header")
		}
		return nil // the first segment has no header: there was nothing yet
	}
	if r.Partition() != s.options.Partition {
		return fmt.Errorf("%w: %q, not %q", ErrPartition, r.Partition(), s.options.Partition)
	}
	if r.Sparse() != s.options.Sparse {
		return fmt.Errorf("%w: Sparse is %v in the existing journal", ErrOptions, r.Sparse())
	}
	s.chain.value, s.run = r.chain.value, r.header.run+1
	s.nextBlock, s.nextSeq, s.nextOutcome = r.nextBlock, r.nextSeq, r.nextOutcome
	s.catalog.clampDefinitions(s.nextSeq)
	return nil
}

// scan reads from a segment to the end of the journal, noting what is to be repeated.
func (s *segmentWriter) scan(from FileInfo) (*Reader, error) {
	index, _ := segmentIndex(from.Name)
	r, err := OpenReader(s.store, ReaderOptions{FromSegment: index})
	if err != nil {
		return nil, err
	}
	repeatedIn := uint64(0)
	for {
		block, err := r.Next()
		if err != nil {
			return r, err
		}
		if block.Repeated && block.Segment != repeatedIn {
			s.catalog, repeatedIn = catalog{}, block.Segment // it says everything again
		}
		if !s.catalog.note(block.Type, block.First, block.payload) {
			return r, ErrDefinitions
		}
	}
}
