package cu

// Symbol names an entry point of the driver.
type Symbol int

// Entry points. The version suffix of a name fixes the layout of its arguments.
const (
	Init Symbol = iota
	DriverGetVersion
	GetErrorName
	GetErrorString
	DeviceGetCount
	DeviceGet
	DeviceGetName
	DeviceGetAttribute
	DeviceTotalMem
	DevicePrimaryCtxRetain
	DevicePrimaryCtxRelease
	CtxSetCurrent
	MemGetInfo
	MemAlloc
	MemFree
	MemHostAlloc
	MemFreeHost
	MemHostGetDevicePointer
	MemcpyHtoDAsync
	MemcpyDtoHAsync
	MemcpyDtoDAsync
	MemsetD8Async
	StreamCreateWithPriority
	StreamDestroy
	StreamQuery
	StreamSynchronize
	StreamWaitEvent
	EventCreate
	EventDestroy
	EventRecord
	EventQuery
	EventElapsedTime
	ModuleLoadDataEx
	ModuleUnload
	ModuleGetFunction
	FuncGetAttribute
	FuncSetAttribute
	LaunchKernel

	// Newer or rarer: a driver may lack them.
	DeviceGetPCIBusID
	DevicePrimaryCtxSetFlags
	CtxGetStreamPriorityRange
	DeviceCanAccessPeer
	CtxEnablePeerAccess
	MemcpyPeerAsync
	MemAllocManaged
	MemPoolCreate
	MemPoolDestroy
	MemPoolSetAttribute
	MemPoolTrimTo
	MemAllocFromPoolAsync
	MemFreeAsync
	StreamBeginCapture
	StreamEndCapture
	GraphInstantiate
	GraphLaunch
	GraphUpload
	GraphDestroy
	GraphExecDestroy
	GraphGetNodes
	ModuleGetGlobal
	FuncGetParamInfo
	FuncLoad
	OccupancyMaxActiveBlocks
	LinkCreate
	LinkAddData
	LinkComplete
	LinkDestroy
	LaunchKernelEx

	symbolCount
)

const firstOptional = DeviceGetPCIBusID

var symbolNames = [symbolCount]string{
	Init:                      "cuInit",
	DriverGetVersion:          "cuDriverGetVersion",
	GetErrorName:              "cuGetErrorName",
	GetErrorString:            "cuGetErrorString",
	DeviceGetCount:            "cuDeviceGetCount",
	DeviceGet:                 "cuDeviceGet",
	DeviceGetName:             "cuDeviceGetName",
	DeviceGetAttribute:        "cuDeviceGetAttribute",
	DeviceTotalMem:            "cuDeviceTotalMem_v2",
	DevicePrimaryCtxRetain:    "cuDevicePrimaryCtxRetain",
	DevicePrimaryCtxRelease:   "cuDevicePrimaryCtxRelease_v2",
	CtxSetCurrent:             "cuCtxSetCurrent",
	MemGetInfo:                "cuMemGetInfo_v2",
	MemAlloc:                  "cuMemAlloc_v2",
	MemFree:                   "cuMemFree_v2",
	MemHostAlloc:              "cuMemHostAlloc",
	MemFreeHost:               "cuMemFreeHost",
	MemHostGetDevicePointer:   "cuMemHostGetDevicePointer_v2",
	MemcpyHtoDAsync:           "cuMemcpyHtoDAsync_v2",
	MemcpyDtoHAsync:           "cuMemcpyDtoHAsync_v2",
	MemcpyDtoDAsync:           "cuMemcpyDtoDAsync_v2",
	MemsetD8Async:             "cuMemsetD8Async",
	StreamCreateWithPriority:  "cuStreamCreateWithPriority",
	StreamDestroy:             "cuStreamDestroy_v2",
	StreamQuery:               "cuStreamQuery",
	StreamSynchronize:         "cuStreamSynchronize",
	StreamWaitEvent:           "cuStreamWaitEvent",
	EventCreate:               "cuEventCreate",
	EventDestroy:              "cuEventDestroy_v2",
	EventRecord:               "cuEventRecord",
	EventQuery:                "cuEventQuery",
	EventElapsedTime:          "cuEventElapsedTime",
	ModuleLoadDataEx:          "cuModuleLoadDataEx",
	ModuleUnload:              "cuModuleUnload",
	ModuleGetFunction:         "cuModuleGetFunction",
	FuncGetAttribute:          "cuFuncGetAttribute",
	FuncSetAttribute:          "cuFuncSetAttribute",
	LaunchKernel:              "cuLaunchKernel",
	DeviceGetPCIBusID:         "cuDeviceGetPCIBusId",
	DevicePrimaryCtxSetFlags:  "cuDevicePrimaryCtxSetFlags_v2",
	CtxGetStreamPriorityRange: "cuCtxGetStreamPriorityRange",
	DeviceCanAccessPeer:       "cuDeviceCanAccessPeer",
	CtxEnablePeerAccess:       "cuCtxEnablePeerAccess",
	MemcpyPeerAsync:           "cuMemcpyPeerAsync",
	MemAllocManaged:           "cuMemAllocManaged",
	MemPoolCreate:             "cuMemPoolCreate",
	MemPoolDestroy:            "cuMemPoolDestroy",
	MemPoolSetAttribute:       "cuMemPoolSetAttribute",
	MemPoolTrimTo:             "cuMemPoolTrimTo",
	MemAllocFromPoolAsync:     "cuMemAllocFromPoolAsync",
	MemFreeAsync:              "cuMemFreeAsync",
	StreamBeginCapture:        "cuStreamBeginCapture_v2",
	StreamEndCapture:          "cuStreamEndCapture",
	GraphInstantiate:          "cuGraphInstantiateWithFlags",
	GraphLaunch:               "cuGraphLaunch",
	GraphUpload:               "cuGraphUpload",
	GraphDestroy:              "cuGraphDestroy",
	GraphExecDestroy:          "cuGraphExecDestroy",
	GraphGetNodes:             "cuGraphGetNodes",
	ModuleGetGlobal:           "cuModuleGetGlobal_v2",
	FuncGetParamInfo:          "cuFuncGetParamInfo",
	FuncLoad:                  "cuFuncLoad",
	OccupancyMaxActiveBlocks:  "cuOccupancyMaxActiveBlocksPerMultiprocessor",
	LinkCreate:                "cuLinkCreate_v2",
	LinkAddData:               "cuLinkAddData_v2",
	LinkComplete:              "cuLinkComplete",
	LinkDestroy:               "cuLinkDestroy",
	LaunchKernelEx:            "cuLaunchKernelEx",
}

// String returns the name under which the driver exports the entry point.
func (s Symbol) String() string {
	if s < 0 || s >= symbolCount {
		return "unknown symbol"
	}
	return symbolNames[s]
}

// Required reports whether every driver has the entry point: without it none is usable.
func (s Symbol) Required() bool { return s < firstOptional }

// Symbols returns all entry points in order.
func Symbols() []Symbol {
	all := make([]Symbol, symbolCount)
	for i := range all {
		all[i] = Symbol(i)
	}
	return all
}
