// Package replay runs recorded input through the engine again.
//
//	journal ──► Player ──► engine (a Recording) ──► decided signals ──► Sink, output hash
//	  │           │ pace: as fast as possible, or by receive time
//	  └─ outcomes ┴──► Verify: what was decided live, beside what is decided now
//
// Because everything after the sequencer is a function of the journal and the configuration, a replay decides what
// the live run decided, to the byte. Verify proves it for one journal; Diff finds where two journals or two outputs
// part.
//
// One goroutine calls a Player. The engine it makes may have goroutines of its own (engine.ModeStaged); the result
// is the same.
//
// Invariants:
//   - a definition takes effect before the tick it names, not when its block is read;
//   - a journal that is damaged, or does not begin at its first tick, gives an error and never another output;
//   - configurations in the journal are used unless one is given, and then none of them is.
//
// The package does not write journals (replay/journal does), and publishes nothing by itself.
package replay
