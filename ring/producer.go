package ring

const misuseCommit = "ring: commit of more slots than were claimed"

// Claim returns the slot of the next sequence, to be written in place and published with Commit(1). It is false when the
// ring is full or closed. It reserves nothing: claim again without a commit and the slot is the same one, so a claim is
// given up by not committing it.
func (r *Ring[T]) Claim() (slot *T, ok bool) {
	if r.next == r.limit && !r.refresh(1) {
		return nil, false
	}
	return &r.storage[r.next&r.mask], true
}

// ClaimAt returns the slot that lies ahead slots after the next one: ClaimAt(0) is Claim. It is for an event of several
// elements that must be published by one Commit or not at all, across the physical end too. It is false when that many are
// not free; an event of more than Cap() elements never fits.
func (r *Ring[T]) ClaimAt(ahead int) (slot *T, ok bool) {
	distance := uint64(ahead)
	if distance >= r.limit-r.next && (distance > r.mask || !r.refresh(distance+1)) {
		return nil, false
	}
	return &r.storage[(r.next+distance)&r.mask], true
}

// ClaimBatch returns up to most slots from the next sequence on, as one segment that stops at the physical end of the
// storage. It is empty when the ring is full or closed, or most is not positive. Like Claim it reserves nothing.
func (r *Ring[T]) ClaimBatch(most int) []T {
	if most <= 0 {
		return nil
	}
	index := r.next & r.mask
	count := min(uint64(most), uint64(len(r.storage))-index)
	if r.limit-r.next < count {
		r.refresh(count)
		count = min(count, r.limit-r.next)
	}
	return r.storage[index : index+count : index+count]
}

// refresh reads the consumer's cursor and reports whether at least want slots are free.
func (r *Ring[T]) refresh(want uint64) bool {
	if r.closed.Load() {
		return false
	}
	r.limit = r.head.Load() + uint64(len(r.storage))
	return r.limit-r.next >= want
}

// Commit publishes the first count claimed slots, in order. It wakes nobody: it is for a consumer that spins, or to be
// followed by Parker.Wake. It panics when count slots cannot have been claimed.
func (r *Ring[T]) Commit(count int) {
	if uint64(count) > r.limit-r.next {
		panic(misuseCommit)
	}
	r.next += uint64(count)
	storeRelease(&r.tail, r.next)
}

// CommitWake is Commit for a consumer that may be parked on parker: when it is not, waking costs one load of a word that
// nobody is writing. A nil parker makes it Commit.
func (r *Ring[T]) CommitWake(count int, parker *Parker) {
	if parker == nil {
		r.Commit(count)
		return
	}
	if uint64(count) > r.limit-r.next {
		panic(misuseCommit)
	}
	r.next += uint64(count)
	r.tail.Store(r.next) // sequentially consistent: comes before the load in wake, see Parker
	parker.wake()
}

// NextSequence returns the sequence that the next committed element will have.
func (r *Ring[T]) NextSequence() uint64 { return r.next }

// MarkLost adds count to the elements that the producer had to drop because the ring was full. Every element committed
// after it is seen by a consumer that also sees the mark.
func (r *Ring[T]) MarkLost(count uint64) {
	r.lost.Add(count)
}

// Close says that nothing more will be committed; later claims fail. What was committed can still be polled. The caller
// wakes a parked consumer afterwards (Parker.Wake). Closing twice is harmless.
func (r *Ring[T]) Close() {
	r.limit = r.next
	r.closed.Store(true)
}

// Abandoned reports that the consumer reads no more. A producer that waits for room checks it in its loop, because the
// room will never come.
func (r *Ring[T]) Abandoned() bool { return r.abandoned.Load() }
