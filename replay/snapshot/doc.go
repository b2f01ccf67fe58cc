// Package snapshot is the file form of an engine's state between two ticks, and a folder of such files. An engine that starts
// from one applies the journal's ticks after it, and decides what it would have decided from the beginning.
//
//	journal ──► replay ──► engine.State ──► Encode ──► DIR/run-sequence.sgs   (temporary file, fsync, rename, fsync of DIR)
//	                                                        │
//	journal's suffix ──► replay ◄── engine.State ◄── Decode ◄┘  newest that is whole and fits
//
// The byte format is docs/snapshot.md. A file has checksums of its header, of every part and of itself; it says of which build,
// programs and configuration it is, and proves of which journal: it holds the journal's chain value.
//
// Any goroutine; one writes to a folder at a time.
//
// Invariants:
//   - the same state gives the same bytes: there is no time of writing in them;
//   - what Decode returns is what was encoded, or it is an error; no bytes make it panic, or take more memory than they are;
//   - a file appears under its name whole, or not at all;
//   - a file that is damaged, of another version or does not fit is passed over, with the reason; it is never repaired.
//
// It does not judge what the parts of a state mean (packages engine, risk and signal do), does not read journals (package
// replay does), and does not protect against someone who makes a snapshot up: it is to be kept as the journal is.
package snapshot
