// Package cufake plays the CUDA driver inside a test: every entry point is a real C-callable address, so that argument order
// and width, out-parameters, symbol lookup and contexts are exercised as with the driver, with no GPU, C compiler or cgo.
//
//	gpu.NewDriver(fake.Lookup) ─ cu.Call ─► C address ─► Go function here ─► stream's queue ─► worker goroutine ─► memory
//
// What it models: devices and their primary contexts, current for each thread; device memory at addresses that the host cannot
// read; pinned memory outside the Go heap; streams as queues with a goroutine each, events, capture and graphs; modules and
// the linker by reading PTX for entries, parameters and externals; kernels, which are Go functions registered by name; faults
// on the n-th call of an entry point or of all of them; sticky errors; and everything that was not given back.
//
// What it does not: real ordering over the bus, real durations, the rules of capture beyond the thread, what a kernel of PTX
// computes.
//
// One GPU is current in a process at a time: New waits for the one before to be closed. Its methods may be called from any
// goroutine.
package cufake
