//go:build !nogpu && linux && (amd64 || arm64)

package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/gpu/mailbox"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/signal"
)

// machine is what a test runs on: the fake driver with the kernels in Go, or the installed driver.
type machine struct {
	fake    *cufake.GPU       // nil: the installed driver
	kernels *engine.GoKernels // nil likewise
	driver  *gpu.Driver
	devices []*gpu.Device
}

const (
	tapeSeed  = 7
	tapeTicks = 4000
)

// programs are signals with windows, clocks, references, parameters and earlier signals among them.
func programs(t testing.TB) map[string]engine.Config {
	t.Helper()
	all := map[string]engine.Config{"six": gpuShape(t)}
	for name, text := range map[string]string{
		"crossing": `
signals:
  - {name: cross, value: 'microprice - ema(mid, 20)', when: 'crosses(value, 0)', side: '-sign(value)'}
  - {name: flow, value: 'ofi(1s)', when: abs(value) > 20, exit: abs(value) < 5}
  - {name: both, value: cross + flow, when: value > 20, expires: 200ms, strength: abs(flow)}`,
		"others": `
let: {first: 'ref("VENUE", "NAME")'}
signals:
  - name: lead
    value: of(first, diff(mid, 5)) - diff(mid, 5)
    when: abs(value) > level
    on: [self, first]
    params: {level: 0.5}
    overrides: [{for: '*.*1*', params: {level: 1}}]
  - {name: beat, value: 'sma(mid, 2s)', when: 'crosses(mid - value, 0)', on: clock(20ms)}`,
	} {
		first := record(t, tapeSeed, 1).symbols[0]
		text = strings.NewReplacer("VENUE", first.Venue, "NAME", first.Name).Replace(text)
		c, err := config.Parse("test.yaml", []byte("version: 1\nfeeds: [{name: sim, subject: md.>, codec: json}]"+text+"\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = shapeOf(t, c)
	}
	return all
}

// gpuShape is the engine of six.yaml, fused, for the tape's instruments.
func gpuShape(t testing.TB) engine.Config {
	t.Helper()
	return shapeOf(t, six(t))
}

// busyShape is an engine whose signals come often and depend on one another.
func busyShape(t testing.TB) engine.Config {
	t.Helper()
	return programs(t)["crossing"]
}

func shapeOf(t testing.TB, c *config.Config) engine.Config {
	t.Helper()
	shape, _, err := setup.Engine(c)
	if err != nil {
		t.Fatal(err)
	}
	shape.Mode, shape.Instruments, shape.LaneSlots, shape.Batch = engine.ModeFused, 32, 256, 64
	return shape
}

// machineOn opens the devices of a fake, whose kernels run the shape's program. The caller closes both.
func machineOn(t testing.TB, fake *cufake.GPU, shape *engine.Config, options ...gpu.DriverOption) *machine {
	t.Helper()
	if !mailbox.Supported() {
		t.Skip("this processor has no indivisible stores of 16 bytes")
	}
	m := &machine{
		fake: fake,
		kernels: &engine.GoKernels{
			Program: shape.Program, Instruments: (shape.Instruments + shape.Lanes - 1) / shape.Lanes, Seed: 1, Resume: make(chan struct{}),
		},
	}
	m.kernels.Register(fake)
	var err error
	if m.driver, err = gpu.NewDriver(fake.Lookup, options...); err != nil {
		t.Fatal(err)
	}
	for i := range m.driver.Count() {
		d, err := m.driver.Open(i)
		if err != nil {
			t.Fatal(err)
		}
		m.devices = append(m.devices, d)
	}
	return m
}

// onFake is machineOn for a fake that ends with the test; then nothing may be open, on the driver's side neither, nor
// anything unordered.
func onFake(t testing.TB, shape *engine.Config, devices int) *machine {
	t.Helper()
	fake := cufake.New(cufake.Options{Devices: devices, MemoryBytes: 1 << 30})
	t.Cleanup(fake.Close)
	m := machineOn(t, fake, shape, gpu.Checked())
	t.Cleanup(func() {
		lost := false
		for _, d := range m.devices {
			unowned(t, d)
			lost = lost || d.Lost() != nil
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
		if leaks := fake.Leaks(); !lost && len(leaks) > 0 { // what a lost device has is the driver's to free
			t.Errorf("left in the driver: %v", leaks)
		}
		found, _ := m.driver.Findings()
		for _, f := range found {
			t.Error(f)
		}
	})
	return m
}

// unowned holds that the engine has closed everything: nothing is open but what a kernel may still be using that the device
// did not end before it was lost.
func unowned(t testing.TB, d *gpu.Device) {
	t.Helper()
	for _, leak := range d.Leaks() {
		if d.Lost() == nil || !leak.InFlight {
			t.Errorf("open: %v", leak)
		}
	}
}

// onBoth runs a test on the fake, and on a real device where there is one. The shape is complete but for GPU.
func onBoth(t *testing.T, shape engine.Config, test func(t *testing.T, m *machine, shape engine.Config)) {
	t.Helper()
	t.Run("fake", func(t *testing.T) { test(t, onFake(t, &shape, 1), shape) })
	if present, _ := gpu.Present(); present {
		t.Run("device", func(t *testing.T) { test(t, &machine{devices: []*gpu.Device{openDevice(t)}}, shape) })
	}
}

// bodies collects decided signals.
type bodies struct {
	all   []string
	ended bool // no more may come
	late  int  // what came all the same
}

func (b *bodies) Emit(_ uint32, body *signal.Body, _ int64) uint8 {
	if b.ended {
		b.late++
	}
	b.all = append(b.all, string(signal.AppendBinary(nil, body)))
	return 0
}

// outcome is what a run gave.
type outcome struct {
	e       *engine.Engine // nil: New refused
	hash    string
	signals uint64
	bodies  []string
	err     error // of the start, of a tick, or of the end
}

// run replays a tape. at is called before every tick, if not nil. An instrument is made known with its first tick.
func (r *tape) run(shape engine.Config, ports engine.Ports, at func(e *engine.Engine, tick int)) (o outcome) {
	var b bodies
	ports.Clock, ports.Sink = feed.NewManualClock(0), &b
	e, err := engine.New(shape, ports)
	if err != nil {
		return outcome{err: err}
	}
	o.e = e
	recording := e.Record()
	for i := range r.ticks {
		if at != nil {
			at(e, i)
		}
		tick := &r.ticks[i]
		if id := tick.Instrument; id != feed.AllInstruments {
			o.err = recording.Define(id, uint16(1+id%2), r.symbols[id])
		}
		if o.err == nil {
			o.err = recording.Tick(tick)
		}
		if o.err != nil {
			break
		}
	}
	o.err = errors.Join(o.err, recording.Close())
	o.hash, o.signals = e.OutputHash()
	o.bodies = b.all
	b.ended = true
	return o
}

// clean is the CPU's run of the tape.
func (r *tape) clean(t testing.TB, shape engine.Config) outcome {
	t.Helper()
	shape.GPU = nil
	o := r.run(shape, engine.Ports{}, nil)
	if o.err != nil || o.signals < 5 {
		t.Fatalf("%d signals, too few to compare; %v", o.signals, o.err)
	}
	return o
}

// same holds that a run gave what the CPU gives, without an error.
func (o *outcome) same(t testing.TB, want outcome) {
	t.Helper()
	if o.err != nil {
		t.Fatal(o.err)
	}
	if o.hash != want.hash {
		t.Errorf("hash %s of %d signals, want %s of %d", o.hash, o.signals, want.hash, want.signals)
	}
}

// sound holds that the devices gave what the CPU gives, and nothing went wrong with them on the way.
func (o *outcome) sound(t testing.TB, want outcome) {
	t.Helper()
	o.same(t, want)
	if o.e.Mismatches() != 0 || o.e.DeviceLost() != nil {
		t.Errorf("%d rows were wrong; lost: %v", o.e.Mismatches(), o.e.DeviceLost())
	}
}

// begins holds that what a run decided is a beginning of what the CPU decides: nothing wrong, nothing left out in between.
func (o *outcome) begins(t testing.TB, want outcome) {
	t.Helper()
	if len(o.bodies) > len(want.bodies) {
		t.Fatalf("%d signals of %d", len(o.bodies), len(want.bodies))
	}
	for i := range o.bodies {
		if o.bodies[i] != want.bodies[i] {
			t.Fatalf("signal %d is not the CPU's", i)
		}
	}
}

// judge holds what must be true after a loss: with followers everything was decided as by the CPU and nobody was told of an
// error; without, the engine says that a device was lost and what to do, and what it decided before is a beginning of the
// right output.
func (o *outcome) judge(t testing.TB, want outcome, follow bool) {
	t.Helper()
	if follow {
		o.same(t, want)
		if o.e.DeviceLost() == nil || o.e.Mismatches() != 0 {
			t.Errorf("lost: %v; %d rows differed", o.e.DeviceLost(), o.e.Mismatches())
		}
		return
	}
	if !errors.Is(o.err, engine.ErrDeviceLost) || !strings.Contains(o.err.Error(), "--executor cpu") {
		t.Errorf("the engine said %v", o.err)
	}
	o.begins(t, want)
	if len(o.bodies) == len(want.bodies) {
		t.Error("nothing is missing: the loss came too late to test anything")
	}
}

var (
	dispatches = []engine.Dispatch{engine.DispatchResident, engine.DispatchStream}
	modes      = []engine.Mode{engine.ModeFused, engine.ModeStaged}
)
