package ring

import (
	"testing"

	"pgregory.net/rapid"
)

// model is a ring as a slice: what was committed and not yet released.
type model struct {
	ring     *Ring[uint64]
	queue    []uint64
	next     uint64 // sequence of the next commit
	value    uint64 // next value to write
	lost     uint64
	closed   bool
	capacity int
}

func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := 1 << rapid.IntRange(1, 5).Draw(t, "capacityLog2")
		start := rapid.SampledFrom(startSequences).Draw(t, "start") - uint64(rapid.IntRange(0, 40).Draw(t, "before"))
		r, err := newAt(make([]uint64, capacity), start)
		if err != nil {
			t.Fatal(err)
		}
		m := &model{ring: r, next: start, capacity: capacity}
		t.Repeat(map[string]func(*rapid.T){
			"":      m.check,
			"one":   m.commitOne,
			"batch": m.commitBatch,
			"event": m.commitEvent,
			"poll":  m.poll,
			"lost":  func(t *rapid.T) { n := rapid.Uint64Range(0, 9).Draw(t, "lost"); r.MarkLost(n); m.lost += n },
			"close": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "really") == 0 {
					r.Close()
					m.closed = true
				}
			},
		})
	})
}

// free is how many slots the producer must be able to claim.
func (m *model) free() int {
	if m.closed {
		return 0
	}
	return m.capacity - len(m.queue)
}

func (m *model) fill(slot *uint64, ahead int) {
	*slot = m.value + uint64(ahead)
}

func (m *model) commit(t *rapid.T, count int) {
	if rapid.Bool().Draw(t, "wake") {
		m.ring.CommitWake(count, NewParker())
	} else {
		m.ring.Commit(count)
	}
	for range count {
		m.queue = append(m.queue, m.value)
		m.value++
		m.next++
	}
}

func (m *model) commitOne(t *rapid.T) {
	slot, ok := m.ring.Claim()
	if ok != (m.free() > 0) {
		t.Fatalf("Claim: ok %v with %d free", ok, m.free())
	}
	if ok {
		m.fill(slot, 0)
		m.commit(t, rapid.IntRange(0, 1).Draw(t, "commit")) // 0: the claim is given up
	}
}

func (m *model) commitBatch(t *rapid.T) {
	most := rapid.IntRange(-1, m.capacity+2).Draw(t, "most")
	slots := m.ring.ClaimBatch(most)
	toEnd := m.capacity - int(m.next%uint64(m.capacity))
	if want := max(0, min(most, m.free(), toEnd)); len(slots) != want {
		t.Fatalf("ClaimBatch(%d) gave %d, want %d", most, len(slots), want)
	}
	for i := range slots {
		m.fill(&slots[i], i)
	}
	m.commit(t, rapid.IntRange(0, len(slots)).Draw(t, "commit"))
}

func (m *model) commitEvent(t *rapid.T) {
	length := rapid.IntRange(1, m.capacity+1).Draw(t, "length")
	for i := range length {
		slot, ok := m.ring.ClaimAt(i)
		if ok != (i < m.free()) {
			t.Fatalf("ClaimAt(%d): ok %v with %d free", i, ok, m.free())
		}
		if !ok {
			return // the event does not fit: nothing of it is published
		}
		m.fill(slot, i)
	}
	m.commit(t, length)
}

func (m *model) poll(t *rapid.T) {
	most := rapid.IntRange(-1, m.capacity+2).Draw(t, "most")
	got := m.ring.PollMax(most)
	if rapid.Bool().Draw(t, "all") {
		most, got = m.capacity, m.ring.Poll()
	}
	if len(got) > max(most, 0) || most > 0 && (len(got) == 0) != (len(m.queue) == 0) {
		t.Fatalf("polled %d of %d with a limit of %d", len(got), len(m.queue), most)
	}
	if sequence := m.ring.Sequence(); sequence != m.next-uint64(len(m.queue)) {
		t.Fatalf("sequence %d with next %d and %d queued", sequence, m.next, len(m.queue))
	}
	for i, value := range got {
		if value != m.queue[i] {
			t.Fatalf("element %d is %d, want %d", i, value, m.queue[i])
		}
	}
	count := rapid.IntRange(0, len(got)).Draw(t, "release")
	if rapid.Bool().Draw(t, "wake") {
		m.ring.ReleaseWake(count, NewParker())
	} else {
		m.ring.Release(count)
	}
	m.queue = m.queue[count:]
}

func (m *model) check(t *rapid.T) {
	if m.ring.Len() != len(m.queue) || m.ring.NextSequence() != m.next || m.ring.Lost() != m.lost {
		t.Fatalf("Len %d, next %d, lost %d; want %d, %d, %d",
			m.ring.Len(), m.ring.NextSequence(), m.ring.Lost(), len(m.queue), m.next, m.lost)
	}
	if closed := m.closed && len(m.queue) == 0; m.ring.Closed() != closed {
		t.Fatalf("Closed %v, want %v", m.ring.Closed(), closed)
	}
}
