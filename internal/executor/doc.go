// Package executor decides where a run's program goes, to GPUs or to the CPU, opens the devices and closes them, and says in
// an operator's words why a GPU cannot be used.
//
//	Request (flags, configuration) ─► New ─► Owner ── Place(engine.Config) ──► engine.Config.GPU, or nil: CPU
//	                                           │ driver, devices, memory, a trial of the program
//	                                           └─ Close, after the engine has ended
//
// An Owner belongs to one goroutine. It opens nothing before the first Place or Look, keeps what it opened for the next run of the
// same journal, and logs one line for what it decided.
//
// Invariants: with "gpu" the program runs on GPUs or Place fails with a *Problem; with "auto" Place fails for nothing that has to do
// with GPUs. Nothing here changes what is decided.
//
// It does not watch a running engine (its status tells what became of devices), and knows no flags and no kernels.
package executor
