package ring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// stressElement is wider than one line and says of itself whether it was seen half written.
type stressElement struct {
	sequence uint64
	words    [9]uint64
	lost     uint64 // losses marked before this element was committed
}

// mix is a bijection that spreads its argument over all bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (e *stressElement) write(sequence, lost uint64) {
	e.sequence, e.lost = sequence, lost
	for i := range e.words {
		e.words[i] = mix(sequence + uint64(i))
	}
}

func (e *stressElement) whole() bool {
	for i, word := range e.words {
		if word != mix(e.sequence+uint64(i)) {
			return false
		}
	}
	return true
}

// stressLength is the number of elements of one stress run.
func stressLength() uint64 {
	if testing.Short() || raceEnabled {
		return 40_000
	}
	return 400_000
}

// Every element arrives once, whole and in order, whatever the batches and the waiting of either side.
func TestStress(t *testing.T) {
	const seed = 1
	for _, capacity := range []int{2, 16, 1024} {
		for _, strategy := range []Strategy{Spin, SpinThenPark, Park} {
			for _, start := range []uint64{0, math.MaxUint64 - 1000} {
				t.Run(fmt.Sprintf("%d/%v/%d/seed%d", capacity, strategy, start, seed), func(t *testing.T) {
					t.Parallel()
					stress(t, capacity, strategy, start, seed)
				})
			}
		}
	}
}

func stress(t *testing.T, capacity int, strategy Strategy, start, seed uint64) {
	r := mustNew[stressElement](t, capacity, start)
	room, data := NewParker(), NewParker()
	side := make([]uint64, capacity) // a caller's own column, indexed like the slots
	total := stressLength()
	if capacity < 16 {
		total /= 8 // nearly every element is a hand-over
	}
	go stressProduce(r, NewWaiter(strategy, room), data, side, total, rand.New(rand.NewPCG(seed, 1)))

	random := rand.New(rand.NewPCG(seed, 2))
	waiter := NewWaiter(strategy, data)
	expected, seen, deadline := start, uint64(0), time.Now().Add(time.Minute)
	for !r.Closed() {
		polled := r.PollMax(1 + random.IntN(capacity))
		if len(polled) == 0 {
			if time.Now().After(deadline) {
				t.Fatalf("stuck after %d of %d", seen, total)
			}
			waiter.Idle(10 * time.Millisecond)
			continue
		}
		waiter.Busy()
		lost := r.Lost()
		for i := range polled {
			e := &polled[i]
			if e.sequence != expected || !e.whole() || side[expected&r.Mask()] != ^expected {
				t.Fatalf("element %d: sequence %d, whole %v, side %x", expected, e.sequence, e.whole(), side[expected&r.Mask()])
			}
			if lost < e.lost {
				t.Fatalf("element %d was committed after loss %d, the consumer sees %d", expected, e.lost, lost)
			}
			expected++
			seen++
		}
		r.ReleaseWake(len(polled), room)
	}
	if seen != total {
		t.Fatalf("saw %d of %d", seen, total)
	}
}

func stressProduce(r *Ring[stressElement], waiter Waiter, data *Parker, side []uint64, total uint64, random *rand.Rand) {
	var lost uint64
	for done := uint64(0); done < total; {
		slots := r.ClaimBatch(min(1+random.IntN(len(side)), int(total-done)))
		if len(slots) == 0 {
			lost++
			r.MarkLost(1)
			waiter.Idle(10 * time.Millisecond)
			continue
		}
		waiter.Busy()
		for i := range slots {
			sequence := r.NextSequence() + uint64(i)
			slots[i].write(sequence, lost)
			side[sequence&r.Mask()] = ^sequence
		}
		done += uint64(len(slots))
		if random.IntN(2) == 0 {
			r.CommitWake(len(slots), data)
			continue
		}
		r.Commit(len(slots))
		data.Wake()
	}
	r.Close()
	data.Wake()
}

// A producer that waits for room leaves when the consumer does.
func TestAbandonEndsABlockedProducer(t *testing.T) {
	for _, strategy := range []Strategy{Spin, SpinThenPark, Park} {
		r := mustNew[int](t, 2, 0)
		room := NewParker()
		left := make(chan int)
		go func() {
			waiter := NewWaiter(strategy, room)
			committed := 0
			for !r.Abandoned() {
				if _, ok := r.Claim(); ok {
					waiter.Busy()
					r.Commit(1)
					committed++
					continue
				}
				waiter.Idle(time.Hour) // only the wake can end it
			}
			left <- committed
		}()
		for r.Len() < 2 {
			time.Sleep(100 * time.Microsecond)
		}
		time.Sleep(time.Millisecond) // likely parked by now; the test holds either way
		r.Abandon()
		room.Wake()
		select {
		case committed := <-left:
			if committed != 2 {
				t.Fatalf("%v: committed %d into 2 slots", strategy, committed)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%v: the producer did not leave", strategy)
		}
	}
}
