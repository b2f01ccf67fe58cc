// Package natsfeed brings market data in from core NATS: one subscription is one source, feeding one inlet.
//
//	NATS ─► connection ─► pending queue ─► callback: decode, offer, flush ─► feed.Inlet ─► sequencer
//	            │              │                ▲
//	            │              └ full: dropped ─┤
//	            └ lost, back ───────────────────┴─► a Gap in the inlet
//
// # Loss
//
// Core NATS delivers at most once. Whatever goes missing on the way in becomes a Gap of the whole source, marked at
// once, even if nothing arrives any more: when the connection breaks, when it is back, and when the pending queue
// was full. What waited in the pending queue at that moment is older than the hole. Its quotes, trades and depth
// are decoded and dropped (counted as stale) while halts, fills and the like still pass, and a second Gap follows
// where the hole is. So nothing is computed across a hole, and no old quote is traded on.
//
// # Goroutines
//
// The callback runs on the subscription's goroutine; it is the inlet's producer and the decoder's only user. It does
// nothing else, and does not allocate (the library allocates three times a message). Client's methods and Stats may
// be called from any goroutine. A watcher looks every 100 ms for dropped messages. The inlet is closed when the
// subscription has ended.
//
// # Limits
//
// Under feed.FullBlock a callback waits for the sequencer while the pending queue fills, then loses like any other.
// The wait ends when the engine abandons the inlet. A Client without a connection keeps trying for ever.
//
// One loss cannot be seen from here: a server with no_fast_producer_stall (the embedded one is) discards messages for a
// client that has left three quarters of max_pending unread, 48 MB by default, and tells nobody. The library reads
// at all times, so it takes a publisher faster than this machine; the venue's sequence numbers show the hole. A server
// without the setting slows its publishers instead.
//
// Not here: JetStream, holes in the venue's own sequence numbers, and putting sources in an order.
package natsfeed
