//go:build !nogpu && linux && (amd64 || arm64)

package cu

import (
	"fmt"
	"runtime"
	"syscall"

	"github.com/ebitengine/purego"
)

// Built reports whether this binary can call a driver at all.
const Built = true

func call(address uintptr, args []uintptr) uintptr {
	r, _, _ := purego.SyscallN(address, args...)
	return r
}

// Thread returns the number of the thread that the caller runs on.
func Thread() int { return syscall.Gettid() }

// Open loads a shared library by the first of names that works and returns the lookup of its symbols. The library is
// never unloaded: a driver has threads of its own. The error says what was tried and why each failed.
func Open(names ...string) (Lookup, error) {
	// dlopen and dlerror are two calls, and the text of an error belongs to the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var tried string
	for _, name := range names {
		library, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			tried += fmt.Sprintf("\n  %s: %v", name, err)
			continue
		}
		return func(symbol string) (uintptr, error) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			return purego.Dlsym(library, symbol)
		}, nil
	}
	return nil, &OpenError{Tried: tried}
}
