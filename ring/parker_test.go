package ring

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestParkTimesOut(t *testing.T) {
	p := NewParker()
	for _, timeout := range []time.Duration{-1, 0, time.Nanosecond, time.Millisecond} {
		p.Prepare()
		if p.Park(timeout) {
			t.Fatalf("woken by nobody with timeout %v", timeout)
		}
		if p.state.Load() != parkerAwake {
			t.Fatalf("still announced after timeout %v", timeout)
		}
	}
}

func TestWakeBetweenPrepareAndPark(t *testing.T) {
	p := NewParker()
	for range 100 {
		p.Prepare()
		p.Wake()
		p.Wake()
		if !p.Park(time.Hour) {
			t.Fatal("the wake-up was lost")
		}
	}
}

func TestWakeBeforePrepareDoesNotCount(t *testing.T) {
	p := NewParker()
	p.Wake()
	p.Prepare()
	if p.Park(time.Millisecond) {
		t.Fatal("woken by a wake that came before the announcement")
	}
}

func TestCancelledAnnouncementLeavesNothing(t *testing.T) {
	p := NewParker()
	p.Prepare()
	p.Cancel()
	p.Wake() // nobody is announced
	p.Prepare()
	p.Wake() // leaves a token
	p.Cancel()
	p.Prepare()
	if p.Park(time.Millisecond) {
		t.Fatal("woken by what belonged to a cancelled announcement")
	}
}

func TestWakeEndsASleep(t *testing.T) {
	p := NewParker()
	for range 20 {
		p.Prepare()
		go func() {
			time.Sleep(200 * time.Microsecond)
			p.Wake()
		}()
		if !p.Park(time.Hour) {
			t.Fatal("not woken")
		}
	}
}

// Several producers of rings of their own, one consumer that drains them all and sleeps with no time limit to speak of: a
// lost wake-up hangs it. The watchdog is the only thing that measures time.
func TestNoWakeUpIsLost(t *testing.T) {
	const producers = 3
	rounds := 20_000
	if testing.Short() || raceEnabled {
		rounds = 3_000
	}
	data := NewParker()
	var rings [producers]*Ring[int]
	var acknowledged [producers]atomic.Int64
	var group sync.WaitGroup
	for i := range rings {
		rings[i] = mustNew[int](t, 2, 0)
		group.Go(func() {
			for round := range rounds {
				slot, _ := rings[i].Claim()
				*slot = round
				if round%2 == i%2 {
					rings[i].CommitWake(1, data)
				} else {
					rings[i].Commit(1)
					data.Wake()
				}
				for acknowledged[i].Load() <= int64(round) { // until it is consumed nothing else will wake the consumer for it
					runtime.Gosched()
				}
			}
			rings[i].Close()
			data.Wake()
		})
	}
	done := make(chan [producers]int, 1)
	go func() {
		var taken [producers]int
		waiter := NewWaiter(Park, data)
		for closed := 0; closed < producers; {
			worked := false
			closed = 0
			for i, r := range rings {
				if polled := r.Poll(); len(polled) > 0 {
					worked = true
					taken[i] += len(polled)
					r.Release(len(polled))
					acknowledged[i].Add(int64(len(polled)))
				} else if r.Closed() {
					closed++
				}
			}
			if worked {
				waiter.Busy()
			} else if closed < producers {
				waiter.Idle(time.Hour)
			}
		}
		done <- taken
	}()
	select {
	case taken := <-done:
		group.Wait()
		for i, n := range taken {
			if n != rounds {
				t.Fatalf("ring %d: %d of %d", i, n, rounds)
			}
		}
	case <-time.After(time.Minute):
		t.Fatal("the consumer sleeps with work waiting: a wake-up was lost")
	}
}

// wide is an element of many cache lines, one word of each of which is written.
type wide [48][8]uint64

func (e *wide) touch(value uint64) {
	for i := range e {
		e[i][0] = value
	}
}

// One hand-over at a time, timed so that the producer's publication meets the consumer's announcement. The consumer writes to
// the slots it reads, so the producer's next writes to their lines are slow to leave the store buffer and the cursor queues
// behind them. A Wake without a fence reads the state long before the cursor is visible, and this test hangs.
func TestWakeIsOrderedAfterCommit(t *testing.T) {
	rounds := 60_000
	if testing.Short() || raceEnabled {
		rounds = 4_000
	}
	for _, fused := range []bool{false, true} { // Commit and Wake, or CommitWake
		r := mustNew[wide](t, 2, 0)
		data := NewParker()
		var acknowledged atomic.Int64
		go produceTimed(r, data, &acknowledged, rounds, fused)
		done := make(chan struct{})
		go func() {
			defer close(done)
			consumeTimed(r, data, &acknowledged)
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("fused %v: the consumer sleeps with work waiting after %d of %d", fused, acknowledged.Load(), rounds)
		}
	}
}

func produceTimed(r *Ring[wide], data *Parker, acknowledged *atomic.Int64, rounds int, fused bool) {
	random := rand.New(rand.NewPCG(1, 1))
	for round := range rounds {
		for spins := 0; acknowledged.Load() < int64(round); spins++ {
			if spins > 1000 {
				runtime.Gosched()
			}
		}
		pause(random.Uint32N(32))
		slot, _ := r.Claim()
		slot.touch(uint64(round))
		if fused {
			r.CommitWake(1, data)
		} else {
			r.Commit(1)
			data.Wake()
		}
	}
	r.Close()
	data.Wake()
}

func consumeTimed(r *Ring[wide], data *Parker, acknowledged *atomic.Int64) {
	random := rand.New(rand.NewPCG(1, 2))
	waiter := NewWaiter(Park, data)
	for !r.Closed() {
		polled := r.Poll()
		if len(polled) == 0 {
			waiter.Idle(time.Hour)
			continue
		}
		waiter.Busy()
		polled[0].touch(0)
		r.Release(1)
		acknowledged.Add(1)
		pause(random.Uint32N(64))
	}
}
