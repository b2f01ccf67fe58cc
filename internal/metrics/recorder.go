package metrics

import (
	"sync/atomic"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The range and resolution of every histogram.
const (
	LatencyNsMax       = int64(60_000_000_000)
	significantFigures = 3
)

// The states of a Recorder: who may touch which histogram.
const (
	stateIdle      = uint32(iota) // spare is empty and the reader's
	stateRequested                // spare is empty and the writer's, to swap in
	stateReady                    // spare is full and the reader's
	stateClosed                   // the writer is gone: both are the reader's
)

// interval is what one writer recorded between two swaps.
type interval struct {
	histogram *hdrhistogram.Histogram
	sumNs     int64
	maxNs     int64
	under     uint64
	over      uint64
}

func newInterval() *interval {
	return &interval{histogram: hdrhistogram.New(1, LatencyNsMax, significantFigures)}
}

func (v *interval) reset() {
	v.histogram.Reset()
	v.sumNs, v.maxNs, v.under, v.over = 0, 0, 0, 0
}

// add moves everything of from into v and empties from.
func (v *interval) add(from *interval) {
	if from.histogram.TotalCount() == 0 {
		return
	}
	v.histogram.Merge(from.histogram) // same geometry: nothing is dropped
	v.sumNs += from.sumNs
	v.maxNs = max(v.maxNs, from.maxNs)
	v.under += from.under
	v.over += from.over
	from.reset()
}

// Recorder takes the latencies of one stage on one goroutine. Make one with Stages.NewRecorder.
type Recorder struct {
	_      [128]byte // apart from what other goroutines write
	active *interval // writer
	spare  *interval // by state
	state  atomic.Uint32
	_      [128]byte
}

func newRecorder() *Recorder { return &Recorder{active: newInterval(), spare: newInterval()} }

// Record adds one latency in nanoseconds. Writer only.
func (r *Recorder) Record(latencyNs int64) { r.RecordN(latencyNs, 1) }

// RecordN adds n equal latencies in nanoseconds: a batch that shares its clock readings. Writer only; n of 0 or less adds
// nothing.
func (r *Recorder) RecordN(latencyNs, n int64) {
	if r.state.Load() == stateRequested {
		r.swap()
	}
	if n <= 0 {
		return
	}
	v := r.active
	switch {
	case latencyNs < 0:
		latencyNs = 0
		v.under += uint64(n)
	case latencyNs > LatencyNsMax:
		latencyNs = LatencyNsMax
		v.over += uint64(n)
	}
	v.sumNs += latencyNs * n
	v.maxNs = max(v.maxNs, latencyNs)
	// In range, so the error is always nil.
	_ = v.histogram.RecordValues(latencyNs, n)
}

// Poll answers a waiting reader. Writer only, while it has nothing to record.
func (r *Recorder) Poll() {
	if r.state.Load() == stateRequested {
		r.swap()
	}
}

// Close hands over what is left. Writer only, after its last Record; or any goroutine that knows the writer has ended.
// Further calls do nothing, and nothing may be recorded afterwards.
func (r *Recorder) Close() { r.state.Store(stateClosed) }

func (r *Recorder) swap() {
	r.active, r.spare = r.spare, r.active
	// Fails only if the recorder was closed meanwhile, which leaves both histograms to the reader anyway.
	r.state.CompareAndSwap(stateRequested, stateReady)
}

// request asks the writer for what it has. Reader only.
func (r *Recorder) request() { r.state.CompareAndSwap(stateIdle, stateRequested) }

// collect moves what was handed over into total, and reports whether a request is still open. Reader only.
func (r *Recorder) collect(total *interval) (waiting bool) {
	switch r.state.Load() {
	case stateReady:
		total.add(r.spare)
		// Fails only if the recorder was closed meanwhile; then the next case takes the rest.
		if r.state.CompareAndSwap(stateReady, stateIdle) {
			return false
		}
		fallthrough
	case stateClosed:
		total.add(r.spare)
		total.add(r.active)
	case stateRequested:
		return true
	}
	return false
}
