package gpu

import (
	"fmt"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Info is what a device is.
type Info struct {
	Ordinal      int
	Name         string
	PCI          string // bus id; may be empty
	Major, Minor int    // compute capability
	MemoryBytes  uint64
	Limits       Limits
	SMs          int // multiprocessors
	CopyEngines  int // copies that run beside kernels
	Pools        bool
	Cooperative  bool
	Clusters     bool
	Managed      bool
	MapsHost     bool
	Unified      bool // one address space for host and device
	Prohibited   bool // the machine's administrator lets no process use it
	Exclusive    bool // one process at a time may use it
	ConcurrentMM bool // host and device may touch managed memory at once
}

// Limits are a device's limits of a launch.
type Limits struct {
	ThreadsPerBlock     int
	Block, Grid         [3]int
	SharedBytes         int // a block, without asking
	SharedBytesByOption int // a block, asked for
	WarpThreads         int
}

// Architecture returns the name that compilers use: sm_90.
func (i *Info) Architecture() string { return fmt.Sprintf("sm_%d%d", i.Major, i.Minor) }

// Numbers of CUdevice_attribute.
const (
	attrThreadsPerBlock = 1
	attrBlockX          = 2
	attrGridX           = 5
	attrShared          = 8
	attrWarp            = 10
	attrSMs             = 16
	attrMapHost         = 19
	attrComputeMode     = 20
	attrCopyEngines     = 40
	attrUnified         = 41
	attrMajor           = 75
	attrMinor           = 76
	attrManaged         = 83
	attrConcurrentMM    = 89
	attrCooperative     = 95
	attrSharedOptIn     = 97
	attrPools           = 115
	attrClusters        = 120
)

// Numbers of CUcomputemode.
const (
	computeProhibited = 2
	computeExclusive  = 3
)

// Info describes a device without opening it.
func (d *Driver) Info(ordinal int) (Info, error) {
	info, _, err := d.inspect(ordinal)
	return info, err
}

func (d *Driver) inspect(ordinal int) (info Info, handle int32, err error) {
	if ordinal < 0 || ordinal >= d.count {
		return info, 0, &Error{
			Op: "Open", Code: Code(cu.InvalidDevice), Name: "CUDA_ERROR_INVALID_DEVICE",
			Text: fmt.Sprintf("device %d of %d", ordinal, d.count), Hint: "devices are numbered from 0; " + hint(cu.NoDevice),
		}
	}
	if r := d.call(cu.DeviceGet, uintptr(unsafe.Pointer(&handle)), uintptr(ordinal)); r != cu.Success {
		return info, 0, d.describe(cu.DeviceGet, r)
	}
	info.Ordinal = ordinal
	name := make([]byte, 256)
	if r := d.call(cu.DeviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)-1), uintptr(handle)); r != cu.Success {
		return info, 0, d.describe(cu.DeviceGetName, r)
	}
	info.Name = cString(&name[0])
	clear(name)
	if d.call(cu.DeviceGetPCIBusID, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)-1), uintptr(handle)) == cu.Success {
		info.PCI = cString(&name[0])
	}
	if r := d.call(cu.DeviceTotalMem, uintptr(unsafe.Pointer(&info.MemoryBytes)), uintptr(handle)); r != cu.Success {
		return info, 0, d.describe(cu.DeviceTotalMem, r)
	}
	return info, handle, d.attributes(&info, handle)
}

func (d *Driver) attributes(info *Info, handle int32) error {
	var first error
	get := func(attribute int) int {
		var v int32
		r := d.call(cu.DeviceGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(attribute), uintptr(handle))
		if r != cu.Success && r != cu.InvalidValue && first == nil { // an attribute newer than the driver is invalid: it is 0
			first = d.describe(cu.DeviceGetAttribute, r)
		}
		return int(v)
	}
	info.Major, info.Minor, info.SMs = get(attrMajor), get(attrMinor), get(attrSMs)
	info.CopyEngines = get(attrCopyEngines)
	info.Pools, info.Cooperative, info.Clusters = get(attrPools) != 0, get(attrCooperative) != 0, get(attrClusters) != 0
	info.Managed, info.MapsHost, info.Unified = get(attrManaged) != 0, get(attrMapHost) != 0, get(attrUnified) != 0
	mode := get(attrComputeMode)
	info.Prohibited, info.Exclusive = mode == computeProhibited, mode == computeExclusive
	info.ConcurrentMM = get(attrConcurrentMM) != 0
	l := &info.Limits
	l.ThreadsPerBlock, l.SharedBytes, l.SharedBytesByOption = get(attrThreadsPerBlock), get(attrShared), get(attrSharedOptIn)
	l.SharedBytesByOption = max(l.SharedBytesByOption, l.SharedBytes)
	l.WarpThreads = get(attrWarp)
	for i := range 3 {
		l.Block[i], l.Grid[i] = get(attrBlockX+i), get(attrGridX+i)
	}
	return first
}
