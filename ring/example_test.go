package ring_test

import (
	"fmt"
	"time"

	"github.com/sigengine/sigengine/ring"
)

// A producer that must not lose anything waits for room, a consumer waits for data, and both leave when the other does.
func Example() {
	r, err := ring.New(make([]int, 8))
	if err != nil {
		fmt.Println(err)
		return
	}
	room, data := ring.NewParker(), ring.NewParker()

	go func() {
		waiter := ring.NewWaiter(ring.SpinThenPark, room)
		for i := 1; i <= 100 && !r.Abandoned(); {
			slot, ok := r.Claim()
			if !ok {
				waiter.Idle(10 * time.Millisecond)
				continue
			}
			waiter.Busy()
			*slot = i
			r.CommitWake(1, data)
			i++
		}
		r.Close()
		data.Wake()
	}()

	sum := 0
	waiter := ring.NewWaiter(ring.Park, data)
	for !r.Closed() {
		polled := r.Poll()
		if len(polled) == 0 {
			waiter.Idle(10 * time.Millisecond)
			continue
		}
		waiter.Busy()
		for _, value := range polled {
			sum += value
		}
		r.ReleaseWake(len(polled), room)
	}
	fmt.Println(sum)
	// Output: 5050
}

// A source of market data does not wait: it drops the new element, marks the ring, and the consumer throws away what was
// queued when it sees the mark move.
func ExampleRing_MarkLost() {
	r, _ := ring.New(make([]int, 4))
	for i := range 6 {
		slot, ok := r.Claim()
		if !ok {
			r.MarkLost(1)
			continue
		}
		*slot = i
		r.Commit(1)
	}

	seen := uint64(0)
	polled := r.Poll()
	if lost := r.Lost(); lost != seen { // after Poll
		stale := r.Len()
		fmt.Printf("gap: %d lost, %d queued thrown away\n", lost-seen, stale)
		for seen = lost; stale > 0; polled = r.PollMax(stale) {
			r.Release(len(polled))
			stale -= len(polled)
		}
	}
	fmt.Println("left:", r.Len())
	// Output:
	// gap: 2 lost, 4 queued thrown away
	// left: 0
}

// An event of several elements is written in place and published at once; a bad one is given up by not committing.
func ExampleRing_ClaimAt() {
	r, _ := ring.New(make([]string, 4))
	event := []string{"bid", "ask", "trade"}
	fits := true
	for i, part := range event {
		slot, ok := r.ClaimAt(i)
		if !ok {
			fits = false
			break
		}
		*slot = part
	}
	if fits {
		r.Commit(len(event))
	} else {
		r.MarkLost(uint64(len(event)))
	}
	fmt.Println(r.Poll())
	// Output: [bid ask trade]
}
