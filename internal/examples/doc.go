// Package examples holds docs/examples to what its pages say. It has no code, only tests:
//
//	docs/examples/NN-name.yaml ─► config ─► engine ◄─ recorded market (feed/sim, fixed seed, two sources, gaps, halts,
//	                                          │        a session reset) or genuine captures beside the project
//	                                          └─► decided signals: their hash, and which ticks caused them
//
// Invariants: every example has a page and a configuration, decides something on its market, decides the same in every
// shape of the engine and on every processor (testdata/hashes.txt), and is evaluated by the ticks that its page says.
// A hash that changes means that signals change: say why where it does.
//
// It does not test the language, the engine or the catalogue; their own packages do.
package examples
