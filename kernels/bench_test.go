package kernels

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/sigengine/sigengine/kernels/program"
)

// market is a seeded random walk of quotes and trades over some instruments, 50 microseconds apart.
func market(instruments, ticks int) []slot {
	r := rand.New(rand.NewSource(7))
	mid := make([]float64, instruments)
	for i := range mid {
		mid[i] = 1000 + float64(r.Intn(1000))
	}
	slots := make([]slot, ticks)
	for i := range slots {
		k := r.Intn(instruments)
		if r.Intn(5) == 0 {
			slots[i] = tradeTick(mid[k], float64(1+r.Intn(9)), float64(r.Intn(3)-1))
		} else {
			mid[k] += 0.5 * float64(r.Intn(3)-1)
			half := 0.5 * float64(1+r.Intn(2))
			slots[i] = quoteTick(mid[k]-half, float64(1+r.Intn(50)), mid[k]+half, float64(1+r.Intn(50)))
		}
		slots[i] = slots[i].at(int64(i) * 50_000).on(uint32(k))
	}
	return slots
}

func BenchmarkSix(b *testing.B) {
	c := mustCompile(b, sixSpecs(b)...)
	const instruments, capacity = 64, 1 << 15
	slots := market(instruments, capacity)
	for _, batch := range []int{1, 7, 64} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			ex, err := program.NewExecutor(c.Program, instruments)
			if err != nil {
				b.Fatal(err)
			}
			lane := &program.Lane{
				In:       make([]program.Quarter, c.Program.SlotQuarters*capacity),
				Out:      make([]program.Quarter, c.Program.RowQuarters*capacity),
				Capacity: capacity,
			}
			for n, s := range slots {
				stage(lane, uint64(n), s)
			}
			for i := range instruments {
				ex.SetWord(i, 0, ^uint64(0))
			}
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; n < b.N; n += batch {
				from := uint64(n) % (capacity - 64)
				ex.Run(lane, from, from+uint64(batch))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/tick")
		})
	}
}
