package journal

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

var _ Store = (*DirStore)(nil)

// DirStore keeps segments in a directory.
type DirStore struct {
	path string
}

// NewDirStore returns the store of a directory. The directory is made by the first Lock, that is by a writer.
func NewDirStore(path string) *DirStore { return &DirStore{path: path} }

// Lock makes the directory if needed and takes an advisory lock that ends with the process.
func (d *DirStore) Lock() (io.Closer, error) {
	if err := os.MkdirAll(d.path, 0o755); err != nil {
		return nil, fmt.Errorf("journal: make directory: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(d.path, "LOCK"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("journal: open lock: %w", err)
	}
	if err := lockFile(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("%w: %s (%v)", ErrLocked, d.path, err)
	}
	return file, nil
}

// List returns the regular files of the directory.
func (d *DirStore) List() ([]FileInfo, error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	files := make([]FileInfo, 0, len(entries))
	for _, entry := range entries {
		info, err := entry.Info()
		if os.IsNotExist(err) {
			continue // removed by retention since
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() {
			files = append(files, FileInfo{Name: entry.Name(), Bytes: info.Size()})
		}
	}
	return files, nil
}

// Create makes a new file.
func (d *DirStore) Create(name string) (File, error) {
	file, err := os.OpenFile(filepath.Join(d.path, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	return &dirFile{File: file, dir: d}, nil
}

// Open opens a file for reading.
func (d *DirStore) Open(name string) (ReadFile, error) {
	file, err := os.Open(filepath.Join(d.path, name))
	if err != nil {
		return nil, err
	}
	return dirReadFile{file}, nil
}

// Truncate cuts a file and syncs it.
func (d *DirStore) Truncate(name string, size int64) error {
	file, err := os.OpenFile(filepath.Join(d.path, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Truncate(size); err != nil {
		return err
	}
	return file.Sync()
}

// Remove deletes a file.
func (d *DirStore) Remove(name string) error { return os.Remove(filepath.Join(d.path, name)) }

func (d *DirStore) sync() error {
	dir, err := os.Open(d.path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// dirFile syncs the directory with its first sync, or a power loss could take the name with it.
type dirFile struct {
	*os.File
	dir   *DirStore
	named bool
}

func (f *dirFile) Sync() error {
	if err := f.File.Sync(); err != nil {
		return err
	}
	if f.named {
		return nil
	}
	if err := f.dir.sync(); err != nil {
		return err
	}
	f.named = true
	return nil
}

type dirReadFile struct{ *os.File }

func (f dirReadFile) Size() (int64, error) {
	var info fs.FileInfo
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
