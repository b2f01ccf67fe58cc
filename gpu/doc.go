// Package gpu drives CUDA devices through the driver's own interface, without cgo: devices, memory, streams, events, graphs,
// modules and launches, each with an owner, a Close and errors that say what to do.
//
//	Driver ─ Open ─► Device ─┬─ Alloc, AllocHost, AllocManaged, NewPool ─► Buffer, HostBuffer, Pool
//	                         ├─ LoadModule, LoadLinked ─► Module ─ LoadKernel ─► Kernel[A]
//	                         ├─ NewEvent ─► Event
//	                         └─ NewStream ─► Stream ─┬─ Copy, Clear, Launch[A], Graph.Launch    enqueue, return at once
//	                                                 ├─ Event.Record, Stream.Wait               order streams
//	                                                 └─ Event.Done, Event.Sync, Stream.Sync     tell the host
//
//	host memory (pinned) ──Copy──► device memory ──Launch──► device memory ──Copy──► host memory ──Slice──► []T
//
// Threads. Every call may be made from any goroutine. The driver keeps a current context for each thread and goroutines change
// threads, so a call keeps its goroutine on its thread while it makes the device's context current and calls; no goroutine is
// set aside for the driver. Stream.Pin does the first half once for many calls. Calls on one stream wait for each other; so
// do launches of one graph. Waiting is short looks with growing sleeps between them, cancelled by a context; SyncInDriver alone
// waits inside the driver.
//
// Ownership. Whoever makes a thing closes it. Close may be called twice, and again after an error. A thing has as owners its
// user, every operation in flight that uses it and every graph that contains it; the driver's part is freed when the last
// lets go, so closing early is safe. The host learns that operations are done from events and waits, and only then lets go
// for them. Device.Close refuses while anything is open and says where it was made (Leaks).
//
// Invariants.
//   - A launch names the memory that it touches, and an address among its parameters that lies in none of it is refused.
//   - The parameters of a kernel are compared with the driver's knowledge when it is loaded, not when it runs.
//   - Host memory that the device may be using is not given out: Slice answers ErrInFlight.
//   - With Checked, an access that nothing orders after an earlier one is refused (package hazard).
//   - After an error that ends a context the Device is lost: every call answers ErrLost, Close frees nothing more, host memory
//     stays mapped. Nothing here brings a device back within the process.
//   - An entry point that the installed driver lacks gives ErrUnsupported where it is used. Nothing panics for it.
//   - Copy, Clear, Launch, Graph.Launch, Record, Done and Wait allocate nothing once the checker is off.
//   - What is in flight on a stream is bounded; a call beyond waits (Stats.Stalls).
//
// With a resident kernel running, allocate, load and free nothing on its device: such calls may wait for it for ever.
//
// Built with the tag nogpu the package has no purego in it, the binary is static, and OpenDriver answers ErrNotBuilt.
//
// What it does not: choose a device, run anything by itself, copy ordinary Go memory in the background, offer host callbacks
// or legacy streams, guess shapes of launches. It knows nothing of ticks. docs/gpu.md compares it with Rust's cudarc.
package gpu
