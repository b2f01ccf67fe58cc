//go:build !nogpu && linux && (amd64 || arm64)

package cufake

import (
	"time"
	"unsafe"
)

type stream struct {
	d       *device
	queue   []operation
	pending int // queued or running
	ended   bool
	capture *graph
	thread  int // that began the capture
}

type operation struct {
	name string
	run  func()
}

type event struct{ record *record }

// record is one recording of an event.
type record struct {
	d    *device
	done bool
	at   int64
}

// stream finds a stream of the current context. g.mu is held.
func (g *GPU) stream(d *device, h uintptr) (*stream, bool) {
	s, ok := object[*stream](g, h)
	return s, ok && s.d == d
}

// push puts an operation on a stream, or into the graph that is captured. g.mu is held.
func (g *GPU) push(s *stream, name string, run func()) int32 {
	o := operation{name, run}
	if s.capture != nil {
		s.capture.operations = append(s.capture.operations, o)
		return success
	}
	s.queue = append(s.queue, o)
	s.pending++
	g.turn.Broadcast()
	return success
}

// work runs a stream's operations in order until the stream is destroyed and empty.
func (g *GPU) work(s *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for {
		for (len(s.queue) == 0 && !s.ended || g.held) && !g.closed.Load() {
			g.turn.Wait()
		}
		if g.closed.Load() || len(s.queue) == 0 {
			s.pending = 0
			g.turn.Broadcast()
			return
		}
		o := s.queue[0]
		s.queue = s.queue[1:]
		broken, delay := s.d.sticky != 0, g.delay
		g.mu.Unlock()
		if !broken {
			if delay != nil {
				time.Sleep(delay(o.name))
			}
			o.run()
			g.clock.Add(1)
		}
		g.mu.Lock()
		s.pending--
		g.turn.Broadcast()
	}
}

// copyNow is the body of a copy between blocks; what is no memory any more breaks the device.
func (g *GPU) copyNow(d *device, to, from, n uintptr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t, f := g.find(d, to, n), g.find(d, from, n)
	if t == nil || f == nil {
		d.sticky = illegalAddress
		return
	}
	copy(t, f)
}

// moves runs a copy. Memory of the host that is not pinned is copied before the call returns, as the driver may.
func moves(symbol string, to, from, n, h uintptr) int32 {
	var wait *stream
	var g *GPU
	r := inContext(symbol, func(gg *GPU, d *device) int32 {
		g = gg
		s, ok := g.stream(d, h)
		if !ok {
			return invalidHandle
		}
		toHost := symbol == "cuMemcpyDtoHAsync_v2" && within(g.hosts, to, n) == nil
		fromHost := symbol == "cuMemcpyHtoDAsync_v2" && within(g.hosts, from, n) == nil
		switch {
		case (toHost || fromHost) && s.capture != nil:
			return captureBroken
		case fromHost:
			data := append([]byte(nil), unsafe.Slice((*byte)(pointer(from)), n)...)
			return g.push(s, symbol, func() {
				g.mu.Lock()
				defer g.mu.Unlock()
				if t := g.find(d, to, n); t == nil {
					d.sticky = illegalAddress
				} else {
					copy(t, data)
				}
			})
		case toHost:
			wait = s
			return g.push(s, symbol, func() {
				g.mu.Lock()
				defer g.mu.Unlock()
				if f := g.find(d, from, n); f == nil {
					d.sticky = illegalAddress
				} else {
					copy(unsafe.Slice((*byte)(pointer(to)), n), f)
				}
			})
		}
		return g.push(s, symbol, func() { g.copyNow(d, to, from, n) })
	})
	if wait != nil && r == success {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.drain(wait)
	}
	return r
}

// drain waits until a stream is empty or its device broken. g.mu is held.
func (g *GPU) drain(s *stream) int32 {
	for s.pending > 0 && s.d.sticky == 0 && !g.closed.Load() {
		g.turn.Wait()
	}
	return s.d.sticky
}

// pointer is an address that came in as a number.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

func streamEntries() map[string]any {
	return map[string]any{
		"cuStreamCreateWithPriority": func(p *uintptr, flags uint32, _ int32) int32 {
			return inContext("cuStreamCreateWithPriority", func(g *GPU, d *device) int32 {
				if flags > 1 {
					return invalidValue
				}
				s := &stream{d: d}
				g.streams = append(g.streams, s)
				go g.work(s)
				return out(p, g.add(s))
			})
		},
		"cuCtxGetStreamPriorityRange": func(least, greatest *int32) int32 {
			return inContext("cuCtxGetStreamPriorityRange", func(*GPU, *device) int32 { return out(least, 0) + out(greatest, -5) })
		},
		"cuStreamDestroy_v2": func(h uintptr) int32 {
			return inContext("cuStreamDestroy_v2", func(g *GPU, d *device) int32 {
				s, ok := g.stream(d, h)
				if !ok {
					return invalidHandle
				}
				s.ended = true
				delete(g.objects, h)
				g.turn.Broadcast()
				return success
			})
		},
		"cuStreamQuery": func(h uintptr) int32 {
			return inContext("cuStreamQuery", func(g *GPU, d *device) int32 {
				s, ok := g.stream(d, h)
				switch {
				case !ok:
					return invalidHandle
				case s.capture != nil:
					return captureBroken
				case s.pending > 0:
					return notReady
				}
				return success
			})
		},
		"cuStreamSynchronize": func(h uintptr) int32 {
			return inContext("cuStreamSynchronize", func(g *GPU, d *device) int32 {
				s, ok := g.stream(d, h)
				switch {
				case !ok:
					return invalidHandle
				case s.capture != nil:
					return captureBroken
				}
				return g.drain(s)
			})
		},
	}
}

