package feed

import "sync/atomic"

// DecodeStats counts what a decoder made of its messages. The decoder writes it; anyone may read it.
//
// Every message gets exactly one verdict, so that
//
//	messages = decoded + sum of ignored + sum of rejected
//
// holds between messages. A message of many ticks is decoded if at least one came out of it or none
// was in it; a tick of it that was rejected alone is in RejectedTicks.
type DecodeStats struct {
	messages      atomic.Uint64
	decoded       atomic.Uint64
	ticks         atomic.Uint64
	ignored       [IgnoredCount]atomic.Uint64
	rejected      [RejectCount]atomic.Uint64
	rejectedTicks [RejectCount]atomic.Uint64
	forTicks      [RejectCount]atomic.Uint64
}

// Begin counts a message handed to the decoder. For decoders.
func (s *DecodeStats) Begin() { s.messages.Add(1) }

// Decoded is the verdict on a message that was read. For decoders.
func (s *DecodeStats) Decoded() { s.decoded.Add(1) }

// Ignored is the verdict on a well-formed message of a kind that is not taken. For decoders.
func (s *DecodeStats) Ignored(kind Ignored) { s.ignored[kind].Add(1) }

// Rejected is the verdict on a message that could not be read. For decoders.
func (s *DecodeStats) Rejected(reason Reject) { s.rejected[reason].Add(1) }

// RejectedForTicks is the verdict on a message of which every tick was rejected and counted. For decoders.
func (s *DecodeStats) RejectedForTicks(reason Reject) {
	s.rejected[reason].Add(1)
	s.forTicks[reason].Add(1)
}

// RejectedTick counts a tick rejected inside a message of many. It is no verdict. For decoders.
func (s *DecodeStats) RejectedTick(reason Reject) { s.rejectedTicks[reason].Add(1) }

// Ticks counts n ticks written to a batch. For decoders.
func (s *DecodeStats) Ticks(n int) {
	if n > 0 {
		s.ticks.Add(uint64(n))
	}
}

// DecodeCounts is a copy of a DecodeStats at about one moment.
type DecodeCounts struct {
	Messages      uint64               // handed to the decoder
	Decoded       uint64               // of them: read
	Ignored       [IgnoredCount]uint64 // of them: well formed but not taken, by kind
	Rejected      [RejectCount]uint64  // of them: not read, by reason
	Ticks         uint64               // ticks written to batches
	RejectedTicks [RejectCount]uint64  // ticks rejected alone, by reason
	ForTicks      [RejectCount]uint64  // of the messages rejected: those whose ticks are all among RejectedTicks
}

// Counts returns a copy. While the decoder is at work its numbers may be one message apart.
func (s *DecodeStats) Counts() DecodeCounts {
	c := DecodeCounts{Messages: s.messages.Load(), Decoded: s.decoded.Load(), Ticks: s.ticks.Load()}
	for i := range c.Ignored {
		c.Ignored[i] = s.ignored[i].Load()
	}
	for i := range c.Rejected {
		c.ForTicks[i] = s.forTicks[i].Load() // first, so that it is never more than rejected
		c.Rejected[i] = s.rejected[i].Load()
		c.RejectedTicks[i] = s.rejectedTicks[i].Load()
	}
	return c
}

// Settled returns how many messages have a verdict.
func (c *DecodeCounts) Settled() uint64 { return c.Decoded + c.IgnoredTotal() + c.RejectedTotal() }

// IgnoredTotal returns how many messages were ignored.
func (c *DecodeCounts) IgnoredTotal() uint64 { return sum(c.Ignored[:]) }

// RejectedTotal returns how many messages were rejected.
func (c *DecodeCounts) RejectedTotal() uint64 { return sum(c.Rejected[:]) }

// Malformed returns how many messages and ticks were rejected for a reason, none of them counted twice.
func (c *DecodeCounts) Malformed(reason Reject) uint64 {
	return c.Rejected[reason] - c.ForTicks[reason] + c.RejectedTicks[reason]
}

func sum(values []uint64) uint64 {
	var total uint64
	for _, v := range values {
		total += v
	}
	return total
}
