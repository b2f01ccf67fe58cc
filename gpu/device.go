package gpu

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Device is an opened device: its primary context, retained, and what lives in it. It is safe for use from any goroutine.
type Device struct {
	driver  *Driver
	info    Info
	handle  int32
	context uintptr
	bind    [1]uintptr // the argument of cuCtxSetCurrent, kept

	lostState atomic.Pointer[error]
	dead      atomic.Bool // lost by an error that ended the context: nothing runs in it any more
	closed    atomic.Bool
	released  bool // under mu
	collected atomic.Int64
	stalls    atomic.Int64

	mu    sync.Mutex
	live  map[*resource]uint64 // to the order in which they were made
	order uint64
	peers map[*Device]bool

	copying sync.Mutex // one at a time on service
	service *Stream    // for copies from and to ordinary Go memory
}

// Option sets up a Device.
type Option func(*deviceOptions)

type deviceOptions struct{ flags uintptr }

// How a thread waits inside the driver, where one does (Stream.SyncInDriver).
var (
	// SpinInDriver burns a processor and returns soonest.
	SpinInDriver Option = func(o *deviceOptions) { o.flags = 1 }
	// BlockInDriver sleeps; the default.
	BlockInDriver Option = func(o *deviceOptions) { o.flags = 4 }
)

// Open retains the primary context of a device. It is shared with other libraries in the process that use the device.
func (d *Driver) Open(ordinal int, options ...Option) (*Device, error) {
	info, handle, err := d.inspect(ordinal)
	if err != nil {
		return nil, err
	}
	o := deviceOptions{flags: 4}
	for _, set := range options {
		set(&o)
	}
	// Flags of a context that somebody else made are theirs; a refusal is no reason not to go on.
	if r := d.call(cu.DevicePrimaryCtxSetFlags, uintptr(handle), o.flags); r != cu.Success && r != cu.ContextActive && r != cu.Absent {
		return nil, d.describe(cu.DevicePrimaryCtxSetFlags, r)
	}
	dev := &Device{driver: d, info: info, handle: handle, live: map[*resource]uint64{}, peers: map[*Device]bool{}}
	if r := d.call(cu.DevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&dev.context)), uintptr(handle)); r != cu.Success {
		return nil, d.describe(cu.DevicePrimaryCtxRetain, r)
	}
	dev.bind[0] = dev.context
	dev.service, err = dev.NewStream(StreamOptions{Name: "service"})
	if err != nil {
		return nil, errors.Join(err, dev.release())
	}
	return dev, nil
}

// Info returns what the device is.
func (d *Device) Info() Info { return d.info }

// Driver returns the driver that the device belongs to.
func (d *Device) Driver() *Driver { return d.driver }

// Lost returns nil, or the error after which nothing on the device works any more in this process.
func (d *Device) Lost() error {
	if e := d.lostState.Load(); e != nil {
		return *e
	}
	return nil
}

// Lose declares the device lost: its owner found that it does not answer. What is on it is given up, not freed, and what it
// may still be using of other devices is kept.
func (d *Device) Lose(reason error) {
	err := fmt.Errorf("%w: %w", ErrLost, reason)
	d.lostState.CompareAndSwap(nil, &err)
}

// enter makes the device's context current on this thread and keeps the goroutine on it until leave.
func (d *Device) enter() error {
	if e := d.lostState.Load(); e != nil {
		return *e
	}
	if d.closed.Load() {
		return fmt.Errorf("%w: device %d", ErrClosed, d.info.Ordinal)
	}
	runtime.LockOSThread()
	if r := d.driver.table.Call(cu.CtxSetCurrent, d.bind[:]); r != cu.Success {
		runtime.UnlockOSThread()
		return d.fail(cu.CtxSetCurrent, r)
	}
	return nil
}

func (d *Device) leave() { runtime.UnlockOSThread() }

// fail makes an error of a result and notes a lost device.
func (d *Device) fail(s cu.Symbol, r cu.Result) error {
	e := d.driver.describe(s, r)
	if e.Sticky {
		d.dead.Store(true)
		d.Lose(e)
	}
	return e
}

// call runs an entry point in the device's context. It is for what happens rarely: its arguments are allocated.
//
//go:uintptrescapes
func (d *Device) call(s cu.Symbol, args ...uintptr) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	if r := d.driver.table.Call(s, args); r != cu.Success {
		return d.fail(s, r)
	}
	return nil
}

// needs says which of the entry points the driver lacks: what makes a thing is not called where what destroys it is missing.
func (d *Device) needs(symbols ...cu.Symbol) error {
	for _, s := range symbols {
		if !d.driver.table.Has(s) {
			return d.driver.describe(s, cu.Absent)
		}
	}
	return nil
}

// Memory returns the bytes that are free and that the device has.
func (d *Device) Memory() (free, total uint64, err error) {
	err = d.call(cu.MemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return free, total, err
}

// Stats are counts since Open.
type Stats struct {
	Live      int   // open things
	Collected int64 // things whose last reference went while they were open
	Stalls    int64 // calls that waited because too much was in flight on their stream
}

// Stats returns the counts.
func (d *Device) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Stats{Live: len(d.live), Collected: d.collected.Load(), Stalls: d.stalls.Load()}
}

// Leaks lists what is open, oldest first, but for the device's own.
func (d *Device) Leaks() []Leak {
	var leaks []Leak
	for _, r := range d.sorted() {
		if d.service == nil || r != d.service.r {
			leaks = append(leaks, r.leak())
		}
	}
	return leaks
}

func (d *Device) sorted() []*resource {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]*resource, 0, len(d.live))
	for r := range d.live {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *resource) int { return int(d.live[a]) - int(d.live[b]) })
	return all
}

// Close gives the context back. What is unreachable or waits for a second try is freed first. If anything else is open it
// returns ErrOpen with a list and closes nothing: memory is never freed under its user. A lost device is given up; one that
// does not answer (Lose) is not even released, for the driver would wait for it: that is left to the end of the process.
func (d *Device) Close() error {
	d.mu.Lock()
	done := d.released
	d.mu.Unlock()
	if done {
		return nil
	}
	if d.Lost() != nil {
		d.closed.Store(true)
		if d.dead.Load() { // else something may run for ever, and the driver would wait for it
			_ = d.release() // the driver answers with the error that is known already
		}
		return nil
	}
	if !d.service.r.closed.Load() {
		if err := d.service.SyncInDriver(); err != nil { // a wait that failed may have left something in flight
			return err
		}
	}
	var failed []error
	all := d.sorted()
	for _, r := range slices.Backward(all) { // what was made last depends on what was made before
		if r.abandoned.Load() && !r.closed.Load() || r.closed.Load() && r.owners.Load() == 0 {
			failed = append(failed, r.close())
		}
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if leaks := d.Leaks(); len(leaks) > 0 {
		err := fmt.Errorf("%w on device %d: %d", ErrOpen, d.info.Ordinal, len(leaks))
		for _, l := range leaks {
			err = fmt.Errorf("%w\n%s", err, l)
		}
		return err
	}
	if err := d.service.Close(); err != nil {
		return err
	}
	return d.release()
}

func (d *Device) release() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.released {
		return nil
	}
	r := d.driver.call(cu.DevicePrimaryCtxRelease, uintptr(d.handle))
	if r != cu.Success && !r.Sticky() {
		return d.driver.describe(cu.DevicePrimaryCtxRelease, r)
	}
	d.released = true
	d.closed.Store(true)
	return nil
}
