package gpu

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/hazard"
	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Buffer is memory of a device: n elements of T, which must hold no Go pointers. Its methods may be called from any goroutine.
type Buffer[T any] struct {
	r    *resource
	n    int
	home *Stream // of a pool's buffer: the stream on which it was made
	pool *Pool
}

// Ptr is the address of a T in a device's memory. Only buffers and spans make one; its zero value is the null pointer.
type Ptr[T any] struct{ address uint64 }

// Address returns the number.
func (p Ptr[T]) Address() uint64 { return p.address }

func (Ptr[T]) devicePointer() {}

type devicePointer interface{ devicePointer() }

// sizeOf returns the bytes of n elements, or why T cannot be in a device's memory.
func sizeOf[T any](op string, n int) (uint64, error) {
	t := reflect.TypeFor[T]()
	if why := unfit(t); why != "" {
		return 0, refuse(op, fmt.Sprintf("%v in device memory: it has %s", t, why), "use integers and floats of fixed size, arrays and structs of them")
	}
	size := uint64(t.Size())
	if n <= 0 || size == 0 || uint64(n) > math.MaxInt64/size {
		return 0, refuse(op, fmt.Sprintf("%d elements of %d bytes", n, size), "ask for at least one byte")
	}
	return uint64(n) * size, nil
}

// unfit says what in t cannot be shared with a device.
func unfit(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return ""
	case reflect.Array:
		return unfit(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if why := unfit(t.Field(i).Type); why != "" {
				return why
			}
		}
		return ""
	}
	return "a " + t.Kind().String()
}

// Alloc makes a buffer of n elements, zeroed. What does not fit gives ErrOutOfMemory.
func Alloc[T any](d *Device, n int) (*Buffer[T], error) {
	bytes, err := sizeOf[T]("cuMemAlloc", n)
	if err != nil {
		return nil, err
	}
	var address uint64
	if err := d.call(cu.MemAlloc, uintptr(unsafe.Pointer(&address)), uintptr(bytes)); err != nil {
		return nil, d.whyNoMemory(err, bytes)
	}
	b := &Buffer[T]{n: n}
	b.r = d.own("buffer", bytes, func() error { return d.call(cu.MemFree, uintptr(address)) })
	b.r.low = address
	b.r.memory = d.newMemory("buffer", address)
	watch(b, b.r)
	if err := d.zero(b.r); err != nil {
		_ = b.Close() // what fails here Device.Close tries again
		return nil, err
	}
	return b, nil
}

// whyNoMemory adds the figures to an error of an allocation.
func (d *Device) whyNoMemory(err error, bytes uint64) error {
	e, ok := err.(*Error)
	if !ok || e.Code != Code(cu.OutOfMemory) {
		return err
	}
	if free, total, ferr := d.Memory(); ferr == nil {
		e.Text += fmt.Sprintf(": %d bytes asked for, %d of %d free", bytes, free, total)
	}
	return e
}

func (d *Device) newMemory(kind string, address uint64) *hazard.Memory {
	if d.driver.check == nil {
		return nil
	}
	return d.driver.check.NewMemory(fmt.Sprintf("%s %#x", kind, address))
}

// zero clears new memory and waits for it.
func (d *Device) zero(r *resource) error {
	s := d.service
	s.mu.Lock()
	defer s.mu.Unlock()
	use := []Use{{r: r, low: r.low, high: r.low + r.bytes, writes: true}}
	if err := s.admit("Alloc", use); err != nil {
		return err
	}
	a := &s.frame.args
	a[0], a[1], a[2], a[3] = uintptr(r.low), 0, uintptr(r.bytes), s.handle
	if err := s.operate("Alloc", cu.MemsetD8Async, 4, use); err != nil {
		return err
	}
	return s.syncInDriver()
}

// Len returns the number of elements.
func (b *Buffer[T]) Len() int { return b.n }

// Device returns the device whose memory it is.
func (b *Buffer[T]) Device() *Device { return b.r.device }

// All is the whole buffer.
func (b *Buffer[T]) All() Span[T] { return Span[T]{b.r, b.r.low, b.n} }

// Span is elements lo to hi-1. It panics out of range, as slicing does.
func (b *Buffer[T]) Span(lo, hi int) Span[T] { return b.All().Span(lo, hi) }

// Ptr is the address of the first element, for a kernel's parameters. A launch refuses it unless In or Out names the buffer.
func (b *Buffer[T]) Ptr() Ptr[T] { return Ptr[T]{b.r.low} }

// In says that an operation reads the buffer.
func (b *Buffer[T]) In() Use { return b.All().In() }

// Out says that an operation writes the buffer, or reads and writes it.
func (b *Buffer[T]) Out() Use { return b.All().Out() }

// Close gives the memory back, at once or, if operations in flight use it, when they are done. It may be called again after
// an error; after success it does nothing.
func (b *Buffer[T]) Close() error { return b.r.close() }

// Span is a part of a buffer's or of mapped host memory, as a value.
type Span[T any] struct {
	r       *resource
	address uint64
	n       int
}

// Len returns the number of elements.
func (v Span[T]) Len() int { return v.n }

// Span is elements lo to hi-1 of the span. It panics out of range, as slicing does.
func (v Span[T]) Span(lo, hi int) Span[T] {
	if lo < 0 || hi < lo || hi > v.n {
		panic(fmt.Sprintf("gpu: span [%d:%d] of %d elements", lo, hi, v.n))
	}
	var element T
	return Span[T]{v.r, v.address + uint64(lo)*uint64(unsafe.Sizeof(element)), hi - lo}
}

// Ptr is the address of the first element.
func (v Span[T]) Ptr() Ptr[T] { return Ptr[T]{v.address} }

// In says that an operation reads the span.
func (v Span[T]) In() Use { return v.use(false) }

// Out says that an operation writes the span, or reads and writes it.
func (v Span[T]) Out() Use { return v.use(true) }

func (v Span[T]) use(writes bool) Use {
	return Use{r: v.r, low: v.address, high: v.address + v.bytes(), writes: writes}
}

func (v Span[T]) bytes() uint64 {
	var element T
	return uint64(v.n) * uint64(unsafe.Sizeof(element))
}
