//go:build !amd64 || race

package ring

import "sync/atomic"

// storeRelease publishes value: whoever loads it sees every write that came before. On arm64 this is one store-release
// instruction; elsewhere it orders more than is asked for, which is right and only slower.
func storeRelease(cursor *atomic.Uint64, value uint64) { cursor.Store(value) }

// pause spends about 10 ns for each count without touching memory that another core writes.
//
//go:noinline
func pause(count uint32) {
	for i := uint32(0); i < count*16; i++ {
		_ = i
	}
}
