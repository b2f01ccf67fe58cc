// Package fakekernels plays the engine's GPU kernels on a fake driver: Go functions that poll, compute and answer as lane.cu and
// batch.cu do, so that the host's side runs in tests with no GPU.
//
//	engine ─ gpu ─ cufake ─ launch ─► lane, batch (here) ─ program.Executor
//	   │                                 │
//	   └── slots, quarter by quarter ────┤  in pinned memory, as with a device
//	   ◄── rows, quarter by quarter ─────┘
//
// What it adds to the real kernels is trouble, on demand: row quarters in any order with pauses between them, a kernel that
// ends, breaks its device or hangs, a wrong row. What it cannot show is the order of memory over a bus.
//
// Register is called before the engine is made; the kernels run on goroutines of their own. Only tests import it.
package fakekernels
