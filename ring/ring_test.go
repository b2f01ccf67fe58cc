package ring

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"unsafe"
)

// mustNew returns a ring that starts at sequence.
func mustNew[T any](t testing.TB, capacity int, sequence uint64) *Ring[T] {
	t.Helper()
	r, err := newAt(make([]T, capacity), sequence)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// startSequences are first sequences whose arithmetic is worth a second look.
var startSequences = []uint64{0, 1, math.MaxUint32 - 3, math.MaxInt64 - 3, math.MaxUint64 - 3, math.MaxUint64}

func TestNewChecksCapacity(t *testing.T) {
	for length := range 70 {
		r, err := New(make([]int, length))
		good := length == 2 || length == 4 || length == 8 || length == 16 || length == 32 || length == 64
		if good != (err == nil) {
			t.Fatalf("capacity %d: error %v", length, err)
		}
		if err != nil && !errors.Is(err, ErrCapacity) {
			t.Fatalf("capacity %d: %v does not wrap ErrCapacity", length, err)
		}
		if good && (r.Cap() != length || r.Mask() != uint64(length-1)) {
			t.Fatalf("capacity %d: Cap %d, Mask %d", length, r.Cap(), r.Mask())
		}
	}
}

func TestStorageIsTheCallers(t *testing.T) {
	storage := make([]int, 4)
	r, err := New(storage)
	if err != nil {
		t.Fatal(err)
	}
	slot, _ := r.Claim()
	if slot != &storage[0] {
		t.Fatal("the slot is not in the caller's storage")
	}
	*slot = 7
	r.Commit(1)
	if got := r.Poll(); len(got) != 1 || &got[0] != &storage[0] || cap(got) != 1 {
		t.Fatalf("polled %v, capacity %d, not in place", got, cap(got))
	}
}

func TestFullAndEmpty(t *testing.T) {
	for _, start := range startSequences {
		t.Run(fmt.Sprint(start), func(t *testing.T) {
			r := mustNew[uint64](t, 8, start)
			for lap := range uint64(5) {
				for i := range uint64(8) {
					sequence := start + lap*8 + i
					slot, ok := r.Claim()
					if !ok || r.NextSequence() != sequence {
						t.Fatalf("claim %d: ok %v, sequence %d, want %d", i, ok, r.NextSequence(), sequence)
					}
					*slot = sequence
					r.Commit(1)
				}
				if slot, ok := r.Claim(); ok || slot != nil || len(r.ClaimBatch(1)) != 0 {
					t.Fatal("a full ring gave a slot")
				}
				if r.Len() != 8 {
					t.Fatalf("Len %d", r.Len())
				}
				for want := start + lap*8; r.Len() > 0; {
					got := r.PollMax(3)
					if len(got) == 0 || len(got) > 3 || r.Sequence() != want {
						t.Fatalf("polled %d at %d, want sequence %d", len(got), r.Sequence(), want)
					}
					for _, value := range got {
						if value != want {
							t.Fatalf("got %d, want %d", value, want)
						}
						want++
					}
					r.Release(len(got))
				}
				if got := r.Poll(); len(got) != 0 {
					t.Fatalf("an empty ring gave %v", got)
				}
			}
		})
	}
}

func TestClaimWithoutCommitReservesNothing(t *testing.T) {
	r := mustNew[int](t, 4, 0)
	first, _ := r.Claim()
	second, _ := r.Claim()
	if first != second || r.NextSequence() != 0 || len(r.Poll()) != 0 {
		t.Fatal("a claim reserved or published something")
	}
}

func TestClaimAtPublishesTogetherAcrossTheEnd(t *testing.T) {
	for _, start := range []uint64{6, math.MaxUint64 - 1} { // index 6 of 8: the event wraps
		r := mustNew[uint64](t, 8, start)
		for i := range 5 {
			slot, ok := r.ClaimAt(i)
			if !ok {
				t.Fatalf("slot %d not free", i)
			}
			*slot = uint64(i)
			if len(r.Poll()) != 0 {
				t.Fatal("visible before the commit")
			}
		}
		r.Commit(5)
		if r.Len() != 5 {
			t.Fatalf("Len %d", r.Len())
		}
		want := uint64(0)
		for range 2 { // two segments
			for _, value := range r.Poll() {
				if value != want {
					t.Fatalf("got %d, want %d", value, want)
				}
				want++
			}
			r.Release(len(r.Poll()))
		}
		if want != 5 {
			t.Fatalf("saw %d of 5", want)
		}
	}
}

func TestClaimAtBounds(t *testing.T) {
	r := mustNew[int](t, 4, 0)
	r.Commit(1)
	for _, c := range []struct {
		ahead int
		ok    bool
	}{{-1, false}, {math.MinInt, false}, {0, true}, {2, true}, {3, false}, {4, false}, {math.MaxInt, false}} {
		if slot, ok := r.ClaimAt(c.ahead); ok != c.ok || ok != (slot != nil) {
			t.Errorf("ClaimAt(%d): ok %v, want %v", c.ahead, ok, c.ok)
		}
	}
	r.Poll()
	r.Release(1)
	if _, ok := r.ClaimAt(3); !ok {
		t.Error("ClaimAt does not see what was released")
	}
}

func TestBatchStopsAtThePhysicalEnd(t *testing.T) {
	r := mustNew[int](t, 8, 5)
	if got := r.ClaimBatch(8); len(got) != 3 || cap(got) != 3 {
		t.Fatalf("claimed %d (capacity %d), want the 3 before the end", len(got), cap(got))
	}
	r.Commit(3)
	if got := r.ClaimBatch(math.MaxInt); len(got) != 5 {
		t.Fatalf("claimed %d, want 5", len(got))
	}
	r.Commit(5)
	if got := r.Poll(); len(got) != 3 {
		t.Fatalf("polled %d, want the 3 before the end", len(got))
	}
	for _, none := range []int{0, -1, math.MinInt} {
		if len(r.ClaimBatch(none)) != 0 || len(r.PollMax(none)) != 0 {
			t.Fatalf("a limit of %d gave something", none)
		}
	}
}

func TestClose(t *testing.T) {
	for _, committed := range []int{0, 3, 4} {
		r := mustNew[int](t, 4, 2)
		r.ClaimBatch(4)
		for range committed {
			r.Commit(1)
		}
		r.Close()
		r.Close()
		_, one := r.Claim()
		_, at := r.ClaimAt(0)
		if one || at || len(r.ClaimBatch(4)) != 0 {
			t.Fatal("claimed after close")
		}
		drained := 0
		for !r.Closed() {
			got := r.Poll()
			if len(got) == 0 {
				t.Fatal("neither closed nor anything to poll: a consumer would wait for ever")
			}
			drained += len(got)
			r.Release(len(got))
		}
		if drained != committed {
			t.Fatalf("drained %d of %d", drained, committed)
		}
		if _, ok := r.Claim(); ok {
			t.Fatal("claimed after close and drain")
		}
	}
}

func TestOpenRingIsNotClosed(t *testing.T) {
	r := mustNew[int](t, 4, 0)
	if r.Closed() || r.Abandoned() {
		t.Fatal("a new ring is closed or abandoned")
	}
	r.Abandon()
	if !r.Abandoned() || r.Closed() {
		t.Fatal("Abandon is the consumer's word, not the producer's")
	}
}

func TestLost(t *testing.T) {
	r := mustNew[int](t, 4, 0)
	if r.Lost() != 0 {
		t.Fatal("lost before anything was marked")
	}
	r.MarkLost(3)
	r.MarkLost(0)
	r.MarkLost(2)
	if r.Lost() != 5 {
		t.Fatalf("lost %d, want 5", r.Lost())
	}
}

func TestMisusePanics(t *testing.T) {
	parker := NewParker()
	cases := map[string]func(r *Ring[int]){
		"commit more than free":         func(r *Ring[int]) { r.Commit(5) },
		"commit negative":               func(r *Ring[int]) { r.Commit(-1) },
		"commit after close":            func(r *Ring[int]) { r.Close(); r.Commit(1) },
		"commit and wake too much":      func(r *Ring[int]) { r.CommitWake(5, parker) },
		"commit and wake, no parker":    func(r *Ring[int]) { r.CommitWake(5, nil) },
		"release what was not polled":   func(r *Ring[int]) { r.Commit(1); r.Release(1) },
		"release negative":              func(r *Ring[int]) { r.Release(-1) },
		"release and wake too much":     func(r *Ring[int]) { r.ReleaseWake(1, parker) },
		"release and wake, no parker":   func(r *Ring[int]) { r.ReleaseWake(1, nil) },
		"waiter that cannot park":       func(*Ring[int]) { NewWaiter(Park, nil) },
		"waiter that cannot park later": func(*Ring[int]) { NewWaiter(SpinThenPark, nil) },
	}
	for name, misuse := range cases {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Fatal("no panic")
				}
			}()
			misuse(mustNew[int](t, 4, 0))
		})
	}
}

