package program

import (
	"fmt"
	"math"
	"testing"
)

// fusedParts says what the operations of plans are made of.
var fusedParts = map[Op][2]Op{
	opAddCanon: {OpAdd, OpCanon}, opSubCanon: {OpSub, OpCanon}, opMulCanon: {OpMul, OpCanon},
	opDivCanon: {OpDiv, OpCanon}, opSqrtCanon: {OpSqrt, OpCanon},
	opFltAnd: {OpFlt, OpAnd}, opFleAnd: {OpFle, OpAnd}, opFeqAnd: {OpFeq, OpAnd}, opIeqAnd: {OpIeq, OpAnd},
	opFltOr: {OpFlt, OpOr}, opFleOr: {OpFle, OpOr}, opFltSel: {OpFlt, OpSel}, opFleSel: {OpFle, OpSel}, opFeqSel: {OpFeq, OpSel},
	opAndAnd: {OpAnd, OpAnd}, opAndOr: {OpAnd, OpOr}, opOrOr: {OpOr, OpOr}, opAndIeq: {OpAnd, OpIeq},
}

func refPlanned(op Op, a, b, c, e, imm uint64) uint64 {
	if parts, ok := fusedParts[op]; ok {
		return refPure(parts[1], refPure(parts[0], a, b, 0, 0), c, e, 0)
	}
	return refPure(op, a, b, c, imm)
}

// TestStepsAgree runs every pure step over all pairs of awkward values as columns, as parts of columns, and one by one.
func TestStepsAgree(t *testing.T) {
	pool := append([]uint64{0, maskTrue, 1, math.MaxInt64, math.MaxInt64 + 1}, awkwardBits...)
	for _, v := range awkward {
		pool = append(pool, math.Float64bits(v))
	}
	for op := OpConst; op < opPlannedCount; op++ {
		switch op {
		case OpConst, OpSlot, OpCtl, OpAux, OpLoad, OpStore, OpEmit, OpEmitMask, OpWindow, OpWindow2, OpWout, opSlotCanon, opSelLoad:
			continue
		}
		if stepOf[op] == nil {
			t.Fatalf("operation %d has no step", op)
		}
		for shift := range pool {
			stepsAgree(t, op, pool, shift)
		}
	}
}

func stepsAgree(t *testing.T, op Op, pool []uint64, shift int) {
	var a, b, c, e, whole, pieces, single column
	for i := range a {
		a[i], b[i] = pool[i%len(pool)], pool[(i+shift)%len(pool)]
		c[i], e[i] = maskOf((i+shift)%3 == 0), pool[(i+7)%len(pool)]
		if op == OpSel {
			a[i], c[i] = c[i], a[i]
		}
	}
	prepare := func(d *column) *step {
		return &step{run: stepOf[op], dst: d, a: &a, b: &b, c: &c, e: &e, imm: 5, op: op}
	}
	one, w, p := prepare(&single), prepare(&whole), prepare(&pieces)
	w.run(nil, w, 0, chunkTicks)
	p.run(nil, p, 0, 3)
	p.run(nil, p, 3, 64)
	for i := range a {
		(&Executor{}).runOne([]step{*one}, i)
		want := refPlanned(op, a[i], b[i], c[i], e[i], 5)
		for _, got := range []uint64{whole[i], pieces[i], single[i]} {
			if got != want && !sameNaN(op, got, want) {
				t.Fatalf("operation %d (%s): %#x %#x %#x gives %#x %#x %#x, want %#x", op, fmt.Sprint(fusedParts[op]),
					a[i], b[i], c[i], whole[i], pieces[i], single[i], want)
			}
		}
	}
}

// sameNaN allows raw arithmetic any NaN: which one depends on the processor, and no program can see it.
func sameNaN(op Op, got, want uint64) bool {
	switch op {
	case OpAdd, OpSub, OpMul, OpDiv, OpSqrt:
		return math.IsNaN(f64(got)) && math.IsNaN(f64(want))
	}
	return false
}
