package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// ReaderOptions are the settings of a reader.
type ReaderOptions struct {
	// FromSegment is the index of the segment to begin with; 0 is the oldest there is.
	FromSegment uint64
}

// Reader reads a journal in order, verifying everything, also while it is written. One goroutine.
type Reader struct {
	store   Store
	file    ReadFile
	index   uint64 // of the segment being read
	repeats bool   // the segment's repeated blocks are to be returned
	offset  int64  // of the next block
	size    int64  // of the segment when last asked
	settled bool   // a later segment exists, so this one is complete
	started bool   // a segment header was read
	header  segmentHeader
	chain   *chain

	nextBlock   uint64
	nextSeq     uint64
	nextOutcome uint64

	block   Block
	headers [SegmentHeaderBytes]byte
	tail    IncompleteTailError
	failed  error // damage stays
}

// errClean and errTail are how a segment ends, before it is known whether another follows.
var (
	errClean = errors.New("journal: end of segment")
	errTail  = errors.New("journal: end within a block")
)

// OpenReader opens a journal for reading. It fails with ErrEmpty if there is no segment.
func OpenReader(store Store, options ReaderOptions) (*Reader, error) {
	files, err := segmentFiles(store)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, ErrEmpty
	}
	index, _ := segmentIndex(files[0].Name)
	if options.FromSegment != 0 {
		index = options.FromSegment
	}
	r := &Reader{store: store, index: index, chain: newChain(chainValue{})}
	if r.file, err = store.Open(SegmentName(index)); err != nil {
		return nil, fmt.Errorf("journal: open segment: %w", err)
	}
	return r, nil
}

// segmentFiles returns the segments of a store by index; a store that does not exist has none.
func segmentFiles(store Store) ([]FileInfo, error) {
	files, err := store.List()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("journal: list segments: %w", err)
	}
	files = slices.DeleteFunc(slices.Clone(files), func(f FileInfo) bool {
		_, ok := segmentIndex(f.Name)
		return !ok
	})
	slices.SortFunc(files, func(a, b FileInfo) int {
		x, _ := segmentIndex(a.Name)
		y, _ := segmentIndex(b.Name)
		return cmp.Compare(x, y)
	})
	return files, nil
}

// Next returns the next block, once it has been verified. It returns io.EOF where the journal ends cleanly and
// *IncompleteTailError where it ends within a block; call it again later to go on, if the journal is being written.
// *DamageError and *UnsupportedError are final. Other errors are the store's.
//
// Repeated blocks are returned where they say something: in the first segment that is read, and in the first of each run,
// where they are what the engine started with, all of it.
func (r *Reader) Next() (*Block, error) {
	for {
		if r.failed != nil {
			return nil, r.failed
		}
		block, err := r.step()
		switch {
		case err == errClean || err == errTail:
			if err = r.atEnd(err); err != nil {
				return nil, r.keep(err)
			}
		case err != nil:
			return nil, r.keep(err)
		case block != nil && (!block.Repeated || r.repeats):
			return block, nil
		}
	}
}

// keep remembers errors that are final.
func (r *Reader) keep(err error) error {
	var damage *DamageError
	var unsupported *UnsupportedError
	if errors.As(err, &damage) || errors.As(err, &unsupported) {
		r.failed = err
	}
	return err
}

// step reads a segment header, returning nil, or a block.
func (r *Reader) step() (*Block, error) {
	if r.offset == 0 {
		return nil, r.readSegmentHeader()
	}
	return r.readBlock()
}

// atEnd decides what the end of a segment means: nil if there is more to read.
func (r *Reader) atEnd(end error) error {
	exists, err := r.laterExists()
	switch {
	case err != nil:
		return err
	case r.size < r.offset:
		return r.damage("what was read before to be there still")
	case !exists && end == errClean:
		return io.EOF
	case !exists:
		r.tail = IncompleteTailError{r.index, r.offset, r.size - r.offset, r.LastSeq()}
		return &r.tail
	case !r.settled:
		r.settled = true // the writer has ended this segment: what it wrote before that must be seen
		return nil
	case end == errTail:
		return r.damage("a whole block, for a later segment exists")
	}
	return r.advance()
}

// laterExists says whether there is a segment after the one being read.
func (r *Reader) laterExists() (bool, error) {
	if r.settled {
		return true, nil
	}
	files, err := segmentFiles(r.store)
	if err != nil || len(files) == 0 {
		return false, err
	}
	last, _ := segmentIndex(files[len(files)-1].Name)
	return last > r.index, nil
}

// advance opens the next segment.
func (r *Reader) advance() error {
	file, err := r.store.Open(SegmentName(r.index + 1))
	if errors.Is(err, fs.ErrNotExist) {
		return r.damage("segment " + SegmentName(r.index+1) + " to follow (lost, or removed by retention before it was read)")
	}
	if err != nil {
		return fmt.Errorf("journal: open segment: %w", err)
	}
	r.file.Close()
	r.file, r.index, r.offset, r.size, r.settled = file, r.index+1, 0, 0, false
	return nil
}

func (r *Reader) damage(expected string) error {
	return &DamageError{r.index, r.offset, expected, r.LastSeq()}
}

// LastSeq returns the sequence of the last tick that was read, or that came before where reading began; 0 if none did.
func (r *Reader) LastSeq() uint64 {
	if r.nextSeq == 0 {
		return 0
	}
	return r.nextSeq - 1
}

// Partition returns the partition's name, once Next has been called.
func (r *Reader) Partition() string { return r.header.partition }

// Sparse says whether sequence numbers may skip, once Next has been called.
func (r *Reader) Sparse() bool { return r.header.flags&segmentSparse != 0 }

// Run returns which opening of the journal wrote the segment being read, from 1.
func (r *Reader) Run() uint64 { return r.header.run }

// CreatedNs returns when the segment being read was begun, in Unix nanoseconds.
func (r *Reader) CreatedNs() int64 { return r.header.createdNs }

// Chain returns the chain value after what was read. Kept elsewhere, it proves later that the journal is the same up to
// there, which also shows when the newest segments are missing.
func (r *Reader) Chain() [32]byte { return r.chain.value }

// Close closes the reader.
func (r *Reader) Close() error { return r.file.Close() }
