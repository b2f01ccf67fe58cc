package memstore

import (
	"io"
	"io/fs"
)

type writeHandle struct {
	store *Store
	file  *file
}

func (h *writeHandle) Write(p []byte) (int, error) {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	if !h.file.open {
		return 0, fs.ErrClosed
	}
	n := len(p)
	if h.store.failing {
		n = int(min(int64(n), h.store.allowance))
		h.store.allowance -= int64(n)
	}
	h.file.data = append(h.file.data, p[:n]...)
	if n < len(p) {
		return n, ErrInjected
	}
	return n, nil
}

func (h *writeHandle) Sync() error {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	if !h.file.open {
		return fs.ErrClosed
	}
	if h.store.syncsFail {
		return ErrInjected
	}
	h.file.synced, h.file.named = len(h.file.data), true
	return nil
}

func (h *writeHandle) Close() error {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.file.open = false
	return nil
}

type readHandle struct {
	store *Store
	file  *file
}

func (h *readHandle) ReadAt(p []byte, at int64) (int, error) {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	if at >= int64(len(h.file.data)) {
		return 0, io.EOF
	}
	n := copy(p, h.file.data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (h *readHandle) Size() (int64, error) {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	return int64(len(h.file.data)), nil
}

func (h *readHandle) Close() error { return nil }
