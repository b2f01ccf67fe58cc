package ring_test

import (
	"fmt"
	"testing"

	"github.com/sigengine/sigengine/ring"
	"github.com/sigengine/sigengine/ring/ringbench"
)

// BenchmarkHandOver reports nanoseconds an element between two goroutines beside a channel of the same capacity, medians of
// seven interleaved pairs; ns/op has no meaning here and is left out.
func BenchmarkHandOver(b *testing.B) {
	for _, strategy := range []ring.Strategy{ring.Spin, ring.SpinThenPark, ring.Park} {
		for _, elementBytes := range []int{8, 64} {
			b.Run(fmt.Sprintf("%v/%dB", strategy, elementBytes), func(b *testing.B) {
				c := ringbench.Default()
				c.Elements, c.Pairs, c.ElementBytes, c.Strategy = max(b.N, 1000), 7, elementBytes, strategy
				result, err := ringbench.Run(c)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(result.Median.RingSingle, "ns/single")
				b.ReportMetric(result.Median.RingBatch, "ns/batched")
				b.ReportMetric(result.Median.Channel, "ns/channel")
				b.ReportMetric(result.Ratios.Single, "x-single")
				b.ReportMetric(result.Ratios.Batch, "x-batched")
			})
		}
	}
}

// BenchmarkPublish is the producer's cost alone, nobody parked and the consumer out of the way; an op is one element.
func BenchmarkPublish(b *testing.B) {
	parker := ring.NewParker()
	commits := map[string]func(r *ring.Ring[uint64], count int){
		"Commit":           func(r *ring.Ring[uint64], count int) { r.Commit(count) },
		"CommitWake":       func(r *ring.Ring[uint64], count int) { r.CommitWake(count, parker) },
		"Commit then Wake": func(r *ring.Ring[uint64], count int) { r.Commit(count); parker.Wake() },
	}
	for _, name := range []string{"Commit", "CommitWake", "Commit then Wake"} {
		for _, batch := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/%d", name, batch), func(b *testing.B) {
				commit := commits[name]
				r, err := ring.New(make([]uint64, 1<<12))
				if err != nil {
					b.Fatal(err)
				}
				for i := 0; i < b.N; {
					slots := r.ClaimBatch(batch)
					if len(slots) == 0 { // once in 4,096 elements
						r.Release(len(r.Poll()))
						continue
					}
					for k := range slots {
						slots[k] = uint64(i + k)
					}
					commit(r, len(slots))
					i += len(slots)
				}
			})
		}
	}
	b.Run("channel/1", func(b *testing.B) {
		channel := make(chan uint64, 1<<12)
		for i := 0; i < b.N; i++ {
			if len(channel) == cap(channel) {
				b.StopTimer()
				for len(channel) > 0 {
					<-channel
				}
				b.StartTimer()
			}
			channel <- uint64(i)
		}
	})
}
