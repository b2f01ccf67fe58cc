package executor

import (
	"fmt"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
)

// Found is a device as Look saw it.
type Found struct {
	Index       int
	Name        string
	PCI         string
	SMs         int
	Exclusive   bool   // one process at a time
	FreeBytes   uint64 // 0 if it was not opened
	MemoryBytes uint64
	Problem     *Problem // why it cannot be used; nil: it can
}

// Findings are what Look found.
type Findings struct {
	Driver   string // of the kernel, as 580.159.04; may be empty
	CUDA     string // the version that the driver speaks; empty without one
	Devices  []Found
	Needs    *engine.GPUDemand // of the program; nil without one, or if no device can run it
	Dispatch engine.Dispatch
	Used     []int    // devices that a run would use
	Problem  *Problem // why the program would not run on a GPU; nil: it would
}

// Look says what Place would do with a configuration and why: it looks at every device, and tries the program where it would run. A
// configuration without a program is looked at as far as that goes. Close afterwards.
func (o *Owner) Look(c *engine.Config) *Findings {
	f := &Findings{Dispatch: o.dispatch(), Driver: o.request.Machine.kernelDriver()}
	err := o.open()
	if o.driver != nil {
		major, minor := o.driver.Version()
		f.CUDA = fmt.Sprintf("%d.%d", major, minor)
	}
	if err != nil {
		f.Problem = Explain(err, o.request.Machine)
		return f
	}
	usable := false
	for i := range o.driver.Count() {
		f.Devices = append(f.Devices, o.lookAt(i))
		usable = usable || f.Devices[i].Problem == nil
	}
	if c.Program == nil {
		if !usable {
			f.Problem = f.Devices[0].Problem
		}
		return f
	}
	placed, err := o.choose(c)
	devices := 1
	if err != nil {
		f.Problem = Explain(err, o.request.Machine)
	} else {
		devices = len(placed.Devices)
		for _, d := range placed.Devices {
			f.Used = append(f.Used, d.Info().Ordinal)
		}
	}
	if needs, err := engine.GPUNeeds(c, devices, o.dispatch()); err == nil {
		f.Needs = &needs
	}
	return f
}

// lookAt opens a device.
func (o *Owner) lookAt(index int) Found {
	info, err := o.driver.Info(index)
	f := Found{Index: index, Name: info.Name, PCI: info.PCI, SMs: info.SMs, Exclusive: info.Exclusive, MemoryBytes: info.MemoryBytes}
	if err == nil {
		d, openErr := o.device(index)
		if err = openErr; err == nil {
			f.FreeBytes, _, err = d.Memory()
		}
	}
	if err != nil {
		f.Problem = Explain(err, o.request.Machine)
	}
	return f
}

// Asked returns the executor that was asked for.
func (o *Owner) Asked() config.Executor { return o.request.Executor }
