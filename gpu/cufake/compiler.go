//go:build !nogpu && linux && (amd64 || arm64)

package cufake

import (
	"strings"
	"unsafe"
)

// program is a program of the run-time compiler. Its source is PTX, which the fake passes on, or an error.
type program struct {
	source, result, log string
}

const compilationFailed = 6

// pass copies text and the zero after it into the caller's memory.
func pass(to *byte, s string) { copy(unsafe.Slice(to, len(s)+1), s+"\x00") }

func compilerEntries() map[string]any {
	with := func(symbol string, h uintptr, f func(p *program) int32) int32 {
		return plain(symbol, func(g *GPU) int32 {
			p, ok := object[*program](g, h)
			if !ok {
				return 4
			}
			return f(p)
		})
	}
	return map[string]any{
		"nvrtcVersion": func(major, minor *int32) int32 { return out(major, 13) + out(minor, 0) },
		"nvrtcCreateProgram": func(h *uintptr, source, _ *byte, _ int32, _, _ uintptr) int32 {
			return plain("nvrtcCreateProgram", func(g *GPU) int32 { return out(h, g.add(&program{source: cText(source)})) })
		},
		"nvrtcCompileProgram": func(h uintptr, n int32, options **byte) int32 {
			return with("nvrtcCompileProgram", h, func(p *program) int32 {
				for _, o := range unsafe.Slice(options, n) {
					p.log += "option " + cText(o) + "\n"
				}
				if strings.Contains(p.source, "#error") {
					p.log += "error: #error directive"
					return compilationFailed
				}
				p.result = p.source
				return success
			})
		},
		"nvrtcGetProgramLogSize": func(h uintptr, n *uintptr) int32 {
			return with("nvrtcGetProgramLogSize", h, func(p *program) int32 { return out(n, uintptr(len(p.log)+1)) })
		},
		"nvrtcGetProgramLog": func(h uintptr, to *byte) int32 {
			return with("nvrtcGetProgramLog", h, func(p *program) int32 { pass(to, p.log); return success })
		},
		"nvrtcGetPTXSize": func(h uintptr, n *uintptr) int32 {
			return with("nvrtcGetPTXSize", h, func(p *program) int32 { return out(n, uintptr(len(p.result)+1)) })
		},
		"nvrtcGetPTX": func(h uintptr, to *byte) int32 {
			return with("nvrtcGetPTX", h, func(p *program) int32 { pass(to, p.result); return success })
		},
		"nvrtcGetCUBINSize": func(h uintptr, n *uintptr) int32 {
			return with("nvrtcGetCUBINSize", h, func(p *program) int32 { return out(n, uintptr(len(elf+p.result)+1)) })
		},
		"nvrtcGetCUBIN": func(h uintptr, to *byte) int32 {
			return with("nvrtcGetCUBIN", h, func(p *program) int32 { pass(to, elf+p.result); return success })
		},
		"nvrtcDestroyProgram": func(h *uintptr) int32 {
			return plain("nvrtcDestroyProgram", func(g *GPU) int32 {
				if _, ok := object[*program](g, *h); !ok {
					return 4
				}
				delete(g.objects, *h)
				*h = 0
				return success
			})
		},
	}
}
