package gpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/hazard"
	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Stream is a queue of the device: what is put on it runs in that order, beside other streams. It is safe for use from any
// goroutine; a call waits for the one before.
type Stream struct {
	d      *Device
	r      *resource
	name   string
	handle uintptr
	id     hazard.StreamID

	mu      sync.Mutex
	frame   *frame
	ledger  ledger
	capture *capture // while a graph is captured
	pinned  int      // the thread, while pinned
	pins    bool
}

// frame holds what the driver reads during a call. It lives as long as the stream, so that no call allocates.
type frame struct {
	args   [12]uintptr
	extra  [5]uintptr // CU_LAUNCH_PARAM_*
	size   uintptr
	params [paramBytesMax]byte
	config extendedConfig
}

// StreamOptions sets up a stream.
type StreamOptions struct {
	Name     string // for findings of the checker
	Priority int    // 0 or, to run before others, negative; the driver takes the nearest it has
}

// NewStream makes a stream that waits for no other (non-blocking, in the driver's words).
func (d *Device) NewStream(o StreamOptions) (*Stream, error) {
	const nonBlocking = 1
	s := &Stream{d: d, name: o.Name, frame: &frame{}}
	err := d.call(cu.StreamCreateWithPriority, uintptr(unsafe.Pointer(&s.handle)), nonBlocking, uintptr(o.Priority))
	if err != nil {
		return nil, err
	}
	if t := d.driver.check; t != nil {
		s.id = t.Stream()
	}
	if s.name == "" {
		s.name = fmt.Sprintf("stream %#x", s.handle)
	}
	f := s.frame
	f.extra = [5]uintptr{
		paramBufferPointer, uintptr(unsafe.Pointer(&f.params[0])),
		paramBufferSize, uintptr(unsafe.Pointer(&f.size)),
		paramEnd,
	}
	handle := s.handle
	s.r = d.own("stream", 0, func() error { return d.call(cu.StreamDestroy, handle) })
	return s, nil
}

// Device returns the stream's device.
func (s *Stream) Device() *Device { return s.d }

// Pin keeps the calling goroutine on its thread, with the device's context current, until Unpin, and lets the calls of
// this stream leave out the switch of contexts. Until then only that goroutine may call the stream, and between its calls
// it may use another device only through streams that it has not pinned on the same thread. The checker holds the first rule.
func (s *Stream) Pin() error {
	if err := s.d.enter(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pins {
		s.d.leave()
		return errors.New("gpu: the stream is pinned already")
	}
	s.pins, s.pinned = true, cu.Thread()
	return nil
}

// Unpin ends Pin. The goroutine that called Pin calls it.
func (s *Stream) Unpin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pins {
		s.pins = false
		s.d.leave()
	}
}

// issue runs an entry point with the first n arguments of the frame. s.mu is held.
func (s *Stream) issue(symbol cu.Symbol, n int) error {
	r, err := s.result(symbol, n)
	if err != nil {
		return err
	}
	if r != cu.Success {
		return s.d.fail(symbol, r)
	}
	return nil
}

// result is issue for calls whose results are not all errors.
func (s *Stream) result(symbol cu.Symbol, n int) (cu.Result, error) {
	if s.r.closed.Load() {
		return 0, fmt.Errorf("%w: stream %s", ErrClosed, s.name)
	}
	if s.pins {
		if e := s.d.lostState.Load(); e != nil {
			return 0, *e
		}
		if s.d.driver.check != nil && cu.Thread() != s.pinned {
			return 0, fmt.Errorf("%w: stream %s is pinned by another goroutine", ErrUnordered, s.name)
		}
	} else {
		if err := s.d.enter(); err != nil {
			return 0, err
		}
		defer s.d.leave()
	}
	r := s.d.driver.table.Call(symbol, s.frame.args[:n])
	runtime.KeepAlive(s)
	return r, nil
}

// Idle reports whether everything on the stream is done.
func (s *Stream) Idle() (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idle()
}

func (s *Stream) idle() (bool, error) {
	if s.capture != nil {
		return false, ErrCapturing
	}
	s.frame.args[0] = s.handle
	r, err := s.result(cu.StreamQuery, 1)
	switch {
	case err != nil:
		return false, err
	case r == cu.NotReady:
		return false, nil
	case r != cu.Success:
		return false, s.d.fail(cu.StreamQuery, r)
	}
	s.settle()
	return true, nil
}

// settle notes that everything put on the stream so far is done.
func (s *Stream) settle() {
	if t := s.d.driver.check; t != nil {
		t.HostSync(s.id)
	}
	s.ledger.retire(s.ledger.tail)
}

// How long Sync and Event.Sync look again at once before they sleep between looks, and the sleeps.
const (
	spins    = 256
	sleepMin = 20 * time.Microsecond
	sleepMax = time.Millisecond
)

// poll looks until done says so, at first without pause. A cancelled context ends it; what was in flight stays in flight.
func poll(ctx context.Context, done func() (bool, error)) error {
	sleep := sleepMin
	for n := 0; ; n++ {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if n < spins {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		time.Sleep(sleep)
		sleep = min(2*sleep, sleepMax)
	}
}

// Sync waits until everything on the stream is done, or for the context. It sees work that is added meanwhile too.
func (s *Stream) Sync(ctx context.Context) error { return poll(ctx, s.Idle) }

// SyncInDriver waits inside the driver, as Option says: the quickest to return where a processor is free, and not to be cancelled.
func (s *Stream) SyncInDriver() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.syncInDriver()
}

func (s *Stream) syncInDriver() error {
	if s.capture != nil {
		return ErrCapturing
	}
	s.frame.args[0] = s.handle
	if err := s.issue(cu.StreamSynchronize, 1); err != nil {
		return err
	}
	s.settle()
	return nil
}

// Wait makes what comes later on the stream wait for the event, which may be of another stream or device.
func (s *Stream) Wait(e *Event) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.r.closed.Load() {
		return fmt.Errorf("%w: event", ErrClosed)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.capture != nil {
		return ErrCapturing
	}
	s.frame.args[0], s.frame.args[1], s.frame.args[2] = s.handle, e.handle, 0
	if err := s.issue(cu.StreamWaitEvent, 3); err != nil {
		return err
	}
	if t := s.d.driver.check; t != nil && e.stream != nil {
		t.Wait(s.id, e.moment)
	}
	return nil
}

// Close waits for what is on the stream and destroys it. It waits for ever for a kernel that does not end: stop a resident
// kernel first, or use CloseWithin. After an error it may be called again.
func (s *Stream) Close() error { return s.CloseWithin(context.Background()) }

// CloseWithin is Close with a limit; when the context ends the stream is still open.
func (s *Stream) CloseWithin(ctx context.Context) error {
	if !s.r.closed.Load() && s.d.Lost() == nil {
		if err := s.Sync(ctx); err != nil && !errors.Is(err, ErrLost) {
			return err
		}
	}
	if s.d.dead.Load() {
		s.mu.Lock()
		s.settle() // nothing runs any more: memory of other devices is theirs alone now
		s.mu.Unlock()
	}
	return s.r.close()
}
