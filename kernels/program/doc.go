// Package program is what expressions compile to and what runs: a small instruction set, a builder, a verifier, a text
// form, and the CPU executor. docs/program.md is the contract; a device that runs the same program gives the same bits.
//
//	           Builder ──Build──► Program ──NewExecutor──► Executor
//	            (kernels)         before                   (one a lane)
//	                              recur
//	                              after
//
//	lane slots ──gather──► before: columns of up to 64 ticks, instruction by instruction
//	                         │
//	                         ▼
//	             state ◄──► recur: the ticks of one instrument in turn, different instruments side by side
//	                         │
//	                         ▼
//	                       after: columns again ──where fired──► lane rows
//
// A Builder belongs to one goroutine. A Program is immutable and may be shared. An Executor belongs to the one goroutine
// that calls Run; nothing in it is safe to call from another at the same time.
//
// Invariants:
//   - the rows and the state after slot n are a function of the program, the initial state and slots up to n: how slots
//     are cut into Run calls, chunks and rank groups never shows;
//   - every float64 in state and rows is finite or the canonical NaN; the verifier refuses a program for which this is
//     not certain, so the bits of other NaNs, which differ between processors, are never seen;
//   - every operation is IEEE float64, round to nearest, and no product is fused with a sum;
//   - Run allocates nothing and its work is bounded by the program: windows are the only loops inside a tick, and their
//     lengths are constants of the program.
//
// It deliberately knows no operator, signal or instrument by name, stamps no row, and does not decide when to run.
package program
