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

// One hand-over at a time, timed so that the producer's publication meets the consumer's announcement: the consumer writes to
// the slots it reads, so the producer's next write to that line is slow to leave the store buffer and so is the cursor behind
// it. A Wake without a fence reads the state too early and this test hangs.
func TestWakeIsOrderedAfterCommit(t *testing.T) {
	rounds := 150_000
	if testing.Short() || raceEnabled {
		rounds = 15_000
	}
	for _, fused := range []bool{false, true} { // CommitWake, or Commit and Wake
		r := mustNew[[16]uint64](t, 2, 0)
		data := NewParker()
		var acknowledged atomic.Int64
		go func() {
			random := rand.New(rand.NewPCG(1, 1))
			for round := range rounds {
				for spins := 0; acknowledged.Load() < int64(round); spins++ {
					if spins > 1000 {
						runtime.Gosched()
					}
				}
				pause(random.Uint32N(8))
				slot, _ := r.Claim()
				slot[0], slot[8] = uint64(round), uint64(round)
				if fused {
					r.CommitWake(1, data)
				} else {
					r.Commit(1)
					data.Wake()
				}
			}
			r.Close()
			data.Wake()
		}()
		done := make(chan struct{})
		go func() {
			defer close(done)
			waiter := NewWaiter(Park, data)
			for !r.Closed() {
				polled := r.Poll()
				if len(polled) == 0 {
					waiter.Idle(time.Hour)
					continue
				}
				waiter.Busy()
				polled[0] = [16]uint64{}
				r.Release(1)
				acknowledged.Add(1)
			}
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("fused %v: the consumer sleeps with work waiting after %d of %d", fused, acknowledged.Load(), rounds)
		}
	}
}
