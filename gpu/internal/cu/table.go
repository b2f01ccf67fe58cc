package cu

import "errors"

// Lookup returns the address of an entry point by its exported name, as dlsym does.
type Lookup func(name string) (uintptr, error)

// Result is a CUresult: 0 is success.
type Result int32

// Results that this project tells apart.
const (
	Success               Result = 0
	InvalidValue          Result = 1
	OutOfMemory           Result = 2
	NoDevice              Result = 100
	InvalidDevice         Result = 101
	InvalidImage          Result = 200
	InvalidContext        Result = 201
	NoBinaryForGPU        Result = 209
	ECCUncorrectable      Result = 214
	InvalidPTX            Result = 218
	UnsupportedPTXVersion Result = 222
	JITCompilerNotFound   Result = 221
	OperatingSystem       Result = 304
	InvalidHandle         Result = 400
	NotFound              Result = 500
	NotReady              Result = 600
	IllegalAddress        Result = 700
	LaunchOutOfResources  Result = 701
	LaunchTimeout         Result = 702
	PeerAccessEnabled     Result = 704
	ContextActive         Result = 708
	Assert                Result = 710
	HardwareStackError    Result = 714
	IllegalInstruction    Result = 715
	MisalignedAddress     Result = 716
	InvalidAddressSpace   Result = 717
	InvalidPC             Result = 718
	LaunchFailed          Result = 719
	NotPermitted          Result = 800
	NotSupported          Result = 801
	SystemNotReady        Result = 802
	DriverMismatch        Result = 803
	CompatNotSupported    Result = 804
	CaptureUnsupported    Result = 900
	CaptureInvalidated    Result = 901
	UnknownError          Result = 999
)

// Absent is the result of calling an entry point that the driver does not have; the driver itself gives no negative one.
const Absent Result = -1

// Sticky reports whether the context, and with it everything on the device, is lost for this process.
func (r Result) Sticky() bool {
	switch r {
	case ECCUncorrectable, IllegalAddress, LaunchTimeout, Assert, HardwareStackError, IllegalInstruction,
		MisalignedAddress, InvalidAddressSpace, InvalidPC, LaunchFailed:
		return true
	}
	return false
}

// Table holds the addresses of a driver's entry points; 0 where it has none.
type Table struct {
	address [symbolCount]uintptr
}

// MissingError names the required entry points that a library lacks.
type MissingError struct{ Names []string }

func (e *MissingError) Error() string {
	text := "cu: the library lacks"
	for _, n := range e.Names {
		text += " " + n
	}
	return text
}

// ErrNotBuilt says that this binary was built without the CUDA driver.
var ErrNotBuilt = errors.New("cu: built without CUDA")

// Load asks lookup for every entry point. Only required ones must be there.
func Load(lookup Lookup) (*Table, error) {
	t := &Table{}
	var missing []string
	for _, s := range Symbols() {
		address, err := lookup(s.String())
		if err != nil || address == 0 {
			if s.Required() {
				missing = append(missing, s.String())
			}
			continue
		}
		t.address[s] = address
	}
	if missing != nil {
		return nil, &MissingError{missing}
	}
	return t, nil
}

// Has reports whether the driver has the entry point.
func (t *Table) Has(s Symbol) bool { return t.address[s] != 0 }

// Call runs an entry point with integer and pointer arguments on this thread. It allocates nothing and keeps args no
// longer than the call.
func (t *Table) Call(s Symbol, args []uintptr) Result {
	address := t.address[s]
	if address == 0 {
		return Absent
	}
	return Result(int32(call(address, args)))
}

// Address calls an address that is not in the table, such as one of NVRTC's.
func Address(address uintptr, args []uintptr) Result {
	if address == 0 {
		return Absent
	}
	return Result(int32(call(address, args)))
}
