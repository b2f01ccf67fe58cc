// Package journal is the engine's record of what it saw and decided: every sequenced tick, every instrument
// definition, the configurations it ran under, and the outcome of every decided signal. Replaying a journal gives the
// same decisions to the bit, so the journal must never be silently different from what happened. The byte format is
// docs/journal.md.
//
//	sequencer goroutine                                                  one file at a time
//	TickAppender ────── full blocks ──────►┐
//	     ▲ └──────────── empty blocks ◄────┤   Writer goroutine          0000000001.sgj
//	(copies 64 bytes a tick)               ├─► number, CRC, chain ─────► 0000000002.sgj ◄── Reader
//	risk goroutine                         │   write, rotate, sync       0000000003.sgj     (also while
//	OutcomeAppender ─── full blocks ──────►┘   retain                                        written)
//	       └──────────── empty blocks ◄────┘
//
// Who may call what:
//   - OpenWriter, Close: the owner, any goroutine, not at the same time as anything else of the writer.
//   - TickAppender: one goroutine, the sequencer. OutcomeAppender: one goroutine, risk.
//   - Failed, Err, Stats: any goroutine. The engine polls Failed and stops deciding when it is true.
//   - Poll: the owner, and only with Options.Inline, which has no writer goroutine: then every method belongs to one
//     goroutine. Fused engines under simulation use it; nothing then depends on scheduling.
//   - Reader: one goroutine a reader; any number of readers, in other processes too.
//
// Invariants:
//   - Append copies into a preallocated block: no allocation, lock, channel or system call. When every block is in
//     flight it waits, which is counted; memory is bounded by Options.
//   - A reader returns a block only after its header CRC, payload CRC, hash chain, block number, sequence and structure
//     all hold. What it returned before an error is a true prefix of what was written.
//   - A segment starts by repeating definitions, configurations and blobs, so it can be read without those before it.
//   - Writing after an error never happens: the journal ends there, the rest is counted as lost.
//
// It deliberately does not: compress (a flag bit is reserved), keep time (the owner passes a clock and calls Flush),
// know what a decided signal looks like (outcome bodies are opaque), promise that a tick is on disk before the signals
// it caused are published, or protect against someone who rewrites the journal from the changed block to the end.
package journal
