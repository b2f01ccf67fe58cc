package metrics

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; if the change is meant, run with -update\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// ramp returns stages with 1 to 10,000 ns in program and a few values in others.
func ramp() *Stages {
	s := NewStages()
	program, total, decode := s.NewRecorder(StageProgram), s.NewRecorder(StageTotal), s.NewRecorder(StageDecode)
	for i := range int64(10_000) {
		program.Record(i + 1)
	}
	total.RecordN(1234, 32)
	decode.Record(-5)
	decode.Record(LatencyNsMax + 1)
	for _, r := range []*Recorder{program, total, decode} {
		r.Close()
	}
	return s
}

func TestSnapshotGolden(t *testing.T) {
	l := ramp().Snapshot()
	text, err := json.MarshalIndent(map[string]any{"latency_ns": l}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "latencies.txt", l.String()+string(text)+"\n")
}

func TestHgrmGolden(t *testing.T) {
	var b bytes.Buffer
	if err := ramp().WriteHgrm(&b, StageProgram); err != nil {
		t.Fatal(err)
	}
	golden(t, "program.hgrm", b.String())
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, os.ErrInvalid }

func TestHgrmReportsAWriteError(t *testing.T) {
	if err := ramp().WriteHgrm(fullDisk{}, StageProgram); err == nil || !strings.Contains(err.Error(), "program") {
		t.Errorf("error %v, want one that names the stage", err)
	}
}

func TestCountersGolden(t *testing.T) {
	c := Counters{
		Messages: 1, Ignored: 2, Malformed: Counts{{"syntax", 3}, {"number", 4}}, Dropped: 5, Ticks: 6, Gaps: 7, Late: 8,
		Rows: 9, Suppressed: 10, Rejected: Counts{{"stale", 11}, {"a \"b\"", 18446744073709551615}}, Signals: 12,
		Published: 13, PublishErrors: 14, Expired: 15,
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "counters.txt", c.String()+string(text)+"\n")
}

// Against sorted values: counts, sums and maxima exact, percentiles within three figures.
func TestSnapshotAgainstSortedValues(t *testing.T) {
	s := NewStages()
	rapid.Check(t, func(t *rapid.T) {
		s.recorders, s.totals[StageRisk] = [StageCount][]*Recorder{}, newInterval()
		recorders := []*Recorder{s.NewRecorder(StageRisk), s.NewRecorder(StageRisk)}
		values := rapid.SliceOfN(rapid.Int64Range(0, LatencyNsMax), 1, 200).Draw(t, "values")
		var sum float64
		for i, v := range values {
			recorders[i%2].Record(v)
			sum += float64(v)
		}
		for _, r := range recorders {
			r.Close()
		}
		got := s.Snapshot()[StageRisk]
		slices.Sort(values)
		n := len(values)
		if got.Count != int64(n) || got.MaxNs != values[n-1] || got.Under+got.Over != 0 {
			t.Fatalf("%+v of %v", got, values)
		}
		if mean := sum / float64(n); got.MeanNs < mean*0.999999 || got.MeanNs > mean*1.000001 {
			t.Fatalf("mean %v, want %v", got.MeanNs, mean)
		}
		// The smallest value that half of all values do not exceed.
		if exact := values[(n+1)/2-1]; got.P50Ns < exact || float64(got.P50Ns) > float64(exact)*1.001+1 {
			t.Fatalf("p50 %d, want %d", got.P50Ns, exact)
		}
	})
}

func TestOutOfRangeIsClampedAndCounted(t *testing.T) {
	s := NewStages()
	r := s.NewRecorder(StageRing)
	r.RecordN(-1, 2)
	r.Record(0)
	r.Record(LatencyNsMax)
	r.RecordN(1<<62, 3)
	r.RecordN(5, 0)
	r.RecordN(5, -1)
	r.Close()
	got := s.Snapshot()[StageRing]
	if got.Count != 7 || got.Under != 2 || got.Over != 3 || got.MaxNs != LatencyNsMax || got.P50Ns != LatencyNsMax {
		t.Errorf("%+v", got)
	}
}

// A reader asks; the next Record or Poll answers; nothing is counted twice or lost, closed or not.
func TestHandOver(t *testing.T) {
	s := NewStages()
	r := s.NewRecorder(StageSequence)
	count := func() int64 { return s.Snapshot()[StageSequence].Count }
	r.Record(1)
	if n := count(); n != 0 {
		t.Errorf("%d before the writer answered", n)
	}
	r.Record(2) // answers with the 1 and starts anew
	if n := count(); n != 1 {
		t.Errorf("%d after the first answer, want 1", n)
	}
	r.Poll()
	if n := count(); n != 2 {
		t.Errorf("%d after Poll, want 2", n)
	}
	r.Poll()
	r.Record(3)
	r.Close()
	r.Close()
	if n := count(); n != 3 {
		t.Errorf("%d after Close, want 3", n)
	}
	if n := count(); n != 3 {
		t.Errorf("%d asked again, want 3", n)
	}
}

// Closing in every state loses nothing.
func TestCloseInEveryState(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(*Recorder)
	}{
		{"idle", func(*Recorder) {}},
		{"requested", func(r *Recorder) { r.request() }},
		{"ready", func(r *Recorder) { r.request(); r.Poll() }},
	} {
		s := NewStages()
		r := s.NewRecorder(StageRing)
		r.Record(1)
		c.before(r)
		r.Record(2)
		r.Close()
		if n := s.Snapshot()[StageRing].Count; n != 2 {
			t.Errorf("%s: %d, want 2", c.name, n)
		}
	}
}

// Writers and readers at once, for the race detector; and the sum must come out.
func TestConcurrent(t *testing.T) {
	const writers, values = 3, 20_000
	s := NewStages()
	var writing, reading sync.WaitGroup
	for range writers {
		r := s.NewRecorder(StageTotal)
		writing.Go(func() {
			defer r.Close()
			for i := range int64(values) {
				r.Record(i)
				if i%64 == 0 {
					r.Poll()
				}
			}
		})
	}
	done := make(chan struct{})
	for range 2 {
		reading.Go(func() {
			last := int64(0)
			for {
				l := s.Snapshot()[StageTotal]
				if l.Count < last {
					t.Errorf("count fell from %d to %d", last, l.Count)
				}
				last = l.Count
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	if l := s.Snapshot()[StageTotal]; l.Count != writers*values || l.MaxNs != values-1 {
		t.Errorf("%+v, want %d values", l, writers*values)
	}
}

func TestWriterDoesNotAllocate(t *testing.T) {
	r := newRecorder()
	total := newInterval()
	if n := testing.AllocsPerRun(1000, func() { r.Record(1234); r.RecordN(-1, 2); r.request(); r.Poll(); r.state.Store(stateIdle) }); n != 0 {
		t.Errorf("the writer allocates %v times a call", n)
	}
	r.request()
	r.Poll()
	if r.collect(total) || total.histogram.TotalCount() == 0 {
		t.Error("nothing was handed over")
	}
}

func TestStageNames(t *testing.T) {
	if StageDecode.String() != "decode" || StageTotal.String() != "total" || Stage(9).String() != "Stage(9)" {
		t.Error(StageDecode, StageTotal, Stage(9))
	}
}

func BenchmarkRecord(b *testing.B) {
	r := newRecorder()
	b.ReportAllocs()
	for i := range b.N {
		r.Record(int64(i & 0xffff))
	}
}
