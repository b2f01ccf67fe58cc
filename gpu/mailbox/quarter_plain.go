package mailbox

import (
	"sync/atomic"
	"unsafe"
)

// putPlain writes quarters by two stores each, the half with the stamp last. It is not indivisible: a reader that meets it
// between the two sees the old stamp, but one that began before a lap may see a new value under it.
func putPlain(to, from *Quarter, n int) {
	tos, froms := unsafe.Slice(to, n), unsafe.Slice(from, n)
	for i := range froms {
		atomic.StoreUint64(&tos[i].Value, froms[i].Value)
		atomic.StoreUint64((*uint64)(unsafe.Pointer(&tos[i].Aux)), uint64(froms[i].Stamp)<<32|uint64(froms[i].Aux))
	}
}

const quarterBytes = uint64(unsafe.Sizeof(Quarter{}))

// putApartPlain is putPlain for quarters that lie apart.
func putApartPlain(to *Quarter, stride uint64, from *Halves, n int) {
	for i, h := range unsafe.Slice(from, n) {
		q := Quarter{Value: h.Value, Aux: uint32(h.Tail), Stamp: uint32(h.Tail >> 32)}
		putPlain((*Quarter)(unsafe.Add(unsafe.Pointer(to), uint64(i)*stride*quarterBytes)), &q, 1)
	}
}
