package simulate

import (
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/publish"
)

// accounting checks that every message and every tick went somewhere, and where.
func (j *judge) accounting() {
	var offered, queued, gaps uint64
	for i := range j.run.Sources {
		s := &j.run.Sources[i]
		j.messages(i+1, s)
		j.ticks(i+1, s)
		offered += s.Inlet.Offered
		queued += uint64(s.Queued)
		gaps += s.Gaps - uint64(s.QueuedGaps)
	}
	e := &j.run.Engine
	offered += e.Commands
	queued += uint64(e.ControlQueued)
	made := e.Heartbeats + e.Gaps - gaps // by the engine itself
	got := e.Sequenced - made + e.Discarded + e.InstrumentsFull + queued
	// Gaps of instruments that there was no room for are among those of the sources and not among the engine's.
	if unknown := min(gaps, e.InstrumentsFull); got < offered || got > offered+unknown {
		j.violation("accounting", "%d ticks offered, but %d sequenced, %d discarded, %d of too many instruments, %d queued: %d",
			offered, e.Sequenced-made, e.Discarded, e.InstrumentsFull, queued, got)
	}
	if e.Signals != uint64(len(j.run.Emitted)) {
		j.violation("accounting", "%d signals counted, %d emitted", e.Signals, len(j.run.Emitted))
	}
	var refused uint64
	for _, emission := range j.run.Emitted {
		if emission.Result != uint8(publish.Published) {
			refused++
		}
	}
	if refused != e.SinkErrors {
		j.violation("accounting", "%d signals not published, %d counted", refused, e.SinkErrors)
	}
}

// messages checks a source's verdicts.
func (j *judge) messages(source int, s *SourceCount) {
	d := &s.Decode
	if d.Messages != s.Handled || d.Settled() != s.Handled {
		j.violation("accounting", "source %d: %d messages delivered, %d counted, %d with a verdict", source, s.Handled, d.Messages, d.Settled())
	}
	for reason := range feed.Reject(feed.RejectCount) {
		want, got := s.Injected[reason], d.Rejected[reason]
		if got < want || got > want+s.Unknown && !expected(reason) {
			j.violation("accounting", "source %d: %d messages rejected as %s, want %d and at most %d corrupted ones",
				source, got, reason, want, s.Unknown)
		}
		if got, want := d.RejectedTicks[reason], s.InjectedIn[reason]+want; s.Unknown == 0 && got != want && !expected(reason) {
			// A message that could not be read at all has no ticks: only JSON's single ticks count in both.
			if got > want || got < s.InjectedIn[reason] {
				j.violation("accounting", "source %d: %d ticks rejected as %s, want %d", source, got, reason, want)
			}
		}
	}
}

// expected names the reasons that good messages may be given: the table is full, or the frame that defined a handle was lost.
func expected(reason feed.Reject) bool {
	return reason == feed.RejectTooManySymbols || reason == feed.RejectUnknownHandle || reason == feed.RejectHandleConflict
}

// ticks checks a source's ticks.
func (j *judge) ticks(source int, s *SourceCount) {
	if s.Decoded != s.Decode.Ticks {
		j.violation("accounting", "source %d: %d ticks decoded, %d counted", source, s.Decoded, s.Decode.Ticks)
	}
	if s.Decoded != s.Stale+s.Full+s.Inlet.Offered {
		j.violation("accounting", "source %d: %d ticks decoded, but %d stale, %d dropped, %d offered",
			source, s.Decoded, s.Stale, s.Full, s.Inlet.Offered)
	}
	if s.Full != s.Inlet.Dropped {
		j.violation("accounting", "source %d: %d ticks found the ring full, %d counted", source, s.Full, s.Inlet.Dropped)
	}
}
