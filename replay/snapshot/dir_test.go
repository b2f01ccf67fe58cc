package snapshot

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func at(run, sequence uint64) *Snapshot {
	s := sample()
	s.Run, s.State.Sequence, s.ChainAt = run, sequence, sequence
	return s
}

func write(t *testing.T, d Dir, s *Snapshot) string {
	t.Helper()
	path, err := d.Write(s)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func every(*Snapshot) error { return nil }

// TestNewestValidWins: what is damaged, cut, of another version, renamed or foreign is passed over, with the reason.
func TestNewestValidWins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	d := NewDir(path)
	if _, _, _, err := d.Newest(every); err == nil {
		t.Error("there is no folder")
	}
	write(t, d, at(1, 500))
	write(t, d, at(2, 20))
	spoil := func(path string, change func(b []byte) []byte) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, change(b), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	spoil(write(t, d, at(2, 30)), func(b []byte) []byte { b[len(b)/2] ^= 4; return b })
	spoil(write(t, d, at(2, 31)), func(b []byte) []byte { return b[:len(b)-1] })
	spoil(write(t, d, at(2, 32)), func([]byte) []byte { return nil })
	spoil(write(t, d, at(2, 33)), func(b []byte) []byte { b[8] = 9; return resealed(b) })
	if err := os.Rename(write(t, d, at(1, 7)), filepath.Join(path, fileName(3, 7))); err != nil {
		t.Fatal(err)
	}
	foreign := at(2, 34)
	foreign.Build = "another"
	write(t, d, foreign)
	// What is no snapshot by its name is left alone: a file half written, and others' files.
	for _, name := range []string{fileName(9, 9) + temporary, "notes.txt", "9-9" + Extension} {
		if err := os.WriteFile(filepath.Join(path, name), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := sample().Identity
	s, at, skipped, err := d.Newest(func(s *Snapshot) error { return s.Fits(&want) })
	if err != nil || s.Run != 2 || s.State.Sequence != 20 || filepath.Base(at) != fileName(2, 20) {
		t.Fatalf("%+v %s %v", s, at, err)
	}
	var why []string
	for _, skip := range skipped {
		why = append(why, filepath.Base(skip.Path)+" "+skip.Why.Error())
	}
	all := strings.Join(why, "\n")
	for i, want := range []string{"its name should be", "it was made by", "version 9", "does not begin", "checksum of the whole", "checksum of the whole"} {
		if i >= len(why) || !strings.Contains(why[i], want) {
			t.Errorf("reason %d is not %q in\n%s", i, want, all)
		}
	}
	if _, _, skipped, err := d.Newest(func(*Snapshot) error { return ErrForeign }); !errors.Is(err, ErrNone) || len(skipped) != 8 {
		t.Errorf("%v, %d passed over", err, len(skipped))
	}
}

// TestWriteIsWhole: a write that cannot be ended leaves nothing under the snapshot's name.
func TestWriteIsWhole(t *testing.T) {
	path := t.TempDir()
	d := NewDir(path)
	if err := os.Mkdir(filepath.Join(path, fileName(1, 1)+temporary), 0o777); err != nil { // in the way of the temporary file
		t.Fatal(err)
	}
	if _, err := d.Write(at(1, 1)); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(filepath.Join(path, fileName(1, 1))); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if got := write(t, d, at(1, 1)); filepath.Base(got) != fileName(1, 1) { // its own remains were removed, and it can be done again
		t.Error(got)
	}
}

func TestKeep(t *testing.T) {
	path := t.TempDir()
	d := NewDir(path)
	for sequence := range uint64(5) {
		write(t, d, at(1, sequence))
	}
	old := write(t, d, at(2, 1)) // of a journal that was followed before, by a run of a higher number
	if err := os.Chtimes(old, time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(path, fileName(1, 9)+temporary)
	other := filepath.Join(path, "notes.txt")
	for _, name := range []string{left, other} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Keep(2); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got, want := strings.Join(names, " "), fileName(1, 3)+" "+fileName(1, 4)+" notes.txt"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestReadFileRefuses(t *testing.T) {
	if _, err := ReadFile(t.TempDir()); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
