package mailbox

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// aligned returns n quarters at a multiple of 64 bytes.
func aligned(n int) []Quarter {
	all := make([]Quarter, n+4)
	for uintptr(unsafe.Pointer(&all[0]))%64 != 0 {
		all = all[1:]
	}
	return all[:n:n]
}

func TestPutAll(t *testing.T) {
	for name, write := range map[string]func(to, from *Quarter, n int){"this processor": put, "plain": putPlain} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(1, 13).Draw(t, "n")
				to, from := aligned(n+2), make([]Quarter, n)
				for i := range from {
					from[i] = Quarter{rapid.Uint64().Draw(t, "value"), rapid.Uint32().Draw(t, "aux"), rapid.Uint32().Draw(t, "stamp")}
				}
				guard := Quarter{^uint64(0), ^uint32(0), 7}
				to[n], to[n+1] = guard, guard
				write(&to[0], &from[0], n)
				if !slices.Equal(to[:n], from) {
					t.Fatalf("wrote %v, want %v", to[:n], from)
				}
				if to[n] != guard || to[n+1] != guard {
					t.Fatal("wrote past the end")
				}
			})
		})
	}
}

// Quarters that lie apart are written where they belong, and nothing between them.
func TestPutApart(t *testing.T) {
	for name, write := range map[string]func(to *Quarter, stride uint64, from *Halves, n int){"this processor": putApart, "plain": putApartPlain} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n, stride := rapid.IntRange(1, 9).Draw(t, "n"), rapid.IntRange(1, 9).Draw(t, "stride")
				at := rapid.IntRange(0, 5).Draw(t, "at")
				to, want, from := aligned(at+n*stride), make([]Quarter, at+n*stride), make([]Halves, n)
				for i := range to {
					to[i] = Quarter{Value: uint64(i), Aux: 1, Stamp: 2}
				}
				copy(want, to)
				for i := range from {
					q := Quarter{rapid.Uint64().Draw(t, "value"), rapid.Uint32().Draw(t, "aux"), rapid.Uint32().Draw(t, "stamp")}
					from[i], want[at+i*stride] = Halves{q.Value, Tail(q.Aux, q.Stamp)}, q
				}
				write(&to[at], uint64(stride), &from[0], n)
				if !slices.Equal(to, want) {
					t.Fatalf("memory is %v, want %v", to, want)
				}
			})
		})
	}
}

func TestBounds(t *testing.T) {
	PutAll(nil, nil)
	PutAll(aligned(1), nil)
	PutApart(nil, 3, 4, nil)
	PutApart(aligned(5), 1, 3, make([]Halves, 2))
	for name, write := range map[string]func(){
		"PutAll":           func() { PutAll(aligned(2), make([]Quarter, 3)) },
		"PutApart":         func() { PutApart(aligned(5), 2, 3, make([]Halves, 2)) },
		"PutApart, no end": func() { PutApart(nil, 0, 0, make([]Halves, 1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: a destination too short went unnoticed", name)
				}
			}()
			write()
		}()
	}
}

func TestStampAndReady(t *testing.T) {
	row := aligned(4)
	for i := range row {
		Put(&row[i], &Quarter{Value: uint64(i), Aux: 40 + uint32(i), Stamp: 9})
	}
	if s, aux := Stamp(&row[2]); s != 9 || aux != 42 {
		t.Fatalf("stamp %d aux %d", s, aux)
	}
	if !Ready(row, 9) || Ready(row, 8) {
		t.Fatal("Ready is wrong about a whole row")
	}
	for i := range row {
		q := row[i]
		row[i].Stamp = 10
		if Ready(row, 9) || Ready(row, 10) {
			t.Fatalf("a row with another stamp in quarter %d counts", i)
		}
		row[i] = q
	}
}

// Every value a reader sees belongs to the stamp beside it: the writer laps the reader all the time, which the resident
// protocol never does, so that any divided store shows.
func TestIndivisible(t *testing.T) {
	if !Supported() {
		t.Skip("this processor has no indivisible 16-byte store")
	}
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("one processor cannot show a divided store")
	}
	for name, write := range map[string]func(to []Quarter, q Quarter){
		"Put":      func(to []Quarter, q Quarter) { Put(&to[0], &q) },
		"PutApart": func(to []Quarter, q Quarter) { PutApart(to, 0, 1, []Halves{{q.Value, Tail(q.Aux, q.Stamp)}}) },
	} {
		t.Run(name, func(t *testing.T) { indivisible(t, write) })
	}
}

func indivisible(t *testing.T, write func(to []Quarter, q Quarter)) {
	memory := aligned(1)
	q := &memory[0]
	value := func(stamp uint32) uint64 { return uint64(stamp) * 0x9E3779B97F4A7C15 }
	write(memory, Quarter{value(0), 0, 0})
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := uint32(1); !stop.Load(); n++ {
			write(memory, Quarter{value(n), ^n, n})
		}
	}()
	defer func() { stop.Store(true); <-done }()
	for n, met := 0, 0; n < 2_000_000 && met < 200_000; n++ {
		s1, a1 := Stamp(q)
		v := atomic.LoadUint64(&q.Value)
		s2, _ := Stamp(q)
		if s1 != s2 {
			continue // another quarter came between the loads
		}
		met++
		if s1 != 0 && a1 != ^s1 || v != value(s1) {
			t.Fatalf("stamp %d vouches for value %#x aux %#x", s1, v, a1)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	to, from := aligned(16), make([]Quarter, 16)
	if n := testing.AllocsPerRun(100, func() {
		PutAll(to, from)
		PutApart(to, 1, 3, []Halves{{1, 2}, {3, uint64(len(to))}})
		_ = Ready(to, 0)
	}); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func BenchmarkPut4(b *testing.B) {
	to, from := aligned(4096), make([]Quarter, 4)
	for i := 0; b.Loop(); i++ {
		PutAll(to[i&1023*4:], from)
	}
}

func ExamplePutAll() {
	slots := aligned(4) // in the engine: pinned memory
	PutAll(slots, []Quarter{{Value: 1, Stamp: 5}, {Value: 2, Stamp: 5}, {Value: 3, Stamp: 5}, {Value: 4, Stamp: 5}})
	fmt.Println(Ready(slots, 5), Ready(slots, 6))
	// Output: true false
}
