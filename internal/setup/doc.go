// Package setup turns a checked configuration into what the parts of the engine are made with. It is the one place
// that knows both, so that a live run and the replay of its journal are made in the same way.
//
//	config.Config ──► kernels.Compile ──► engine.Config (program, desk rules, which signals an instrument has)
//	              └─► journal.Options, feed inlets and decoders
//
// Any goroutine, before start. It opens nothing and starts nothing.
package setup
