package engine

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// What the kernels' PTX needs at least.
const (
	GPUDriverMajor, GPUDriverMinor = 12, 4 // the CUDA version that the driver speaks: PTX 8.4
	GPUComputeMajor                = 8     // of the device: sm_80

	GPUSlotQuartersMax = cuda.SlotQuartersMax // a program with larger slots runs on the CPU only
)

// GPUDemand is what a configuration's program needs where it runs on so many devices. Bytes are of one device, the one with
// most lanes.
type GPUDemand struct {
	Lanes         int // of the configuration
	LanesOnDevice int // most of one device; a resident kernel keeps a multiprocessor busy for each
	StateBytes    int // an instrument's
	SlotBytes     int // a tick, as it goes to the device
	RowBytes      int // what comes back
	DeviceBytes   uint64
	PinnedBytes   uint64 // of the host's memory
}

// GPUNeeds returns what a configuration with a program needs on so many devices. It fails with ErrConfig if no device can run
// the program.
func GPUNeeds(c *Config, devices int, dispatch Dispatch) (GPUDemand, error) {
	const quarter = int(unsafe.Sizeof(program.Quarter{}))
	p := c.Program
	if p.SlotQuarters > cuda.SlotQuartersMax {
		return GPUDemand{}, fmt.Errorf("%w: slots of %d quarters, the GPU kernels take %d", ErrConfig, p.SlotQuarters, cuda.SlotQuartersMax)
	}
	d := GPUDemand{
		Lanes: c.Lanes, LanesOnDevice: (c.Lanes + devices - 1) / devices,
		StateBytes: p.StateWords * 8, SlotBytes: p.SlotQuarters * quarter, RowBytes: p.RowQuarters * quarter,
	}
	perLane, instruments := uint64(d.SlotBytes+d.RowBytes), (c.Instruments+c.Lanes-1)/c.Lanes
	device, pinned := uint64(instruments)*uint64(d.StateBytes), perLane*uint64(c.LaneSlots)
	if dispatch == DispatchStream {
		batches := uint64(d.SlotBytes) * flightSlots * flightsMax
		device, pinned = device+batches, pinned+batches
	}
	d.DeviceBytes, d.PinnedBytes = device*uint64(d.LanesOnDevice), pinned*uint64(d.LanesOnDevice)
	return d, nil
}

// TryGPU makes an engine's lanes on their devices, starts and ends them: it compiles the program, takes the memory and starts
// the kernels, or says why that cannot be.
func TryGPU(c Config) error {
	c.Mode, c.laneStart = ModeFused, 0
	e, err := New(c, Ports{Clock: feed.NewManualClock(0)})
	if err != nil {
		return err
	}
	recording := e.Record()
	err = e.fault()
	return errors.Join(err, recording.Close())
}

// Discard gives back what an engine holds on devices that never ran, and will not.
func (e *Engine) Discard() error { return e.closeGPU() }

// GPU describes the devices that run the program and what became of them; nil without. Any goroutine.
func (e *Engine) GPU() *metrics.GPU {
	if len(e.gpus) == 0 {
		return nil
	}
	out := &metrics.GPU{
		Dispatch: e.config.GPU.Dispatch.String(), Follow: e.config.GPU.Follow, Mismatches: e.Mismatches(),
	}
	for _, set := range e.gpus {
		info := set.device.Info()
		d := metrics.Device{Index: info.Ordinal, Name: info.Name, PCI: info.PCI, Lanes: len(set.lanes)}
		if err := set.device.Lost(); err != nil {
			d.Lost = lostReason(err)
		}
		out.Devices = append(out.Devices, d)
		out.Driver = driverVersion(set.device.Driver())
	}
	return out
}

// lostReason is why a device was lost, without the words that it was.
func lostReason(err error) string {
	if e, ok := err.(interface{ Unwrap() []error }); ok {
		for _, reason := range e.Unwrap() {
			if reason != gpu.ErrLost {
				return strings.TrimPrefix(reason.Error(), "engine: ")
			}
		}
	}
	return err.Error()
}

func driverVersion(d *gpu.Driver) string {
	major, minor := d.Version()
	return fmt.Sprintf("%d.%d", major, minor)
}
