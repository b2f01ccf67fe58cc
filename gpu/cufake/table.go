//go:build !nogpu && linux && (amd64 || arm64)

package cufake

import (
	"fmt"
	"maps"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

// addresses makes every entry point C-callable, once a process: callbacks are never given back.
var addresses = sync.OnceValue(func() map[string]uintptr {
	all := map[string]uintptr{}
	for _, entries := range []map[string]any{
		driverEntries(), contextEntries(), memoryEntries(), poolEntries(), streamEntries(), copyEntries(), eventEntries(), eventWaitEntries(),
		moduleEntries(),
		linkEntries(), launchEntries(), functionEntries(), captureEntries(), graphEntries(), compilerEntries(),
	} {
		for name := range maps.Keys(entries) {
			all[name] = purego.NewCallback(entries[name])
		}
	}
	return all
})

// names of results, as far as tests read them.
var resultNames = map[int32]string{
	invalidValue: "CUDA_ERROR_INVALID_VALUE", outOfMemory: "CUDA_ERROR_OUT_OF_MEMORY", deinitialized: "CUDA_ERROR_DEINITIALIZED",
	invalidImage: "CUDA_ERROR_INVALID_IMAGE", invalidContext: "CUDA_ERROR_INVALID_CONTEXT", invalidPTX: "CUDA_ERROR_INVALID_PTX",
	invalidHandle: "CUDA_ERROR_INVALID_HANDLE", notFound: "CUDA_ERROR_NOT_FOUND", notReady: "CUDA_ERROR_NOT_READY",
	illegalAddress: "CUDA_ERROR_ILLEGAL_ADDRESS", launchFailed: "CUDA_ERROR_LAUNCH_FAILED", 100: "CUDA_ERROR_NO_DEVICE",
	214: "CUDA_ERROR_ECC_UNCORRECTABLE", 802: "CUDA_ERROR_SYSTEM_NOT_READY", 999: "CUDA_ERROR_UNKNOWN",
}

// text is a C string that lives as long as the process.
var texts sync.Map

func text(s string) uintptr {
	b := append([]byte(s), 0)
	kept, _ := texts.LoadOrStore(s, &b[0])
	return uintptr(unsafe.Pointer(kept.(*byte)))
}

func driverEntries() map[string]any {
	return map[string]any{
		"cuInit": func(uint32) int32 { return plain("cuInit", func(*GPU) int32 { return success }) },
		"cuDriverGetVersion": func(p *int32) int32 {
			return plain("cuDriverGetVersion", func(g *GPU) int32 { return out(p, int32(g.options.Version)) })
		},
		// These two are not counted: the binding asks them about every failure.
		"cuGetErrorName": func(r int32, p *uintptr) int32 {
			name, ok := resultNames[r]
			if !ok {
				name = fmt.Sprintf("CUDA_ERROR_%d", r)
			}
			return out(p, text(name))
		},
		"cuGetErrorString": func(r int32, p *uintptr) int32 { return out(p, text(fmt.Sprintf("what %d means", r))) },
		"cuDeviceGetCount": func(p *int32) int32 {
			return plain("cuDeviceGetCount", func(g *GPU) int32 { return out(p, int32(len(g.devices))) })
		},
		"cuDeviceGet": func(p *int32, ordinal int32) int32 {
			return plain("cuDeviceGet", func(g *GPU) int32 {
				if int(ordinal) >= len(g.devices) {
					return invalidDevice
				}
				return out(p, ordinal)
			})
		},
		"cuDeviceGetName": func(p *byte, n int32, ordinal int32) int32 {
			return plain("cuDeviceGetName", func(*GPU) int32 {
				copy(unsafe.Slice(p, n), fmt.Sprintf("Fake GPU %d\x00", ordinal))
				return success
			})
		},
		"cuDeviceGetPCIBusId": func(p *byte, n int32, ordinal int32) int32 {
			return plain("cuDeviceGetPCIBusId", func(*GPU) int32 {
				copy(unsafe.Slice(p, n), fmt.Sprintf("0000:%02x:00.0\x00", ordinal))
				return success
			})
		},
		"cuDeviceTotalMem_v2": func(p *uint64, _ int32) int32 {
			return plain("cuDeviceTotalMem_v2", func(g *GPU) int32 { return out(p, g.options.MemoryBytes) })
		},
		"cuDeviceGetAttribute": func(p *int32, attribute, _ int32) int32 {
			return plain("cuDeviceGetAttribute", func(g *GPU) int32 {
				v, ok := g.options.Attributes[attribute]
				if !ok {
					v, ok = attributes[attribute]
				}
				if !ok {
					return invalidValue
				}
				return out(p, v)
			})
		},
	}
}

// attributes are an H200's, as far as they are asked for.
var attributes = map[int32]int32{
	1: 1024, 2: 1024, 3: 1024, 4: 64, 5: 1<<31 - 1, 6: 65535, 7: 65535, 8: 48 << 10, 10: 32, 16: 132, 19: 1, 20: 0, 40: 3, 41: 1,
	75: 9, 76: 0, 83: 1, 89: 1, 95: 1, 97: 227 << 10, 115: 1, 120: 1,
}

func contextEntries() map[string]any {
	return map[string]any{
		"cuDevicePrimaryCtxRetain": func(p *uintptr, ordinal int32) int32 {
			return plain("cuDevicePrimaryCtxRetain", func(g *GPU) int32 {
				d := g.devices[ordinal]
				d.retained++
				return out(p, d.context)
			})
		},
		"cuDevicePrimaryCtxRelease_v2": func(ordinal int32) int32 {
			return plain("cuDevicePrimaryCtxRelease_v2", func(g *GPU) int32 {
				d := g.devices[ordinal]
				if d.retained == 0 {
					return invalidContext
				}
				d.retained--
				return d.sticky
			})
		},
		"cuDevicePrimaryCtxSetFlags_v2": func(_ int32, flags uint32) int32 {
			return plain("cuDevicePrimaryCtxSetFlags_v2", func(*GPU) int32 {
				if flags > 4 {
					return invalidValue
				}
				return success
			})
		},
		"cuCtxSetCurrent": func(context uintptr) int32 {
			return plain("cuCtxSetCurrent", func(g *GPU) int32 {
				if context != 0 && g.byContext(context) == nil {
					return invalidContext
				}
				g.current[syscall.Gettid()] = context
				if slow := g.options.SlowContext; slow > 0 {
					g.mu.Unlock()
					time.Sleep(slow)
					g.mu.Lock()
				}
				return success
			})
		},
	}
}
