package gpu

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/hazard"
	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Lookup returns the address of a driver's entry point by its exported name. The installed driver has one; a fake
// driver gives its own.
type Lookup = func(name string) (uintptr, error)

// Driver is a loaded CUDA driver. It is safe for use from any goroutine and is never unloaded.
type Driver struct {
	table   *cu.Table
	version int
	count   int
	check   *hazard.Tracker // nil: off
}

// DriverOption sets up a Driver.
type DriverOption func(*Driver)

// Checked turns on the stream-order checker: an access that nothing orders after an earlier one is refused with
// ErrUnordered and kept for Findings. It costs some 65 ns and a small allocation
// for each buffer of each call (BenchmarkCalls, one stream), more with many streams.
func Checked() DriverOption { return func(d *Driver) { d.check = hazard.New() } }

// OpenDriver loads the installed driver. Errors: ErrNotBuilt, ErrNoDriver (with every name tried), or what cuInit said.
func OpenDriver(options ...DriverOption) (*Driver, error) {
	if !cu.Built {
		return nil, fmt.Errorf("%w: use a build without the tag nogpu, for Linux on amd64 or arm64", ErrNotBuilt)
	}
	lookup, err := cu.Open(cu.DriverNames()...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w\ninstall the NVIDIA driver, or give the container access to it (--gpus all)", ErrNoDriver, err)
	}
	return NewDriver(Lookup(lookup), options...)
}

// NewDriver starts the driver whose entry points lookup gives.
func NewDriver(lookup Lookup, options ...DriverOption) (*Driver, error) {
	if !cu.Built {
		return nil, fmt.Errorf("%w: use a build without the tag nogpu, for Linux on amd64 or arm64", ErrNotBuilt)
	}
	table, err := cu.Load(cu.Lookup(lookup))
	if err != nil {
		return nil, fmt.Errorf("%w: %w: %w; CUDA 11.2 is needed, 12.4 is best", ErrNoDriver, ErrOldDriver, err)
	}
	d := &Driver{table: table}
	for _, o := range options {
		o(d)
	}
	if r := d.call(cu.Init, 0); r != cu.Success {
		return nil, d.describe(cu.Init, r)
	}
	var version, count int32
	if r := d.call(cu.DriverGetVersion, uintptr(unsafe.Pointer(&version))); r != cu.Success {
		return nil, d.describe(cu.DriverGetVersion, r)
	}
	if r := d.call(cu.DeviceGetCount, uintptr(unsafe.Pointer(&count))); r != cu.Success {
		return nil, d.describe(cu.DeviceGetCount, r)
	}
	d.version, d.count = int(version), int(count)
	return d, nil
}

// call is for what needs no context.
//
//go:uintptrescapes
func (d *Driver) call(s cu.Symbol, args ...uintptr) cu.Result { return d.table.Call(s, args) }

// Version returns the CUDA version of the driver: major and minor, 13 and 0 for CUDA 13.0.
func (d *Driver) Version() (major, minor int) { return d.version / 1000, d.version % 1000 / 10 }

// Count returns the number of devices.
func (d *Driver) Count() int { return d.count }

// Missing returns the names of the optional entry points that this driver lacks: what needs them gives ErrUnsupported.
func (d *Driver) Missing() (names []string) {
	for _, s := range cu.Symbols() {
		if !d.table.Has(s) {
			names = append(names, s.String())
		}
	}
	return names
}

// Findings returns what the stream-order checker found since the last call, at most a hundred, and the number of all.
func (d *Driver) Findings() ([]*hazard.Finding, int) {
	if d.check == nil {
		return nil, 0
	}
	return d.check.Take()
}

// describe makes an error of a result, in the driver's own words.
func (d *Driver) describe(s cu.Symbol, r cu.Result) *Error {
	e := &Error{Op: s.String(), Code: Code(r), Hint: hint(r), Sticky: r.Sticky()}
	e.Async = e.Sticky && r != cu.ECCUncorrectable
	if r == cu.Absent {
		e.Name, e.Text = "absent", "the installed driver has no such entry point"
		return e
	}
	e.Name = d.text(cu.GetErrorName, r)
	e.Text = d.text(cu.GetErrorString, r)
	return e
}

// text asks the driver for the C string that belongs to a result.
func (d *Driver) text(s cu.Symbol, r cu.Result) string {
	var p *byte
	if d.call(s, uintptr(r), uintptr(unsafe.Pointer(&p))) != cu.Success || p == nil {
		return "unknown error"
	}
	return cString(p)
}

// cString copies a C string of at most 64 KiB.
func cString(p *byte) string {
	const limit = 64 << 10
	n := 0
	for n < limit && *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// Open opens a device of the installed driver; for several devices, open the driver once and then each.
func Open(ordinal int, options ...Option) (*Device, error) {
	d, err := OpenDriver()
	if err != nil {
		return nil, err
	}
	return d.Open(ordinal, options...)
}

// Present reports whether the installed driver sees a device, and if not, why.
func Present() (bool, error) {
	d, err := OpenDriver()
	switch {
	case err != nil:
		return false, err
	case d.Count() == 0:
		return false, errors.Join(ErrNoDevice, errors.New("gpu: "+hint(cu.NoDevice)))
	}
	return true, nil
}
