package journal

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Store is where segments are kept. Names are those of SegmentName. Implementations: DirStore, and memstore.Store for
// simulation. A file that does not exist is reported as fs.ErrNotExist.
type Store interface {
	// Lock makes the caller the only writer until the closer is closed; it fails with ErrLocked.
	Lock() (io.Closer, error)
	// List returns the files there are, in any order; names that are not segments' may be among them.
	List() ([]FileInfo, error)
	// Create makes a new, empty file; it fails with fs.ErrExist if there is one.
	Create(name string) (File, error)
	// Open opens a file for reading while it may still grow.
	Open(name string) (ReadFile, error)
	// Truncate cuts a file to size bytes and makes that durable.
	Truncate(name string, size int64) error
	// Remove deletes a file. Readers that have it open may go on reading.
	Remove(name string) error
}

// File is a segment being written.
type File interface {
	// Write appends all of p or returns an error; what part of p was appended is then unknown.
	Write(p []byte) (int, error)
	// Sync makes what was written, and the file's name, durable.
	Sync() error
	Close() error
}

// ReadFile is a segment being read.
type ReadFile interface {
	io.ReaderAt
	io.Closer
	// Size returns the size now, in bytes.
	Size() (int64, error)
}

// FileInfo is one file of a store.
type FileInfo struct {
	Name  string
	Bytes int64
}

// SegmentExtension ends the names of segments.
const SegmentExtension = ".sgj"

// SegmentName returns the file name of the segment with an index.
func SegmentName(index uint64) string { return fmt.Sprintf("%010d%s", index, SegmentExtension) }

// segmentIndex is the inverse of SegmentName; ok is false for other names.
func segmentIndex(name string) (index uint64, ok bool) {
	digits, found := strings.CutSuffix(name, SegmentExtension)
	if !found {
		return 0, false
	}
	index, err := strconv.ParseUint(digits, 10, 64)
	return index, err == nil && index > 0 && SegmentName(index) == name
}
