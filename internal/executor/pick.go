package executor

import (
	"fmt"
	"slices"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/mailbox"
	"github.com/sigengine/sigengine/internal/engine"
)

// pick opens the devices that the lanes are dealt out over: those that were named, all of which must do, or else all that do.
func (o *Owner) pick(c *engine.Config) ([]*gpu.Device, error) {
	if err := o.open(); err != nil {
		return nil, err
	}
	if o.dispatch() == engine.DispatchResident && !mailbox.Supported() {
		return nil, &Problem{Text: "this processor cannot write 16 bytes at once, which resident kernels need", Hint: "use --dispatch stream"}
	}
	if q := c.Program.SlotQuarters; q > engine.GPUSlotQuartersMax {
		return nil, &Problem{
			Text: fmt.Sprintf("the program's slots have %d quarters; a GPU takes %d", q, engine.GPUSlotQuartersMax),
			Hint: "use fewer other instruments (ref) in the signals, or the CPU executor",
		}
	}
	named := len(o.request.Devices) > 0
	wanted := o.request.Devices
	for i := 0; !named && i < o.driver.Count(); i++ {
		wanted = append(wanted, i)
	}
	var devices []*gpu.Device
	var first error
	for _, index := range wanted {
		if len(devices) == c.Lanes { // a device without a lane has nothing to do
			break
		}
		d, err := o.device(index)
		if err == nil {
			devices = append(devices, d)
			continue
		}
		if named {
			return nil, err
		}
		if first == nil {
			first = err
		}
	}
	devices, err := o.fitting(c, devices, named)
	if first == nil {
		first = err
	}
	if len(devices) == 0 {
		return nil, first
	}
	if first != nil {
		o.request.Log.Info("not every GPU is used", "reason", Explain(first, o.request.Machine).Text)
	}
	return devices, nil
}

// fitting leaves out devices that are too small, unless they were named.
func (o *Owner) fitting(c *engine.Config, devices []*gpu.Device, named bool) (kept []*gpu.Device, first error) {
	for len(devices) > 0 {
		needs, err := engine.GPUNeeds(c, len(devices), o.dispatch())
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(devices, func(d *gpu.Device) bool {
			err = o.fits(d, needs)
			return err != nil
		})
		if at < 0 {
			return devices, first
		}
		if first == nil {
			first = err
		}
		if named {
			return nil, first
		}
		devices = slices.Delete(devices, at, at+1) // the others get its lanes
	}
	return nil, first
}

// device opens a device, or returns it if it is open.
func (o *Owner) device(index int) (*gpu.Device, error) {
	for _, d := range o.devices {
		if d.Info().Ordinal != index {
			continue
		}
		if err := d.Lost(); err != nil {
			return nil, &Problem{Text: fmt.Sprintf("GPU %d was lost", index), Hint: "start again to use it", Err: err}
		}
		return d, nil
	}
	info, err := o.driver.Info(index)
	if index >= o.driver.Count() {
		return nil, &Problem{
			Text: fmt.Sprintf("there is no GPU %d; the driver sees %d, numbered from 0", index, o.driver.Count()),
			Hint: "sigengine check lists them; see CUDA_VISIBLE_DEVICES", Err: err,
		}
	}
	if err != nil {
		return nil, err
	}
	if err := able(&info); err != nil {
		return nil, err
	}
	d, err := o.driver.Open(index)
	if err != nil {
		return nil, fmt.Errorf("GPU %d, %s: %w", index, info.Name, err)
	}
	o.devices = append(o.devices, d)
	return d, nil
}

// able says what a device lacks that every program needs.
func able(info *gpu.Info) error {
	name := fmt.Sprintf("GPU %d, %s,", info.Ordinal, info.Name)
	switch {
	case info.Prohibited:
		return &Problem{
			Text: name + " is in compute mode Prohibited",
			Hint: fmt.Sprintf("allow its use: nvidia-smi -i %d -c DEFAULT", info.Ordinal),
		}
	case info.Major < engine.GPUComputeMajor:
		return &Problem{
			Text: fmt.Sprintf("%s has compute capability %d.%d; %d.0 is needed", name, info.Major, info.Minor, engine.GPUComputeMajor),
			Hint: "use a GPU of the Ampere generation or newer, or the CPU executor",
		}
	case !info.MapsHost || !info.Unified:
		return &Problem{Text: name + " cannot map the host's memory", Hint: "use another GPU, or the CPU executor"}
	}
	return nil
}

// fits says what a device has too little of.
func (o *Owner) fits(d *gpu.Device, needs engine.GPUDemand) error {
	info := d.Info()
	name := fmt.Sprintf("GPU %d, %s,", info.Ordinal, info.Name)
	if o.dispatch() == engine.DispatchResident && needs.LanesOnDevice > info.SMs {
		return &Problem{
			Text: fmt.Sprintf("%s has %d multiprocessors; %d lanes need one each", name, info.SMs, needs.LanesOnDevice),
			Hint: fmt.Sprintf("use --lanes %d, more GPUs, or --dispatch stream", info.SMs),
		}
	}
	free, total, err := d.Memory()
	if err != nil {
		return fmt.Errorf("GPU %d, %s: %w", info.Ordinal, info.Name, err)
	}
	if needs.DeviceBytes > free {
		return &Problem{
			Text: fmt.Sprintf("%s has %d MiB free of %d; %d are needed", name, free>>20, total>>20, (needs.DeviceBytes+1<<20-1)>>20),
			Hint: "end what else uses it (nvidia-smi), or lower engine.instruments, or use more GPUs",
			Err:  gpu.ErrOutOfMemory,
		}
	}
	return nil
}
