package gpu

import (
	"fmt"

	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// ledgerSize is the most uses in flight on a stream, a power of two.
const ledgerSize = 1024

// ledger remembers, oldest first, what the operations in flight on a stream use, and takes part in owning it, so that nothing
// is freed under the device. It is trimmed when the host sees an event passed or the stream idle.
type ledger struct {
	used       [ledgerSize]*resource
	head, tail uint64
}

func (l *ledger) room() int { return ledgerSize - int(l.tail-l.head) }

func (l *ledger) push(r *resource) {
	r.inFlight.Add(1)
	l.used[l.tail%ledgerSize] = r
	l.tail++
}

// retire lets go of what was pushed before position to. A failure to free is found again by Device.Close.
func (l *ledger) retire(to uint64) {
	for l.head < to {
		i := l.head % ledgerSize
		r := l.used[i]
		l.used[i] = nil
		l.head++
		r.inFlight.Add(-1)
		_ = r.drop()
	}
}

// count returns how many uses of r are in flight.
func (l *ledger) count(r *resource) (n int32) {
	for i := l.head; i < l.tail; i++ {
		if l.used[i%ledgerSize] == r {
			n++
		}
	}
	return n
}

// Use says how an operation touches memory. Buffers and spans make them: In is read, Out is written (or both).
type Use struct {
	r         *resource
	low, high uint64 // device addresses
	writes    bool
}

// admit checks that an operation may use what it names, and takes part in owning it. s.mu is held. On error nothing is taken.
func (s *Stream) admit(op string, uses []Use) error {
	if s.r.closed.Load() {
		return fmt.Errorf("%w: stream %s", ErrClosed, s.name)
	}
	if s.capture == nil && s.ledger.room() <= len(uses) { // one more, for a kernel's module
		if err := s.makeRoom(len(uses) + 1); err != nil {
			return err
		}
	}
	for i := range uses {
		if err := s.admitOne(op, &uses[i]); err != nil {
			s.withdraw(uses[:i])
			return err
		}
	}
	return nil
}

func (s *Stream) admitOne(op string, u *Use) error {
	r := u.r
	if r == nil {
		return fmt.Errorf("%w: %s: a span or use that nothing made", ErrClosed, op)
	}
	if r.device != s.d && !r.portable && !s.d.reaches(r.device) {
		return refuse(op, fmt.Sprintf("a %s of device %d on a stream of device %d", r.kind, r.device.info.Ordinal, s.d.info.Ordinal),
			"call EnablePeer on the stream's device, or copy with CopyDevice")
	}
	if err := r.use(); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	if s.capture == nil {
		if err := s.order(op, r, u.writes); err != nil {
			_ = r.drop()
			return err
		}
	}
	return nil
}

// order asks the checker.
func (s *Stream) order(op string, r *resource, writes bool) error {
	t := s.d.driver.check
	if t == nil || r.memory == nil {
		return nil
	}
	op = op + " on " + s.name
	var err error
	if writes {
		err = t.Write(s.id, r.memory, op)
	} else {
		err = t.Read(s.id, r.memory, op)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnordered, err)
	}
	return nil
}

// withdraw undoes admit.
func (s *Stream) withdraw(uses []Use) {
	for i := range uses {
		_ = uses[i].r.drop()
	}
}

// commit notes that the admitted operation is on the stream, or in the graph that is being captured.
func (s *Stream) commit(uses []Use) {
	for i := range uses {
		if s.capture != nil {
			s.capture.add(uses[i])
		} else {
			s.ledger.push(uses[i].r)
		}
	}
}

// operate is admit, issue and commit.
func (s *Stream) operate(op string, symbol cu.Symbol, n int, uses []Use) error {
	if err := s.issue(symbol, n); err != nil {
		s.withdraw(uses)
		return err
	}
	s.commit(uses)
	return nil
}

// makeRoom lets go of what is done, and waits for the stream if that is not enough: the ledger is bounded.
func (s *Stream) makeRoom(n int) error {
	if n > ledgerSize {
		return refuse("admit", fmt.Sprintf("an operation that uses %d buffers", n), fmt.Sprintf("at most %d", ledgerSize))
	}
	if _, err := s.idle(); err != nil {
		return err
	}
	if s.ledger.room() >= n {
		return nil
	}
	s.d.stalls.Add(1)
	return s.syncInDriver()
}
