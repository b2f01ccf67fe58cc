// Package cuda turns programs into PTX and holds the kernels that run them.
//
//	program.Program ──► Emit ──► PTX of one device function ─┐
//	windows.cu, lane.cu, batch.cu ──► clang ──► ptx/*.ptx ───┴──► linked by the driver (package gpu)
//
// A skeleton kernel (lane.cu: resident, batch.cu: a batch at a time) fetches slots, ranks the ticks of one instrument
// among themselves and calls the device function once for a whole warp; the function runs the program's three parts,
// the recurrences in turn by rank, and writes rows. Windows are device functions of their own, because they loop.
//
// The package knows no operator by name: it prints instructions. Every operation is rounded to nearest and none is
// fused, so rows are equal to the CPU executor's, bit for bit.
//
// Any goroutine may call Emit. The package does not talk to a driver and imports no binding.
package cuda
