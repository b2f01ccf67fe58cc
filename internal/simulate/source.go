package simulate

import (
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/codec"
)

// source is the engine's end of one subscription. It does what feed/natsfeed does with the callbacks of a NATS
// subscription: it queues, decodes into the inlet, and marks a gap where something is missing.
type source struct {
	p       *process
	number  int // of the feed, from 0
	decoder feed.Decoder
	inlet   *feed.Inlet
	batch   feed.Batch

	pending     []payload // received, not handled
	received    uint64
	handled     uint64
	lossUntil   uint64 // messages up to this one are older than a hole
	lossReason  feed.GapReason
	dropped     uint64 // because pending was full
	droppedSeen uint64
	stalled     int // turns in which it handles nothing
	count       SourceCount
}

// SourceCount is what a source knows about its messages and ticks.
type SourceCount struct {
	Handled    uint64 // messages
	Unknown    uint64 // of them: corrupted, so no one knows what they became
	Injected   [feed.RejectCount]uint64
	InjectedIn [feed.RejectCount]uint64 // ticks rejected inside messages
	Decode     feed.DecodeCounts
	Decoded    uint64 // ticks that came out of the decoder
	Stale      uint64 // of them: older than a hole
	Full       uint64 // of them: the ring was full
	Gaps       uint64 // of them: gaps that were offered
	Inlet      feed.InletStats
	Queued     int // in the ring when the run ended
	QueuedGaps int // of them
	QueuedMost int
	Slots      int
	Pending    int // most
}

func newSource(p *process, number int) (*source, error) {
	plan := &p.w.plan
	inlet, err := feed.NewInlet(feed.InletConfig{
		Name: feedName(number), Slots: plan.Slots[number], Instruments: plan.InstrumentsMax, Full: feed.FullDrop,
	})
	if err != nil {
		return nil, err
	}
	if err := p.engine.AddInlet(inlet); err != nil {
		return nil, err
	}
	decoder, err := codec.New(codecName(number), feed.DecoderOptions{Source: inlet.Source(), Symbols: inlet.Symbols})
	if err != nil {
		return nil, err
	}
	const batchTicks = 16
	return &source{
		p: p, number: number, decoder: decoder, inlet: inlet,
		batch: feed.Batch{Ticks: make([]feed.Tick, batchTicks), VenueSeq: make([]uint64, batchTicks)},
		count: SourceCount{Slots: plan.Slots[number]},
	}, nil
}

// receive takes a message off the network, if there is room.
func (s *source) receive(m payload) {
	if len(s.pending) >= s.p.w.plan.PendingMessages {
		s.dropped++
		return
	}
	s.received++
	s.pending = append(s.pending, m)
	s.count.Pending = max(s.count.Pending, len(s.pending))
}

// look notices what receive has dropped.
func (s *source) look() {
	if s.dropped > s.droppedSeen {
		count := s.dropped - s.droppedSeen
		s.droppedSeen = s.dropped
		s.lost(feed.GapSlowConsumer, count)
	}
}

// lost says that messages went missing after all those received so far.
func (s *source) lost(reason feed.GapReason, count uint64) {
	s.lossReason = reason
	if s.received > s.lossUntil && s.handled < s.received {
		s.lossUntil = s.received
	}
	s.mark(reason, count)
}

// mark marks a gap, and notes for the checker what must follow from it.
func (s *source) mark(reason feed.GapReason, count uint64) {
	s.p.mark(s.inlet.Source())
	if s.p.w.options.sabotage != sabotageGap {
		s.inlet.MarkGap(reason, count)
	}
}

// handle decodes up to most messages.
func (s *source) handle(most int) {
	for len(s.pending) > 0 && most > 0 {
		m := s.pending[0]
		s.pending = s.pending[1:]
		most--
		s.decode(m)
	}
}

func (s *source) decode(m payload) {
	s.handled++
	if s.lossUntil != 0 && s.handled > s.lossUntil {
		s.endLoss()
	}
	s.note(m)
	stale := s.lossUntil != 0
	s.batch.N = 0
	more := s.decoder.Decode(m.bytes, s.p.w.clock.NowNs(), &s.batch)
	s.offer(stale)
	for more {
		s.batch.N = 0
		more = s.decoder.More(&s.batch)
		s.offer(stale)
	}
	s.inlet.Flush()
	s.count.QueuedMost = max(s.count.QueuedMost, s.inlet.Queued())
	if s.lossUntil != 0 && s.handled >= s.lossUntil {
		s.endLoss()
	}
	s.p.w.trace.bytes("handled", m.bytes)
}

// note counts what the decoder must make of a message.
func (s *source) note(m payload) {
	s.count.Handled++
	switch {
	case m.unknown:
		s.count.Unknown++
	case m.verdict != feed.RejectNone:
		s.count.Injected[m.verdict]++
	case m.tick != feed.RejectNone:
		s.count.InjectedIn[m.tick]++
	}
}

func (s *source) endLoss() {
	s.lossUntil = 0
	s.mark(s.lossReason, 0)
}

// offer copies the batch to the inlet; of a stale one, only what must not be missed.
func (s *source) offer(stale bool) {
	for i := range s.batch.Ticks[:s.batch.N] {
		tick := &s.batch.Ticks[i]
		s.count.Decoded++
		if stale && tick.Kind.IsMarketData() {
			s.count.Stale++
			continue
		}
		if s.p.w.options.sabotage == sabotageLose && s.count.Decoded%1000 == 0 {
			continue
		}
		if !s.inlet.Offer(tick, s.batch.VenueSeq[i]) {
			s.count.Full++
			s.p.mark(s.inlet.Source())
			continue
		}
		if tick.Kind == feed.KindGap {
			s.count.Gaps++
		}
	}
}

// settle completes the counts when the run has ended; it empties the ring, whose reader is gone.
func (s *source) settle() SourceCount {
	c := s.count
	c.Decode, c.Inlet, c.Queued = s.decoder.Stats().Counts(), s.inlet.Stats(), s.inlet.Queued()
	for s.inlet.Queued() > 0 {
		ticks, _ := s.inlet.Poll(c.Slots)
		for i := range ticks {
			if ticks[i].Kind == feed.KindGap {
				c.QueuedGaps++
			}
		}
		s.inlet.Release(len(ticks))
	}
	return c
}
