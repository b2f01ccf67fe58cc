package live

import (
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/internal/report"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/replay/journal"
)

// Status returns what the run did so far. The output hash is there once the engine has ended.
func (l *Live) Status() report.Result {
	c, r, gpu := l.engine.Counts(), l.engine.Rejections(), l.engine.GPU()
	out := report.Result{
		Ticks:         c.Sequenced.Load() - c.Heartbeats.Load(),
		Signals:       c.Signals.Load(),
		Rejected:      setup.Rejected(r),
		Suppressed:    r.Suppressed.Load(),
		PublishErrors: c.SinkErrors.Load(),
		Gaps:          c.Gaps.Load(),
		Instruments:   c.Instruments.Load(),
		Dropped:       c.Discarded.Load() + c.InstrumentsFull.Load(),
		Executor:      gpu.Executor(),
		GPU:           gpu,
		Lanes:         l.shape.Lanes,
		Batch:         l.shape.Batch,
		Mode:          mode(l.engine.Fused()),
		ElapsedS:      float64(l.options.Clock.NowNs()-l.startNs) / 1e9,
		LatencyNs:     l.stages.Snapshot(),
	}
	for reason := range feed.RejectCount {
		out.Malformed = append(out.Malformed, metrics.Count{Name: feed.Reject(reason).String()})
	}
	for _, source := range l.sources {
		s := source.Stats()
		out.Decoded += s.Decode.Ticks
		out.Undecoded += s.Dropped
		out.Dropped += s.Dropped + s.StaleTicks + s.Inlet.Dropped
		out.Ignored += s.Decode.IgnoredTotal()
		for reason := range feed.Reject(feed.RejectCount) {
			out.Malformed[reason].N += s.Decode.Malformed(reason)
		}
	}
	if l.journal != nil {
		out.Journal = l.journal.dir
	}
	select {
	case <-l.done:
		out.OutputHash, _ = l.engine.OutputHash()
	default:
	}
	return out
}

func mode(fused bool) string {
	if fused {
		return "fused"
	}
	return "staged"
}

// JournalStats returns the journal's counters; ok is false without one.
func (l *Live) JournalStats() (stats journal.Stats, ok bool) {
	if l.journal == nil {
		return journal.Stats{}, false
	}
	return l.journal.writer.Stats(), true
}

// Stages returns the latencies, for .hgrm files.
func (l *Live) Stages() *metrics.Stages { return l.stages }

// Connected reports whether input and output have a server now.
func (l *Live) Connected() (input, output bool) {
	output = l.output == nil || l.output.Connected()
	return l.input.Connection().Connected, output
}
