package exact

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkFunction measures the Go functions, one call.
func BenchmarkFunction(b *testing.B) {
	for _, s := range subjects() {
		b.Run(s.name, func(b *testing.B) {
			a := s.draw[0](rand.New(rand.NewPCG(1, 2)))
			sink := 0.0
			for b.Loop() {
				sink += s.call(a)
			}
		})
	}
}

// BenchmarkProgram measures a program of nothing but the function, 64 ticks at a time; ns/tick is what counts.
func BenchmarkProgram(b *testing.B) {
	for _, s := range subjects() {
		b.Run(s.name, func(b *testing.B) {
			d := newDevice(b, &s)
			r := rand.New(rand.NewPCG(1, 2))
			args := make([][2]float64, deviceCapacity)
			for i := range args {
				args[i] = s.draw[0](r)
			}
			d.run(args, deviceCapacity)
			for b.Loop() {
				d.ex.Run(&d.lane, 0, deviceCapacity)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deviceCapacity, "ns/tick")
		})
	}
}
