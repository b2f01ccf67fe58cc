package gpu

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// paramBytesMax is what any device takes as parameters of a kernel.
const paramBytesMax = 4096

// Numbers of CUfunction_attribute.
const (
	funcThreads       = 0
	funcShared        = 1
	funcLocal         = 3
	funcRegisters     = 4
	funcDynamicShared = 8
)

// Kernel is an entry point of a module that takes the fields of A as its parameters, in order. It is safe for use from any
// goroutine, on any stream of its device.
type Kernel[A any] struct {
	kernel
}

type kernel struct {
	m        *Module
	name     string
	function uintptr
	size     uintptr   // bytes of the parameters
	pointers []pointer // which of them are addresses
	checked  bool

	threads   int // the most in a block
	shared    int // bytes a block has without asking
	local     int // bytes a thread spills
	registers int // a thread
	dynamic   int // bytes of dynamic shared memory allowed so far
}

// pointer is a parameter that is a Ptr.
type pointer struct {
	offset uintptr
	field  string
}

// LoadKernel finds an entry point and compares A with its parameters as the driver knows them: their number, and the offset
// and size of each. A field is one parameter: an integer or float of fixed size, a Ptr, or an array or struct of them. The
// kernel is loaded to the device here, not at its first launch. With a driver that cannot tell parameters (before
// CUDA 12.4) the comparison is left out, and Checked is false.
func LoadKernel[A any](m *Module, name string) (*Kernel[A], error) {
	k := &Kernel[A]{kernel{m: m, name: name}}
	if err := k.load(reflect.TypeFor[A]()); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *kernel) load(t reflect.Type) error {
	if k.m.r.closed.Load() {
		return fmt.Errorf("%w: module", ErrClosed)
	}
	d := k.m.r.device
	name := append([]byte(k.name), 0)
	err := d.call(cu.ModuleGetFunction, uintptr(unsafe.Pointer(&k.function)), k.m.handle, uintptr(unsafe.Pointer(&name[0])))
	if err != nil {
		if e, ok := err.(*Error); ok && e.Code == Code(cu.NotFound) {
			e.Text, e.Hint = fmt.Sprintf("the module has no kernel %q", k.name), "kernels are declared .visible .entry (extern \"C\" __global__)"
		}
		return err
	}
	if err := k.layout(t); err != nil {
		return err
	}
	for attribute, to := range map[uintptr]*int{funcThreads: &k.threads, funcShared: &k.shared, funcLocal: &k.local, funcRegisters: &k.registers} {
		var v int32
		if err := d.call(cu.FuncGetAttribute, uintptr(unsafe.Pointer(&v)), attribute, k.function); err != nil {
			return err
		}
		*to = int(v)
	}
	k.dynamic = max(0, d.info.Limits.SharedBytes-k.shared)
	if d.driver.table.Has(cu.FuncLoad) {
		return d.call(cu.FuncLoad, k.function)
	}
	return nil
}

// layout compares the struct with the driver's knowledge.
func (k *kernel) layout(t reflect.Type) error {
	if t.Kind() != reflect.Struct {
		return refuse("LoadKernel", fmt.Sprintf("%v as parameters of %s", t, k.name), "use a struct with a field for each parameter")
	}
	if why := unfit(t); why != "" {
		return refuse("LoadKernel", fmt.Sprintf("parameters of %s: %v has %s", k.name, t, why), "use integers and floats of fixed size and gpu.Ptr")
	}
	if t.Size() > paramBytesMax {
		return refuse("LoadKernel", fmt.Sprintf("%d bytes of parameters for %s", t.Size(), k.name), fmt.Sprintf("at most %d", paramBytesMax))
	}
	if t.NumField() > 0 {
		last := t.Field(t.NumField() - 1)
		k.size = last.Offset + last.Type.Size() // without the padding at the end, which the kernel does not know
	}
	k.find(t, 0, "")
	d := k.m.r.device
	if !d.driver.table.Has(cu.FuncGetParamInfo) {
		return nil
	}
	for i := 0; ; i++ {
		var offset, size uintptr
		err := d.call(cu.FuncGetParamInfo, k.function, uintptr(i), uintptr(unsafe.Pointer(&offset)), uintptr(unsafe.Pointer(&size)))
		if e, ok := err.(*Error); ok && e.Code == Code(cu.InvalidValue) { // there is no such parameter
			if i != t.NumField() {
				return k.mismatch(fmt.Sprintf("%v has %d fields, the kernel %d parameters", t, t.NumField(), i))
			}
			k.checked = true
			return nil
		}
		if err != nil {
			return err
		}
		if i >= t.NumField() {
			return k.mismatch(fmt.Sprintf("%v has %d fields, the kernel more parameters", t, t.NumField()))
		}
		if f := t.Field(i); f.Offset != offset || f.Type.Size() != size {
			return k.mismatch(fmt.Sprintf("field %s has %d bytes at offset %d, parameter %d has %d at %d", f.Name, f.Type.Size(), f.Offset, i, size, offset))
		}
	}
}

func (k *kernel) mismatch(text string) error {
	return refuse("LoadKernel", k.name+": "+text, "the struct has a field for each parameter, in order and of its size")
}

// find lists the fields that are addresses.
func (k *kernel) find(t reflect.Type, offset uintptr, path string) {
	switch {
	case t.Implements(reflect.TypeFor[devicePointer]()):
		k.pointers = append(k.pointers, pointer{offset, path})
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name := f.Name
			if path != "" {
				name = path + "." + name
			}
			k.find(f.Type, offset+f.Offset, name)
		}
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			k.find(t.Elem(), offset+uintptr(i)*t.Elem().Size(), fmt.Sprintf("%s[%d]", path, i))
		}
	}
}

// Name returns the kernel's name.
func (k *kernel) Name() string { return k.name }

// Checked reports whether the driver confirmed the layout of the parameters.
func (k *kernel) Checked() bool { return k.checked }

// Registers returns how many registers a thread has, and LocalBytes how many bytes it spills to memory.
func (k *kernel) Registers() int { return k.registers }

// LocalBytes returns how many bytes a thread keeps in memory because it has too few registers.
func (k *kernel) LocalBytes() int { return k.local }

// Resident returns how many blocks of this size run on the device at once. A kernel that stays and waits for others of its
// blocks must not have more.
func (k *kernel) Resident(blockThreads, sharedBytes int) (int, error) {
	d := k.m.r.device
	var n int32
	if err := d.call(cu.OccupancyMaxActiveBlocks, uintptr(unsafe.Pointer(&n)), k.function, uintptr(blockThreads), uintptr(sharedBytes)); err != nil {
		return 0, err
	}
	return int(n) * d.info.SMs, nil
}
