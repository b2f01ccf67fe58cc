//go:build !nogpu && linux && (amd64 || arm64)

package gpu_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/sigengine/sigengine/gpu"
)

func load(p *uint32) uint32     { return atomic.LoadUint32(p) }
func store(p *uint32, v uint32) { atomic.StoreUint32(p, v) }

type closer interface{ Close() error }

// closing adds what closing x says to a scenario's error; after a failure it tries once more, as a user may.
func closing(err *error, x closer) {
	first := x.Close()
	if first == nil {
		return
	}
	*err = errors.Join(*err, first)
	if second := x.Close(); second != nil {
		*err = errors.Join(*err, second)
	}
}

func want[T comparable](what string, got []T, expected func(i int) T) error {
	for i, g := range got {
		if e := expected(i); g != e {
			return fmt.Errorf("%w: %s: element %d is %v, want %v", errWrong, what, i, g, e)
		}
	}
	return nil
}

var errWrong = errors.New("wrong result")

// scenario is something that users do, from making to closing, which says whether the result is right.
type scenario struct {
	name string
	run  func(m *machine) error
}

var scenarios = []scenario{
	{"copies", copies},
	{"launch", launches},
	{"linked", linked},
	{"graph", graphs},
	{"events", events},
	{"pool", pools},
	{"managed", managedMemory},
	{"mailbox", mailboxes},
	{"global", globals},
	{"peer", peers},
	{"pinned stream", pinnedStream},
}

