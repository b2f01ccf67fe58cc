package journal_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

func totalBytes(t *testing.T, store journal.Store) (total int64, files int) {
	t.Helper()
	list, err := store.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range list {
		total += file.Bytes
	}
	return total, len(list)
}

// TestRetention: the oldest segments go, the limit holds, and what is left says who is who and reads alone.
func TestRetention(t *testing.T) {
	store := new(memstore.Store)
	options := inlineOptions()
	options.RetainBytes = 3 * options.SegmentBytes
	w := open(t, store, options)
	story(t, w)
	for range 40 {
		appendTicks(w, 200)
		w.Ticks().Flush()
		if total, _ := totalBytes(t, store); total > options.RetainBytes {
			t.Fatalf("%d bytes are kept of at most %d", total, options.RetainBytes)
		}
	}
	late := journal.Definition{ID: 9, Class: journal.ClassInstrument, Venue: "binance", Symbol: "LATE"}
	if err := w.Ticks().Define(late); err != nil {
		t.Fatal(err)
	}
	appendTicks(w, 3000)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	stats := w.Stats()
	if _, files := totalBytes(t, store); stats.SegmentsRemoved == 0 || uint64(files) != stats.Segments-stats.SegmentsRemoved {
		t.Errorf("%d files, stats %+v", files, stats)
	}
	got, err := readAll(store)
	wantEOF(t, err)
	want := []string{
		`blob build "go1.26 amd64"`,
		fmt.Sprintf("config 2 engine.yaml %q from 7", "signals: [] # two\n"),
	}
	if !isPrefix(want, got) {
		t.Errorf("what is left begins with %q", got[:5])
	}
	for i, symbol := range []string{"COIN0", "COIN1", "COIN2", "LATE"} {
		var d journal.Definition
		if _, err := fmt.Sscanf(got[2+i], "definition {At:%d ID:%d Source:%d Class:%d Venue:binance Symbol:"+symbol+"}",
			&d.At, &d.ID, &d.Source, &d.Class); err != nil {
			t.Errorf("record %d is %q, not the definition of %s", 2+i, got[2+i], symbol)
		}
	}
	// And a writer that resumes from it knows everything.
	w = open(t, store, options)
	if r := w.Resumed(); len(r.Definitions) != 4 || len(r.Configs) != 1 || r.Configs[0].Generation != 2 || r.NextSeq != 11_008 {
		t.Errorf("resumed with %d definitions, %d configs, next %d", len(r.Definitions), len(r.Configs), r.NextSeq)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestEverySegmentReadsAlone: each says every definition so far before its ticks.
func TestEverySegmentReadsAlone(t *testing.T) {
	store := new(memstore.Store)
	w := open(t, store, inlineOptions())
	for id := range uint32(300) {
		d := journal.Definition{ID: id, Class: journal.ClassInstrument, Venue: "binance", Symbol: fmt.Sprintf("SYMBOL-%080d", id)}
		if err := w.Ticks().Define(d); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			tick := testTick(w.Ticks().NextSeq())
			tick.Instrument = id
			w.Ticks().Append(&tick, 0)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	segments := w.Stats().Segments
	if segments < 5 {
		t.Fatalf("only %d segments", segments)
	}
	for index := uint64(1); index <= segments; index++ {
		r, err := journal.OpenReader(store, journal.ReaderOptions{FromSegment: index})
		if err != nil {
			t.Fatal(err)
		}
		at := map[uint32]uint64{}
		for block, err := r.Next(); err == nil; block, err = r.Next() {
			for d := range block.Definitions() {
				at[d.ID] = d.At
			}
			for _, tick := range block.Ticks() {
				if from, ok := at[tick.Instrument]; !ok || from > tick.Seq {
					t.Fatalf("from segment %d: tick %d of id %d is not defined", index, tick.Seq, tick.Instrument)
				}
			}
		}
		if r.LastSeq() != 6000 {
			t.Errorf("from segment %d: read up to %d", index, r.LastSeq())
		}
	}
}

// TestReaderBehindRetention is told so.
func TestReaderBehindRetention(t *testing.T) {
	store := new(memstore.Store)
	options := inlineOptions()
	options.RetainBytes = 2 * options.SegmentBytes
	w := open(t, store, options)
	appendTicks(w, 64)
	w.Ticks().Flush()
	r, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	appendTicks(w, 10_000)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = readOn(r)
	var damage *journal.DamageError
	if !errors.As(err, &damage) || damage.LastSeq == 0 {
		t.Errorf("a reader whose next segment was removed gets %v", err)
	}
}
