// Package metrics measures the stages of the data path and shapes the counts of all stages for people and programs.
//
//	stage goroutine                      reader (status line, summary, /metrics)
//	Record ─► active histogram           Snapshot: ask, wait a little, merge what was handed over
//	              │    ▲
//	      swap, when asked               state: idle ─► requested ─► handed over ─► idle
//	              ▼    │                         reader     writer         reader
//	          idle histogram ──────────► total of the stage, kept by the reader
//
// # Goroutines
//
// A Recorder has one writer at a time: it alone calls Record, RecordN, Poll and Close, which take no lock and do not
// allocate. A stage that runs on several goroutines has a Recorder for each. Any goroutine may call the methods of Stages;
// they take a lock that no writer ever takes.
//
// # What a reader sees
//
// A snapshot holds all that its writers recorded before they answered. A writer answers with its next Record or Poll, so
// a loop that waits for work calls Poll as it waits; one that ends calls Close. A writer that does neither within two
// milliseconds is not waited for: its latest values are in a later snapshot, never lost.
//
// # Invariants
//
// Values are nanoseconds from 0 to 60 s at three significant figures; what lies outside is recorded as the nearer bound
// and counted. Counts, means and maxima are exact, percentiles to the figures. Memory is fixed when a Recorder is made.
//
// # Deliberately not here
//
// No clock: a latency is the difference of two times the caller has. No registry of names, no labels, no export format but
// JSON and the text form of HdrHistogram (.hgrm).
package metrics
