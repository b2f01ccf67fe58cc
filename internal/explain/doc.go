// Package explain says how signals are computed, and why a tick led to what it led to.
//
//	config ─► kernels.CompileProbe ─┬─► Static: graph, costs, clocks, references, which ticks evaluate what
//	                                │      └─ warm-up: measured on a made-up market
//	                                └─► At: journal ─► replay.Play with the probe ─► Observe at one tick
//	                                       every node's value and freshness, each gate's verdict (risk.Desk.Explain)
//
// The probe decides what the plain program decides, to the bit; its rows also hold every node. So an explanation shows
// the very run, and no second evaluator of signals exists that could disagree with the first.
//
// Static and At are functions; both read everything they need and change nothing. Reports are plain values with JSON
// names, and String writes them for people. Fields are only added.
//
// The package does not publish, and does not guess: what cannot be known is left out.
package explain
