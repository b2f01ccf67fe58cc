package kernels

import (
	"testing"

	"github.com/sigengine/sigengine/kernels/program"
)

// BenchmarkOperators is every operator as the only signal, in batches of 64.
func BenchmarkOperators(b *testing.B) {
	const instruments, capacity, batch = 64, 1 << 13, 64
	slots := market(instruments, capacity)
	c := NewCatalogue()
	for i := range c.Operators {
		call := exampleCall(&c.Operators[i])
		b.Run(c.Operators[i].Name, func(b *testing.B) {
			p := mustCompile(b, watch(call)).Program
			ex, err := program.NewExecutor(p, instruments)
			if err != nil {
				b.Fatal(err)
			}
			lane := &program.Lane{
				In: make([]program.Quarter, p.SlotQuarters*capacity), Out: make([]program.Quarter, p.RowQuarters*capacity), Capacity: capacity,
			}
			for n, s := range slots {
				stage(lane, uint64(n), s)
			}
			for k := range instruments {
				ex.SetWord(k, 0, ^uint64(0))
			}
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; n < b.N; n += batch {
				from := uint64(n) % (capacity - batch)
				ex.Run(lane, from, from+batch)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/tick")
		})
	}
}
