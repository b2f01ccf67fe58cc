package signal

// Tracker tells a consumer what it did not receive. Core NATS delivers at most once: when a subscriber is slow or away,
// signals are lost without a word. Output sequences grow by one a subject, so a hole shows.
//
// The zero value is ready to use. One goroutine. It remembers every subject it has seen, two numbers each.
type Tracker struct {
	seen map[trackerKey]trackerState
}

type trackerKey struct{ partition, signal, venue, symbol string }

type trackerState struct{ epoch, outputSequence uint64 }

// Observe takes the next received signal; t is nil if it came without a trailer.
//
//   - missed is how many signals of the same subject were lost just before this one. The first signal of a subject has
//     missed nothing: a consumer joins where it joins.
//   - duplicate says that this signal, or a later one of its subject, was observed before, or that it comes from an
//     engine that another has replaced. Do not act on it.
//   - restarted says that another engine run has taken over (its epoch is higher). What the old one may have sent
//     last cannot be known, so missed is then a lower bound; treat what you hold open as doubtful.
func (k *Tracker) Observe(b *Body, t *Trailer) (missed uint64, duplicate, restarted bool) {
	if k.seen == nil {
		k.seen = make(map[trackerKey]trackerState)
	}
	key := trackerKey{b.Partition, b.Signal, b.Venue, b.Symbol}
	last, known := k.seen[key]
	now := trackerState{epoch: last.epoch, outputSequence: b.OutputSequence}
	if t != nil {
		now.epoch = t.Epoch
	}
	switch {
	case !known:
	case now.epoch < last.epoch:
		return 0, true, false
	case now.epoch > last.epoch && now.outputSequence <= last.outputSequence:
		// Counted anew, from 1.
		missed, restarted = max(now.outputSequence, 1)-1, true
	case now.outputSequence <= last.outputSequence:
		return 0, true, false
	default:
		missed, restarted = now.outputSequence-last.outputSequence-1, now.epoch > last.epoch
	}
	k.seen[key] = now
	return missed, false, restarted
}

// Subjects returns how many subjects were observed.
func (k *Tracker) Subjects() int { return len(k.seen) }

// Forget drops what is known of every subject, so that the next signal of each counts as its first: for a consumer that
// resynchronised by other means.
func (k *Tracker) Forget() { clear(k.seen) }
