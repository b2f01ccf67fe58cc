package engine

import "sync/atomic"

// Counts are the engine's own counters. Each has one writer; loads are safe from any goroutine.
type Counts struct {
	Sequenced       atomic.Uint64 // ticks, heartbeats and gaps included
	Heartbeats      atomic.Uint64
	Gaps            atomic.Uint64
	Discarded       atomic.Uint64 // queued market data not used because its source had lost some
	Late            atomic.Uint64 // under the exchange clock
	LateDropped     atomic.Uint64
	Unused          atomic.Uint64 // ticks of kinds that this version journals and does not use
	Boundaries      atomic.Uint64 // clock boundaries that were run
	FanOutCut       atomic.Uint64 // evaluations left out because a reference had too many users
	InstrumentsFull atomic.Uint64 // ticks refused because too many instruments were named
	LaneFull        atomic.Uint64 // times the sequencer waited for a lane
	OrdersFull      atomic.Uint64 // times the sequencer waited for the desk
	Instruments     atomic.Uint64
	Turns           atomic.Uint64 // batches
	Signals         atomic.Uint64 // decided
	SinkErrors      atomic.Uint64 // decided, but not published
	NotesLost       atomic.Uint64 // notes of commands that could not be journaled
}
