package program

import (
	"fmt"
	"math"
	"testing"
)

// BenchmarkInstruction measures single steps over a full chunk.
func BenchmarkInstruction(b *testing.B) {
	for op := OpConst; op < opPlannedCount; op++ {
		switch op {
		case OpConst, OpSlot, OpCtl, OpAux, OpLoad, OpStore, OpEmit, OpEmitMask, OpWindow, OpWindow2, OpWout, opSlotCanon, opSelLoad:
			continue
		}
		b.Run(fmt.Sprint(op), func(b *testing.B) {
			var d, x, y, m column
			for i := range x {
				x[i], y[i] = math.Float64bits(1.5+float64(i)), math.Float64bits(2.5)
				m[i] = maskOf(i%3 == 0)
			}
			s := &step{run: stepOf[op], dst: &d, a: &x, b: &y, c: &y, e: &x, imm: 3}
			if op == OpSel {
				s.a = &m
			}
			for b.Loop() {
				s.run(nil, s, 0, chunkTicks)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunkTicks, "ns/tick")
		})
	}
}