func TestScenarios(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, m *machine) {
				if err := s.run(m); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

func copies(m *machine) (err error) {
	s, err := m.device.NewStream(gpu.StreamOptions{Name: "a", Priority: -1})
	if err != nil {
		return err
	}
	defer closing(&err, s)
	const n = 1000
	in, err := gpu.AllocHost[uint32](m.device, n, gpu.Upload)
	if err != nil {
		return err
	}
	defer closing(&err, in)
	out, err := gpu.AllocHost[uint32](m.device, n, gpu.Staging)
	if err != nil {
		return err
	}
	defer closing(&err, out)
	a, err := gpu.Alloc[uint32](m.device, n)
	if err != nil {
		return err
	}
	defer closing(&err, a)
	b, err := gpu.Alloc[uint32](m.device, n)
	if err != nil {
		return err
	}
	defer closing(&err, b)
	from, err := in.Slice()
	if err != nil {
		return err
	}
	for i := range from {
		from[i] = uint32(i)
	}
	if err := errors.Join(
		gpu.Copy(s, a.All(), in.All()), gpu.Clear(s, a.Span(10, 20)), gpu.Copy(s, b.All(), a.All()), gpu.Copy(s, out.All(), b.All()),
	); err != nil {
		return err
	}
	if err := s.Sync(m.ctx); err != nil {
		return err
	}
	got, err := out.Slice()
	if err != nil {
		return err
	}
	expected := func(i int) uint32 {
		if i >= 10 && i < 20 {
			return 0
		}
		return uint32(i)
	}
	if err := want("copied", got, expected); err != nil {
		return err
	}
	if err := errors.Join(gpu.Copy(s, a.Span(0, 5), in.Span(100, 105)), gpu.Copy(s, out.Span(50, 55), a.Span(0, 5)), s.Sync(m.ctx)); err != nil {
		return err
	}
	if got, err = out.Slice(); err != nil {
		return err
	}
	if err := want("parts", got[49:56], func(i int) uint32 { return []uint32{49, 100, 101, 102, 103, 104, 55}[i] }); err != nil {
		return err
	}
	plain := make([]uint32, n)
	if err := gpu.Read(plain, b.All()); err != nil {
		return err
	}
	if err := want("read", plain, expected); err != nil {
		return err
	}
	if err := gpu.Write(b.Span(0, 3), []uint32{7, 8, 9}); err != nil {
		return err
	}
	if err := gpu.Read(plain[:4], b.Span(0, 4)); err != nil {
		return err
	}
	return want("written", plain[:4], func(i int) uint32 { return []uint32{7, 8, 9, 3}[i] })
}

type axpyParameters struct {
	N    uint32
	A    float32
	X, Y gpu.Ptr[float32]
}

// axpyBench is a module, a stream and two buffers.
type axpyBench struct {
	s    *gpu.Stream
	m    *gpu.Module
	k    *gpu.Kernel[axpyParameters]
	x, y *gpu.Buffer[float32]
	all  []closer
}

const axpyN = 300

func (b *axpyBench) Close() error {
	var errs []error
	for _, c := range slices.Backward(b.all) {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func newAxpy(m *machine) (_ *axpyBench, err error) {
	b := &axpyBench{}
	defer func() {
		if err != nil {
			closing(&err, b)
		}
	}()
	if b.s, err = m.device.NewStream(gpu.StreamOptions{Name: "axpy"}); err != nil {
		return nil, err
	}
	b.all = append(b.all, b.s)
	if b.m, err = m.device.LoadModule(suitePTX); err != nil {
		return nil, err
	}
	b.all = append(b.all, b.m)
	if b.k, err = gpu.LoadKernel[axpyParameters](b.m, "axpy"); err != nil {
		return nil, err
	}
	for _, p := range []**gpu.Buffer[float32]{&b.x, &b.y} {
		if *p, err = gpu.Alloc[float32](m.device, axpyN); err != nil {
			return nil, err
		}
		b.all = append(b.all, *p)
	}
	ones := make([]float32, axpyN)
	for i := range ones {
		ones[i] = 1
	}
	return b, gpu.Write(b.x.All(), ones)
}

func (b *axpyBench) launch(s *gpu.Stream) error {
	return gpu.Launch(s, b.k, gpu.Linear(axpyN, 128), &axpyParameters{axpyN, 2, b.x.Ptr(), b.y.Ptr()}, b.x.In(), b.y.Out())
}

// sum checks that y is n launches' worth.
func (b *axpyBench) sum(n int) error {
	got := make([]float32, axpyN)
	if err := gpu.Read(got, b.y.All()); err != nil {
		return err
	}
	return want("axpy", got, func(int) float32 { return float32(2 * n) })
}

func launches(m *machine) (err error) {
	b, err := newAxpy(m)
	if err != nil {
		return err
	}
	defer closing(&err, b)
	if !b.k.Checked() && m.fake == nil {
		return errors.New("the driver did not confirm the parameters")
	}
	for range 3 {
		if err := b.launch(b.s); err != nil {
			return err
		}
	}
	extended := gpu.Linear(axpyN, 128)
	extended.Cooperative, extended.OwnDomain = true, true
	if err := gpu.Launch(b.s, b.k, extended, &axpyParameters{axpyN, 2, b.x.Ptr(), b.y.Ptr()}, b.x.In(), b.y.Out()); err != nil {
		return err
	}
	if err := b.s.SyncInDriver(); err != nil {
		return err
	}
	return b.sum(4)
}

func linked(m *machine) (err error) {
	module, err := m.device.LoadLinked(gpu.Part{Name: "main.ptx", Code: mainPTX}, gpu.Part{Name: "step.ptx", Code: stepPTX})
	if err != nil {
		return err
	}
	defer closing(&err, module)
	type parameters struct {
		N  uint32
		To gpu.Ptr[uint32]
	}
	k, err := gpu.LoadKernel[parameters](module, "apply")
	if err != nil {
		return err
	}
	s, err := m.device.NewStream(gpu.StreamOptions{})
	if err != nil {
		return err
	}
	defer closing(&err, s)
	to, err := gpu.Alloc[uint32](m.device, 64)
	if err != nil {
		return err
	}
	defer closing(&err, to)
	for range 2 {
		if err := gpu.Launch(s, k, gpu.Linear(64, 32), &parameters{64, to.Ptr()}, to.Out()); err != nil {
			return err
		}
	}
	if err := s.Sync(m.ctx); err != nil {
		return err
	}
	got := make([]uint32, 64)
	if err := gpu.Read(got, to.All()); err != nil {
		return err
	}
	return want("linked", got, func(int) uint32 { return 4 })
}

func graphs(m *machine) (err error) {
	b, err := newAxpy(m)
	if err != nil {
		return err
	}
	defer closing(&err, b)
	g, err := b.s.Capture(func(s *gpu.Stream) error { return errors.Join(b.launch(s), b.launch(s)) })
	if err != nil {
		return err
	}
	defer closing(&err, g)
	if g.Nodes() != 2 {
		return fmt.Errorf("%w: %d nodes", errWrong, g.Nodes())
	}
	if err := g.Upload(b.s); err != nil {
		return err
	}
	for range 3 {
		if err := g.Launch(b.s); err != nil {
			return err
		}
	}
	if err := b.s.Sync(m.ctx); err != nil {
		return err
	}
	return b.sum(6)
}

func events(m *machine) (err error) {
	b, err := newAxpy(m)
	if err != nil {
		return err
	}
	defer closing(&err, b)
	other, err := m.device.NewStream(gpu.StreamOptions{Name: "other"})
	if err != nil {
		return err
	}
	defer closing(&err, other)
	first, err := m.device.NewEvent(true)
	if err != nil {
		return err
	}
	defer closing(&err, first)
	second, err := m.device.NewEvent(true)
	if err != nil {
		return err
	}
	defer closing(&err, second)
	if err := errors.Join(b.launch(b.s), first.Record(b.s), other.Wait(first), b.launch(other), second.Record(other)); err != nil {
		return err
	}
	if err := second.Sync(m.ctx); err != nil {
		return err
	}
	if done, err := first.Done(); err != nil {
		return err
	} else if !done {
		return fmt.Errorf("%w: a later event is done and an earlier one is not", errWrong)
	}
	if took, err := second.Since(first); err != nil {
		return err
	} else if took < 0 {
		return fmt.Errorf("%w: %v between events", errWrong, took)
	}
	return b.sum(2)
}

func pools(m *machine) (err error) {
	p, err := m.device.NewPool(1<<20, 1<<20)
	if err != nil {
		return err
	}
	defer closing(&err, p)
	s, err := m.device.NewStream(gpu.StreamOptions{})
	if err != nil {
		return err
	}
	defer closing(&err, s)
	for range 3 {
		a, err := gpu.AllocFrom[uint64](p, s, 1000)
		if err != nil {
			return err
		}
		if err := gpu.Clear(s, a.All()); err != nil {
			return errors.Join(err, a.Close())
		}
		if err := a.CloseOn(s); err != nil {
			return errors.Join(err, a.Close())
		}
	}
	b, err := gpu.AllocFrom[uint64](p, s, 10)
	if err != nil {
		return err
	}
	defer closing(&err, b)
	if err := gpu.Clear(s, b.All()); err != nil {
		return err
	}
	if err := s.Sync(m.ctx); err != nil {
		return err
	}
	got := make([]uint64, 10)
	if err := gpu.Read(got, b.All()); err != nil {
		return err
	}
	return errors.Join(want("cleared", got, func(int) uint64 { return 0 }), p.Trim(0))
}

func managedMemory(m *machine) (err error) {
	b, err := gpu.AllocManaged[uint64](m.device, 100)
	if errors.Is(err, gpu.ErrUnsupported) && m.fake == nil {
		return nil // a device that has none
	}
	if err != nil {
		return err
	}
	defer closing(&err, b)
	v, err := b.Slice()
	if err != nil {
		return err
	}
	for i := range v {
		v[i] = uint64(i)
	}
	s, err := m.device.NewStream(gpu.StreamOptions{})
	if err != nil {
		return err
	}
	defer closing(&err, s)
	if err := gpu.Clear(s, b.Span(50, 100)); err != nil {
		return err
	}
	if err := s.Sync(m.ctx); err != nil {
		return err
	}
	if v, err = b.Slice(); err != nil {
		return err
	}
	return want("managed", v, func(i int) uint64 {
		if i >= 50 {
			return 0
		}
		return uint64(i)
	})
}

type residentParameters struct{ Mailbox gpu.Ptr[uint32] }

// mailboxes runs a kernel that stays until the host writes a flag into memory that both see.
func mailboxes(m *machine) (err error) {
	module, err := m.device.LoadModule(suitePTX)
	if err != nil {
		return err
	}
	defer closing(&err, module)
	k, err := gpu.LoadKernel[residentParameters](module, "resident")
	if err != nil {
		return err
	}
	box, err := gpu.AllocHost[uint32](m.device, 32, gpu.Mailbox)
	if err != nil {
		return err
	}
	defer closing(&err, box)
	words, err := box.Slice()
	if err != nil {
		return err
	}
	s, err := m.device.NewStream(gpu.StreamOptions{Name: "resident"})
	if err != nil {
		return err
	}
	defer closing(&err, s)
	defer store(&words[0], 1) // however this ends, the kernel must
	one := gpu.Config{Grid: gpu.Dim{X: 1}, Block: gpu.Dim{X: 1}}
	if err := gpu.Launch(s, k, one, &residentParameters{box.Ptr()}, box.Out()); err != nil {
		return err
	}
	if idle, err := s.Idle(); err != nil {
		return err
	} else if idle {
		return fmt.Errorf("%w: the kernel left by itself", errWrong)
	}
	store(&words[0], 1)
	if err := s.Sync(m.ctx); err != nil {
		return err
	}
	if v := load(&words[1]); v != 7 {
		return fmt.Errorf("%w: the kernel answered %d", errWrong, v)
	}
	return nil
}

func globals(m *machine) (err error) {
	module, err := m.device.LoadModule(suitePTX)
	if err != nil {
		return err
	}
	defer closing(&err, module)
	table, err := gpu.Global[uint32](module, "table")
	if err != nil {
		return err
	}
	if err := gpu.Write(table, []uint32{1, 2, 3, 4}); err != nil {
		return err
	}
	got := make([]uint32, 4)
	if err := gpu.Read(got, table); err != nil {
		return err
	}
	return want("table", got, func(i int) uint32 { return uint32(i + 1) })
}

func peers(m *machine) (err error) {
	if m.driver.Count() < 2 {
		return nil // one device has no peer
	}
	second, err := m.driver.Open(1)
	if err != nil {
		return err
	}
	defer closing(&err, second)
	a, err := gpu.Alloc[uint32](m.device, 10)
	if err != nil {
		return err
	}
	defer closing(&err, a)
	b, err := gpu.Alloc[uint32](second, 10)
	if err != nil {
		return err
	}
	defer closing(&err, b)
	if err := gpu.Write(b.All(), []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}); err != nil {
		return err
	}
	s, err := m.device.NewStream(gpu.StreamOptions{})
	if err != nil {
		return err
	}
	defer closing(&err, s)
	if err := m.device.EnablePeer(second); err != nil {
		if errors.Is(err, gpu.ErrUnsupported) && m.fake == nil {
			return nil
		}
		return err
	}
	if err := gpu.Copy(s, a.All(), b.All()); err != nil {
		return err
	}
	if err := s.Sync(m.ctx); err != nil {
		return err
	}
	got := make([]uint32, 10)
	if err := gpu.Read(got, a.All()); err != nil {
		return err
	}
	return want("peer", got, func(i int) uint32 { return uint32(i) })
}

func pinnedStream(m *machine) (err error) {
	b, err := newAxpy(m)
	if err != nil {
		return err
	}
	defer closing(&err, b)
	if err := b.s.Pin(); err != nil {
		return err
	}
	defer b.s.Unpin()
	for range 4 {
		if err := b.launch(b.s); err != nil {
			return err
		}
	}
	if err := b.s.Sync(m.ctx); err != nil {
		return err
	}
	return b.sum(4)
}
