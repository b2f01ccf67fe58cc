// Package venue decodes what exchanges send, as they send it, and reads captures of it.
//
//	websocket message, raw ──► Binance ──► feed.Batch (the caller's slots)
//	capture file ──► CaptureReader ──► (receive time, raw message)
//
// A decoder belongs to one goroutine and allocates nothing for a message, except for a symbol not seen before.
//
// Invariants:
//   - every message has one verdict: decoded, ignored by kind, or rejected by reason (feed.DecodeStats);
//   - numbers are exactly strconv.ParseFloat's; ids are integers of 64 bits and never pass through float64;
//   - nothing is guessed: a kind that is not known is rejected, not ignored.
//
// The package opens no connection and keeps no order book; depth messages are ignored by kind.
package venue
