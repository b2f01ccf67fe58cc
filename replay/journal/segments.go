package journal

import (
	"errors"
	"fmt"
	"io"
)

// SegmentInfo is what a segment's header says.
type SegmentInfo struct {
	Index     uint64 // from 1
	Bytes     int64  // its size now
	Partition string
	Run       uint64 // which opening of the journal wrote it, from 1
	CreatedNs int64  // Unix nanoseconds
	FirstSeq  uint64 // of its first tick; if the journal is sparse, the lowest it can be
}

// Segments returns what the headers of a store's segments say, by index. It reads headers only, so it does not find
// damage in blocks; a header that is damaged is an error. A last segment that has no whole header yet is left out.
func Segments(store Store) ([]SegmentInfo, error) {
	files, err := segmentFiles(store)
	if err != nil {
		return nil, err
	}
	infos := make([]SegmentInfo, 0, len(files))
	for i, file := range files {
		info, err := segmentInfo(store, file)
		if errors.Is(err, io.EOF) && i == len(files)-1 {
			break
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}

func segmentInfo(store Store, info FileInfo) (SegmentInfo, error) {
	index, _ := segmentIndex(info.Name)
	file, err := store.Open(info.Name)
	if err != nil {
		return SegmentInfo{}, fmt.Errorf("journal: open segment: %w", err)
	}
	defer file.Close()
	var bytes [SegmentHeaderBytes]byte
	if n, err := file.ReadAt(bytes[:], 0); n < len(bytes) {
		return SegmentInfo{}, fmt.Errorf("journal: read the header of %s: %w", info.Name, err)
	}
	var h segmentHeader
	if wrong, unsupported := h.decode(&bytes); unsupported {
		return SegmentInfo{}, &UnsupportedError{index, 0, wrong}
	} else if wrong != "" {
		return SegmentInfo{}, &DamageError{Segment: index, Expected: "a sound " + wrong}
	}
	return SegmentInfo{index, info.Bytes, h.partition, h.run, h.createdNs, h.firstSeq}, nil
}

// SegmentOf returns the index of the segment that has the tick with a sequence, if the journal has it: the last whose
// first tick is not later. A reader that begins there needs no segment before it. It fails with ErrRemoved if the
// journal begins later.
func SegmentOf(segments []SegmentInfo, seq uint64) (index uint64, err error) {
	if len(segments) == 0 {
		return 0, ErrEmpty
	}
	if seq < segments[0].FirstSeq {
		return 0, fmt.Errorf("%w: tick %d, the oldest is %d", ErrRemoved, seq, segments[0].FirstSeq)
	}
	for _, segment := range segments {
		if segment.FirstSeq <= seq {
			index = segment.Index
		}
	}
	return index, nil
}
