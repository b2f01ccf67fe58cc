package metrics

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Stage is a part of a tick's path.
type Stage uint8

// The stages, in the order of the path. Total is from receive time to the publish call.
const (
	StageDecode Stage = iota
	StageRing
	StageSequence
	StageProgram
	StageRisk
	StagePublish
	StageTotal

	StageCount = int(StageTotal) + 1
)

var stageNames = [StageCount]string{"decode", "ring", "sequence", "program", "risk", "publish", "total"}

// String returns the stage's name as reports spell it.
func (s Stage) String() string {
	if int(s) < StageCount {
		return stageNames[s]
	}
	return fmt.Sprintf("Stage(%d)", uint8(s))
}

// How long a snapshot waits for writers that are busy with something else: rounds, and the sleep between two.
const (
	waitRounds = 20
	waitSleep  = 100 * time.Microsecond
)

// Stages holds the latencies of a whole path. Its methods may be called from any goroutine.
type Stages struct {
	mu        sync.Mutex
	recorders [StageCount][]*Recorder
	totals    [StageCount]*interval
}

// NewStages returns a path without recorders.
func NewStages() *Stages {
	s := &Stages{}
	for i := range s.totals {
		s.totals[i] = newInterval()
	}
	return s
}

// NewRecorder adds a recorder to a stage, one for each goroutine that runs the stage. It allocates about 440 KB, once:
// call it before start. A stage out of range panics.
func (s *Stages) NewRecorder(stage Stage) *Recorder {
	r := newRecorder()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recorders[stage] = append(s.recorders[stage], r)
	return r
}

// Snapshot returns what was recorded since the start. It waits up to two milliseconds for writers to answer.
func (s *Stages) Snapshot() Latencies {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect()
	var l Latencies
	for i, total := range s.totals {
		l[i] = summarise(total)
	}
	return l
}

// WriteHgrm writes a stage's percentile distribution since the start in the text form of HdrHistogram, in nanoseconds.
func (s *Stages) WriteHgrm(w io.Writer, stage Stage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect()
	if _, err := s.totals[stage].histogram.PercentilesPrint(w, 5, 1); err != nil {
		return fmt.Errorf("metrics: write .hgrm of %v: %w", stage, err)
	}
	return nil
}

// collect asks every writer and merges what comes back in time. A request left open is answered for a later call.
func (s *Stages) collect() {
	for stage, recorders := range s.recorders {
		for _, r := range recorders {
			r.collect(s.totals[stage]) // the late answer to an earlier request
			r.request()
		}
	}
	for range waitRounds {
		waiting := false
		for stage, recorders := range s.recorders {
			for _, r := range recorders {
				waiting = r.collect(s.totals[stage]) || waiting
			}
		}
		if !waiting {
			return
		}
		time.Sleep(waitSleep)
	}
}
