package gpu

import (
	"fmt"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/hazard"
	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// HostKind says what pinned host memory is for.
type HostKind uint8

const (
	// Staging is for copies both ways, and for kernels that read or write it in turn with the host.
	Staging HostKind = iota
	// Upload is write-combined: copies in are quicker on some machines, and the host must never read it, which is very slow.
	Upload
	// Mailbox is polled and written by host and kernel at once: flags, slots and rows. Its order is the protocol's care; the
	// checker and ErrInFlight leave it alone.
	Mailbox
	managed
)

// HostBuffer is pinned memory of the host that devices see too (mapped, portable), or managed memory. It is zeroed.
type HostBuffer[T any] struct {
	r    *resource
	kind HostKind
	data []T
}

// AllocHost pins memory for n elements of T, which must hold no Go pointers: the collector does not look there.
func AllocHost[T any](d *Device, n int, kind HostKind) (*HostBuffer[T], error) {
	const portable, deviceMap, writeCombined = 1, 2, 4
	bytes, err := sizeOf[T]("cuMemHostAlloc", n)
	if err != nil {
		return nil, err
	}
	if kind > Mailbox {
		return nil, refuse("cuMemHostAlloc", "an unknown kind of memory", "use Staging, Upload or Mailbox")
	}
	if !d.info.MapsHost {
		return nil, unsupported("cuMemHostAlloc", "the device cannot see host memory")
	}
	flags := uintptr(portable | deviceMap)
	if kind == Upload {
		flags |= writeCombined
	}
	var host unsafe.Pointer
	if err := d.call(cu.MemHostAlloc, uintptr(unsafe.Pointer(&host)), uintptr(bytes), flags); err != nil {
		return nil, d.whyNoMemory(err, bytes)
	}
	b := &HostBuffer[T]{kind: kind, data: unsafe.Slice((*T)(host), n)}
	address := uintptr(host)
	b.r = d.own("host buffer", bytes, func() error { return d.call(cu.MemFreeHost, address) })
	b.r.host, b.r.portable = address, true
	watch(b, b.r)
	if err := d.call(cu.MemHostGetDevicePointer, uintptr(unsafe.Pointer(&b.r.low)), address, 0); err != nil {
		_ = b.Close() // what fails here Device.Close tries again
		return nil, err
	}
	if kind != Mailbox {
		b.r.memory = d.newMemory("host buffer", b.r.low)
	}
	clear(unsafe.Slice((*byte)(host), bytes))
	return b, nil
}

// ManagedMax is the most bytes of one managed allocation: it moves between host and device page by page, is slower than
// copies for what is used often, and is here for small tables that both sides visit rarely.
const ManagedMax = 64 << 20

// AllocManaged makes memory that moves between host and device by itself. It is refused above ManagedMax, above what the
// device has free, and where host and device may not touch it at once.
func AllocManaged[T any](d *Device, n int) (*HostBuffer[T], error) {
	const global = 1
	bytes, err := sizeOf[T]("cuMemAllocManaged", n)
	if err != nil {
		return nil, err
	}
	if !d.info.Managed || !d.info.ConcurrentMM {
		return nil, unsupported("cuMemAllocManaged", "the device does not share managed memory with a busy host")
	}
	free, _, err := d.Memory()
	if err != nil {
		return nil, err
	}
	if bytes > ManagedMax || bytes > free {
		return nil, &Error{
			Op: "cuMemAllocManaged", Code: Code(cu.OutOfMemory), Name: "CUDA_ERROR_OUT_OF_MEMORY",
			Text: fmt.Sprintf("%d bytes, where %d are free and at most %d are given", bytes, free, uint64(ManagedMax)),
			Hint: "use Alloc and copies: managed memory beyond the card's own pages at every touch",
		}
	}
	var host unsafe.Pointer
	if err := d.call(cu.MemAllocManaged, uintptr(unsafe.Pointer(&host)), uintptr(bytes), global); err != nil {
		return nil, d.whyNoMemory(err, bytes)
	}
	b := &HostBuffer[T]{kind: managed, data: unsafe.Slice((*T)(host), n)}
	address := uintptr(host)
	b.r = d.own("managed buffer", bytes, func() error { return d.call(cu.MemFree, address) })
	b.r.low = uint64(address)
	b.r.memory = d.newMemory("managed buffer", b.r.low)
	watch(b, b.r)
	clear(unsafe.Slice((*byte)(host), bytes))
	return b, nil
}

// Slice gives the memory to the host: the slice is valid until Close. While an operation in flight uses it the answer is
// ErrInFlight: wait for an event or the stream first. A slice kept from before is not guarded.
func (b *HostBuffer[T]) Slice() ([]T, error) {
	if b.r.closed.Load() {
		return nil, fmt.Errorf("%w: %s", ErrClosed, b.r.kind)
	}
	if b.kind == Mailbox {
		return b.data, nil
	}
	if b.r.inFlight.Load() > 0 {
		if err := b.r.device.Lost(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %s", ErrInFlight, b.r.kind)
	}
	if t := b.r.device.driver.check; t != nil && b.r.memory != nil {
		if err := t.Write(hazard.Host, b.r.memory, "Slice"); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnordered, err)
		}
	}
	return b.data, nil
}

// Len returns the number of elements.
func (b *HostBuffer[T]) Len() int { return len(b.data) }

// All is the whole memory as devices see it.
func (b *HostBuffer[T]) All() Span[T] { return Span[T]{b.r, b.r.low, len(b.data)} }

// Span is elements lo to hi-1 as devices see them. It panics out of range, as slicing does.
func (b *HostBuffer[T]) Span(lo, hi int) Span[T] { return b.All().Span(lo, hi) }

// Ptr is the address at which devices see the first element.
func (b *HostBuffer[T]) Ptr() Ptr[T] { return Ptr[T]{b.r.low} }

// In says that an operation reads the memory.
func (b *HostBuffer[T]) In() Use { return b.All().In() }

// Out says that an operation writes the memory, or reads and writes it.
func (b *HostBuffer[T]) Out() Use { return b.All().Out() }

// Close gives the memory back, at once or when operations in flight are done with it. No slice of it may be used any more.
func (b *HostBuffer[T]) Close() error { return b.r.close() }
