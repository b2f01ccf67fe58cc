// Package cu reaches the entry points of the CUDA driver without cgo: a table of addresses and one way to call them.
//
//	Lookup (dlsym of libcuda.so.1, or a fake's addresses) ─► Load ─► Table ─► Call(symbol, arguments) ─► Result
//
// Everything above this package is the same code on the real driver and on a fake one, because both are addresses.
// The import of purego is in one file; with the build tag nogpu, and on systems for which there is no CUDA driver,
// call_none.go stands in, the binary is static and Open says so.
//
// Rules. A Table is read-only after Load and may be used from any goroutine. A call runs on the calling thread and the
// driver's current context belongs to the thread: whoever calls makes the context current first, on a locked thread. The
// arguments of Call are a slice that the caller keeps, so that a repeated call allocates nothing; Go memory that an argument
// points at must be kept alive by the caller. An entry point that the installed driver lacks gives Absent, never a panic.
//
// It knows no meaning of any call: that is package gpu.
package cu
