package gpu

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Copy puts a copy from one span to another of the same length on the stream: between pinned host memory and a device, within
// a device, or from device to device. The host may touch its side again when an event or the stream is done; Slice says
// ErrInFlight before.
func Copy[T any](s *Stream, to, from Span[T]) error {
	if to.n != from.n {
		return refuse("Copy", fmt.Sprintf("%d elements over %d", from.n, to.n), "cut both spans to one length")
	}
	return s.copy(to.Out(), from.In(), to.bytes())
}

func (s *Stream) copy(to, from Use, bytes uint64) error {
	if bytes == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	uses := [2]Use{from, to}
	if err := s.admit("Copy", uses[:]); err != nil {
		return err
	}
	a := &s.frame.args
	symbol, n := cu.MemcpyDtoDAsync, 4
	a[0], a[1], a[2], a[3] = uintptr(to.low), uintptr(from.low), uintptr(bytes), s.handle
	switch d, f := to.r, from.r; {
	case d.host != 0 && f.host != 0:
		s.withdraw(uses[:])
		return refuse("Copy", "host memory over host memory", "use the built-in copy on their slices")
	case f.host != 0:
		symbol = cu.MemcpyHtoDAsync
		a[1] = f.hostAddress(from.low)
	case d.host != 0:
		symbol = cu.MemcpyDtoHAsync
		a[0] = d.hostAddress(to.low)
	case d.device.handle != f.device.handle:
		symbol, n = cu.MemcpyPeerAsync, 6
		a[1], a[2], a[3], a[4], a[5] = d.device.context, uintptr(from.low), f.device.context, uintptr(bytes), s.handle
	}
	return s.operate("Copy", symbol, n, uses[:])
}

// hostAddress returns the host's address of what devices see at address.
func (r *resource) hostAddress(address uint64) uintptr { return r.host + uintptr(address-r.low) }

// Clear puts the zeroing of a span on the stream.
func Clear[T any](s *Stream, v Span[T]) error {
	if v.n == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	uses := [1]Use{v.Out()}
	if err := s.admit("Clear", uses[:]); err != nil {
		return err
	}
	a := &s.frame.args
	a[0], a[1], a[2], a[3] = uintptr(v.address), 0, uintptr(v.bytes()), s.handle
	return s.operate("Clear", cu.MemsetD8Async, 4, uses[:])
}

// Write copies ordinary Go memory to a span and returns when it is there. It is for tables at start, not for the path of a
// tick: it waits, and it is refused with ErrInFlight while anything uses the memory.
func Write[T any](to Span[T], from []T) error {
	if len(from) != to.n {
		return refuse("Write", fmt.Sprintf("%d elements over %d", len(from), to.n), "cut the span to the slice's length")
	}
	if to.n == 0 {
		return nil
	}
	s, use, err := serve("Write", to.Out())
	if err != nil {
		return err
	}
	defer s.d.copying.Unlock()
	err = s.d.call(cu.MemcpyHtoDAsync, uintptr(to.address), uintptr(unsafe.Pointer(&from[0])), uintptr(to.bytes()), s.handle)
	err = s.served(use, err)
	runtime.KeepAlive(from) // until the copy is done
	return err
}

// Read copies a span to ordinary Go memory and returns when it is there. It is refused with ErrInFlight while anything uses
// the memory.
func Read[T any](to []T, from Span[T]) error {
	if len(to) != from.n {
		return refuse("Read", fmt.Sprintf("%d elements over %d", from.n, len(to)), "cut the span to the slice's length")
	}
	if from.n == 0 {
		return nil
	}
	s, use, err := serve("Read", from.In())
	if err != nil {
		return err
	}
	defer s.d.copying.Unlock()
	err = s.d.call(cu.MemcpyDtoHAsync, uintptr(unsafe.Pointer(&to[0])), uintptr(from.address), uintptr(from.bytes()), s.handle)
	err = s.served(use, err)
	runtime.KeepAlive(to) // until the copy is done
	return err
}

// serve takes the device's own stream for one copy; the caller unlocks copying.
func serve(op string, u Use) (*Stream, [1]Use, error) {
	use := [1]Use{u}
	if u.r == nil {
		return nil, use, fmt.Errorf("%w: %s: a span that nothing made", ErrClosed, op)
	}
	if u.r.inFlight.Load() > 0 {
		if err := u.r.device.Lost(); err != nil {
			return nil, use, err
		}
		return nil, use, fmt.Errorf("%w: %s of a %s", ErrInFlight, op, u.r.kind)
	}
	if u.r.host != 0 {
		return nil, use, refuse(op, "host memory", "use Slice and the built-in copy")
	}
	d := u.r.device
	d.copying.Lock()
	d.service.mu.Lock()
	defer d.service.mu.Unlock()
	if err := d.service.admit(op, use[:]); err != nil {
		d.copying.Unlock()
		return nil, use, err
	}
	return d.service, use, nil
}

// served waits for the copy and lets go of the memory. If the wait fails the copy may still run, so the ledger keeps it.
func (s *Stream) served(use [1]Use, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.withdraw(use[:])
		return err
	}
	s.commit(use[:])
	if err := s.syncInDriver(); err == nil {
		return nil
	}
	return s.syncInDriver() // once more: Go memory must not be let go under a copy
}

// reaches reports whether the device may touch the other's memory.
func (d *Device) reaches(other *Device) bool {
	if d.handle == other.handle {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.peers[other]
}

// EnablePeer lets the device's kernels and copies touch the other's memory, where the hardware can.
func (d *Device) EnablePeer(other *Device) error {
	if d.handle == other.handle {
		return nil
	}
	var can int32
	err := d.call(cu.DeviceCanAccessPeer, uintptr(unsafe.Pointer(&can)), uintptr(d.handle), uintptr(other.handle))
	if err != nil {
		return err
	}
	if can == 0 {
		return unsupported("cuCtxEnablePeerAccess", fmt.Sprintf("device %d cannot reach device %d", d.info.Ordinal, other.info.Ordinal))
	}
	if err := d.call(cu.CtxEnablePeerAccess, other.context, 0); err != nil {
		if e, ok := err.(*Error); !ok || e.Code != Code(cu.PeerAccessEnabled) {
			return err
		}
	}
	d.mu.Lock()
	d.peers[other] = true
	d.mu.Unlock()
	return nil
}
