package engine

import (
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/metrics"
)

// Timing measures the engine's stages. Latencies never influence a decision. A nil Timing measures nothing.
//
// Each batch reads the clock once a stage, and each of its ticks is given the batch's time; total is a tick's own:
// receive time to the moment its batch was decided and published.
type Timing struct {
	clock    feed.Clock
	ring     *metrics.Recorder // receive time of a batch's first tick to the sequencer
	sequence *metrics.Recorder // a batch through the sequencer
	risk     *metrics.Recorder // a batch through desk and publish
	total    *metrics.Recorder
	program  []*metrics.Recorder // a batch through a lane
}

// NewTiming adds the engine's recorders to stages: lanes of the program stage.
func NewTiming(clock feed.Clock, stages *metrics.Stages, lanes int) *Timing {
	t := &Timing{
		clock:    clock,
		ring:     stages.NewRecorder(metrics.StageRing),
		sequence: stages.NewRecorder(metrics.StageSequence),
		risk:     stages.NewRecorder(metrics.StageRisk),
		total:    stages.NewRecorder(metrics.StageTotal),
	}
	for range lanes {
		t.program = append(t.program, stages.NewRecorder(metrics.StageProgram))
	}
	return t
}

// now reads the clock, or nothing if nothing is measured.
func (t *Timing) now() int64 {
	if t == nil {
		return 0
	}
	return t.clock.NowNs()
}

// arrived records how long the first of n ticks waited for the sequencer. One that came after the batch was begun did
// not wait.
func (t *Timing) arrived(nowNs, receiveNs int64, n int) {
	if t != nil {
		t.ring.RecordN(max(nowNs-receiveNs, 0), int64(n))
	}
}

// sequenced records a batch of n through the sequencer.
func (t *Timing) sequenced(startNs, endNs int64, n int) {
	if t != nil {
		t.sequence.RecordN(endNs-startNs, int64(n))
	}
}

// computed records a batch of n through a lane.
func (t *Timing) computed(lane int, startNs, endNs int64, n uint64) {
	if t != nil {
		t.program[lane].RecordN(endNs-startNs, int64(n))
	}
}

// decided records a batch of orders through the desk.
func (t *Timing) decided(batch []order, startNs, endNs int64) {
	if t == nil {
		return
	}
	t.risk.RecordN(endNs-startNs, int64(len(batch)))
	for i := range batch {
		if batch[i].at != 0 { // of a tick
			t.total.Record(endNs - batch[i].at)
		}
	}
}

// idleDesk answers a reader while the desk has nothing to record.
func (t *Timing) idleDesk() {
	if t != nil {
		t.risk.Poll()
		t.total.Poll()
	}
}

// idleSequencer answers a reader while the sequencer has nothing to record.
func (t *Timing) idleSequencer() {
	if t != nil {
		t.ring.Poll()
		t.sequence.Poll()
	}
}

// idleLane answers a reader while a lane has nothing to record.
func (t *Timing) idleLane(lane int) {
	if t != nil {
		t.program[lane].Poll()
	}
}

// close hands over what is left, when every stage has ended.
func (t *Timing) close() {
	if t == nil {
		return
	}
	for _, r := range append([]*metrics.Recorder{t.ring, t.sequence, t.risk, t.total}, t.program...) {
		r.Close()
	}
}
