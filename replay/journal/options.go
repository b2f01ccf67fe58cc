package journal

import (
	"fmt"

	"github.com/sigengine/sigengine/feed"
)

// SyncPolicy says when the writer makes what it wrote durable against power loss. A process that dies loses only what
// it had not yet written, whatever the policy.
type SyncPolicy uint8

// The sync policies.
const (
	SyncInterval SyncPolicy = iota // after Options.SyncEveryNs, and at the end of a segment; the default
	SyncNone                       // never; the operating system decides
	SyncBlocks                     // after every write, which holds all blocks that were waiting
)

// ErrorPolicy says what an error of the store does to the engine. The journal ends at the error in either case.
type ErrorPolicy uint8

// The error policies.
const (
	ErrorStop     ErrorPolicy = iota // Failed reports it, the engine must fail closed; the default
	ErrorContinue                    // the engine goes on without a journal; Stats.Broken and Err tell
)

// Options are the settings of a writer. The zero value of a field is its default, where it has one.
type Options struct {
	Partition string       // at most 64 bytes; must be that of an existing journal
	NowNs     func() int64 // Unix nanoseconds; required; called by the writer about once a turn

	FirstSeq uint64 // of a new journal's first tick; default 1
	Sparse   bool   // sequence numbers rise but may skip (exact mode); must be as in an existing journal

	BlockBytes    int // of a full block's ticks or records; default 64 KiB, at least 4 KiB, at most 1 MiB
	TickBlocks    int // in flight from the sequencer, a power of two; default 64
	OutcomeBlocks int // in flight from risk, a power of two; default 16

	SegmentBytes int64 // a segment ends before it would exceed this; default 256 MiB, at least 64 KiB
	RetainBytes  int64 // the oldest segments are removed to stay within this; 0 keeps all, else at least 2 SegmentBytes

	Sync        SyncPolicy
	SyncEveryNs int64 // of SyncInterval; default 100 ms
	OnError     ErrorPolicy

	// QuickOpen checks only the last segment of an existing journal when opening it, not all of them. Damage further
	// back is then found by whoever reads it.
	QuickOpen bool
	// CutDamage cuts the last segment of an existing journal at the first damage in it, whatever follows. It is an
	// operator's decision, for after a power loss: what the system had not yet written may then be missing in the middle.
	CutDamage bool
	// Inline starts no writer goroutine: blocks are written by Poll and Flush and when all are in flight, on the one
	// goroutine that then owns the writer and both appenders.
	Inline bool
}

const (
	blockBytesMin   = 4 << 10
	blockBytesMax   = 1 << 20
	segmentBytesMin = 64 << 10
)

// withDefaults fills in defaults and checks the settings.
func (o Options) withDefaults() (Options, error) {
	setDefault(&o.FirstSeq, 1)
	setDefault(&o.BlockBytes, 64<<10)
	setDefault(&o.TickBlocks, 64)
	setDefault(&o.OutcomeBlocks, 16)
	setDefault(&o.SegmentBytes, 256<<20)
	setDefault(&o.SyncEveryNs, 100_000_000)
	switch {
	case o.NowNs == nil:
		return o, fmt.Errorf("%w: NowNs is required", ErrOptions)
	case o.Partition == "" || len(o.Partition) > PartitionBytesMax:
		return o, fmt.Errorf("%w: partition %q must have 1 to %d bytes", ErrOptions, o.Partition, PartitionBytesMax)
	case o.BlockBytes < blockBytesMin || o.BlockBytes > blockBytesMax || o.BlockBytes%feed.TickSize != 0:
		return o, fmt.Errorf("%w: block of %d bytes; use a multiple of %d from %d to %d",
			ErrOptions, o.BlockBytes, feed.TickSize, blockBytesMin, blockBytesMax)
	case !powerOfTwo(o.TickBlocks) || !powerOfTwo(o.OutcomeBlocks):
		return o, fmt.Errorf("%w: %d and %d blocks in flight; use powers of two from 2 on",
			ErrOptions, o.TickBlocks, o.OutcomeBlocks)
	case o.SegmentBytes < segmentBytesMin:
		return o, fmt.Errorf("%w: segment of %d bytes; use at least %d", ErrOptions, o.SegmentBytes, segmentBytesMin)
	case o.RetainBytes != 0 && o.RetainBytes/2 < o.SegmentBytes:
		return o, fmt.Errorf("%w: retention of %d bytes; use 0 or at least two segments of %d",
			ErrOptions, o.RetainBytes, o.SegmentBytes)
	case o.SyncEveryNs < 0:
		return o, fmt.Errorf("%w: negative sync interval", ErrOptions)
	case o.Sync > SyncBlocks || o.OnError > ErrorContinue:
		return o, fmt.Errorf("%w: unknown sync or error policy", ErrOptions)
	}
	return o, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func powerOfTwo(n int) bool { return n >= 2 && n&(n-1) == 0 }
