package gpu

import (
	"errors"
	"fmt"

	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Code is a CUresult, as the driver numbers them.
type Code int32

// Codes that callers tell apart with errors.Is(err, gpu.ErrOutOfMemory) and the like.
var (
	ErrOutOfMemory    = &Error{Code: Code(cu.OutOfMemory)}
	ErrNoDevice       = &Error{Code: Code(cu.NoDevice)}
	ErrInvalidValue   = &Error{Code: Code(cu.InvalidValue)}
	ErrNotFound       = &Error{Code: Code(cu.NotFound)}
	ErrIllegalAddress = &Error{Code: Code(cu.IllegalAddress)}
)

// Conditions of this package.
var (
	// ErrNotBuilt: the binary was built with the tag nogpu, or for a system that has no CUDA driver.
	ErrNotBuilt = errors.New("gpu: this binary was built without CUDA")
	// ErrNoDriver: the driver's library could not be opened.
	ErrNoDriver = errors.New("gpu: no CUDA driver")
	// ErrOldDriver: the driver's library lacks entry points that every use needs. It comes with ErrNoDriver.
	ErrOldDriver = errors.New("gpu: the CUDA driver is too old")
	// ErrUnsupported: the installed driver or the device lacks what was asked for.
	ErrUnsupported = errors.New("gpu: not supported here")
	// ErrLost: the device failed for good in this process. Everything on it is gone; other devices and the CPU go on.
	ErrLost = errors.New("gpu: device lost")
	// ErrClosed: the object was closed before.
	ErrClosed = errors.New("gpu: closed")
	// ErrInFlight: the device may still be using the memory.
	ErrInFlight = errors.New("gpu: in use by the device")
	// ErrUnordered: nothing orders the access after an earlier one; only with the checker on.
	ErrUnordered = errors.New("gpu: unordered access")
	// ErrCapturing: the call cannot be part of a graph.
	ErrCapturing = errors.New("gpu: not while a graph is captured")
	// ErrOpen: a device is closed while things on it are open.
	ErrOpen = errors.New("gpu: still open")
)

// Error is a call that the driver refused, or that this package refused before the driver could with fewer words.
type Error struct {
	Op     string // what was called: "cuMemAlloc_v2"
	Code   Code   // the driver's number
	Name   string // the driver's name of it: "CUDA_ERROR_OUT_OF_MEMORY"
	Text   string // what is wrong
	Hint   string // what to do about it; may be empty
	Log    string // what the driver's compiler or linker said; mostly empty
	Sticky bool   // the device is lost
	Async  bool   // earlier work failed and this call only reports it
}

// Error gives everything on one line, but for the log, which has lines of its own.
func (e *Error) Error() string {
	text := fmt.Sprintf("gpu: %s: %s (%d): %s", e.Op, e.Name, e.Code, e.Text)
	if e.Async {
		text += " (earlier work on the device failed; this call only reports it)"
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	if e.Log != "" {
		text += "\n" + e.Log
	}
	return text
}

// Is matches an error of the same code, and ErrLost and ErrUnsupported by what the code means.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrLost:
		return e.Sticky
	case ErrUnsupported:
		return e.Code == Code(cu.Absent) || e.Code == Code(cu.NotSupported)
	}
	t, ok := target.(*Error)
	return ok && t.Op == "" && t.Code == e.Code
}

// hints says what an operator can do about a code.
func hint(code cu.Result) string {
	switch code {
	case cu.OutOfMemory:
		return "free memory on the device, or ask for less"
	case cu.NoDevice:
		return "the driver sees no GPU: see nvidia-smi, CUDA_VISIBLE_DEVICES, and whether a container was given the device"
	case cu.InvalidDevice:
		return "there is no device of that number"
	case cu.NoBinaryForGPU, cu.UnsupportedPTXVersion:
		return "the code is newer than the driver or made for another GPU: install a newer driver"
	case cu.InvalidPTX, cu.InvalidImage:
		return "the code is damaged or not for this driver"
	case cu.JITCompilerNotFound:
		return "libnvidia-ptxjitcompiler.so.1 is missing; it comes with the driver"
	case cu.OperatingSystem:
		return "the driver could not use the device files: see the permissions of /dev/nvidia* and whether a container was given them"
	case cu.InvalidContext:
		return "a call was made on a thread where another context is current; report this"
	case cu.LaunchOutOfResources:
		return "the kernel needs more registers or shared memory than a block of this size can have: use smaller blocks"
	case cu.LaunchTimeout:
		return "a display's watchdog ended the kernel: use a device without a display"
	case cu.ECCUncorrectable:
		return "the memory of the device is damaged: see nvidia-smi -q, and reset or replace it"
	case cu.IllegalAddress, cu.MisalignedAddress, cu.InvalidAddressSpace, cu.InvalidPC, cu.IllegalInstruction,
		cu.HardwareStackError, cu.Assert, cu.LaunchFailed:
		return "a kernel failed: run it under compute-sanitizer; the process must restart to use this device again"
	case cu.NotPermitted, cu.NotSupported, cu.Absent:
		return "a newer driver or another device may have it"
	case cu.SystemNotReady:
		return "a service of the machine is not running yet: nvidia-fabricmanager on machines with NVSwitch"
	case cu.DriverMismatch:
		return "the driver's library and its kernel module differ: restart the machine after the update"
	case cu.CompatNotSupported:
		return "a compatibility library is in the way: take cuda-compat out of the library path"
	}
	return ""
}

// refuse is an error of this package's own checks, in the words of the code that the driver would have given.
func refuse(op, text, hint string) *Error {
	return &Error{Op: op, Code: Code(cu.InvalidValue), Name: "CUDA_ERROR_INVALID_VALUE", Text: text, Hint: hint}
}

func unsupported(op, text string) *Error {
	return &Error{Op: op, Code: Code(cu.NotSupported), Name: "CUDA_ERROR_NOT_SUPPORTED", Text: text, Hint: hint(cu.NotSupported)}
}
