package journal_test

import (
	"errors"
	"testing"

	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

func TestSegments(t *testing.T) {
	store := new(memstore.Store)
	w := open(t, store, inlineOptions())
	appendTicks(w, 5000)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w = open(t, store, inlineOptions())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	segments, err := journal.Segments(store)
	if err != nil {
		t.Fatal(err)
	}
	last := segments[len(segments)-1]
	if len(segments) < 4 || last.FirstSeq != 5001 || last.Run != 2 || last.Partition != "test" || last.Bytes != 192 {
		t.Fatalf("segments %+v", segments)
	}
	for _, seq := range []uint64{1, 2, 1000, segments[2].FirstSeq - 1, segments[2].FirstSeq, 5000} {
		index, err := journal.SegmentOf(segments, seq)
		if err != nil {
			t.Fatal(err)
		}
		r, err := journal.OpenReader(store, journal.ReaderOptions{FromSegment: index})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for block, err := r.Next(); err == nil && block.Segment == index; block, err = r.Next() {
			for _, tick := range block.Ticks() {
				found = found || tick.Seq == seq
			}
		}
		if !found {
			t.Errorf("tick %d is not in segment %d", seq, index)
		}
	}
	if _, err := journal.SegmentOf(segments[1:], 1); !errors.Is(err, journal.ErrRemoved) {
		t.Errorf("a tick that is not kept: %v", err)
	}
	if _, err := journal.SegmentOf(nil, 1); !errors.Is(err, journal.ErrEmpty) {
		t.Errorf("no segments: %v", err)
	}
	checkBadHeaders(t, store, len(segments))
}

func checkBadHeaders(t *testing.T, store *memstore.Store, count int) {
	t.Helper()
	name := journal.SegmentName(uint64(count))
	contents := store.Bytes(name)
	store.Set(name, contents[:100])
	if infos, err := journal.Segments(store); err != nil || len(infos) != count-1 {
		t.Errorf("a header being written: %d segments, %v", len(infos), err)
	}
	contents[20] ^= 1
	store.Set(name, contents)
	var damage *journal.DamageError
	if _, err := journal.Segments(store); !errors.As(err, &damage) {
		t.Errorf("a damaged header: %v", err)
	}
}

func TestAppendAfterCloseFails(t *testing.T) {
	w := open(t, new(memstore.Store), inlineOptions())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Outcomes().Append([]byte("late"), 0)
	w.Outcomes().Flush()
	if !errors.Is(w.Err(), journal.ErrClosed) || !w.Failed() {
		t.Errorf("an outcome after Close: %v", w.Err())
	}
}

// TestRetentionWhenOpened: a limit that was lowered holds from the start.
func TestRetentionWhenOpened(t *testing.T) {
	store := new(memstore.Store)
	options := inlineOptions()
	w := open(t, store, options)
	appendTicks(w, 10_000)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	options.RetainBytes = 2 * options.SegmentBytes
	w = open(t, store, options)
	if total, _ := totalBytes(t, store); total > options.RetainBytes || w.Stats().SegmentsRemoved == 0 {
		t.Errorf("%d bytes are kept", total)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := readAll(store); err == nil || detected(err) {
		t.Error(err)
	}
}
