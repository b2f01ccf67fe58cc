//go:build nogpu || !linux || !(amd64 || arm64)

package cu

// Built reports whether this binary can call a driver at all.
const Built = false

func call(uintptr, []uintptr) uintptr { return uintptr(NotSupported) }

// Open says that this binary has no driver to open.
func Open(...string) (Lookup, error) { return nil, ErrNotBuilt }

// Thread returns 0: nothing here depends on threads.
func Thread() int { return 0 }
