package ring

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrCapacity is wrapped by the error of New when the storage is not usable as a ring.
var ErrCapacity = errors.New("ring: capacity must be a power of two and at least 2")

// linePair is the distance in bytes that keeps two variables from sharing a cache line or a pair of lines that the
// processor fetches together: two lines of 64 bytes, or one of the 128-byte lines of some arm64 processors.
const linePair = 128

// Ring is a bounded queue of T between one producer and one consumer goroutine. Make it with New; it must not be copied.
//
// The fields are grouped by who touches them, the groups padded apart.
type Ring[T any] struct {
	_ [linePair]byte

	// Never written after New.
	storage []T
	mask    uint64
	_       [linePair]byte

	// Written by the producer, read by the consumer.
	tail   atomic.Uint64 // sequence after the last committed element
	closed atomic.Bool
	_      [linePair]byte

	// The producer's own.
	next  uint64 // sequence of the next element to commit; equals tail
	limit uint64 // first sequence not yet known to be free: a copy of head, plus the capacity
	_     [linePair]byte

	// Written by the consumer, read by the producer.
	head      atomic.Uint64 // sequence of the oldest element not yet released
	abandoned atomic.Bool
	_         [linePair]byte

	// The consumer's own.
	first uint64 // sequence of the next element to release; equals head
	ready uint64 // a copy of tail: elements below it are known to be committed
	_     [linePair]byte

	// Written by the producer when it drops, which is rare; read by the consumer after every poll.
	lost atomic.Uint64
	_    [linePair]byte
}

// New returns an empty ring over storage, which belongs to the ring from now on. Its length is the capacity and must be a
// power of two and at least 2; otherwise the error wraps ErrCapacity.
func New[T any](storage []T) (*Ring[T], error) {
	return newAt(storage, 0)
}

// newAt is New with a first sequence, so that tests can begin just before the wrap.
func newAt[T any](storage []T, sequence uint64) (*Ring[T], error) {
	capacity := len(storage)
	if capacity < 2 || capacity&(capacity-1) != 0 {
		return nil, fmt.Errorf("%w, not %d", ErrCapacity, capacity)
	}
	r := &Ring[T]{
		storage: storage[:capacity:capacity],
		mask:    uint64(capacity) - 1,
		next:    sequence,
		limit:   sequence + uint64(capacity),
		first:   sequence,
		ready:   sequence,
	}
	r.tail.Store(sequence)
	r.head.Store(sequence)
	return r, nil
}

// Cap returns the number of slots.
func (r *Ring[T]) Cap() int { return len(r.storage) }

// Mask returns Cap() - 1. A side column of the same capacity is indexed by sequence & Mask(); its owner may write the entry
// of a claimed sequence and read the entry of a polled one, like the slot itself.
func (r *Ring[T]) Mask() uint64 { return r.mask }

// Len returns how many elements are committed and not yet released. On the consumer's goroutine at least that many are
// there; on the producer's at most that many; elsewhere it is a figure for display.
func (r *Ring[T]) Len() int {
	tail := r.tail.Load() // tail before head, so that the difference cannot exceed the capacity
	length := int64(tail - r.head.Load())
	return int(max(length, 0))
}
