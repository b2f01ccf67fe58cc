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
