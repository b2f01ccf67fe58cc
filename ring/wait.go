package ring

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

// ErrStrategy is wrapped by the error of ParseStrategy.
var ErrStrategy = errors.New("ring: unknown wait strategy: use spin, spin-then-park or park")

// Strategy says how a goroutine waits for a ring.
type Strategy uint8

// The wait strategies.
const (
	// Spin stays on its processor: quickest, but only with a core to spare for each side that spins. Where other
	// processes compete for the cores a spinning side costs its partner whole time slices, and a channel does better.
	Spin         Strategy = iota
	SpinThenPark          // spins for some tens of microseconds, then sleeps
	Park                  // sleeps at once; for machines with few cores
)

var strategyNames = [...]string{Spin: "spin", SpinThenPark: "spin-then-park", Park: "park"}

// String returns the name that ParseStrategy reads.
func (s Strategy) String() string {
	if int(s) < len(strategyNames) {
		return strategyNames[s]
	}
	return "unknown"
}

// ParseStrategy returns the strategy called name, or an error that wraps ErrStrategy.
func ParseStrategy(name string) (Strategy, error) {
	for i, known := range strategyNames {
		if name == known {
			return Strategy(i), nil
		}
	}
	return Spin, fmt.Errorf("%w, not %q", ErrStrategy, name)
}

const (
	// pausesPerLook keeps two looks roughly half a microsecond apart, by processor. A look pulls the other side's cursor over from
	// its core, and one that follows the last element at once meets the producer in the middle of a burst: both then
	// pay a trip between cores for every element. A short pause lets the burst gather.
	pausesPerLook = 16
	// yieldEvery is how many looks pass between two offers of the processor to other goroutines, so that spinning ends
	// even on a machine with one processor.
	yieldEvery = 8
	// spinsBeforePark makes SpinThenPark spin for about as long as a sleep and a wake-up take.
	spinsBeforePark = 64
)

// Waiter is how one goroutine waits, on either side and for any number of rings. It is a small value for its owner's stack
// or struct. The owner's loop is
//
//	for {
//		if worked := pollEverything(); worked {
//			waiter.Busy()
//			continue
//		}
//		if stopped() { // closed, abandoned, cancelled
//			break
//		}
//		waiter.Idle(timeout)
//	}
//	waiter.Busy()
//
// Before it sleeps, Idle announces and returns once, and the loop itself is the last look that a Parker asks for. So the loop
// must look at everything it waits for between two calls of Idle.
type Waiter struct {
	parker    *Parker
	strategy  Strategy
	announced bool
	idles     uint32 // calls of Idle since the last Busy, not counted beyond what matters
}

// NewWaiter returns a waiter that sleeps on parker, which the waiter's owner owns. Spin needs none; it panics when another
// strategy is given none.
func NewWaiter(strategy Strategy, parker *Parker) Waiter {
	if parker == nil && strategy != Spin {
		panic("ring: a waiter that parks needs a parker")
	}
	return Waiter{parker: parker, strategy: strategy}
}

// Busy says that the last look found something.
func (w *Waiter) Busy() {
	if w.idles != 0 {
		w.reset()
	}
}

func (w *Waiter) reset() {
	if w.announced {
		w.parker.Cancel()
		w.announced = false
	}
	w.idles = 0
}

// Idle says that the last look found nothing, and waits a little: for a sleeping strategy at most about timeout. It
// promises nothing about why it returns. A timeout that is not positive never sleeps.
func (w *Waiter) Idle(timeout time.Duration) {
	switch {
	case w.strategy == Spin || w.strategy == SpinThenPark && w.idles < spinsBeforePark:
		w.spin()
	case !w.announced:
		w.idles = max(w.idles, 1)
		w.parker.Prepare()
		w.announced = true
	default:
		w.parker.Park(timeout)
		w.announced = false
	}
}

func (w *Waiter) spin() {
	w.idles++
	if w.idles == 1<<31 {
		w.idles = 1 << 30
	}
	if w.idles%yieldEvery == 0 {
		runtime.Gosched()
		return
	}
	pause(pausesPerLook)
}
