package executor

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
)

// Request is what a user asked for. The zero value of each of the configuration's words means auto.
type Request struct {
	Executor config.Executor
	Dispatch config.Dispatch
	Follow   config.Follow
	Devices  []int // empty: all that can be used
	Live     bool  // a live run; else a replay

	Log     *slog.Logger
	Machine Machine
	Open    func() (*gpu.Driver, error) // nil: the installed driver
	Try     func(engine.Config) error   // nil: engine.TryGPU
}

// Owner decides for a run, or for the runs of one journal, and owns the devices.
type Owner struct {
	request Request
	opened  bool
	driver  *gpu.Driver
	err     error // of opening it
	devices []*gpu.Device
	said    string
}

// New returns an Owner that has opened nothing.
func New(r Request) *Owner {
	if r.Open == nil {
		r.Open = func() (*gpu.Driver, error) { return gpu.OpenDriver() }
	}
	if r.Try == nil {
		r.Try = engine.TryGPU
	}
	if r.Log == nil {
		r.Log = slog.New(slog.DiscardHandler)
	}
	r.Machine = r.Machine.complete()
	return &Owner{request: r}
}

// Place sets where the program of an engine's configuration, otherwise complete, will run, and logs it. With the executor "gpu"
// it fails with a *Problem if that cannot be. A configuration without a program has nothing to place.
func (o *Owner) Place(c *engine.Config) error {
	c.GPU = nil
	if c.Program == nil {
		return nil
	}
	if o.request.Executor == config.ExecutorCPU {
		o.say("cpu", "executor", "cpu")
		return nil
	}
	placed, err := o.choose(c)
	if err == nil {
		c.GPU = placed
		o.sayGPU(c)
		return nil
	}
	p := Explain(err, o.request.Machine)
	if o.request.Executor == config.ExecutorGPU {
		return p
	}
	if p.Nothing {
		o.say(p.Text, "executor", "cpu", "no_gpu", p.Text)
	} else {
		o.say(p.Text, "executor", "cpu", "no_gpu", p.Text, "hint", p.Hint)
	}
	if err := o.Close(); err != nil { // nothing of a GPU is kept for a run that does not use it
		o.request.Log.Warn("a GPU could not be closed in good order", "error", err)
	}
	return nil
}

// say logs what was decided, unless that was said last.
func (o *Owner) say(what string, args ...any) {
	if what == o.said {
		return
	}
	o.said = what
	o.request.Log.Info("executor", args...)
}

func (o *Owner) sayGPU(c *engine.Config) {
	var devices string
	for i, d := range c.GPU.Devices {
		info := d.Info()
		devices += fmt.Sprintf("%d %s %s, lanes %d; ", info.Ordinal, info.Name, info.PCI, (c.Lanes-i+len(c.GPU.Devices)-1)/len(c.GPU.Devices))
	}
	devices = devices[:len(devices)-2]
	major, minor := o.driver.Version()
	args := []any{
		"executor", "gpu", "devices", devices, "dispatch", c.GPU.Dispatch.String(), "follow", c.GPU.Follow,
		"cuda", fmt.Sprintf("%d.%d", major, minor),
	}
	if number := o.request.Machine.kernelDriver(); number != "" {
		args = append(args, "driver", number)
	}
	o.say(fmt.Sprint(devices, c.GPU.Dispatch, c.GPU.Follow), args...)
}

// dispatch resolves auto.
func (o *Owner) dispatch() engine.Dispatch {
	switch o.request.Dispatch {
	case config.DispatchResident:
		return engine.DispatchResident
	case config.DispatchStream:
		return engine.DispatchStream
	}
	if o.request.Live {
		return engine.DispatchResident
	}
	return engine.DispatchStream
}

// follow resolves auto.
func (o *Owner) follow() bool {
	switch o.request.Follow {
	case config.FollowOn:
		return true
	case config.FollowOff:
		return false
	}
	return o.request.Live
}

// choose opens what the program will run on and tries it there.
func (o *Owner) choose(c *engine.Config) (*engine.GPU, error) {
	devices, err := o.pick(c)
	if err != nil {
		return nil, err
	}
	placed := &engine.GPU{Devices: devices, Dispatch: o.dispatch(), Follow: o.follow()}
	trial := *c
	trial.GPU = placed
	if err := o.request.Try(trial); err != nil {
		return nil, fmt.Errorf("%s: %w", devices[0].Info().Name, err)
	}
	return placed, nil
}

// open loads the driver, once.
func (o *Owner) open() error {
	if o.opened {
		return o.err
	}
	o.opened = true
	o.driver, o.err = o.request.Open()
	if o.err != nil {
		return o.err
	}
	if o.driver.Count() == 0 {
		o.err = &gpu.Error{Op: "cuDeviceGetCount", Code: codeNoDevice, Name: "CUDA_ERROR_NO_DEVICE", Text: "no device"}
	} else if major, minor := o.driver.Version(); major < engine.GPUDriverMajor || major == engine.GPUDriverMajor && minor < engine.GPUDriverMinor {
		o.err = &Problem{
			Text: fmt.Sprintf("the NVIDIA driver is too old: it speaks CUDA %d.%d", major, minor), Hint: oldDriverHint(o.request.Machine),
		}
	}
	return o.err
}

// Close closes the devices, when the engine has ended. What is still open on one is logged: it is a mistake of this program.
func (o *Owner) Close() error {
	var errs []error
	for _, d := range o.devices {
		err := d.Close()
		if err != nil && !errors.Is(err, gpu.ErrOpen) {
			err = d.Close() // what failed once may be tried again
		}
		if errors.Is(err, gpu.ErrOpen) {
			o.request.Log.Warn("something was left open on a GPU; report this", "device", d.Info().Ordinal, "open", err)
			err = nil
		}
		errs = append(errs, err)
	}
	o.devices = nil
	return errors.Join(errs...)
}
