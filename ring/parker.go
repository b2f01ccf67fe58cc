package ring

import (
	"sync/atomic"
	"time"
)

// The states of a Parker.
const (
	parkerAwake     uint32 = 0
	parkerAnnounced uint32 = 1 // its owner is about to sleep, or sleeps
)

// Parker is a place for one goroutine to sleep until any of several others wakes it, or a time has passed. No wake-up is
// lost if its owner keeps this order, which Waiter does:
//
//	owner:   Prepare ─► look once more at everything it waits for ─► nothing: Park, something: Cancel
//	others:  make something ready ─► Wake
//
// Either the owner's last look sees what became ready, or the waker's look at the state sees the announcement: each writes
// first and reads second, and both pairs are sequentially consistent.
//
// Wake may come from any goroutine, at any time; it can make a later Park return early, never late. Prepare, Cancel and Park
// belong to the owner. Nothing allocates after NewParker.
type Parker struct {
	_     [linePair]byte
	state atomic.Uint32
	_     [linePair]byte
	token chan struct{} // holds one: what a waker leaves for the owner
	timer *time.Timer
}

// NewParker returns a parker with its owner awake.
func NewParker() *Parker {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &Parker{token: make(chan struct{}, 1), timer: timer}
}

// Prepare announces that the owner is about to sleep. The owner then looks once more at everything it waits for.
func (p *Parker) Prepare() {
	select {
	case <-p.token: // left by a wake for an earlier announcement
	default:
	}
	p.state.Store(parkerAnnounced)
}

// Cancel takes the announcement back, because the last look found something.
func (p *Parker) Cancel() { p.state.Store(parkerAwake) }

// Park sleeps until a Wake that came after Prepare, or until timeout has passed; it reports whether it was woken. A timeout
// that is not positive does not sleep.
func (p *Parker) Park(timeout time.Duration) (woken bool) {
	if timeout > 0 {
		p.timer.Reset(timeout)
		select {
		case <-p.token:
			woken = true
		case <-p.timer.C:
		}
		p.timer.Stop()
	}
	return p.state.Swap(parkerAwake) != parkerAnnounced || woken
}

// Wake ends the owner's sleep, or the sleep it is about to begin. When the owner is awake it costs a fence and a load;
// CommitWake and ReleaseWake publish and wake with the fence that their store already is.
func (p *Parker) Wake() {
	var fence atomic.Uint32
	fence.Swap(1) // what the caller stored comes before the load in wake
	p.wake()
}

// wake is Wake after a sequentially consistent store.
func (p *Parker) wake() {
	if p.state.Load() == parkerAnnounced {
		p.wakeAnnounced()
	}
}

func (p *Parker) wakeAnnounced() {
	if !p.state.CompareAndSwap(parkerAnnounced, parkerAwake) {
		return // another waker was quicker, or the owner got up
	}
	select {
	case p.token <- struct{}{}:
	default: // a token that nobody took is there already, and does as well
	}
}
