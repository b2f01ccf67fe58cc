// Package simulate runs the whole engine in one process, on one goroutine, in a world where everything goes wrong: a
// function of a seed, so that what it finds can be found again.
//
//	            simulated time ── clock steps ──► feed.ManualClock (what the engine reads)
//
//	 feed/sim      bus                    source                                engine.Stepper
//	market ─► drop, duplicate,  ─► pending queue ─► decoder ─► Inlet ─► sequencer ─► program ─► desk
//	 (3)      delay, corrupt,       overflow,        (real)    small      │                       │
//	          disconnect            stalls                     rings      ▼                       ▼
//	                                                          journal.Writer (inline)    publish.NATSSink
//	                                                                      │                       │
//	                                                     memstore: torn and failing      conn that refuses
//	                                                     writes, crashes, lost tails
//
// Only the edges are simulated: clock, network, disk. Decoders, inlets, engine, journal, replay and publisher are the
// real ones; source does to them what feed/natsfeed does. A process is killed and started anew, as internal/live does
// it: each run has a journal of its own.
//
// # Safety and liveness
//
// A simulation has two halves. In the first there are faults and only safety is judged: nothing wrong is published,
// recorded or replayed. Then the faults stop, and in the second the system must work again: that is liveness.
//
// Check judges a finished simulation by what was recorded and published, with a checker that shares no code with what it
// checks: it reads the journal's ticks and works out anew what may have been published when. See Violation for what it knows.
//
// # Seeds
//
// Each seed switches each kind of fault on or off and chooses its rate and the sizes of rings, batches, lanes and blocks, so
// that some seeds have much of one fault and nothing else. A failing test prints the command that runs its seed
// again; the regression list in the tests keeps seeds that once found something. More seeds, or one with every event:
//
//	go test ./internal/simulate -run 'TestSeeds$' -seeds 1000 -first 51
//	go test ./internal/simulate -run 'TestSeeds$' -seeds 1 -first 46 -v -events
//
// The tests also break the engine's surroundings (sabotage) and what was recorded, one thing at a time, and require that
// Check names the contract; and TestSeeds fails if some fault happened in none of its seeds.
//
// One goroutine a Simulation; several may run side by side. The package reads no clock and starts no goroutine. It does not
// simulate threads (the race detector and the staged tests of internal/engine do), the server's own faults, or a disk that
// changes what was synced.
package simulate
