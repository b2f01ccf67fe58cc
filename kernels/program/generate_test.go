package program

import (
	"math"

	"pgregory.net/rapid"
)

// Random programs and ticks for the property tests.

var awkward = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.1, 3, 1e300, -1e300, 1e-300, 5e-324, -5e-324, 2.2250738585072014e-308,
	math.MaxFloat64, math.Inf(1), math.Inf(-1), 1e13, 1e8, 10, 1 << 53, 1<<53 + 1, 0.5,
}

var awkwardBits = []uint64{
	0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xfff0dead0000beef, 0x7fffffffffffffff,
	0xffffffffffffffff, 0x7ff8000000000001, 0x000fffffffffffff, 0x8000000000000001,
}

func drawBits(t *rapid.T, label string) uint64 {
	switch rapid.IntRange(0, 9).Draw(t, label+" class") {
	case 0, 1:
		return math.Float64bits(rapid.SampledFrom(awkward).Draw(t, label))
	case 2:
		return rapid.SampledFrom(awkwardBits).Draw(t, label)
	case 3:
		return rapid.Uint64().Draw(t, label)
	case 4, 5:
		return math.Float64bits(1e7 + float64(1e-6*float64(rapid.IntRange(-50, 50).Draw(t, label))))
	}
	return math.Float64bits(float64(rapid.IntRange(-20, 20).Draw(t, label)))
}

// drawProgram builds a random program: a few words of state, a few windows, and operations over all of it.
func drawProgram(t *rapid.T) *Program {
	g := &generator{t: t, b: NewBuilder(), pool: map[Type][]Value{}}
	for q := range SlotQuartersBase {
		g.keep(slotType(q), g.b.Slot(q))
	}
	g.keep(I, g.b.Ctl())
	g.keep(I, g.b.Load(0, I))
	g.keep(M, g.b.ConstM(rapid.Bool().Draw(t, "mask")))
	for _, bit := range []int64{CtlGap, CtlFreshQuote, CtlFreshTrade} {
		g.keep(M, g.b.Ieq(g.b.And(g.b.Ctl(), g.b.ConstI(bit)), g.b.ConstI(bit)))
	}
	g.state()
	windows := 0
	for range rapid.IntRange(1, 50).Draw(t, "operations") {
		if windows < 3 && rapid.IntRange(0, 9).Draw(t, "is window") == 0 {
			windows++
			g.window()
			continue
		}
		g.operation()
	}
	g.outputs()
	p, err := g.b.Build()
	if err != nil {
		t.Fatalf("random program: %v", err)
	}
	return p
}

type generator struct {
	t     *rapid.T
	b     *Builder
	pool  map[Type][]Value
	words []stateWord
}

type stateWord struct {
	off int
	typ Type
}

func (g *generator) keep(t Type, v Value) { g.pool[t] = append(g.pool[t], v) }

// pick prefers recent values, so that chains grow.
func (g *generator) pick(t Type) Value {
	list := g.pool[t]
	if len(list) > 4 && rapid.Bool().Draw(g.t, "recent") {
		list = list[len(list)-4:]
	}
	return rapid.SampledFrom(list).Draw(g.t, "operand")
}

func (g *generator) state() {
	for range rapid.IntRange(0, 4).Draw(g.t, "words") {
		typ := rapid.SampledFrom([]Type{F, I, M}).Draw(g.t, "word type")
		bits := rapid.Uint64().Draw(g.t, "init")
		switch typ {
		case F:
			bits = canonicalBits(bits)
		case M:
			bits = maskOf(bits&1 != 0)
		}
		off := g.b.AllocState(1, bits)
		g.words = append(g.words, stateWord{off, typ})
		g.keep(typ, g.b.Load(off, typ))
	}
}

func (g *generator) window() {
	agg := rapid.SampledFrom([]WindowAgg{AggSum, AggMoments, AggLag, AggMin, AggMax, AggMoments2, AggWeighted, AggRank, AggAbsdev}).Draw(g.t, "aggregate")
	desc := SampleWindow(agg, rapid.IntRange(1, 6).Draw(g.t, "n"))
	if !desc.samplesOnly() && rapid.Bool().Draw(g.t, "duration") {
		desc = DurationWindow(agg, rapid.Int64Range(1, 40).Draw(g.t, "length"), rapid.IntRange(1, 9).Draw(g.t, "sub"))
	}
	reset := g.b.ConstM(false)
	if rapid.Bool().Draw(g.t, "resets") {
		reset = g.pick(M)
	}
	inputs := make([]Value, agg.Inputs())
	for i := range inputs {
		inputs[i] = g.pick(F)
	}
	for i, v := range g.b.Window(desc, g.pick(M), reset, inputs...) {
		g.keep(agg.Outputs()[i], v)
	}
}

