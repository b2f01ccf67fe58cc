// Package ringbench measures package ring beside a buffered channel of the same capacity, in the same process and minutes.
//
//	hand-over:  producer goroutine ──► ring or channel ──► consumer goroutine     time until the consumer has seen the last
//	publish:    one goroutine fills an empty ring or channel; emptying it is not timed
//
// Each pair runs the contenders one after the other, so that both meet the same neighbours on the machine; a ratio is taken
// within its pair, and the median over the pairs is reported. The ring waits by the configured strategy on both sides, in the
// loop that Waiter documents. The consumer adds up what it saw, and a wrong sum is an error: there is no figure for work not
// done.
//
// Run is called from ordinary code (a command, a test); nothing here is on a data path.
package ringbench
