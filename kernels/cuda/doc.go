// Package cuda turns programs into PTX and holds the kernels that run them.
//
//	program.Program ─► slice ─► plan ─► Emit ─► PTX of one device function ─┐
//	windows.cu, lane.cu, batch.cu ─► clang ─► ptx/*.ptx (committed) ────────┴─► inline ─► one module, for the driver's compiler
//
// A skeleton kernel (lane.cu: resident, batch.cu: a batch at a time) fetches up to 32 slots, ranks the ticks of one instrument
// among themselves and calls the device function with all warps of a block. slice takes the row's masks to pieces, a signal
// each; plan deals windows, stores and outputs out over the warps; what only another warp knows is handed over in shared
// memory between barriers. The function runs the program's three parts, the recurrences in turn by rank, writes the row and
// then the state. inline puts the text of windows and program in the place of their calls. The warps must run converged, and
// no two calls may overlap without a barrier of the block between them.
//
// The package knows no operator by name: it prints instructions. Every operation is rounded to nearest and none is fused but
// for the exact remainders in base.cuh, whose quotients are those of a division; so rows are equal to the CPU executor's, bit
// for bit.
//
// Any goroutine may call its functions. The package does not talk to a driver and imports no binding.
package cuda
