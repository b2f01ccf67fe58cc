// Package sim is a simulated market: an endless, seeded stream of ticks that looks like a busy venue.
// It feeds the demo, the benchmarks and the tests.
//
//	Config (seed) ─► Market.Next ─► feed.Tick + venue sequence ─┬─► the caller (tests, benchmarks)
//	                    ▲                                       └─► Publisher ─► payloads ─► NATS
//	               its own clock: event times are generated,
//	               no wall clock is ever read
//
// # The market
//
// Instrument activity falls like 1/rank: instrument 0 is the busiest. Arrivals excite further arrivals,
// of the same instruments, and news bursts multiply them for a while. A fair price wanders by a shared
// market factor, its own noise whose volatility clusters, and order-flow pressure. Pressure also shows
// in the sizes of the two sides and in who trades aggressively, so imbalance and microprice do say
// something about the next move. Spreads are whole price steps and revert to a level of the instrument.
//
// Faults come at rates of Config.Faults: halts and resumes, holes in the venue's sequence numbers
// (declared by a Gap tick, or silent), locked and crossed quotes, quotes with a side missing.
//
// # Same ticks everywhere
//
// The stream is a function of Config alone, on every processor: the generator is math/rand/v2's PCG,
// whose output is fixed, and the arithmetic is integers and float64 + - * / and square root, each
// product rounded on its own. Logarithm and exponential are small polynomials here, not math's, which
// differ between processors. A test holds the hash of the first 100,000 ticks.
//
// # Rules
//
//   - A Market belongs to one goroutine at a time. Next does not allocate.
//   - Event times never go back. An instrument's venue sequence numbers rise, by one unless a gap was made.
//   - The first ticks are one quote of every instrument, in index order.
//   - A halted instrument ticks again only with its resume, followed at once by a quote.
//
// It does not model a matching engine, an order book below the best level, or anyone's impact on it.
package sim
