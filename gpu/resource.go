package gpu

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sigengine/sigengine/gpu/hazard"
)

// resource is one thing that the driver made for us and that must be given back once.
//
// It has owners: the object the user holds, each operation in flight that uses it, each graph that contains it. The
// driver's thing is freed when the last one lets go, so neither Close nor the garbage collector can free what the device uses.
type resource struct {
	device   *Device
	kind     string // "buffer", "stream"
	bytes    uint64
	made     []uintptr // program counters of its making
	low      uint64    // device address, for memory
	host     uintptr   // host address, for pinned memory
	portable bool      // usable by other devices
	memory   *hazard.Memory

	owners    atomic.Int32
	inFlight  atomic.Int32
	closed    atomic.Bool // by its user
	abandoned atomic.Bool // its user's object was collected unclosed

	freeing sync.Mutex
	freed   bool
	free    func() error
}

const stackDepth = 12

// own enters a new resource. free gives the driver's thing back; it is called again if it failed.
func (d *Device) own(kind string, bytes uint64, free func() error) *resource {
	r := &resource{device: d, kind: kind, bytes: bytes, free: free}
	pcs := make([]uintptr, stackDepth)
	r.made = pcs[:runtime.Callers(3, pcs)]
	r.owners.Store(1)
	d.mu.Lock()
	d.order++
	d.live[r] = d.order
	d.mu.Unlock()
	return r
}

// watch notes when the object through which the user reaches a resource is collected: nobody can close it then.
func watch[T any](object *T, r *resource) {
	runtime.AddCleanup(object, func(r *resource) {
		if !r.closed.Load() {
			r.abandoned.Store(true)
			r.device.collected.Add(1)
		}
	}, r)
}

// use takes part in owning r for an operation or a graph.
func (r *resource) use() error {
	if r.closed.Load() {
		return fmt.Errorf("%w: %s", ErrClosed, r.kind)
	}
	for {
		n := r.owners.Load()
		if n == 0 {
			return fmt.Errorf("%w: %s", ErrClosed, r.kind)
		}
		if r.owners.CompareAndSwap(n, n+1) {
			return nil
		}
	}
}

// drop lets go. What fails when the last owner lets go is kept for Device.Close, which tries again.
func (r *resource) drop() error {
	if r.owners.Add(-1) != 0 {
		return nil
	}
	return r.release()
}

// close is the user's part. It may be called again after a failure; after success it does nothing.
func (r *resource) close() error {
	if !r.closed.Swap(true) {
		return r.drop()
	}
	if r.owners.Load() == 0 {
		return r.release()
	}
	return nil
}

func (r *resource) release() error {
	return r.freeBy(func() error {
		if t := r.device.driver.check; t != nil && r.memory != nil {
			_ = t.Free(hazard.Host, r.memory, "Close") // a finding is kept by the tracker
			r.memory = nil
		}
		return r.free()
	})
}

// freeBy frees once, by free; after a failure it may be called again.
func (r *resource) freeBy(free func() error) error {
	r.freeing.Lock()
	defer r.freeing.Unlock()
	if r.freed {
		return nil
	}
	d := r.device
	if d.lostState.Load() == nil {
		if err := free(); err != nil && !errors.Is(err, ErrLost) {
			return err
		}
	}
	// On a lost device the driver keeps nothing; host memory stays mapped, for rows in it are still read.
	r.freed = true
	d.mu.Lock()
	delete(d.live, r)
	d.mu.Unlock()
	return nil
}

// Leak is something that is still open.
type Leak struct {
	Kind      string
	Bytes     uint64
	Abandoned bool   // nothing refers to it any more: it can no longer be closed
	InFlight  bool   // closed, and waiting for the device to be done with it
	Stack     string // where it was made, a line a call
}

func (l Leak) String() string {
	state := ""
	switch {
	case l.Abandoned:
		state = ", unreachable"
	case l.InFlight:
		state = ", closed while in flight"
	}
	return fmt.Sprintf("%s of %d bytes%s, made at\n%s", l.Kind, l.Bytes, state, l.Stack)
}

func (r *resource) leak() Leak {
	var b strings.Builder
	frames := runtime.CallersFrames(r.made)
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			fmt.Fprintf(&b, "  %s %s:%d\n", f.Function, f.File, f.Line)
		}
		if !more {
			break
		}
	}
	return Leak{Kind: r.kind, Bytes: r.bytes, Abandoned: r.abandoned.Load(), InFlight: r.closed.Load(), Stack: b.String()}
}
