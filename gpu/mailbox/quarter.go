package mailbox

import (
	"sync/atomic"
	"unsafe"
)

// Quarter is a quarter: 16 bytes, alignment 16 where it counts.
type Quarter struct {
	Value uint64 // bits of a float64
	Aux   uint32
	Stamp uint32 // lane-local counter; it wraps
}

const (
	_ = -(unsafe.Sizeof(Quarter{}) ^ 16)
	_ = -(unsafe.Offsetof(Quarter{}.Aux) ^ 8)
	_ = -(unsafe.Offsetof(Quarter{}.Stamp) ^ 12)
)

// Put writes one quarter indivisibly. to must be 16-byte aligned; from need not be.
func Put(to, from *Quarter) { put(to, from, 1) }

// PutAll writes the quarters of from over those at the start of to, in order, each indivisibly.
// It panics if to is shorter than from.
func PutAll(to, from []Quarter) {
	if len(from) == 0 {
		return
	}
	put(&to[:len(from)][0], &from[0], len(from))
}

// Halves is a quarter as two words. One that was just put together is read back by words, which a processor does at once; to read
// 16 bytes of which parts are still on their way to memory makes it wait.
type Halves struct {
	Value uint64
	Tail  uint64 // see Tail
}

// Tail is the second word of a quarter.
func Tail(aux, stamp uint32) uint64 { return uint64(stamp)<<32 | uint64(aux) }

// PutApart writes the quarters of a slot, from[i] to to[at+i*stride], in order, each indivisibly: a slot's quarters lie a ring's
// length apart. It panics if the last is beyond to.
func PutApart(to []Quarter, at, stride uint64, from []Halves) {
	if len(from) == 0 {
		return
	}
	_ = to[at+uint64(len(from)-1)*stride] // the last; the others lie before it
	putApart(&to[at], stride, &from[0], len(from))
}

// Stamp returns the stamp and aux of a quarter that the other side may be writing. It comes before later loads.
func Stamp(q *Quarter) (stamp, aux uint32) {
	half := atomic.LoadUint64((*uint64)(unsafe.Pointer(&q.Aux)))
	return uint32(half >> 32), uint32(half)
}

// Ready reports whether every quarter bears the stamp. The last, which the other side writes last, is looked at first.
func Ready(row []Quarter, stamp uint32) bool {
	for i := len(row) - 1; i >= 0; i-- {
		if s, _ := Stamp(&row[i]); s != stamp {
			return false
		}
	}
	return true
}
