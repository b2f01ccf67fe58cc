package snapshot

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Extension is the end of a snapshot's file name.
const Extension = ".sgs"

const temporary = ".writing" // the end of the name of a file that is being written

// Dir is a folder of snapshots. Others' files in it are left alone.
type Dir struct{ path string }

// NewDir returns the folder of that path, which Write makes if it is not there.
func NewDir(path string) Dir { return Dir{path} }

// fileName begins with numbers of a fixed length, so that names sort as snapshots do.
func fileName(run, sequence uint64) string {
	return fmt.Sprintf("%010d-%020d%s", run, sequence, Extension)
}

func numbers(name string) (run, sequence uint64, ok bool) {
	a, b, found := strings.Cut(strings.TrimSuffix(name, Extension), "-")
	run, errA := strconv.ParseUint(a, 10, 64)
	sequence, errB := strconv.ParseUint(b, 10, 64)
	return run, sequence, found && errA == nil && errB == nil && name == fileName(run, sequence)
}

// Write puts a snapshot into the folder and returns its path. When it returns, the file is on the disk under its name; if it
// does not return, there is no such file, or the whole file.
func (d Dir) Write(s *Snapshot) (path string, err error) {
	b, err := Encode(s)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(d.path, 0o777); err != nil {
		return "", fmt.Errorf("snapshot: %w", err)
	}
	path = filepath.Join(d.path, fileName(s.Run, s.State.Sequence))
	if err := writeFile(path+temporary, b); err != nil {
		return "", fmt.Errorf("snapshot: %w", errors.Join(err, os.Remove(path+temporary)))
	}
	if err := os.Rename(path+temporary, path); err != nil {
		return "", fmt.Errorf("snapshot: %w", err)
	}
	return path, d.sync()
}

func writeFile(path string, b []byte) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(b)
	return errors.Join(err, file.Sync(), file.Close())
}

// sync makes a new name last.
func (d Dir) sync() error {
	dir, err := os.Open(d.path)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("snapshot: sync of the folder: %w", err)
	}
	return nil
}

// Skipped is a snapshot that was not used, and why.
type Skipped struct {
	Path string
	Why  error
}

// Newest returns the newest snapshot that is whole and fits, its path, and those that were passed over on the way to it.
// ErrNone if there is none. fits may be asked about several.
func (d Dir) Newest(fits func(*Snapshot) error) (s *Snapshot, path string, skipped []Skipped, err error) {
	names, err := d.names()
	if err != nil {
		return nil, "", nil, err
	}
	for _, name := range names {
		path := filepath.Join(d.path, name)
		s, err := ReadFile(path)
		if err == nil {
			err = named(s, name)
		}
		if err == nil {
			err = fits(s)
		}
		if err == nil {
			return s, path, skipped, nil
		}
		skipped = append(skipped, Skipped{path, err})
	}
	return nil, "", skipped, fmt.Errorf("%w: %s has %d", ErrNone, d.path, len(names))
}

// named holds that a file has the name of what is in it: one that was renamed is not taken to be newer.
func named(s *Snapshot, name string) error {
	if want := fileName(s.Run, s.State.Sequence); name != want {
		return fmt.Errorf("%w: its name should be %s", ErrDamaged, want)
	}
	return nil
}

// names returns the names of snapshots, the newest first.
func (d Dir) names() ([]string, error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	var names []string
	for _, e := range entries {
		if _, _, ok := numbers(e.Name()); ok && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(b, a) })
	return names, nil
}

// Keep removes all but the snapshots that were written last, of whatever journals, and what an interrupted Write left.
func (d Dir) Keep(last int) error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	var errs []error
	var files []os.FileInfo
	for _, e := range entries {
		name, rest := strings.CutSuffix(e.Name(), temporary)
		if _, _, ok := numbers(name); !ok || !e.Type().IsRegular() {
			continue
		}
		if rest {
			errs = append(errs, os.Remove(filepath.Join(d.path, e.Name())))
			continue
		}
		info, err := e.Info()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		files = append(files, info)
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(b.Name(), a.Name()))
	})
	for _, info := range files[min(max(last, 0), len(files)):] {
		errs = append(errs, os.Remove(filepath.Join(d.path, info.Name())))
	}
	return errors.Join(errs...)
}

// ReadFile reads one snapshot.
func ReadFile(path string) (*Snapshot, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("snapshot: %w", err)
	case !info.Mode().IsRegular() || info.Size() > BytesMax:
		return nil, fmt.Errorf("%w: %s is no file of at most %d bytes", ErrDamaged, path, int64(BytesMax))
	}
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(file, b); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return Decode(b)
}
