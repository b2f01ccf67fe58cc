//go:build !nogpu && linux && (amd64 || arm64)

package cufake

import (
	"sync"
	"unsafe"
)

// functions are handles of kernels.
var functions sync.Map // uintptr to *function

// Kernel is what runs in place of a kernel of that name.
type Kernel func(l *Launch)

// Launch is a launch of a kernel.
type Launch struct {
	Name        string
	Grid, Block [3]uint32
	Cluster     [3]uint32
	SharedBytes uint32
	Cooperative bool
	OwnDomain   bool
	Parameters  []byte // as the driver copied them

	g *GPU
	d *device
}

// Register makes a kernel that modules with an entry of that name may launch.
func (g *GPU) Register(name string, k Kernel) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kernels[name] = k
}

// Parameter returns the T at an offset of the parameters.
func Parameter[T any](l *Launch, offset int) T {
	var v T
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)), l.Parameters[offset:])
	return v
}

// Memory returns n elements at an address of the device's, or of mapped memory. An address where nothing is breaks the
// device and ends the kernel.
func Memory[T any](l *Launch, address uint64, n int) []T {
	var v T
	l.g.mu.Lock()
	b := l.g.find(l.d, uintptr(address), uintptr(n)*unsafe.Sizeof(v))
	l.g.mu.Unlock()
	if b == nil || n == 0 {
		l.Fail(illegalAddress)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}

// failure is how a kernel that failed leaves.
type failure struct{}

// Fail breaks the device as a failing kernel does, and ends the kernel.
func (l *Launch) Fail(code int32) {
	l.g.mu.Lock()
	l.d.sticky = code
	l.g.turn.Broadcast()
	l.g.mu.Unlock()
	panic(failure{})
}

// Stopped reports whether a kernel that stays should leave: the device broke or the GPU was closed.
func (l *Launch) Stopped() bool {
	if l.g.closed.Load() {
		return true
	}
	l.g.mu.Lock()
	defer l.g.mu.Unlock()
	return l.d.sticky != 0
}

// enqueue checks a launch as the driver would and puts it on its stream. g.mu is held.
func (g *GPU) enqueue(d *device, h, stream uintptr, l *Launch, extra *[5]uintptr) int32 {
	found, ok := functions.Load(h)
	s, known := g.stream(d, stream)
	if !ok || !known || found.(*function).m.d != d {
		return invalidHandle
	}
	f := found.(*function)
	if extra == nil || extra[0] != 1 || extra[2] != 2 || extra[4] != 0 {
		return invalidValue
	}
	size := *(*uintptr)(pointer(extra[3]))
	need := uintptr(0)
	if n := len(f.parameters); n > 0 {
		need = f.parameters[n-1].offset + f.parameters[n-1].size
	}
	threads, blocks := uint64(1), uint64(1)
	for i := range 3 {
		threads, blocks = threads*uint64(l.Block[i]), blocks*uint64(l.Grid[i])
	}
	if size != need || threads == 0 || threads > 1024 || blocks == 0 || int32(l.SharedBytes) > f.dynamic {
		return invalidValue
	}
	if l.Cooperative && blocks > 132*2 {
		return launchTooLarge
	}
	l.Name, l.g, l.d = f.name, g, d
	l.Parameters = append([]byte(nil), unsafe.Slice((*byte)(pointer(extra[1])), size)...)
	k := g.kernels[f.name]
	return g.push(s, f.name, func() {
		defer func() {
			if r := recover(); r != nil {
				if _, failed := r.(failure); !failed {
					panic(r)
				}
			}
		}()
		k(l)
	})
}

func launchEntries() map[string]any {
	return map[string]any{
		"cuLaunchKernel": func(f uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream uintptr, params uintptr, extra *[5]uintptr) int32 {
			return inContext("cuLaunchKernel", func(g *GPU, d *device) int32 {
				if params != 0 {
					return invalidValue
				}
				return g.enqueue(d, f, stream, &Launch{Grid: [3]uint32{gx, gy, gz}, Block: [3]uint32{bx, by, bz}, SharedBytes: shared}, extra)
			})
		},
		"cuLaunchKernelEx": func(config unsafe.Pointer, f, params uintptr, extra *[5]uintptr) int32 {
			return inContext("cuLaunchKernelEx", func(g *GPU, d *device) int32 {
				// The driver's CUlaunchConfig: seven words, a stream, a list of attributes of 72 bytes, their number.
				words := (*[14]uint32)(config)
				l := &Launch{Grid: [3]uint32(words[0:3]), Block: [3]uint32(words[3:6]), SharedBytes: words[6]}
				stream, list := *(*uintptr)(unsafe.Add(config, 32)), *(*unsafe.Pointer)(unsafe.Add(config, 40))
				for i := range int(words[12]) {
					a := (*[18]uint32)(unsafe.Add(list, 72*i))
					switch a[0] {
					case 2:
						l.Cooperative = a[2] != 0
					case 4:
						l.Cluster = [3]uint32(a[2:5])
					case 10:
						l.OwnDomain = a[2] == 1
					default:
						return invalidValue
					}
				}
				return g.enqueue(d, f, stream, l, extra)
			})
		},
	}
}

func functionEntries() map[string]any {
	return map[string]any{
		"cuFuncGetAttribute": func(p *int32, attribute int32, f uintptr) int32 {
			return inContext("cuFuncGetAttribute", func(*GPU, *device) int32 {
				if _, ok := functions.Load(f); !ok {
					return invalidHandle
				}
				return out(p, map[int32]int32{0: 1024, 1: 1024, 4: 32}[attribute])
			})
		},
		"cuFuncSetAttribute": func(f uintptr, attribute, value int32) int32 {
			return inContext("cuFuncSetAttribute", func(*GPU, *device) int32 {
				found, ok := functions.Load(f)
				if !ok || attribute != 8 {
					return invalidValue
				}
				found.(*function).dynamic = value
				return success
			})
		},
		"cuFuncLoad": func(f uintptr) int32 {
			return inContext("cuFuncLoad", func(*GPU, *device) int32 {
				if _, ok := functions.Load(f); !ok {
					return invalidHandle
				}
				return success
			})
		},
		"cuFuncGetParamInfo": func(f, index uintptr, offset, size *uintptr) int32 {
			return inContext("cuFuncGetParamInfo", func(*GPU, *device) int32 {
				found, ok := functions.Load(f)
				if !ok {
					return invalidHandle
				}
				parameters := found.(*function).parameters
				if index >= uintptr(len(parameters)) {
					return invalidValue
				}
				*offset, *size = parameters[index].offset, parameters[index].size
				return success
			})
		},
		"cuOccupancyMaxActiveBlocksPerMultiprocessor": func(p *int32, f uintptr, threads int32, _ uintptr) int32 {
			return inContext("cuOccupancyMaxActiveBlocksPerMultiprocessor", func(*GPU, *device) int32 {
				if _, ok := functions.Load(f); !ok || threads <= 0 {
					return invalidHandle
				}
				return out(p, min(2048/threads, 2))
			})
		},
	}
}