// What the two sides write must not share a pair of cache lines, wherever the allocator puts the ring.
func TestLayout(t *testing.T) {
	var r Ring[[64]byte]
	type field struct {
		name string
		at   uintptr
		size uintptr
	}
	groups := [][]field{
		{{"storage", unsafe.Offsetof(r.storage), unsafe.Sizeof(r.storage)}, {"mask", unsafe.Offsetof(r.mask), unsafe.Sizeof(r.mask)}},
		{{"tail", unsafe.Offsetof(r.tail), unsafe.Sizeof(r.tail)}, {"closed", unsafe.Offsetof(r.closed), unsafe.Sizeof(r.closed)}},
		{{"next", unsafe.Offsetof(r.next), unsafe.Sizeof(r.next)}, {"limit", unsafe.Offsetof(r.limit), unsafe.Sizeof(r.limit)}},
		{{"head", unsafe.Offsetof(r.head), unsafe.Sizeof(r.head)}, {"abandoned", unsafe.Offsetof(r.abandoned), unsafe.Sizeof(r.abandoned)}},
		{{"first", unsafe.Offsetof(r.first), unsafe.Sizeof(r.first)}, {"ready", unsafe.Offsetof(r.ready), unsafe.Sizeof(r.ready)}},
		{{"lost", unsafe.Offsetof(r.lost), unsafe.Sizeof(r.lost)}},
	}
	end, last := uintptr(0), "the start of the allocation"
	for _, group := range groups {
		if gap := group[0].at - end; gap < linePair {
			t.Errorf("%s lies %d bytes after %s, want at least %d", group[0].name, gap, last, linePair)
		}
		for _, f := range group {
			end, last = f.at+f.size, f.name
		}
	}
	if gap := unsafe.Sizeof(r) - end; gap < linePair {
		t.Errorf("%d bytes after %s, want at least %d", gap, last, linePair)
	}
	var p Parker
	if before, after := unsafe.Offsetof(p.state), unsafe.Offsetof(p.token)-unsafe.Offsetof(p.state)-unsafe.Sizeof(p.state); before < linePair || after < linePair {
		t.Errorf("the parker's state has %d bytes before and %d after it, want at least %d", before, after, linePair)
	}
}

func TestNothingAllocates(t *testing.T) {
	parker := NewParker()
	waiter := NewWaiter(Park, parker)
	r := mustNew[[64]byte](t, 64, 0)
	allocations := testing.AllocsPerRun(1000, func() {
		if slot, ok := r.Claim(); ok {
			slot[0]++
			r.Commit(1)
		}
		if slot, ok := r.ClaimAt(1); ok {
			slot[0]++
		}
		r.CommitWake(len(r.ClaimBatch(16)), parker)
		r.MarkLost(1)
		for polled := r.Poll(); len(polled) > 0; polled = r.Poll() {
			r.ReleaseWake(len(polled), parker)
		}
		waiter.Idle(1000)
		parker.Wake()
		waiter.Idle(1000)
		waiter.Idle(1000)
		waiter.Idle(1000) // sleeps for a microsecond
		waiter.Busy()
		_ = r.Len() + int(r.Lost()+r.Sequence()+r.NextSequence())
	})
	if allocations != 0 {
		t.Fatalf("%v allocations a round", allocations)
	}
}