func (g *generator) operation() {
	b, t := g.b, g.t
	switch rapid.IntRange(0, 22).Draw(t, "operation") {
	case 0:
		g.keep(F, b.Add(g.pick(F), g.pick(F)))
	case 1:
		g.keep(F, b.Sub(g.pick(F), g.pick(F)))
	case 2:
		g.keep(F, b.Mul(g.pick(F), g.pick(F)))
	case 3:
		g.keep(F, b.Div(g.pick(F), g.pick(F)))
	case 4:
		g.keep(F, b.Sqrt(g.pick(F)))
	case 5:
		g.keep(M, b.Flt(g.pick(F), g.pick(F)))
	case 6:
		g.keep(M, b.Fle(g.pick(F), g.pick(F)))
	case 7:
		g.keep(M, b.Feq(g.pick(F), g.pick(F)))
	case 8:
		g.keep(M, b.Ilt(g.pick(I), g.pick(I)))
	case 9:
		g.keep(M, b.Ieq(g.pick(I), g.pick(I)))
	case 10:
		typ := rapid.SampledFrom([]Type{F, I, M}).Draw(t, "type")
		g.keep(typ, b.Sel(g.pick(M), g.pick(typ), g.pick(typ)))
	case 11, 12:
		g.bits()
	case 13:
		g.keep(I, b.Shl(g.pick(I), rapid.IntRange(0, 63).Draw(t, "shift")))
	case 14:
		g.keep(I, b.Shr(g.pick(I), rapid.IntRange(0, 63).Draw(t, "shift")))
	case 15:
		g.keep(I, rapid.SampledFrom([]func(x, y Value) Value{b.Iadd, b.Isub}).Draw(t, "integer")(g.pick(I), g.pick(I)))
	case 16:
		g.keep(F, b.I2F(g.pick(I)))
	case 17:
		g.keep(F, rapid.SampledFrom([]func(x Value) Value{b.Canon, b.Abs, b.Neg}).Draw(t, "unary")(g.pick(F)))
	case 18:
		g.keep(F, b.ConstF(math.Float64frombits(drawBits(t, "constant"))))
	case 19:
		g.keep(M, b.Not(g.pick(M)))
	case 20: // pairs that plans fuse
		first := rapid.SampledFrom([]func(x, y Value) Value{b.Flt, b.Fle, b.Feq}).Draw(t, "compare")
		g.keep(M, b.And(g.pick(M), first(g.pick(F), g.pick(F))))
	case 21:
		second := rapid.SampledFrom([]func(x, y Value) Value{b.And, b.Or}).Draw(t, "combine")
		g.keep(M, second(b.And(g.pick(M), g.pick(M)), g.pick(M)))
	case 22:
		g.keep(I, b.Or(g.pick(I), b.And(b.ConstI(1<<rapid.IntRange(0, 62).Draw(t, "bit")), g.pick(M))))
	}
}

func (g *generator) bits() {
	op := rapid.SampledFrom([]func(x, y Value) Value{g.b.And, g.b.Or, g.b.Xor, g.b.Andn}).Draw(g.t, "bits")
	first := rapid.SampledFrom([]Type{F, I, M}).Draw(g.t, "first")
	second := M
	if first != M {
		second = rapid.SampledFrom([]Type{F, I, M}).Draw(g.t, "second")
	}
	g.keep(first, op(g.pick(first), g.pick(second)))
}

func (g *generator) outputs() {
	for _, w := range g.words {
		if rapid.IntRange(0, 3).Draw(g.t, "stored") != 0 {
			g.b.Store(w.off, g.pick(w.typ))
		}
	}
	for range rapid.IntRange(1, 4).Draw(g.t, "emits") {
		g.b.Emit(g.b.AllocRow(), g.pick(M), g.pick(F))
	}
	for q := range rapid.IntRange(0, 3).Draw(g.t, "masks") {
		g.b.EmitMask(q, g.pick(I))
	}
}

// drawSlots fills the slots from..from+count-1 of a lane.
func drawSlots(t *rapid.T, lane *Lane, from uint64, count, instruments int) {
	now := rapid.SampledFrom([]int64{0, 1_700_000_000_000_000_000, -1000, math.MinInt64 + 5, math.MaxInt64 - 2000}).Draw(t, "start")
	for i := range count {
		n := (from + uint64(i)) & (lane.Capacity - 1)
		for q := range uint64(4) {
			lane.In[q*lane.Capacity+n] = Quarter{Value: drawBits(t, "value"), Stamp: uint32(i)}
		}
		switch rapid.IntRange(0, 9).Draw(t, "time") {
		case 0:
			now += rapid.Int64Range(0, 2000).Draw(t, "jump")
		case 1:
			now -= rapid.Int64Range(0, 30).Draw(t, "back")
		case 2, 3, 4, 5:
			now += rapid.Int64Range(0, 6).Draw(t, "step")
		}
		ctl := rapid.Uint32().Draw(t, "ctl")
		if rapid.IntRange(0, 3).Draw(t, "keeps windows") != 0 {
			ctl &^= CtlGap
		}
		lane.In[n].Aux = uint32(rapid.IntRange(0, instruments-1).Draw(t, "instrument"))
		lane.In[SlotF1*lane.Capacity+n].Aux = ctl
		lane.In[SlotTime*lane.Capacity+n].Value = uint64(now)
	}
}
