//go:build !nogpu && linux && (amd64 || arm64)

package cufake

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// elf begins what the fake's linker makes: this line, and then the PTX of all parts.
const elf = "\x7fELF of cufake\n"

type module struct {
	d       *device
	entries map[string][]parameter
	globals map[string]*block
}

type parameter struct{ offset, size uintptr }

type function struct {
	m          *module
	name       string
	parameters []parameter
	dynamic    int32 // bytes of dynamic shared memory allowed
}

type linker struct {
	ptx    bytes.Buffer
	fault  []byte // the caller's buffer for errors
	result []byte
}

var (
	entryPattern  = regexp.MustCompile(`(?s)\.entry\s+(\w+)\s*\((.*?)\)`)
	paramPattern  = regexp.MustCompile(`\.param\s+(?:\.align\s+(\d+)\s+)?\.([busf]\d+)\s+\w+(?:\[(\d+)\])?`)
	funcPattern   = regexp.MustCompile(`(?m)^\s*(\.extern|\.visible)\s+\.func\s+(?:\([^)]*\)\s*)?(\w+)`)
	globalPattern = regexp.MustCompile(`\.visible\s+\.global\s+\.align\s+\d+\s+\.b8\s+(\w+)\[(\d+)\]`)
)

// parse reads what code declares, or returns nil for what is no code.
func parse(code string) *module {
	text, linked := strings.CutPrefix(code, elf)
	if !linked && !(strings.Contains(text, ".version") && (strings.Contains(text, ".entry") || strings.Contains(text, ".func"))) {
		return nil
	}
	m := &module{entries: map[string][]parameter{}, globals: map[string]*block{}}
	for _, e := range entryPattern.FindAllStringSubmatch(text, -1) {
		var at uintptr
		parameters := []parameter{}
		for _, p := range paramPattern.FindAllStringSubmatch(e[2], -1) {
			bits, _ := strconv.Atoi(p[2][1:])
			size, align := uintptr(bits/8), uintptr(bits/8)
			if p[1] != "" {
				n, _ := strconv.Atoi(p[1])
				align = uintptr(n)
			}
			if p[3] != "" {
				n, _ := strconv.Atoi(p[3])
				size *= uintptr(n)
			}
			at = (at + align - 1) / align * align
			parameters = append(parameters, parameter{at, size})
			at += size
		}
		m.entries[e[1]] = parameters
	}
	for _, v := range globalPattern.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(v[2])
		m.globals[v[1]] = &block{data: make([]byte, n)}
	}
	return m
}

// resolved remembers the answers of unresolved: tests load the same code again and again.
var resolved sync.Map

// unresolved returns the functions that code declares external and nothing defines.
func unresolved(code string) (names []string) {
	if known, ok := resolved.Load(code); ok {
		return known.([]string)
	}
	defer func() { resolved.Store(code, names) }()
	defined := map[string]bool{}
	for _, f := range funcPattern.FindAllStringSubmatch(code, -1) {
		if f[1] == ".visible" {
			defined[f[2]] = true
		}
	}
	for _, f := range funcPattern.FindAllStringSubmatch(code, -1) {
		if f[1] == ".extern" && !defined[f[2]] {
			names = append(names, f[2])
		}
	}
	return names
}

// logBuffer finds the caller's buffer for errors among options of a compilation.
func logBuffer(n uint32, options *[16]int32, values *[16]uintptr) []byte {
	const errorLog = 5
	for i := range n {
		if options[i] == errorLog && i+1 < n {
			return unsafe.Slice((*byte)(pointer(values[i])), values[i+1])
		}
	}
	return nil
}

