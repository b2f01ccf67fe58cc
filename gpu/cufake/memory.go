//go:build !nogpu && linux && (amd64 || arm64)

package cufake

import (
	"slices"
	"syscall"
	"unsafe"
)

// block is a piece of memory. A device's has an address that the host cannot use; the host's has its own.
type block struct {
	address uintptr
	data    []byte
	managed bool
}

// find returns the n bytes at a device's address, or nil. g.mu is held.
func (g *GPU) find(d *device, address, n uintptr) []byte {
	for _, e := range g.devices {
		if e != d && !d.peers[e.context] {
			continue
		}
		if b := within(e.blocks, address, n); b != nil {
			return b
		}
	}
	return within(g.hosts, address, n)
}

func within(blocks []*block, address, n uintptr) []byte {
	for _, b := range blocks {
		if address >= b.address && address+n <= b.address+uintptr(len(b.data)) && address+n >= address {
			at := address - b.address
			return b.data[at : at+n : at+n]
		}
	}
	return nil
}

func remove(blocks []*block, address uintptr) ([]*block, *block) {
	i := slices.IndexFunc(blocks, func(b *block) bool { return b.address == address })
	if i < 0 {
		return blocks, nil
	}
	b := blocks[i]
	return slices.Delete(blocks, i, i+1), b
}

func (d *device) allocate(g *GPU, n uintptr) (uintptr, int32) {
	if n == 0 {
		return 0, invalidValue
	}
	if uint64(n) > g.options.MemoryBytes-d.used {
		return 0, outOfMemory
	}
	d.used += uint64(n)
	b := &block{address: d.next, data: make([]byte, n)}
	for i := range b.data {
		b.data[i] = 0xa5 // new memory holds whatever was there
	}
	d.next += (n+511)&^511 + 4096 // a gap, so that running over is seen
	d.blocks = append(d.blocks, b)
	return b.address, success
}

func (d *device) release(g *GPU, address uintptr) int32 {
	blocks, b := remove(d.blocks, address)
	if b == nil {
		return g.releaseHost(address, true)
	}
	d.blocks = blocks
	d.used -= uint64(len(b.data))
	return success
}

func (g *GPU) pin(n uintptr, managed bool) (uintptr, int32) {
	if n == 0 {
		return 0, invalidValue
	}
	data, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return 0, outOfMemory
	}
	for i := range data {
		data[i] = 0xa5
	}
	b := &block{address: uintptr(unsafe.Pointer(&data[0])), data: data, managed: managed}
	g.hosts = append(g.hosts, b)
	return b.address, success
}

func (g *GPU) releaseHost(address uintptr, managed bool) int32 {
	hosts, b := remove(g.hosts, address)
	if b == nil || b.managed != managed {
		return invalidValue
	}
	g.hosts = hosts
	_ = syscall.Munmap(b.data) // who still has a slice of it faults
	return success
}

