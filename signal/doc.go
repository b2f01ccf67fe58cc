// Package signal is what a consumer of sigengine imports: the record of one decided signal, its two encodings,
// its subjects, the running hash of an output, and a detector of missed signals. It imports the standard library only.
//
//	          Body ──┬─ AppendBinary ──► OutputHash, journal          (decided: hashed)
//	                 │
//	Body, Trailer ───┼─ AppendBinary + AppendBinaryTrailer ──► NATS   (binary by setting)
//	                 └─ AppendJSON ─────────────────────────► NATS   (the default)
//
//	NATS payload ──► Decode ──► Body, *Trailer ──► Tracker.Observe ──► missed, duplicate, restarted
//
// # What is decided and what is not
//
// Body is the decided signal: a function of the journal and the configuration, equal to the bit wherever and whenever
// it is computed. Trailer says who published it and when; it differs from run to run and is never hashed. The stream
// copy of a signal has no trailer.
//
// # Reading signals
//
// A consumer subscribes to a subject such as "sig.v1.reversion.>" (see Parts), gives every payload to Decode, and
// every result to a Tracker: core NATS delivers at most once, and the tracker is how a loss is seen. A signal past its
// ValidUntilNs, or one whose Tracker says duplicate, must not be acted upon. An undefined number is a NaN in memory
// (see Undefined) and null in JSON.
//
// # Evolution
//
// Fields are only added; a name, a bit or a number is never reused. A reader accepts what a newer writer adds and
// ignores it, with two exceptions where ignoring would be acting on half an instruction: an action it does not know, and
// legs, which are reserved for signals over several instruments and empty in this version. A flag or reason it does not
// know is kept as FlagUnknown or ReasonUnknown.
//
// # Goroutines
//
// Functions are pure. An OutputHash or a Tracker belongs to one goroutine. The Append functions and OutputHash do not
// allocate when the destination has room (BinaryBytesMax, JSONBytesMax); the Decode functions return values that do not
// alias the payload.
//
// # Deliberately not here
//
// No connection to NATS, no clock, no retry: the engine publishes, a consumer subscribes with the client it likes.
package signal
