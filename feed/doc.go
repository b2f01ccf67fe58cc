// Package feed defines what enters the engine: ticks, instruments, and time.
//
//	transport ──► decoder ──► Inlet ─────────────────────► sequencer
//	 (natsfeed)   (wire,       ring of ticks, venue         (internal/engine)
//	               venue)      sequence column, symbols,
//	                           loss mark
//
// A source is whatever delivers messages: a NATS subscription, a simulated market, a file. Each has one
// Inlet, one decoder and one goroutine that decodes; the sequencer is the only reader of all inlets.
// Nothing else is shared, so nothing is locked.
//
// Who may call what:
//   - the source's goroutine: Inlet's producer side, Symbols.Intern, the decoder;
//   - the sequencer's goroutine: Inlet's consumer side, Symbols.At, EngineTime;
//   - anyone: Inlet.MarkGap, counters.
//
// Invariants:
//   - a Tick is 64 bytes without padding, the same in memory, journal and wire (asserted at compile time);
//   - market data that does not fit is never silently lost: it is dropped and the inlet marked, and the
//     sequencer turns the mark into a Gap tick;
//   - engine time never goes back, and is a function of the ticks alone;
//   - only Clock reads the machine's time.
//
// The package does not decode (feed/wire, feed/venue), does not connect (feed/natsfeed), and knows no signal.
package feed
