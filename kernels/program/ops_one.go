package program

import "math"

// fewColumns is up to how many columns runOne beats the column loops (measured: BenchmarkSixSignals).
const fewColumns = 1

// runOne computes a single column: for a lone tick the calls and loops of the column functions cost more than the work.
// It has the common
// operations and must agree with those functions bit for bit; the tests run every program both ways.
func (ex *Executor) runOne(steps []step, at int) {
	i := uint(at) % chunkTicks
	for k := range steps {
		s := &steps[k]
		switch s.op {
		case OpAdd:
			s.dst[i] = math.Float64bits(f64(s.a[i]) + f64(s.b[i]))
		case OpSub:
			s.dst[i] = math.Float64bits(f64(s.a[i]) - f64(s.b[i]))
		case OpMul:
			s.dst[i] = math.Float64bits(float64(f64(s.a[i]) * f64(s.b[i])))
		case OpCanon:
			s.dst[i] = canonicalBits(s.a[i])
		case opAddCanon:
			s.dst[i] = Canonical(f64(s.a[i]) + f64(s.b[i]))
		case opSubCanon:
			s.dst[i] = Canonical(f64(s.a[i]) - f64(s.b[i]))
		case opMulCanon:
			s.dst[i] = Canonical(float64(f64(s.a[i]) * f64(s.b[i])))
		case opDivCanon:
			s.dst[i] = Canonical(f64(s.a[i]) / f64(s.b[i]))
		case OpFlt:
			s.dst[i] = maskOf(f64(s.a[i]) < f64(s.b[i]))
		case OpFle:
			s.dst[i] = maskOf(f64(s.a[i]) <= f64(s.b[i]))
		case OpFeq:
			s.dst[i] = maskOf(f64(s.a[i]) == f64(s.b[i]))
		case OpSel:
			s.dst[i] = s.b[i]&s.a[i] | s.c[i]&^s.a[i]
		case OpAnd:
			s.dst[i] = s.a[i] & s.b[i]
		case OpOr:
			s.dst[i] = s.a[i] | s.b[i]
		case OpXor:
			s.dst[i] = s.a[i] ^ s.b[i]
		case OpAndn:
			s.dst[i] = s.a[i] &^ s.b[i]
		case opFltAnd:
			s.dst[i] = maskOf(f64(s.a[i]) < f64(s.b[i])) & s.c[i]
		case opFleAnd:
			s.dst[i] = maskOf(f64(s.a[i]) <= f64(s.b[i])) & s.c[i]
		case opFeqAnd:
			s.dst[i] = maskOf(f64(s.a[i]) == f64(s.b[i])) & s.c[i]
		case opIeqAnd:
			s.dst[i] = maskOf(s.a[i] == s.b[i]) & s.c[i]
		case opAndAnd:
			s.dst[i] = s.a[i] & s.b[i] & s.c[i]
		case opAndOr:
			s.dst[i] = s.a[i]&s.b[i] | s.c[i]
		case opOrOr:
			s.dst[i] = s.a[i] | s.b[i] | s.c[i]
		case opFltSel:
			s.dst[i] = choose(f64(s.a[i]) < f64(s.b[i]), s.c[i], s.e[i])
		case opFleSel:
			s.dst[i] = choose(f64(s.a[i]) <= f64(s.b[i]), s.c[i], s.e[i])
		case opSelLoad:
			s.dst[i] = s.b[i]&s.a[i] | ex.state[uint64(s.imm)+ex.base[i]]&^s.a[i]
		case OpLoad:
			s.dst[i] = ex.state[uint64(s.imm)+ex.base[i]]
		case OpStore:
			ex.state[uint64(s.imm)+ex.base[i]] = s.a[i]
		default:
			s.run(ex, s, at, at+1)
		}
	}
}
