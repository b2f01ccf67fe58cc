package program

import (
	"fmt"
	"testing"
)

// windowShapes are every aggregate in every kind it has.
func windowShapes(n int, lengthNs int64, sub int) (shapes []Window) {
	for agg := AggSum; agg < aggEnd; agg++ {
		shapes = append(shapes, SampleWindow(agg, n))
		if w := DurationWindow(agg, lengthNs, sub); !w.samplesOnly() {
			shapes = append(shapes, w)
		}
	}
	return shapes
}

// everyWindow emits the outputs of every kind of window over slot values 0 and 1.
func everyWindow(tb testing.TB) *Program {
	b := NewBuilder()
	inputs := []Value{b.Slot(0), b.Slot(1)}
	for _, desc := range windowShapes(37, 5_000_000, 9) {
		for _, v := range b.Window(desc, bit(b, CtlFreshQuote), bit(b, CtlGap), inputs[:desc.Agg.Inputs()]...) {
			if b.nodes[v].Type == M {
				v = b.Sel(v, b.ConstF(1), b.ConstF(0))
			}
			b.Emit(b.AllocRow(), b.ConstM(true), v)
		}
	}
	p, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func TestEveryWindowAllocatesNothing(t *testing.T) {
	p := everyWindow(t)
	ex, err := NewExecutor(p, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []uint64{1, 64} {
		lane, at := quotes(p, 4096, 5), uint64(0)
		if n := testing.AllocsPerRun(30, func() { ex.Run(lane, at, at+batch); at += batch }); n != 0 {
			t.Errorf("batch %d: %v allocations a run", batch, n)
		}
	}
}

// BenchmarkWindow measures a push of each kind of window in batches of 64 over 64 instruments. Slots are 50 us of engine
// time apart, so a duration window's sub-interval closes about once in an instrument's three pushes.
func BenchmarkWindow(b *testing.B) {
	for _, desc := range windowShapes(100, 640_000_000, DefaultWindowSub) {
		b.Run(fmt.Sprintf("%d/%s", desc.Kind, desc.Agg), func(b *testing.B) {
			runBench(b, windowProgram(b, desc), 64, 64)
			b.ReportMetric(float64(8*desc.Words()), "state-B")
		})
	}
	b.Run("1/rank/1024", func(b *testing.B) { runBench(b, windowProgram(b, SampleWindow(AggRank, MaxRankSamples)), 64, 64) })
}
