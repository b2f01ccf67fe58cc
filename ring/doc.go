// Package ring hands values from one goroutine to another without a lock: a bounded ring with exactly one producer and
// one consumer, over storage that the caller supplies (so that it can be pinned memory).
//
//	        head (consumer writes)          tail (producer writes)
//	          │                               │
//	┌───┬───┬─▼─┬───┬───┬───┬───┬───┬───┬───┬─▼─┬───┐
//	│   │   │ ■ │ ■ │ ■ │ ■ │ ■ │ ■ │ ■ │ ■ │   │   │   capacity = 2^k slots, slot of a sequence = sequence & Mask()
//	└───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┘
//	          Poll ─► read in place ─► Release    Claim ─► write in place ─► Commit
//
// # Who may call what
//
//   - One producer goroutine: Claim, ClaimAt, ClaimBatch, Commit, CommitWake, NextSequence, MarkLost, Close, Abandoned.
//   - One consumer goroutine: Poll, PollMax, Release, ReleaseWake, Sequence, Closed, Lost, Abandon.
//   - Anyone: Cap, Mask, Len, Parker.Wake.
//   - A Parker belongs to the one goroutine that sleeps on it (Prepare, Cancel, Park); a Waiter to the one that waits.
//
// A side may move to another goroutine only over something that orders memory (a channel, a mutex).
//
// # Invariants
//
//   - Sequences are uint64, advance by one an element and are never reused in practice: 2^64 elements at a billion a second
//     take five centuries. The arithmetic is modular all the same, and tested over the wrap.
//   - 0 <= tail - head <= Cap(). Only the producer writes tail, only the consumer writes head.
//   - A committed element is seen whole, once, in order. A claimed slot holds what it held a lap ago: write every field.
//   - A slice or pointer from a claim is valid until its Commit, one from a poll until its Release.
//   - What either side writes lies at least two cache lines (128 bytes) from what the other writes, because processors
//     fetch lines in pairs. Each side keeps a copy of the other's cursor and reads the true one only when the copy says
//     full or empty.
//   - Nothing allocates after New, NewParker and NewWaiter.
//
// # Loss
//
// A producer that must not block marks what it dropped with MarkLost. When the consumer polls an element, every loss marked
// before that element was committed is already visible in Lost: call Lost after Poll, never before.
//
// # Waiting
//
// Neither side ever waits inside the ring. A caller whose Claim or Poll came back empty asks a Waiter to idle and tries
// again, checking in the same loop that the other side is still there (Closed, Abandoned) and that it is not itself asked to
// stop. One Parker can be woken by the producers of any number of rings, so one goroutine can drain several.
//
// # When to use a channel instead
//
// When there are several producers or several consumers, when select is wanted, or when a hand-over is rarer than a hundred
// thousand a second: a channel is simpler and the difference does not show.
//
// # What it does not do
//
// No multiple producers or consumers, no blocking calls, no resizing, no clearing of slots (a T with pointers keeps its
// referents alive for a lap), no knowledge of what it carries.
package ring
