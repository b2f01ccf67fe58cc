//go:build !nogpu && linux && (amd64 || arm64)

package cufake

import "syscall"

type graph struct{ operations []operation }

type executable struct{ operations []operation }

func captureEntries() map[string]any {
	return map[string]any{
		"cuStreamBeginCapture_v2": func(h uintptr, mode int32) int32 {
			return inContext("cuStreamBeginCapture_v2", func(g *GPU, d *device) int32 {
				s, ok := g.stream(d, h)
				if !ok || s.capture != nil || mode < 0 || mode > 2 {
					return invalidHandle
				}
				s.capture, s.thread = &graph{}, syscall.Gettid()
				return success
			})
		},
		"cuStreamEndCapture": func(h uintptr, p *uintptr) int32 {
			return inContext("cuStreamEndCapture", func(g *GPU, d *device) int32 {
				s, ok := g.stream(d, h)
				switch {
				case !ok:
					return invalidHandle
				case s.capture == nil:
					return captureUnmatched
				case s.thread != syscall.Gettid():
					return captureThread
				}
				made := s.capture
				s.capture = nil
				return out(p, g.add(made))
			})
		},
	}
}

func graphEntries() map[string]any {
	return map[string]any{
		"cuGraphGetNodes": func(h uintptr, _ uintptr, n *uintptr) int32 {
			return inContext("cuGraphGetNodes", func(g *GPU, _ *device) int32 {
				made, ok := object[*graph](g, h)
				if !ok {
					return invalidHandle
				}
				return out(n, uintptr(len(made.operations)))
			})
		},
		"cuGraphInstantiateWithFlags": func(p *uintptr, h uintptr, _ uint64) int32 {
			return inContext("cuGraphInstantiateWithFlags", func(g *GPU, _ *device) int32 {
				made, ok := object[*graph](g, h)
				if !ok {
					return invalidHandle
				}
				return out(p, g.add(&executable{made.operations}))
			})
		},
		"cuGraphDestroy": func(h uintptr) int32 {
			return inContext("cuGraphDestroy", func(g *GPU, _ *device) int32 {
				if _, ok := object[*graph](g, h); !ok {
					return invalidHandle
				}
				delete(g.objects, h)
				return success
			})
		},
		"cuGraphExecDestroy": func(h uintptr) int32 {
			return inContext("cuGraphExecDestroy", func(g *GPU, _ *device) int32 {
				if _, ok := object[*executable](g, h); !ok {
					return invalidHandle
				}
				delete(g.objects, h)
				return success
			})
		},
		"cuGraphUpload": func(h, stream uintptr) int32 {
			return inContext("cuGraphUpload", func(g *GPU, d *device) int32 {
				_, ok := object[*executable](g, h)
				if _, known := g.stream(d, stream); !ok || !known {
					return invalidHandle
				}
				return success
			})
		},
		"cuGraphLaunch": func(h, stream uintptr) int32 {
			return inContext("cuGraphLaunch", func(g *GPU, d *device) int32 {
				e, ok := object[*executable](g, h)
				s, known := g.stream(d, stream)
				if !ok || !known {
					return invalidHandle
				}
				for _, o := range e.operations {
					_ = g.push(s, o.name, o.run)
				}
				return success
			})
		},
	}
}
