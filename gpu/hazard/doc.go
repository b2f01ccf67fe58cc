// Package hazard finds uses of one piece of memory by two streams, or by a stream and the host, that nothing orders.
//
// It keeps a vector clock for every stream and one for the host, as a race detector keeps one for every thread; events carry
// clocks from stream to stream, and waiting on the host carries them to the host.
//
//	stream 1   write x ── record e ─────────────►
//	stream 2              wait e ── read x ─────►     ordered: e carried stream 1's clock
//	stream 3              read x ───────────────►     reported: nothing orders it after the write
//
// A piece of memory remembers its last write and the last read of every stream since, so that a writer which waited for
// only one of two readers is reported too.
//
// A Tracker may be used from any goroutine. An access that is reported is not entered: the caller refuses it. What the checker
// knows is what it is told: what a kernel truly touches it cannot see.
package hazard
