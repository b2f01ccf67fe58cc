package ring

const misuseRelease = "ring: release of more elements than were polled"

// Poll returns the oldest elements that are known to be committed, to be read in place and given back with Release. It is
// one segment that stops at the physical end of the storage, so there may be more; it is empty only when there is nothing.
// Polling again without a release returns the same elements again, and perhaps more.
func (r *Ring[T]) Poll() []T {
	return r.PollMax(len(r.storage))
}

// PollMax is Poll for up to most elements; it is empty when most is not positive.
func (r *Ring[T]) PollMax(most int) []T {
	if r.first == r.ready {
		r.ready = r.tail.Load()
		if r.first == r.ready {
			return nil
		}
	}
	index := r.first & r.mask
	count := min(r.ready-r.first, uint64(max(most, 0)), uint64(len(r.storage))-index)
	return r.storage[index : index+count : index+count]
}

// Release gives back the first count polled slots. It wakes nobody: it is for a producer that drops or spins when the ring
// is full, or to be followed by Parker.Wake. It panics when count elements cannot have been polled.
func (r *Ring[T]) Release(count int) {
	if uint64(count) > r.ready-r.first {
		panic(misuseRelease)
	}
	r.first += uint64(count)
	storeRelease(&r.head, r.first)
}

// ReleaseWake is Release for a producer that may be parked on parker, waiting for room. A nil parker makes it Release.
func (r *Ring[T]) ReleaseWake(count int, parker *Parker) {
	if parker == nil {
		r.Release(count)
		return
	}
	if uint64(count) > r.ready-r.first {
		panic(misuseRelease)
	}
	r.first += uint64(count)
	r.head.Store(r.first) // sequentially consistent: comes before the load in wake, see Parker
	parker.wake()
}

// Sequence returns the sequence of the first element that Poll returns, or will return.
func (r *Ring[T]) Sequence() uint64 { return r.first }

// Closed reports that the producer has closed the ring and that everything it committed has been released. A consumer that
// finds nothing to poll checks it in its loop.
func (r *Ring[T]) Closed() bool {
	// closed before tail: what was committed before the close is then counted.
	return r.closed.Load() && r.tail.Load() == r.first
}

// Lost returns how many elements the producer has dropped since New. Call it after Poll: it then counts every loss that
// came before the last element polled. It never falls; that it moved is what matters.
func (r *Ring[T]) Lost() uint64 { return r.lost.Load() }

// Abandon says that the consumer reads no more, so that a producer waiting for room can leave (Abandoned). The caller wakes
// a parked producer afterwards (Parker.Wake).
func (r *Ring[T]) Abandon() { r.abandoned.Store(true) }
