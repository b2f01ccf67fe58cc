// Package engine is the path of a tick: from the sources' inlets to decided signals.
//
//	inlets ─► sequencer ─┬─► lane slots ─► program ─► lane rows ─► desk ─► decided ─► sink
//	 (feed)      │       └─► order ring ─────────────────────────►(risk)     │
//	             └─► journal (ticks, definitions)                            └─► journal (outcomes), output hash
//
// The sequencer assigns instrument ids, sequence numbers and engine time, writes the journal and stages each
// tick into a slot of its instrument's lane (instrument id modulo lanes). The program turns slots into rows.
// The order ring carries the sequence order past the lanes; the desk takes rows in that order and decides.
// From the journal on, everything is a function of the journal and the configuration.
//
// Two pipelines run the same code to the same bits:
//   - fused: one goroutine does it all, a batch at a time; for machines with few processors, and for replay;
//   - staged: the sequencer, each lane and the desk have goroutines of their own.
//
// A lane runs on the CPU, or on a device: its slots and rows are then in pinned memory, and whoever would run the program takes
// rows instead. Where a device is lost, the lane's follower, which has run the same slots on the CPU, takes its place
// between two rows; without one the lane fails and nothing more is decided. docs/gpu-executor.md says what happens when.
//
//	slots ─► resident kernel, or batches on a stream ─► rows ─► desk
//	  └────► follower (CPU, behind) ── compares ──────────┘
//
// Who may call what:
//   - AddInlet before Run;
//   - Run: one goroutine, once; it owns the sequencer (and, fused, everything after it); or Steps and a Stepper, for who
//     decides himself when the engine gets its turns (internal/simulate);
//   - Command, Fact, Stop and Counts: any goroutine;
//   - Steps instead of Run drives it a turn at a time, for simulation;
//   - a Recording (replay) is an engine without inlets: its one caller is the sequencer.
//
// Invariants:
//   - no allocation, lock or channel between an inlet and a decided signal, except where an instrument is first
//     seen;
//   - slot n of a lane is staged only after the desk consumed row n minus the lane's capacity: that alone
//     protects slots and rows;
//   - a device is never trusted again after its first fault, and its lanes' rows are then in memory that it does not write;
//   - everything is bounded; each bound that is hit is counted (see Stats);
//   - a failure of the journal under its stop policy stops the engine at its next turn. The journal is written behind the
//     data path, so a process that dies loses what it had not yet handed over: some milliseconds.
//
// The package does not read the machine's time but through feed.Clock, opens no connection and no file, and
// knows no operator by name.
package engine
