//go:build !nogpu && linux && (amd64 || arm64)

package gpu_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
)

// randomBench is streams, buffers and events for random programs, and what the buffers must hold.
type randomBench struct {
	streams []*gpu.Stream
	events  []*gpu.Event
	buffers []*gpu.Buffer[uint32]
	holds   []uint32 // every element of each buffer, when the accepted operations ran in program order
	apply   *gpu.Kernel[applyParameters]
	all     []closer
}

type applyParameters struct {
	N  uint32
	To gpu.Ptr[uint32]
}

const randomN = 8

func newRandomBench(t *rapid.T, d *gpu.Device) *randomBench {
	b := &randomBench{}
	must := func(c closer, err error) {
		if err != nil {
			t.Fatal(err)
		}
		b.all = append(b.all, c)
	}
	module, err := d.LoadLinked(gpu.Part{Name: "main.ptx", Code: mainPTX}, gpu.Part{Name: "step.ptx", Code: stepPTX})
	must(module, err)
	if b.apply, err = gpu.LoadKernel[applyParameters](module, "apply"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s, err := d.NewStream(gpu.StreamOptions{})
		must(s, err)
		e, err := d.NewEvent(false)
		must(e, err)
		x, err := gpu.Alloc[uint32](d, randomN)
		must(x, err)
		b.streams, b.events, b.buffers, b.holds = append(b.streams, s), append(b.events, e), append(b.buffers, x), append(b.holds, 0)
	}
	return b
}

// step does one random operation. What the checker refuses does not count.
func (b *randomBench) step(t *rapid.T) error {
	pick := func(name string) int { return rapid.IntRange(0, 2).Draw(t, name) }
	s, x := b.streams[pick("stream")], pick("buffer")
	switch rapid.IntRange(0, 6).Draw(t, "operation") {
	case 0, 1:
		err := gpu.Launch(s, b.apply, gpu.Linear(randomN, 32), &applyParameters{randomN, b.buffers[x].Ptr()}, b.buffers[x].Out())
		if err == nil {
			b.holds[x] = 3*b.holds[x] + 1
		}
		return err
	case 2:
		y := pick("from")
		if x == y {
			return nil
		}
		err := gpu.Copy(s, b.buffers[x].All(), b.buffers[y].All())
		if err == nil {
			b.holds[x] = b.holds[y]
		}
		return err
	case 3:
		err := gpu.Clear(s, b.buffers[x].All())
		if err == nil {
			b.holds[x] = 0
		}
		return err
	case 4:
		return b.events[x].Record(s)
	case 5:
		return s.Wait(b.events[x])
	default:
		return s.Sync(context.Background())
	}
}

// What the checker accepts gives the result of program order, however long each operation takes: random programs over three
// streams, with random delays.
func TestRandomProgramsInOrder(t *testing.T) {
	var accepted, refused int
	rapid.Check(t, func(t *rapid.T) {
		g := cufake.New(cufake.Options{})
		defer g.Close()
		kernels(g)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "delays"), 0))
		var mu sync.Mutex
		g.Delay(func(string) time.Duration {
			mu.Lock()
			defer mu.Unlock()
			return time.Duration(random.IntN(3)) * 30 * time.Microsecond
		})
		driver, err := gpu.NewDriver(g.Lookup, gpu.Checked())
		if err != nil {
			t.Fatal(err)
		}
		d, err := driver.Open(0)
		if err != nil {
			t.Fatal(err)
		}
		b := newRandomBench(t, d)
		for range rapid.IntRange(1, 40).Draw(t, "operations") {
			switch err := b.step(t); {
			case errors.Is(err, gpu.ErrUnordered):
				refused++
			case err != nil:
				t.Fatal(err)
			default:
				accepted++
			}
		}
		for _, s := range b.streams {
			if err := s.Sync(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		for i, x := range b.buffers {
			got := make([]uint32, randomN)
			if err := gpu.Read(got, x.All()); err != nil {
				t.Fatal(err)
			}
			if err := want("buffer", got, func(int) uint32 { return b.holds[i] }); err != nil {
				t.Fatal(i, err)
			}
		}
		for _, c := range b.all {
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if leaks := g.Leaks(); len(leaks) > 0 {
			t.Fatalf("leaked %q", leaks)
		}
	})
	if accepted == 0 || refused == 0 {
		t.Errorf("%d operations accepted, %d refused: the programs show nothing", accepted, refused)
	}
}