func memoryEntries() map[string]any {
	return map[string]any{
		"cuMemGetInfo_v2": func(free, total *uint64) int32 {
			return inContext("cuMemGetInfo_v2", func(g *GPU, d *device) int32 {
				*free, *total = g.options.MemoryBytes-d.used, g.options.MemoryBytes
				return success
			})
		},
		"cuMemAlloc_v2": func(p *uintptr, n uintptr) int32 {
			return inContext("cuMemAlloc_v2", func(g *GPU, d *device) int32 {
				address, r := d.allocate(g, n)
				*p = address
				return r
			})
		},
		"cuMemFree_v2": func(p uintptr) int32 {
			return inContext("cuMemFree_v2", func(g *GPU, d *device) int32 { return d.release(g, p) })
		},
		"cuMemHostAlloc": func(p *uintptr, n uintptr, flags uint32) int32 {
			return inContext("cuMemHostAlloc", func(g *GPU, _ *device) int32 {
				if flags&^7 != 0 {
					return invalidValue
				}
				address, r := g.pin(n, false)
				*p = address
				return r
			})
		},
		"cuMemFreeHost": func(p uintptr) int32 {
			return inContext("cuMemFreeHost", func(g *GPU, _ *device) int32 { return g.releaseHost(p, false) })
		},
		"cuMemHostGetDevicePointer_v2": func(p *uintptr, host uintptr, _ uint32) int32 {
			return inContext("cuMemHostGetDevicePointer_v2", func(g *GPU, _ *device) int32 {
				if within(g.hosts, host, 1) == nil {
					return invalidValue
				}
				return out(p, host)
			})
		},
		"cuMemAllocManaged": func(p *uintptr, n uintptr, flags uint32) int32 {
			return inContext("cuMemAllocManaged", func(g *GPU, _ *device) int32 {
				if flags != 1 {
					return invalidValue
				}
				address, r := g.pin(n, true)
				*p = address
				return r
			})
		},
		"cuDeviceCanAccessPeer": func(can *int32, _, _ int32) int32 {
			return plain("cuDeviceCanAccessPeer", func(*GPU) int32 { return out(can, 1) })
		},
		"cuCtxEnablePeerAccess": func(context uintptr, _ uint32) int32 {
			return inContext("cuCtxEnablePeerAccess", func(_ *GPU, d *device) int32 {
				if d.peers[context] {
					return peerEnabled
				}
				d.peers[context] = true
				return success
			})
		},
	}
}

// pool is a memory pool.
type pool struct {
	d    *device
	live int
}

func poolEntries() map[string]any {
	return map[string]any{
		"cuMemPoolCreate": func(p *uintptr, properties *[4]int32) int32 {
			return inContext("cuMemPoolCreate", func(g *GPU, d *device) int32 {
				if properties[0] != 1 || properties[2] != 1 || properties[3] != int32(d.ordinal) {
					return invalidValue
				}
				return out(p, g.add(&pool{d: d}))
			})
		},
		"cuMemPoolDestroy": func(h uintptr) int32 {
			return inContext("cuMemPoolDestroy", func(g *GPU, _ *device) int32 {
				p, ok := object[*pool](g, h)
				if !ok || p.live > 0 {
					return invalidValue
				}
				delete(g.objects, h)
				return success
			})
		},
		"cuMemPoolSetAttribute": func(h uintptr, attribute int32, value *uint64) int32 {
			return inContext("cuMemPoolSetAttribute", func(g *GPU, _ *device) int32 {
				if _, ok := object[*pool](g, h); !ok || attribute != 4 || value == nil {
					return invalidValue
				}
				return success
			})
		},
		"cuMemPoolTrimTo": func(h, _ uintptr) int32 {
			return inContext("cuMemPoolTrimTo", func(g *GPU, _ *device) int32 {
				if _, ok := object[*pool](g, h); !ok {
					return invalidValue
				}
				return success
			})
		},
		"cuMemAllocFromPoolAsync": func(p *uintptr, n, h, stream uintptr) int32 {
			return inContext("cuMemAllocFromPoolAsync", func(g *GPU, d *device) int32 {
				from, ok := object[*pool](g, h)
				if _, known := g.stream(d, stream); !ok || !known {
					return invalidHandle
				}
				address, r := d.allocate(g, n)
				if r == success {
					from.live++
					g.objects[address] = from // whose it is, until it is freed
				}
				*p = address
				return r
			})
		},
		"cuMemFreeAsync": func(address, stream uintptr) int32 {
			return inContext("cuMemFreeAsync", func(g *GPU, d *device) int32 {
				s, known := g.stream(d, stream)
				from, ok := object[*pool](g, address)
				if !known || !ok {
					return invalidValue
				}
				delete(g.objects, address)
				from.live--
				return g.push(s, "cuMemFreeAsync", func() {
					g.mu.Lock()
					defer g.mu.Unlock()
					_ = d.release(g, address)
				})
			})
		},
	}
}
