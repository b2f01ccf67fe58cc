package journal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sigengine/sigengine/replay/journal"
)

func TestDirStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "journal")
	store := journal.NewDirStore(path)
	if _, err := journal.OpenReader(store, journal.ReaderOptions{}); err != journal.ErrEmpty {
		t.Errorf("no directory: %v", err)
	}
	w := open(t, store, inlineOptions())
	want := story(t, w)
	if _, err := journal.OpenWriter(journal.NewDirStore(path), inlineOptions()); !errors.Is(err, journal.ErrLocked) {
		t.Errorf("second writer: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "notes.txt"), []byte("not a segment"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := readAll(store)
	wantEOF(t, err)
	if !slices.Equal(got, want) {
		t.Errorf("read\n%q\nwant\n%q", got, want)
	}
	// A tail, cut on disk.
	name := filepath.Join(path, journal.SegmentName(1))
	if err := os.Truncate(name, fileSize(t, name)-3); err != nil {
		t.Fatal(err)
	}
	w = open(t, store, inlineOptions())
	if r := w.Resumed(); r.NextSeq != 7 || r.CutSegment != journal.SegmentName(1) || r.CutBytes != 72+64-3 {
		t.Errorf("resumed %+v", r)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err = readAll(store)
	wantEOF(t, err)
	if !isPrefix(want[:len(want)-1], got) {
		t.Errorf("read %q", got)
	}
	if _, err := store.Create(journal.SegmentName(1)); !errors.Is(err, fs.ErrExist) {
		t.Errorf("create over a segment: %v", err)
	}
	if err := store.Remove(journal.SegmentName(1)); err != nil {
		t.Error(err)
	}
	if _, err := store.Open(journal.SegmentName(1)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open a removed segment: %v", err)
	}
}

func fileSize(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestDirStoreErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.OpenWriter(journal.NewDirStore(file), inlineOptions()); err == nil {
		t.Error("a journal opened in a file")
	}
	store := journal.NewDirStore(t.TempDir())
	if err := store.Truncate("none", 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("truncate: %v", err)
	}
}