// cText copies a C string.
func cText(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

func moduleEntries() map[string]any {
	return map[string]any{
		"cuModuleLoadDataEx": func(p *uintptr, code *byte, n uint32, options *[16]int32, values *[16]uintptr) int32 {
			return inContext("cuModuleLoadDataEx", func(g *GPU, d *device) int32 {
				text := cText(code)
				m := parse(text)
				if m == nil {
					copy(logBuffer(n, options, values), "fatal: no code in it\x00")
					return invalidPTX
				}
				if missing := unresolved(text); missing != nil {
					copy(logBuffer(n, options, values), "error: unresolved extern function "+missing[0]+"\x00")
					return invalidPTX
				}
				m.d = d
				for _, v := range m.globals {
					v.address = d.next
					d.next += 1 << 20
					d.blocks = append(d.blocks, v)
				}
				return out(p, g.add(m))
			})
		},
		"cuModuleUnload": func(h uintptr) int32 {
			return inContext("cuModuleUnload", func(g *GPU, d *device) int32 {
				m, ok := object[*module](g, h)
				if !ok {
					return invalidHandle
				}
				for _, v := range m.globals {
					d.blocks, _ = remove(d.blocks, v.address)
				}
				delete(g.objects, h)
				return success
			})
		},
		"cuModuleGetFunction": func(p *uintptr, h uintptr, name *byte) int32 {
			return inContext("cuModuleGetFunction", func(g *GPU, _ *device) int32 {
				m, ok := object[*module](g, h)
				if !ok {
					return invalidHandle
				}
				parameters, ok := m.entries[cText(name)]
				if !ok || g.kernels[cText(name)] == nil {
					return notFound
				}
				g.next += 64 // a function belongs to its module and is not given back by itself
				f := &function{m: m, name: cText(name), parameters: parameters, dynamic: 48 << 10}
				functions.Store(g.next, f)
				return out(p, g.next)
			})
		},
		"cuModuleGetGlobal_v2": func(p, size *uintptr, h uintptr, name *byte) int32 {
			return inContext("cuModuleGetGlobal_v2", func(g *GPU, _ *device) int32 {
				m, ok := object[*module](g, h)
				if !ok {
					return invalidHandle
				}
				v := m.globals[cText(name)]
				if v == nil {
					return notFound
				}
				*p, *size = v.address, uintptr(len(v.data))
				return success
			})
		},
	}
}

func linkEntries() map[string]any {
	return map[string]any{
		"cuLinkCreate_v2": func(n uint32, options *[16]int32, values *[16]uintptr, p *uintptr) int32 {
			return inContext("cuLinkCreate_v2", func(g *GPU, _ *device) int32 {
				return out(p, g.add(&linker{fault: logBuffer(n, options, values)}))
			})
		},
		"cuLinkAddData_v2": func(h uintptr, kind int32, code *byte, n uintptr, name *byte, _ uint32, _, _ uintptr) int32 {
			return inContext("cuLinkAddData_v2", func(g *GPU, _ *device) int32 {
				l, ok := object[*linker](g, h)
				if !ok || kind < 0 || kind > 1 {
					return invalidHandle
				}
				part := string(bytes.TrimRight(unsafe.Slice(code, n), "\x00"))
				if parse(part) == nil {
					copy(l.fault, "error: "+cText(name)+": no code in it\x00")
					return invalidPTX
				}
				l.ptx.WriteString(strings.TrimPrefix(part, elf) + "\n")
				return success
			})
		},
		"cuLinkComplete": func(h uintptr, p, size *uintptr) int32 {
			return inContext("cuLinkComplete", func(g *GPU, _ *device) int32 {
				l, ok := object[*linker](g, h)
				if !ok {
					return invalidHandle
				}
				if missing := unresolved(l.ptx.String()); missing != nil {
					copy(l.fault, "error: undefined reference to '"+missing[0]+"'\x00")
					return invalidImage
				}
				l.result = append([]byte(elf+l.ptx.String()), 0)
				*p, *size = uintptr(unsafe.Pointer(&l.result[0])), uintptr(len(l.result))
				return success
			})
		},
		"cuLinkDestroy": func(h uintptr) int32 {
			return inContext("cuLinkDestroy", func(g *GPU, _ *device) int32 {
				l, ok := object[*linker](g, h)
				if !ok {
					return invalidHandle
				}
				clear(l.result) // it belonged to the linker
				delete(g.objects, h)
				return success
			})
		},
	}
}
