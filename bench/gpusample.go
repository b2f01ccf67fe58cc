package bench

import (
	"fmt"
	"slices"
	"time"
)

// Who a sample is of.
const (
	byOurs  = "ours"
	byFloor = "floor"
	byCPP   = "cpp"
	byTorch = "torch"
)

// Sample is one measurement of the GPU benchmark, as its process reported it: a distribution in microseconds, or a value.
type Sample struct {
	Part  string `json:"part,omitempty"`  // of the benchmark
	Round int    `json:"round,omitempty"` // interleaved measurements of one round are pairs; from 1
	By    string `json:"by,omitempty"`
	What  string `json:"what"`
	Batch int    `json:"batch,omitempty"` // ticks at once

	Count int64   `json:"count,omitempty"`
	Min   float64 `json:"min,omitempty"`
	P50   float64 `json:"p50,omitempty"`
	P90   float64 `json:"p90,omitempty"`
	P99   float64 `json:"p99,omitempty"`
	P999  float64 `json:"p999,omitempty"`
	Max   float64 `json:"max,omitempty"`
	Mean  float64 `json:"mean,omitempty"`

	Value float64 `json:"value,omitempty"`
	Unit  string  `json:"unit,omitempty"`
}

// distribution makes a sample of round trips in nanoseconds, which it sorts.
func distribution(what string, batch int, tookNs []int64) Sample {
	s := Sample{By: byOurs, What: what, Batch: batch, Count: int64(len(tookNs))}
	if len(tookNs) == 0 {
		return s
	}
	slices.Sort(tookNs)
	var sum int64
	for _, ns := range tookNs {
		sum += ns
	}
	at := func(p float64) float64 {
		return float64(tookNs[min(len(tookNs)-1, int(float64(len(tookNs))*p))]) / 1e3
	}
	s.Min, s.P50, s.P90, s.P99, s.P999, s.Max = at(0), at(0.5), at(0.9), at(0.99), at(0.999), at(1)
	s.Mean = round(float64(sum) / float64(len(tookNs)) / 1e3)
	return s
}

// single makes a sample of one number.
func single(what string, batch int, value float64, unit string) Sample {
	return Sample{By: byOurs, What: what, Batch: batch, Value: round(value), Unit: unit}
}

// series selects samples: what one contender did, round by round.
type series struct {
	part, by, what string
	batch          int
}

// percentile picks a number of a sample.
type percentile func(*Sample) float64

func p50(s *Sample) float64   { return s.P50 }
func p99(s *Sample) float64   { return s.P99 }
func value(s *Sample) float64 { return s.Value }

// samples are all of a run, in the order in which they were taken.
type samples []Sample

func (all samples) of(want series) []*Sample {
	var out []*Sample
	for i := range all {
		s := &all[i]
		if s.By == want.by && s.What == want.what && s.Batch == want.batch && (want.part == "" || s.Part == want.part) {
			out = append(out, s)
		}
	}
	return out
}

// median returns the median of a series over the rounds, and whether there is one.
func (all samples) median(want series, of percentile) (float64, bool) {
	var values []float64
	for _, s := range all.of(want) {
		values = append(values, of(s))
	}
	return round(median(values)), len(values) > 0
}

// ratio returns the median of a's over b's of the same part and round, and how many pairs there were.
func (all samples) ratio(a, b series, of percentile) (ratio float64, pairs int) {
	var quotients []float64
	for _, numerator := range all.of(a) {
		for _, denominator := range all.of(b) {
			if numerator.Round == denominator.Round && numerator.Part == denominator.Part && of(denominator) > 0 {
				quotients = append(quotients, of(numerator)/of(denominator))
				break
			}
		}
	}
	return round(median(quotients)), len(quotients)
}

// text says which series it is.
func (s series) text() string {
	if s.batch == 0 {
		return fmt.Sprintf("%s %s", s.by, s.what)
	}
	return fmt.Sprintf("%s %s, %d at once", s.by, s.what, s.batch)
}

// stopwatch collects round trips for a while, in memory allocated before.
type stopwatch struct {
	tookNs    []int64
	warmUntil time.Time
	end       time.Time
	began     time.Time
	count     int
}

const (
	samplesMax  = 1 << 20
	warmUp      = 200 // first ones that do not count, for a quarter of the time at most
	pauseStepNs = 50
)

func newStopwatch(length time.Duration, store *[]int64) *stopwatch {
	if cap(*store) < samplesMax {
		*store = make([]int64, 0, samplesMax)
	}
	now := time.Now()
	return &stopwatch{tookNs: (*store)[:0], warmUntil: now.Add(length / 4), end: now.Add(length)}
}

// more says whether to go on: until the time is over, and for one sample at least.
func (w *stopwatch) more() bool {
	return len(w.tookNs) == 0 || time.Now().Before(w.end) && len(w.tookNs) < samplesMax
}

func (w *stopwatch) begin() { w.began = time.Now() }

// done ends a round trip, then pauses for an uneven while as the baselines do, so that nothing falls in step.
func (w *stopwatch) done() {
	now := time.Now()
	w.count++
	if w.count > warmUp || now.After(w.warmUntil) {
		w.tookNs = append(w.tookNs, int64(now.Sub(w.began)))
	}
	pause := time.Duration(w.count*7919%100) * pauseStepNs
	for time.Since(now) < pause { // busy: a sleep is far longer
	}
}
