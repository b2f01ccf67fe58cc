package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/hazard"
	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Event marks a moment of a stream. It may be recorded again and again; the last record counts. It is safe for use from
// any goroutine.
type Event struct {
	d      *Device
	r      *resource
	handle uintptr
	timed  bool

	mu       sync.Mutex
	args     *[3]uintptr // kept for the driver
	stream   *Stream     // of the last record
	position uint64      // of that stream's ledger then
	moment   hazard.Event
}

// NewEvent makes an event. A timed one costs the device a little more and can be asked for Since.
func (d *Device) NewEvent(timed bool) (*Event, error) {
	const disableTiming = 2
	flags := uintptr(disableTiming)
	if timed {
		flags = 0
	}
	e := &Event{d: d, timed: timed, args: new([3]uintptr)}
	if err := d.call(cu.EventCreate, uintptr(unsafe.Pointer(&e.handle)), flags); err != nil {
		return nil, err
	}
	handle := e.handle
	e.r = d.own("event", 0, func() error { return d.call(cu.EventDestroy, handle) })
	watch(e, e.r)
	return e, nil
}

// Record marks the present end of the stream, which must be of the event's device.
func (e *Event) Record(s *Stream) error {
	if s.d != e.d {
		return refuse("cuEventRecord", fmt.Sprintf("an event of device %d on a stream of device %d", e.d.info.Ordinal, s.d.info.Ordinal),
			"make the event on the stream's device; other devices' streams may wait for it")
	}
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
	s.frame.args[0], s.frame.args[1] = e.handle, s.handle
	if err := s.issue(cu.EventRecord, 2); err != nil {
		return err
	}
	e.stream, e.position = s, s.ledger.tail
	if t := s.d.driver.check; t != nil {
		e.moment = t.Record(s.id)
	}
	return nil
}

// Done reports whether the stream has passed the event; what was used before it may be used by the host then. An event that
// was never recorded is not done. An error is not "not yet".
func (e *Event) Done() (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.r.closed.Load() {
		return false, fmt.Errorf("%w: event", ErrClosed)
	}
	if e.stream == nil {
		return false, nil
	}
	if err := e.d.enter(); err != nil {
		return false, err
	}
	e.args[0] = e.handle
	r := e.d.driver.table.Call(cu.EventQuery, e.args[:1])
	e.d.leave()
	switch r {
	case cu.Success:
	case cu.NotReady:
		return false, nil
	default:
		return false, e.d.fail(cu.EventQuery, r)
	}
	e.stream.mu.Lock()
	defer e.stream.mu.Unlock()
	if t := e.d.driver.check; t != nil {
		t.HostSyncEvent(e.moment)
	}
	e.stream.ledger.retire(e.position)
	return true, nil
}

// Sync waits until the event is done, or for the context.
func (e *Event) Sync(ctx context.Context) error {
	e.mu.Lock()
	recorded := e.stream != nil
	e.mu.Unlock()
	if !recorded {
		return errors.New("gpu: Sync of an event that was not recorded")
	}
	return poll(ctx, e.Done)
}

// Since returns the device's time from an earlier event to this one. Both are timed and done.
func (e *Event) Since(earlier *Event) (time.Duration, error) {
	if !e.timed || !earlier.timed {
		return 0, refuse("cuEventElapsedTime", "an event that keeps no time", "make both with NewEvent(true)")
	}
	var ms float32
	if err := e.d.call(cu.EventElapsedTime, uintptr(unsafe.Pointer(&ms)), earlier.handle, e.handle); err != nil {
		return 0, err
	}
	return time.Duration(float64(ms) * float64(time.Millisecond)), nil
}

// Close destroys the event. The device goes on with what waits for it.
func (e *Event) Close() error { return e.r.close() }
