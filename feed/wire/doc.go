// Package wire holds the engine's own message formats: JSON for people and easy publishers, binary for speed.
//
//	JSON     {"type":"quote", …}  or  [{…}, {…}]            one tick or an array of them a message
//	binary   header │ definitions │ tick tick tick …        64 bytes a tick, names sent once in a while
//
//	message ──► JSONDecoder / BinaryDecoder ──► feed.Batch (the caller's slots)
//	ticks   ──► AppendJSON  / Encoder       ──► message
//
// docs/wire.md specifies both. A decoder belongs to one goroutine and allocates nothing for a message,
// except for what is new: a symbol, a session. An Encoder belongs to one goroutine.
//
// Invariants:
//   - a tick that leaves a decoder is valid: known kind and flags, finite values, canonical NaN only for the
//     price of an absent side of a quote, an interned symbol;
//   - what is wrong with one tick of a message rejects that tick, by reason, and the others still decode;
//     what is wrong with the message's own shape rejects the message;
//   - if the rejected tick belonged to an event of several ticks (flag more), a Gap tick takes its place, so
//     that no part of an event is taken for the whole;
//   - what an Encoder made, a BinaryDecoder that saw its definitions decodes to the same ticks.
//
// The package does not look at sequence numbers for holes, and does not order or drop late ticks.
package wire