func copyEntries() map[string]any {
	return map[string]any{
		"cuMemcpyHtoDAsync_v2": func(to, from, n, s uintptr) int32 { return moves("cuMemcpyHtoDAsync_v2", to, from, n, s) },
		"cuMemcpyDtoHAsync_v2": func(to, from, n, s uintptr) int32 { return moves("cuMemcpyDtoHAsync_v2", to, from, n, s) },
		"cuMemcpyDtoDAsync_v2": func(to, from, n, s uintptr) int32 { return moves("cuMemcpyDtoDAsync_v2", to, from, n, s) },
		"cuMemcpyPeerAsync": func(to, toContext, from, fromContext, n, h uintptr) int32 {
			return inContext("cuMemcpyPeerAsync", func(g *GPU, d *device) int32 {
				s, ok := g.stream(d, h)
				a, b := g.byContext(toContext), g.byContext(fromContext)
				if !ok || a == nil || b == nil {
					return invalidHandle
				}
				return g.push(s, "cuMemcpyPeerAsync", func() {
					g.mu.Lock()
					defer g.mu.Unlock()
					t, f := within(a.blocks, to, n), within(b.blocks, from, n)
					if t == nil || f == nil {
						d.sticky = illegalAddress
						return
					}
					copy(t, f)
				})
			})
		},
		"cuMemsetD8Async": func(to uintptr, value uint32, n, h uintptr) int32 {
			return inContext("cuMemsetD8Async", func(g *GPU, d *device) int32 {
				s, ok := g.stream(d, h)
				if !ok {
					return invalidHandle
				}
				return g.push(s, "cuMemsetD8Async", func() {
					g.mu.Lock()
					defer g.mu.Unlock()
					t := g.find(d, to, n)
					if t == nil {
						d.sticky = illegalAddress
						return
					}
					for i := range t {
						t[i] = byte(value)
					}
				})
			})
		},
	}
}

func (g *GPU) byContext(c uintptr) *device {
	for _, d := range g.devices {
		if d.context == c {
			return d
		}
	}
	return nil
}

func eventEntries() map[string]any {
	return map[string]any{
		"cuEventCreate": func(p *uintptr, _ uint32) int32 {
			return inContext("cuEventCreate", func(g *GPU, _ *device) int32 { return out(p, g.add(&event{})) })
		},
		"cuEventDestroy_v2": func(h uintptr) int32 {
			return inContext("cuEventDestroy_v2", func(g *GPU, _ *device) int32 {
				if _, ok := object[*event](g, h); !ok {
					return invalidHandle
				}
				delete(g.objects, h)
				return success
			})
		},
		"cuEventRecord": func(h, stream uintptr) int32 {
			return inContext("cuEventRecord", func(g *GPU, d *device) int32 {
				e, ok := object[*event](g, h)
				s, known := g.stream(d, stream)
				if !ok || !known {
					return invalidHandle
				}
				if s.capture != nil {
					return captureBroken
				}
				r := &record{d: d}
				e.record = r
				return g.push(s, "cuEventRecord", func() {
					g.mu.Lock()
					defer g.mu.Unlock()
					r.done, r.at = true, g.clock.Load()
					g.turn.Broadcast()
				})
			})
		},
	}
}

func eventWaitEntries() map[string]any {
	return map[string]any{
		"cuEventQuery": func(h uintptr) int32 {
			return inContext("cuEventQuery", func(g *GPU, _ *device) int32 {
				e, ok := object[*event](g, h)
				switch {
				case !ok:
					return invalidHandle
				case e.record != nil && !e.record.done:
					return notReady
				}
				return success
			})
		},
		"cuEventElapsedTime": func(ms *float32, a, b uintptr) int32 {
			return inContext("cuEventElapsedTime", func(g *GPU, _ *device) int32 {
				from, ok := object[*event](g, a)
				to, known := object[*event](g, b)
				switch {
				case !ok || !known || from.record == nil || to.record == nil:
					return invalidHandle
				case !from.record.done || !to.record.done:
					return notReady
				}
				return out(ms, float32(to.record.at-from.record.at))
			})
		},
		"cuStreamWaitEvent": func(stream, h uintptr, _ uint32) int32 {
			return inContext("cuStreamWaitEvent", func(g *GPU, d *device) int32 {
				s, known := g.stream(d, stream)
				e, ok := object[*event](g, h)
				if !ok || !known {
					return invalidHandle
				}
				if s.capture != nil {
					return captureBroken
				}
				r := e.record
				if r == nil {
					return success
				}
				return g.push(s, "cuStreamWaitEvent", func() {
					g.mu.Lock()
					defer g.mu.Unlock()
					for !r.done && r.d.sticky == 0 && d.sticky == 0 && !g.closed.Load() {
						g.turn.Wait()
					}
				})
			})
		},
	}
}
