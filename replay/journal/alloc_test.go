package journal_test

import (
	"io"
	"testing"

	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

// discard is a store that keeps nothing.
type discard struct{ memstore.Store }

type discardFile struct{}

func (discardFile) Write(p []byte) (int, error) { return len(p), nil }
func (discardFile) Sync() error                 { return nil }
func (discardFile) Close() error                { return nil }

func (*discard) Create(string) (journal.File, error) { return discardFile{}, nil }

// TestNoAllocation: neither the appenders nor the writer allocate in steady state; here they share a goroutine.
func TestNoAllocation(t *testing.T) {
	options := inlineOptions()
	options.SegmentBytes, options.Sync = 1<<40, journal.SyncBlocks
	w := open(t, new(discard), options)
	body := make([]byte, 300)
	tick := testTick(1)
	step := func() {
		for range 200 { // several blocks
			tick.Seq = w.Ticks().NextSeq()
			w.Ticks().Append(&tick, tick.Seq%7)
			w.Outcomes().Append(body, 1)
		}
		w.Ticks().Flush()
		w.Outcomes().Flush()
	}
	if n := testing.AllocsPerRun(50, step); n != 0 {
		t.Errorf("%v allocations in 200 ticks and outcomes", n)
	}
	if w.Err() != nil || w.Stats().Ticks < 10_000 {
		t.Errorf("%v, %+v", w.Err(), w.Stats())
	}
}

// TestReaderDoesNotAllocate reads blocks of ticks and outcomes with reused memory.
func TestReaderDoesNotAllocate(t *testing.T) {
	store := new(memstore.Store)
	options := inlineOptions()
	options.SegmentBytes = 1 << 30
	w := open(t, store, options)
	for range 200 {
		appendTicks(w, 50)
		w.Outcomes().Append([]byte("body"), 0)
		w.Ticks().Flush()
		w.Outcomes().Flush()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var sum uint64
	if n := testing.AllocsPerRun(300, func() {
		block, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		for i := range block.Ticks() {
			sum += block.Ticks()[i].Seq
		}
		for _, venue := range block.VenueSequences() {
			sum += venue
		}
		for o := range block.Outcomes() {
			sum += o.Number
		}
	}); n != 0 {
		t.Errorf("%v allocations a block", n)
	}
}

func benchmarkAppend(b *testing.B, store journal.Store) {
	w := open(b, store, journal.Options{Partition: "bench", NowNs: testClock()})
	tick := testTick(1)
	b.SetBytes(64)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		tick.Seq = w.Ticks().NextSeq()
		w.Ticks().Append(&tick, 0)
	}
	w.Ticks().Flush()
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(w.Stats().TicksBlocked), "blocked")
}

// BenchmarkAppendDiscard is sequencer and writer, CRC and chain, without a disk.
func BenchmarkAppendDiscard(b *testing.B) { benchmarkAppend(b, new(discard)) }

// BenchmarkAppendDisk is the same on a file, synced every 100 ms of a clock that is read once a turn, and at the end.
func BenchmarkAppendDisk(b *testing.B) { benchmarkAppend(b, journal.NewDirStore(b.TempDir())) }

// BenchmarkAppendPaced is the sequencer's own cost: blocks are taken away between timings.
func BenchmarkAppendPaced(b *testing.B) {
	options := inlineOptions()
	options.BlockBytes, options.TickBlocks, options.SegmentBytes = 64<<10, 1024, 1<<40
	w := open(b, new(discard), options)
	tick := testTick(1)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if i%(1<<20-1<<14) == 0 {
			b.StopTimer()
			w.Ticks().Flush()
			b.StartTimer()
		}
		tick.Seq = w.Ticks().NextSeq()
		w.Ticks().Append(&tick, 0)
	}
	b.StopTimer()
	if w.Stats().TicksBlocked > 0 {
		b.Error("the ring was full")
	}
}

func BenchmarkRead(b *testing.B) {
	store := journal.NewDirStore(b.TempDir())
	w := open(b, store, journal.Options{Partition: "bench", NowNs: testClock(), Sync: journal.SyncNone})
	const ticks = 1_000_000
	appendTicks(w, ticks)
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		r, err := journal.OpenReader(store, journal.ReaderOptions{})
		if err != nil {
			b.Fatal(err)
		}
		count := 0
		for {
			block, err := r.Next()
			if err != nil {
				if err != io.EOF {
					b.Fatal(err)
				}
				break
			}
			count += len(block.Ticks())
		}
		if count != ticks {
			b.Fatalf("%d ticks", count)
		}
		r.Close()
	}
	b.ReportMetric(float64(ticks)*float64(b.N)/b.Elapsed().Seconds(), "ticks/s")
}
