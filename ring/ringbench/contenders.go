package ringbench

import (
	"fmt"
	"time"

	"github.com/sigengine/sigengine/ring"
)

// element is what is handed over. Producers write the whole element, consumers read its first word.
type element interface{ element8 | element64 }

type (
	element8  [1]uint64
	element64 [8]uint64
)

// fill writes the whole element; its first word is the value that is summed.
func fill[T element](slot *T, value int) {
	var e T
	e[0] = uint64(value)
	*slot = e
}

func first[T element](slot *T) uint64 { return (*slot)[0] }

// idleMax bounds a sleep; wake-ups end it long before.
const idleMax = 10 * time.Millisecond

// runPair runs every contender once.
func runPair[T element](c Config) (ns Nanoseconds, err error) {
	runs := []struct {
		into *float64
		run  func(Config) (time.Duration, uint64)
	}{
		{&ns.RingSingle, func(c Config) (time.Duration, uint64) { return handOverRing[T](c, 1) }},
		{&ns.Channel, handOverChannel[T]},
		{&ns.RingBatch, func(c Config) (time.Duration, uint64) { return handOverRing[T](c, c.Batch) }},
		{&ns.PublishSingle, func(c Config) (time.Duration, uint64) { return publishRing[T](c, 1) }},
		{&ns.PublishChannel, publishChannel[T]},
		{&ns.PublishBatch, func(c Config) (time.Duration, uint64) { return publishRing[T](c, c.Batch) }},
	}
	n := uint64(c.Elements)
	want := n * (n - 1) / 2
	for i, r := range runs {
		elapsed, sum := r.run(c)
		if sum != want {
			return ns, fmt.Errorf("%w: run %d: sum %d, want %d", ErrSum, i, sum, want)
		}
		*r.into = float64(elapsed.Nanoseconds()) / float64(n)
	}
	return ns, nil
}

// handOverRing times a producer and a consumer goroutine over a ring, batch elements a commit.
func handOverRing[T element](c Config, batch int) (time.Duration, uint64) {
	r, err := ring.New(make([]T, c.Capacity))
	if err != nil {
		panic(err) // the configuration was validated
	}
	var room, data *ring.Parker
	if c.Strategy != ring.Spin {
		room, data = ring.NewParker(), ring.NewParker()
	}
	sums := make(chan uint64)
	go consume(r, ring.NewWaiter(c.Strategy, data), room, batch, sums)
	started := time.Now()
	if batch == 1 {
		produceSingle(r, ring.NewWaiter(c.Strategy, room), data, c.Elements)
	} else {
		produceBatch(r, ring.NewWaiter(c.Strategy, room), data, c.Elements, batch)
	}
	r.Close()
	if data != nil {
		data.Wake()
	}
	sum := <-sums
	return time.Since(started), sum
}

func produceSingle[T element](r *ring.Ring[T], waiter ring.Waiter, data *ring.Parker, elements int) {
	for i := 0; i < elements; {
		slot, ok := r.Claim()
		if !ok {
			waiter.Idle(idleMax)
			continue
		}
		waiter.Busy()
		fill(slot, i)
		r.CommitWake(1, data)
		i++
	}
}

func produceBatch[T element](r *ring.Ring[T], waiter ring.Waiter, data *ring.Parker, elements, batch int) {
	for i := 0; i < elements; {
		slots := r.ClaimBatch(min(batch, elements-i))
		if len(slots) == 0 {
			waiter.Idle(idleMax)
			continue
		}
		waiter.Busy()
		for k := range slots {
			fill(&slots[k], i+k)
		}
		r.CommitWake(len(slots), data)
		i += len(slots)
	}
}

// consume takes at most batch elements a look, so that a single hand-over is single on both sides.
func consume[T element](r *ring.Ring[T], waiter ring.Waiter, room *ring.Parker, batch int, sums chan<- uint64) {
	sum := uint64(0)
	for {
		polled := r.PollMax(batch)
		if len(polled) == 0 {
			if r.Closed() {
				break
			}
			waiter.Idle(idleMax)
			continue
		}
		waiter.Busy()
		for i := range polled {
			sum += first(&polled[i])
		}
		r.ReleaseWake(len(polled), room)
	}
	waiter.Busy()
	sums <- sum
}

func handOverChannel[T element](c Config) (time.Duration, uint64) {
	channel := make(chan T, c.Capacity)
	sums := make(chan uint64)
	go func() {
		sum := uint64(0)
		for value := range channel {
			sum += first(&value)
		}
		sums <- sum
	}()
	started := time.Now()
	for i := range c.Elements {
		var value T
		fill(&value, i)
		channel <- value
	}
	close(channel)
	sum := <-sums
	return time.Since(started), sum
}

// publishRing times filling an empty ring, again and again; the consumer's part is not timed.
func publishRing[T element](c Config, batch int) (elapsed time.Duration, sum uint64) {
	r, err := ring.New(make([]T, c.Capacity))
	if err != nil {
		panic(err) // the configuration was validated
	}
	for left := c.Elements; left > 0; {
		count := min(left, c.Capacity)
		started := time.Now()
		if batch == 1 {
			publishSingle(r, c.Elements-left, count)
		} else {
			publishBatch(r, c.Elements-left, count, batch)
		}
		elapsed += time.Since(started)
		left -= count
		for r.Len() > 0 {
			polled := r.Poll()
			for i := range polled {
				sum += first(&polled[i])
			}
			r.Release(len(polled))
		}
	}
	return elapsed, sum
}

func publishSingle[T element](r *ring.Ring[T], from, count int) {
	for i := range count {
		slot, ok := r.Claim()
		if !ok {
			return // cannot happen: it was empty; the sum would tell
		}
		fill(slot, from+i)
		r.Commit(1)
	}
}

func publishBatch[T element](r *ring.Ring[T], from, count, batch int) {
	for i := 0; i < count; {
		slots := r.ClaimBatch(min(batch, count-i))
		for k := range slots {
			fill(&slots[k], from+i+k)
		}
		r.Commit(len(slots))
		i += len(slots)
	}
}

func publishChannel[T element](c Config) (elapsed time.Duration, sum uint64) {
	channel := make(chan T, c.Capacity)
	for left := c.Elements; left > 0; {
		count := min(left, c.Capacity)
		started := time.Now()
		for i := range count {
			var value T
			fill(&value, c.Elements-left+i)
			channel <- value
		}
		elapsed += time.Since(started)
		left -= count
		for range count {
			value := <-channel
			sum += first(&value)
		}
	}
	return elapsed, sum
}
