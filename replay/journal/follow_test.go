package journal_test

import (
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

// TestReadWhileWritten follows a journal on disk over many segments while two producers write it.
func TestReadWhileWritten(t *testing.T) {
	const ticks, outcomes = 20_000, 3_000
	store := journal.NewDirStore(t.TempDir())
	options := inlineOptions()
	options.Inline = false
	w := open(t, store, options)
	reader, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	done := make(chan error, 1)
	go func() {
		risk := make(chan struct{})
		go func() {
			defer close(risk)
			for i := range outcomes {
				w.Outcomes().Append([]byte{uint8(i), uint8(i >> 8)}, 1)
				if i%100 == 0 {
					w.Outcomes().Flush()
				}
			}
		}()
		for i := range ticks {
			appendTicks(w, 1)
			if i%500 == 0 {
				w.Ticks().Flush()
			}
		}
		<-risk
		done <- w.Close()
	}()
	var gotTicks, gotOutcomes, segments uint64
	for gotTicks < ticks || gotOutcomes < outcomes {
		block, err := reader.Next()
		if err == io.EOF || errors.Is(err, journal.ErrIncompleteTail) {
			runtime.Gosched()
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		segments = block.Segment
		for i, tick := range block.Ticks() {
			gotTicks++
			if tick.Seq != gotTicks || tick.F[3] != testTick(gotTicks).F[3] {
				t.Fatalf("tick %d is %+v", gotTicks, tick)
			}
			if venue := block.VenueSequences(); gotTicks%3 == 0 && venue[i] != 1000*gotTicks {
				t.Fatalf("tick %d has venue sequence %d", gotTicks, venue[i])
			}
		}
		for o := range block.Outcomes() {
			if want := gotOutcomes; len(o.Body) != 2 || o.Body[0] != uint8(want) || o.Body[1] != uint8(want>>8) {
				t.Fatalf("outcome %d is %+v", want, o)
			}
			gotOutcomes++
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Next(); err != io.EOF || segments < 10 {
		t.Errorf("ends with %v in segment %d", err, segments)
	}
}

// TestFollowByteByByte gives a reader one more byte at a time: it must return each block when its last byte is there,
// never before, and never fail.
func TestFollowByteByByte(t *testing.T) {
	segments, whole := damageSubject(t)
	store := new(memstore.Store)
	store.Set(journal.SegmentName(1), nil)
	reader, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for index, contents := range segments {
		for size := range len(contents) + 1 {
			store.Set(journal.SegmentName(uint64(index+1)), contents[:size])
			more, err := readOn(reader)
			if err != io.EOF && !errors.Is(err, journal.ErrIncompleteTail) {
				t.Fatalf("segment %d with %d bytes: %v", index+1, size, err)
			}
			got = append(got, more...)
			if !isPrefix(got, whole) {
				t.Fatalf("segment %d with %d bytes: %q", index+1, size, got)
			}
		}
	}
	if len(got) != len(whole) {
		t.Errorf("read %d records of %d", len(got), len(whole))
	}
}

// TestFollowOverACutTail: a reader that waits at an incomplete tail goes on when a writer has cut it off and gone on.
func TestFollowOverACutTail(t *testing.T) {
	store := new(memstore.Store)
	w := open(t, store, inlineOptions())
	appendTicks(w, 10)
	w.Ticks().Flush()
	store.FailAfter(100)
	appendTicks(w, 10)
	w.Ticks().Flush()
	if err := w.Close(); !errors.Is(err, memstore.ErrInjected) {
		t.Fatal(err)
	}
	reader, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := readOn(reader)
	var tail *journal.IncompleteTailError
	if !errors.As(err, &tail) || tail.Bytes != 100 || tail.LastSeq != 10 || len(got) != 10 {
		t.Fatalf("%d records and %v", len(got), err)
	}
	store.FailAfter(1 << 30)
	w = open(t, store, inlineOptions())
	if r := w.Resumed(); r.CutBytes != 100 || r.NextSeq != 11 || r.Run != 2 {
		t.Errorf("resumed %+v", r)
	}
	appendTicks(w, 5)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	more, err := readOn(reader)
	wantEOF(t, err)
	if len(more) != 5 || reader.LastSeq() != 15 {
		t.Errorf("then %d records up to tick %d", len(more), reader.LastSeq())
	}
}

// listing is a store that does something at the next List.
type listing struct {
	*memstore.Store
	then func()
}

func (l *listing) List() ([]journal.FileInfo, error) {
	if then := l.then; then != nil {
		l.then = nil
		then()
	}
	return l.Store.List()
}

// TestFollowWhileSegmentsChange: between a reader's look at the end of a segment and its look for the next, the writer
// writes more and goes on to the next.
func TestFollowWhileSegmentsChange(t *testing.T) {
	store := &listing{Store: new(memstore.Store)}
	w := open(t, store, inlineOptions())
	appendTicks(w, 10)
	w.Ticks().Flush()
	reader, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Next(); err != nil {
		t.Fatal(err)
	}
	store.then = func() {
		appendTicks(w, 2000)
		w.Ticks().Flush()
	}
	got, err := readOn(reader)
	wantEOF(t, err)
	if w.Stats().Segments < 2 || len(got) != 2000 {
		t.Errorf("%d records over %d segments", len(got), w.Stats().Segments)
	}
}

// TestFollowWhatShrinks: a file that no longer has what was read from it.
func TestFollowWhatShrinks(t *testing.T) {
	store := goldenStore(t)
	reader, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = readOn(reader)
	wantEOF(t, err)
	name := journal.SegmentName(2)
	contents := store.Bytes(name)
	store.Set(name, contents[:len(contents)-8])
	for range 2 { // it stays
		_, err = reader.Next()
		var damage *journal.DamageError
		if !errors.As(err, &damage) || damage.LastSeq != 9 {
			t.Errorf("then %v", err)
		}
		store.Set(name, contents)
	}
}
