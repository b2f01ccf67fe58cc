package gpu

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Pool gives memory in the order of a stream: neither AllocFrom nor CloseOn waits, and what was freed is used again.
// It gives at most its limit.
type Pool struct {
	r      *resource
	handle uintptr
	limit  uint64
	used   atomic.Uint64
}

// poolProperties is CUmemPoolProps.
type poolProperties struct {
	allocType    uint32
	handleTypes  uint32
	locationType uint32
	locationID   int32
	security     uintptr
	maxSize      uintptr
	rest         [64]byte
}

// NewPool makes a pool that gives at most limitBytes and keeps up to keepBytes of what was freed for the next use.
func (d *Device) NewPool(limitBytes, keepBytes uint64) (*Pool, error) {
	const pinned, onDevice, releaseThreshold = 1, 1, 4
	if !d.info.Pools {
		return nil, unsupported("cuMemPoolCreate", "the device has no memory pools")
	}
	if limitBytes == 0 {
		return nil, refuse("cuMemPoolCreate", "a limit of 0 bytes", "give the most that may be in use at once")
	}
	if err := d.needs(cu.MemPoolDestroy, cu.MemAllocFromPoolAsync, cu.MemFreeAsync); err != nil {
		return nil, err
	}
	p := &Pool{limit: limitBytes}
	properties := &poolProperties{allocType: pinned, locationType: onDevice, locationID: d.handle}
	if err := d.call(cu.MemPoolCreate, uintptr(unsafe.Pointer(&p.handle)), uintptr(unsafe.Pointer(properties))); err != nil {
		return nil, err
	}
	handle := p.handle
	p.r = d.own("pool", 0, func() error { return d.call(cu.MemPoolDestroy, handle) })
	watch(p, p.r)
	keep := keepBytes
	if err := d.call(cu.MemPoolSetAttribute, handle, releaseThreshold, uintptr(unsafe.Pointer(&keep))); err != nil {
		_ = p.Close() // what fails here Device.Close tries again
		return nil, err
	}
	return p, nil
}

// Used returns the bytes that the pool has given out.
func (p *Pool) Used() uint64 { return p.used.Load() }

// Trim gives back to the device what the pool keeps above keepBytes.
func (p *Pool) Trim(keepBytes uint64) error {
	return p.r.device.call(cu.MemPoolTrimTo, p.handle, uintptr(keepBytes))
}

// Close gives the pool back when its last buffer is closed.
func (p *Pool) Close() error { return p.r.close() }

// AllocFrom makes a buffer of n elements in the order of the stream: it may be used there at once, and on another stream after
// an event. It is not zeroed: Clear does that.
func AllocFrom[T any](p *Pool, s *Stream, n int) (*Buffer[T], error) {
	bytes, err := sizeOf[T]("cuMemAllocFromPoolAsync", n)
	if err != nil {
		return nil, err
	}
	d := p.r.device
	if s.d != d {
		return nil, refuse("cuMemAllocFromPoolAsync", "a stream of another device", "use a stream of the pool's device")
	}
	if err := p.take(bytes); err != nil {
		return nil, err
	}
	address, err := p.allocate(s, bytes)
	if err != nil {
		p.used.Add(^(bytes - 1))
		return nil, err
	}
	b := &Buffer[T]{n: n, home: s, pool: p}
	home, owner := s.handle, s.r
	b.r = d.own("pool buffer", bytes, func() error { return p.giveBack(address, bytes, home, owner) })
	b.r.low = address
	if b.r.memory = d.newMemory("pool buffer", address); b.r.memory != nil {
		_ = d.driver.check.Write(s.id, b.r.memory, "AllocFrom on "+s.name) // nothing is earlier
	}
	watch(b, b.r)
	return b, nil
}

// take reserves bytes under the limit.
func (p *Pool) take(bytes uint64) error {
	for {
		used := p.used.Load()
		if bytes > p.limit-used {
			return &Error{
				Op: "cuMemAllocFromPoolAsync", Code: Code(cu.OutOfMemory), Name: "CUDA_ERROR_OUT_OF_MEMORY",
				Text: fmt.Sprintf("%d bytes from a pool that has given %d of %d", bytes, used, p.limit),
				Hint: "close buffers, or make the pool larger",
			}
		}
		if p.used.CompareAndSwap(used, used+bytes) {
			return nil
		}
	}
}

// allocate also takes part in owning the pool and the stream, which the free needs.
func (p *Pool) allocate(s *Stream, bytes uint64) (address uint64, err error) {
	if err := p.r.use(); err != nil {
		return 0, err
	}
	if err := s.r.use(); err != nil {
		_ = p.r.drop()
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.capture != nil {
		err = ErrCapturing
	} else {
		err = s.d.call(cu.MemAllocFromPoolAsync, uintptr(unsafe.Pointer(&address)), uintptr(bytes), p.handle, s.handle)
	}
	if err != nil {
		_, _ = s.r.drop(), p.r.drop()
		return 0, s.d.whyNoMemory(err, bytes)
	}
	return address, nil
}

// CloseOn gives a pool's buffer back in the order of the stream, without waiting: what the stream does next may get the
// memory. If other streams still use the buffer it is given back when they are done, as Close does.
func (b *Buffer[T]) CloseOn(s *Stream) error {
	if b.pool == nil || s.d != b.r.device {
		return refuse("CloseOn", "a buffer that is not of a pool of the stream's device", "use Close")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := b.r
	if s.capture != nil {
		return ErrCapturing
	}
	if r.closed.Load() || r.inFlight.Load() != s.ledger.count(r) {
		return r.close()
	}
	if err := s.order("CloseOn", r, true); err != nil {
		return err
	}
	r.closed.Store(true)
	err := r.freeBy(func() error { return b.pool.giveBack(r.low, r.bytes, s.handle, b.home.r) })
	if err != nil {
		r.closed.Store(false) // Close and CloseOn may be tried
		return err
	}
	if t := s.d.driver.check; t != nil {
		_ = t.Free(s.id, r.memory, "CloseOn on "+s.name) // after its own write
	}
	return r.drop()
}

// giveBack frees a buffer in the order of a stream and lets go of what allocate took.
func (p *Pool) giveBack(address, bytes uint64, stream uintptr, owner *resource) error {
	if err := p.r.device.call(cu.MemFreeAsync, uintptr(address), stream); err != nil {
		return err
	}
	p.used.Add(^(bytes - 1))
	_, _ = owner.drop(), p.r.drop() // failures are found again by Device.Close
	return nil
}
