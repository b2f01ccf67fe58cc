package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/sigengine/sigengine/kernels/program"
)

// stageLanes returns a lane of ordinary memory, and the same as a device's lane, whose slots are written as a kernel must find
// them.
func stageLanes(slots, quarters int) (plain, device *lane) {
	memory := func() []program.Quarter {
		all := make([]program.Quarter, slots*quarters+1)
		if uintptr(unsafe.Pointer(&all[0]))%16 != 0 {
			panic("a large slice is not aligned")
		}
		return all[: slots*quarters : slots*quarters]
	}
	plain, device = &lane{mask: uint64(slots - 1)}, &lane{mask: uint64(slots - 1), gpu: &gpuLane{}}
	plain.memory.In, device.memory.In = memory(), memory()
	return plain, device
}

// TestStageOnDevice: a device's lane holds the same slots as any other, across the wrap of the stamps, and nothing else is
// touched.
func TestStageOnDevice(t *testing.T) {
	const slots, quarters = 64, program.SlotQuartersBase + 2
	plain, device := stageLanes(slots, quarters)
	random := rand.New(rand.NewPCG(1, 2))
	for _, l := range []*lane{plain, device} {
		l.begin(1<<32 - 100)
		for i := range l.memory.In {
			l.memory.In[i] = program.Quarter{Value: uint64(i), Aux: 7, Stamp: 9}
		}
	}
	for range 3 * slots {
		values := [4]float64{math.Float64frombits(random.Uint64()), random.NormFloat64(), math.Copysign(0, -1), math.Inf(1)}
		index, control, clocks, nowNs := random.Uint32(), random.Uint32(), random.Uint32(), random.Int64()
		if a, b := plain.stage(&values, index, control, clocks, nowNs), device.stage(&values, index, control, clocks, nowNs); a != b {
			t.Fatalf("slots %d and %d", a, b)
		}
	}
	if !slices.Equal(plain.memory.In, device.memory.In) {
		t.Error("the slots differ")
	}
	if last := device.memory.In[len(device.memory.In)-1]; last.Aux != 7 || last.Stamp != 9 {
		t.Errorf("a quarter that belongs to references was written: %+v", last)
	}
	var values [4]float64
	if n := testing.AllocsPerRun(100, func() { device.stage(&values, 1, 2, 3, 4) }); n != 0 {
		t.Errorf("%v allocations a slot", n)
	}
}

func BenchmarkStage(b *testing.B) {
	plain, device := stageLanes(8192, program.SlotQuartersBase)
	for _, way := range []struct {
		name string
		lane *lane
	}{{"plain", plain}, {"device", device}} {
		b.Run(way.name, func(b *testing.B) {
			values := [4]float64{1, 2, 3, 4}
			for i := 0; b.Loop(); i++ {
				values[0]++
				way.lane.stage(&values, uint32(i), 3, 0, int64(i))
			}
		})
	}
}
