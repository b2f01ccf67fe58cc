package memstore_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

func create(t *testing.T, s *memstore.Store, name string) journal.File {
	t.Helper()
	f, err := s.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTornWrite(t *testing.T) {
	s := new(memstore.Store)
	f := create(t, s, "a")
	s.FailAfter(3)
	if n, err := f.Write([]byte("hello")); n != 3 || !errors.Is(err, memstore.ErrInjected) {
		t.Errorf("wrote %d: %v", n, err)
	}
	if _, err := f.Write([]byte("x")); !errors.Is(err, memstore.ErrInjected) {
		t.Errorf("then: %v", err)
	}
	if _, err := s.Create("b"); !errors.Is(err, memstore.ErrInjected) {
		t.Errorf("create: %v", err)
	}
	if got := string(s.Bytes("a")); got != "hel" {
		t.Errorf("has %q", got)
	}
}

func TestCrashLosesWhatWasNotSynced(t *testing.T) {
	s := new(memstore.Store)
	a, b, c := create(t, s, "a"), create(t, s, "b"), create(t, s, "c")
	a.Write([]byte("synced"))
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	a.Write([]byte("tail"))
	b.Write([]byte("never"))
	if err := c.Sync(); err != nil {
		t.Fatal(err)
	}
	s.FailSyncs(true)
	if err := a.Sync(); !errors.Is(err, memstore.ErrInjected) {
		t.Errorf("sync: %v", err)
	}
	if _, err := s.Lock(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lock(); !errors.Is(err, journal.ErrLocked) {
		t.Errorf("second lock: %v", err)
	}
	s.Crash(func(name string, synced, written int) int {
		if name == "a" {
			return synced + 2
		}
		return synced
	})
	if got := string(s.Bytes("a")); got != "syncedta" {
		t.Errorf("a has %q", got)
	}
	if _, err := s.Open("b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("b: %v", err)
	}
	if _, err := s.Open("c"); err != nil {
		t.Errorf("c: %v", err)
	}
	if _, err := a.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("write by the process that died: %v", err)
	}
	if _, err := s.Lock(); err != nil {
		t.Errorf("lock after the crash: %v", err)
	}
}

func TestFiles(t *testing.T) {
	s := new(memstore.Store)
	create(t, s, "a")
	if _, err := s.Create("a"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("create twice: %v", err)
	}
	s.Set("a", []byte("12345"))
	r, err := s.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 3)
	if n, err := r.ReadAt(p, 2); n != 3 || err != nil || string(p) != "345" {
		t.Errorf("read %d %q: %v", n, p, err)
	}
	if n, err := r.ReadAt(p, 4); n != 1 || err == nil {
		t.Errorf("read over the end %d: %v", n, err)
	}
	if err := s.Truncate("a", 9); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("truncate to more: %v", err)
	}
	if err := s.Truncate("a", 2); err != nil || string(s.Bytes("a")) != "12" {
		t.Errorf("truncate: %v, %q", err, s.Bytes("a"))
	}
	if err := s.Remove("a"); err != nil {
		t.Error(err)
	}
	if err := s.Remove("a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("remove twice: %v", err)
	}
	if list, _ := s.List(); len(list) != 0 {
		t.Errorf("list %v", list)
	}
}
