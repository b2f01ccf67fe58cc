package gpu

import (
	"bytes"
	"fmt"
	"strings"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Module is code on a device. Its kernels keep it loaded while they run, whatever is closed.
type Module struct {
	r      *resource
	handle uintptr
	// Log is what the driver's compiler or linker said, warnings too; mostly empty.
	Log string
}

// Numbers of CUjit_option and CUjitInputType.
const (
	jitInfoLog       = 3
	jitInfoLogBytes  = 4
	jitErrorLog      = 5
	jitErrorLogBytes = 6

	inputCubin = 0
	inputPTX   = 1
)

const logBytes = 16 << 10

// jit holds the options of a compilation and the logs it writes into. It lives until the driver is done with them.
type jit struct {
	options     [4]uint32
	values      [4]uintptr
	info, fault [logBytes]byte
}

func newJIT() *jit {
	j := &jit{options: [4]uint32{jitInfoLog, jitInfoLogBytes, jitErrorLog, jitErrorLogBytes}}
	j.values = [4]uintptr{uintptr(unsafe.Pointer(&j.info[0])), logBytes, uintptr(unsafe.Pointer(&j.fault[0])), logBytes}
	return j
}

func (j *jit) log() string {
	text := func(b []byte) string { s, _, _ := strings.Cut(string(b), "\x00"); return strings.TrimSpace(s) }
	return strings.TrimSpace(text(j.fault[:]) + "\n" + text(j.info[:]))
}

// attach puts the log into an error of the driver.
func (j *jit) attach(err error) error {
	if e, ok := err.(*Error); ok {
		e.Log = j.log()
	}
	return err
}

// image returns code as the driver wants it: text ends in a zero byte.
func image(op string, code []byte) ([]byte, error) {
	switch {
	case len(code) == 0:
		return nil, refuse(op, "no code", "give PTX or a cubin")
	case bytes.HasPrefix(code, []byte("\x7fELF")):
		return code, nil
	}
	if i := bytes.IndexByte(code, 0); i >= 0 && i < len(code)-1 {
		return nil, refuse(op, fmt.Sprintf("PTX with a zero byte at %d", i), "the text is damaged")
	}
	return append(bytes.Clone(code), 0), nil
}

// LoadModule loads code: a cubin, which is quick and for one architecture, or PTX, which the driver compiles. Load everything
// before a resident kernel starts: loading may wait for it.
func (d *Device) LoadModule(code []byte) (*Module, error) {
	code, err := image("cuModuleLoadDataEx", code)
	if err != nil {
		return nil, err
	}
	j, m := newJIT(), &Module{}
	err = d.call(cu.ModuleLoadDataEx, uintptr(unsafe.Pointer(&m.handle)), uintptr(unsafe.Pointer(&code[0])),
		uintptr(len(j.options)), uintptr(unsafe.Pointer(&j.options[0])), uintptr(unsafe.Pointer(&j.values[0])))
	if err != nil {
		return nil, j.attach(err)
	}
	m.Log = j.log()
	handle := m.handle
	m.r = d.own("module", uint64(len(code)), func() error { return d.call(cu.ModuleUnload, handle) })
	watch(m, m.r)
	return m, nil
}

// Part is a piece of code to link.
type Part struct {
	Name string // for the linker's messages
	Code []byte // PTX or a cubin
}

// Link compiles and links parts: what one declares .extern another defines. It returns a cubin for this device, which
// LoadModule takes and which may be kept, and what the linker said.
func (d *Device) Link(parts ...Part) (cubin []byte, log string, err error) {
	if err := d.needs(cu.LinkAddData, cu.LinkComplete, cu.LinkDestroy); err != nil {
		return nil, "", err
	}
	j := newJIT()
	var state uintptr
	if err := d.call(cu.LinkCreate, uintptr(len(j.options)), uintptr(unsafe.Pointer(&j.options[0])),
		uintptr(unsafe.Pointer(&j.values[0])), uintptr(unsafe.Pointer(&state))); err != nil {
		return nil, "", j.attach(err)
	}
	cubin, err = d.link(state, parts)
	destroyed := d.call(cu.LinkDestroy, state)
	if destroyed != nil && err == nil {
		destroyed = d.call(cu.LinkDestroy, state) // once more, for nobody else can
	}
	switch {
	case err != nil:
		return nil, j.log(), j.attach(err)
	case destroyed != nil:
		return nil, j.log(), destroyed
	}
	return cubin, j.log(), nil
}

// link returns a copy of the result, which belongs to the linker.
func (d *Device) link(state uintptr, parts []Part) ([]byte, error) {
	for _, p := range parts {
		code, err := image("cuLinkAddData", p.Code)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		kind := uintptr(inputPTX)
		if bytes.HasPrefix(code, []byte("\x7fELF")) {
			kind = inputCubin
		}
		name := append([]byte(p.Name), 0)
		if err := d.call(cu.LinkAddData, state, kind, uintptr(unsafe.Pointer(&code[0])), uintptr(len(code)),
			uintptr(unsafe.Pointer(&name[0])), 0, 0, 0); err != nil {
			return nil, err
		}
	}
	var result *byte
	var size uintptr
	if err := d.call(cu.LinkComplete, state, uintptr(unsafe.Pointer(&result)), uintptr(unsafe.Pointer(&size))); err != nil {
		return nil, err
	}
	return bytes.Clone(unsafe.Slice(result, size)), nil
}

// LoadLinked links parts and loads the result.
func (d *Device) LoadLinked(parts ...Part) (*Module, error) {
	cubin, log, err := d.Link(parts...)
	if err != nil {
		return nil, err
	}
	m, err := d.LoadModule(cubin)
	if err != nil {
		return nil, err
	}
	m.Log = strings.TrimSpace(log + "\n" + m.Log)
	return m, nil
}

// Close unloads the code, when no launch in flight and no graph uses it.
func (m *Module) Close() error { return m.r.close() }

// global finds a variable of the module.
func (m *Module) global(name string) (address, size uint64, err error) {
	if m.r.closed.Load() {
		return 0, 0, fmt.Errorf("%w: module", ErrClosed)
	}
	text := append([]byte(name), 0)
	err = m.r.device.call(cu.ModuleGetGlobal, uintptr(unsafe.Pointer(&address)), uintptr(unsafe.Pointer(&size)),
		m.handle, uintptr(unsafe.Pointer(&text[0])))
	return address, size, err
}

// Global is a variable of a module as a span of T. Its use keeps the module loaded.
func Global[T any](m *Module, name string) (Span[T], error) {
	address, size, err := m.global(name)
	if err != nil {
		return Span[T]{}, err
	}
	one, err := sizeOf[T]("cuModuleGetGlobal", 1)
	if err != nil {
		return Span[T]{}, err
	}
	if size%one != 0 {
		return Span[T]{}, refuse("cuModuleGetGlobal", fmt.Sprintf("%s has %d bytes, not a multiple of %d", name, size, one), "give the type that the code declares")
	}
	return Span[T]{m.r, address, int(size / one)}, nil
}
