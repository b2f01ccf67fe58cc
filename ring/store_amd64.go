//go:build amd64 && !race

package ring

import "sync/atomic"

// storeRelease publishes value: whoever loads it sees every write that came before. It orders nothing that comes after.
//
// sync/atomic's Store is an exchange on amd64. That waits until every earlier write has left the store buffer, the
// element's among them, whose line the other core usually still holds: one trip between cores for each publication. An
// ordinary store keeps its place behind earlier stores on this processor and does not wait. The race detector does not see
// into assembly, so race builds use sync/atomic.
//
//go:noescape
func storeRelease(cursor *atomic.Uint64, value uint64)

// pause lets count spin-wait hints pass, 10 to 50 ns each.
//
//go:noescape
func pause(count uint32)
