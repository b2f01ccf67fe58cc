package journal

import (
	"errors"
	"fmt"
)

// Errors of writers.
var (
	ErrOptions     = errors.New("journal: options")
	ErrPartition   = errors.New("journal: belongs to another partition")
	ErrSequence    = errors.New("journal: tick out of sequence")
	ErrTooLarge    = errors.New("journal: record larger than the format or the block size allows")
	ErrDefinition  = errors.New("journal: definition without class or name")
	ErrDefinitions = errors.New("journal: more definitions than a journal holds")
	ErrLocked      = errors.New("journal: another writer has this journal open")
	ErrClosed      = errors.New("journal: closed")
)

// Errors of readers.
var (
	// ErrEmpty says that there is no segment at all.
	ErrEmpty = errors.New("journal: no segments here; is this the directory given to --journal?")
	// ErrRemoved says that what is asked for came before the oldest segment.
	ErrRemoved = errors.New("journal: no longer kept, or never was")
	// ErrIncompleteTail is what every *IncompleteTailError is (errors.Is).
	ErrIncompleteTail = errors.New("journal: incomplete tail")
)

// IncompleteTailError says that the last segment ends in the middle of a block: it is being written, or its writer was
// killed there. Everything up to Offset is sound. Call Next again later to go on; a writer that opens the journal cuts
// the tail off.
type IncompleteTailError struct {
	Segment uint64 // index of the segment
	Offset  int64  // where the incomplete block begins, in bytes from the start of the segment
	Bytes   int64  // how many bytes of it there are
	LastSeq uint64 // sequence of the last sound tick, 0 if none is known
}

// Error describes the tail.
func (e *IncompleteTailError) Error() string {
	return fmt.Sprintf("journal: segment %s ends in an incomplete block at byte %d (%d bytes of it); sound up to tick %d",
		SegmentName(e.Segment), e.Offset, e.Bytes, e.LastSeq)
}

// Is says that this is an ErrIncompleteTail.
func (e *IncompleteTailError) Is(target error) bool { return target == ErrIncompleteTail }

// DamageError says that the journal is not what was written: bytes changed, or a block or segment is missing, was
// exchanged or added. What was read before it is sound.
type DamageError struct {
	Segment  uint64 // index of the segment
	Offset   int64  // of the block or header, in bytes from the start of the segment
	Expected string // what did not hold
	LastSeq  uint64 // sequence of the last sound tick, 0 if none is known
}

// Error describes the damage and what can be done.
func (e *DamageError) Error() string {
	return fmt.Sprintf("journal: segment %s is damaged at byte %d: expected %s; sound up to tick %d; "+
		"restore the segment from a copy, or move the directory aside and begin a new journal; "+
		"after a power loss, the last segment may also be cut there (CutDamage)",
		SegmentName(e.Segment), e.Offset, e.Expected, e.LastSeq)
}

// UnsupportedError says that the journal has something that this build does not know, such as a newer version.
type UnsupportedError struct {
	Segment uint64
	Offset  int64
	What    string // such as "block type 9"
}

// Error describes what is not known.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("journal: segment %s has %s at byte %d, which this build does not know; use a newer build",
		SegmentName(e.Segment), e.What, e.Offset)
}
