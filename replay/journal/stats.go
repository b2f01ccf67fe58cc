package journal

import "sync/atomic"

// counter is written by one goroutine and read by any.
type counter struct{ value atomic.Uint64 }

func (c *counter) add(n uint64) { c.value.Add(n) }

func (c *counter) load() uint64 { return c.value.Load() }

// Stats counts what a writer did since it was opened.
type Stats struct {
	Bytes           uint64 // written, headers included
	Blocks          uint64 // written
	Ticks           uint64 // written
	Outcomes        uint64 // written
	Segments        uint64 // begun
	SegmentsRemoved uint64 // by retention
	Syncs           uint64
	TicksBlocked    uint64 // how often the sequencer had to wait because every block was in flight
	OutcomesBlocked uint64 // the same for risk
	LostBlocks      uint64 // not written because of an error
	LostTicks       uint64 // in those
	LostOutcomes    uint64 // in those
	Broken          bool   // an error ended the journal; see Writer.Err
}

type counters struct {
	bytes, blocks, ticks, outcomes      counter
	segments, segmentsRemoved, syncs    counter
	ticksBlocked, outcomesBlocked       counter
	lostBlocks, lostTicks, lostOutcomes counter
}

// Stats returns the counters now. Any goroutine.
func (w *Writer) Stats() Stats {
	c := &w.counters
	return Stats{
		Bytes:           c.bytes.load(),
		Blocks:          c.blocks.load(),
		Ticks:           c.ticks.load(),
		Outcomes:        c.outcomes.load(),
		Segments:        c.segments.load(),
		SegmentsRemoved: c.segmentsRemoved.load(),
		Syncs:           c.syncs.load(),
		TicksBlocked:    c.ticksBlocked.load(),
		OutcomesBlocked: c.outcomesBlocked.load(),
		LostBlocks:      c.lostBlocks.load(),
		LostTicks:       c.lostTicks.load(),
		LostOutcomes:    c.lostOutcomes.load(),
		Broken:          w.failure.Load() != nil,
	}
}
