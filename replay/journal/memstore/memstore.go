package memstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/sigengine/sigengine/replay/journal"
)

var _ journal.Store = (*Store)(nil)

// ErrInjected is the error of operations that were told to fail.
var ErrInjected = errors.New("memstore: injected failure")

// Store is a journal.Store in memory. Its zero value is empty and does not fail.
type Store struct {
	mu        sync.Mutex
	files     []*file // by creation
	locked    bool
	failing   bool
	allowance int64 // bytes that may still be written, if failing
	syncsFail bool
}

type file struct {
	name   string
	data   []byte
	synced int
	named  bool // its name survives a crash
	open   bool // for writing
}

// FailAfter lets bytes more bytes be written; the write that crosses is torn there and it and all later ones fail.
func (s *Store) FailAfter(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing, s.allowance = true, bytes
}

// FailSyncs makes Sync fail, or work again.
func (s *Store) FailSyncs(fail bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.syncsFail = fail
}

// Crash is a power loss: locks are gone, files being written are closed, faults end, and of every file only keep(name,
// synced, written) bytes are left, which must lie between the two. A file that was never synced and keeps nothing is gone.
func (s *Store) Crash(keep func(name string, synced, written int) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.locked, s.failing, s.syncsFail = false, false, false
	var left []*file
	for _, f := range s.files {
		n := keep(f.name, f.synced, len(f.data))
		if n < f.synced || n > len(f.data) {
			panic(fmt.Sprintf("memstore: keep %d bytes of %s, which has %d synced of %d", n, f.name, f.synced, len(f.data)))
		}
		if n == 0 && !f.named {
			continue
		}
		// A new file, so that handles from before the crash reach nothing.
		left = append(left, &file{name: f.name, data: slices.Clone(f.data[:n]), synced: n, named: true})
		f.open = false
	}
	s.files = left
}

// Bytes returns a copy of a file's contents, nil if there is none.
func (s *Store) Bytes(name string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.find(name); f != nil {
		return slices.Clone(f.data)
	}
	return nil
}

// Set makes a file with contents, durable, or replaces one.
func (s *Store) Set(name string, contents []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.find(name)
	if f == nil {
		f = &file{name: name}
		s.files = append(s.files, f)
	}
	f.data, f.synced, f.named = slices.Clone(contents), len(contents), true
}

func (s *Store) find(name string) *file {
	for _, f := range s.files {
		if f.name == name {
			return f
		}
	}
	return nil
}

// Lock implements journal.Store.
func (s *Store) Lock() (io.Closer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locked {
		return nil, journal.ErrLocked
	}
	s.locked = true
	return unlock{s}, nil
}

type unlock struct{ store *Store }

func (u unlock) Close() error {
	u.store.mu.Lock()
	defer u.store.mu.Unlock()
	u.store.locked = false
	return nil
}

// List implements journal.Store.
func (s *Store) List() ([]journal.FileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var files []journal.FileInfo
	for _, f := range s.files {
		files = append(files, journal.FileInfo{Name: f.name, Bytes: int64(len(f.data))})
	}
	return files, nil
}

// Create implements journal.Store.
func (s *Store) Create(name string) (journal.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.find(name) != nil {
		return nil, fmt.Errorf("memstore: create %s: %w", name, fs.ErrExist)
	}
	if s.failing && s.allowance == 0 {
		return nil, ErrInjected
	}
	f := &file{name: name, open: true}
	s.files = append(s.files, f)
	return &writeHandle{s, f}, nil
}

// Open implements journal.Store.
func (s *Store) Open(name string) (journal.ReadFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.find(name)
	if f == nil {
		return nil, fmt.Errorf("memstore: open %s: %w", name, fs.ErrNotExist)
	}
	return &readHandle{s, f}, nil
}

// Truncate implements journal.Store.
func (s *Store) Truncate(name string, size int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.find(name)
	if f == nil || size > int64(len(f.data)) {
		return fmt.Errorf("memstore: truncate %s to %d: %w", name, size, fs.ErrInvalid)
	}
	f.data, f.synced, f.named = f.data[:size:size], int(size), true
	return nil
}

// Remove implements journal.Store.
func (s *Store) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.find(name)
	if f == nil {
		return fmt.Errorf("memstore: remove %s: %w", name, fs.ErrNotExist)
	}
	s.files = slices.DeleteFunc(s.files, func(other *file) bool { return other == f })
	return nil
}
