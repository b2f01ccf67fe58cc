package awkward

import (
	"math"
	"math/rand/v2"

	"github.com/sigengine/sigengine/kernels/program"
)

// programBuilder grows a random program from pools of values by type.
type programBuilder struct {
	random *rand.Rand
	b      *program.Builder
	pools  map[program.Type][]program.Value
	words  []word
}

type word struct {
	offset int
	t      program.Type
}

var types = []program.Type{program.F, program.I, program.M}

// Program builds a random program over any instructions: state, windows, and a few row quarters. Every signal bit may
// fire, so rows are compared whole; see Emits.
func Program(random *rand.Rand) *program.Program { return grow(random).finish() }

// Signals builds one whose rows are those of signals: a bit each in the row's masks, an enable word, outputs under their own
// signal's bit.
func Signals(random *rand.Rand) *program.Program { return grow(random).signals() }

func grow(random *rand.Rand) *programBuilder {
	g := &programBuilder{random: random, b: program.NewBuilder(), pools: map[program.Type][]program.Value{}}
	for q := range program.SlotQuartersBase - 1 {
		g.keep(program.F, g.b.Slot(q))
	}
	g.keep(program.I, g.b.Time())
	g.keep(program.I, g.b.Ctl())
	g.keep(program.M, g.b.ConstM(random.IntN(2) == 0))
	for _, bit := range []int64{program.CtlGap, program.CtlFreshQuote, program.CtlFreshTrade} {
		g.keep(program.M, g.b.Ieq(g.b.And(g.b.Ctl(), g.b.ConstI(bit)), g.b.ConstI(bit)))
	}
	for range random.IntN(4) {
		g.state()
	}
	windows := 0
	for range 10 + random.IntN(60) {
		if windows < 3 && random.IntN(10) == 0 {
			windows++
			g.window()
			continue
		}
		g.operation()
	}
	return g
}

func (g *programBuilder) keep(t program.Type, v program.Value) { g.pools[t] = append(g.pools[t], v) }

// pick prefers recent values, so that chains grow.
func (g *programBuilder) pick(t program.Type) program.Value {
	pool := g.pools[t]
	if len(pool) > 4 && g.random.IntN(2) == 0 {
		pool = pool[len(pool)-4:]
	}
	return pool[g.random.IntN(len(pool))]
}

func (g *programBuilder) state() {
	t := types[g.random.IntN(len(types))]
	bits := g.random.Uint64()
	switch t {
	case program.F:
		bits = program.Canonical(math.Float64frombits(bits))
	case program.M:
		bits = -(bits & 1)
	}
	offset := g.b.AllocState(1, bits)
	g.words = append(g.words, word{offset, t})
	g.keep(t, g.b.Load(offset, t))
}

func (g *programBuilder) window() {
	var choices []program.Window
	for agg := program.WindowAgg(1); agg.Outputs() != nil; agg++ {
		choices = append(choices, program.SampleWindow(agg, 1+g.random.IntN(6)))
		switch agg {
		case program.AggSum, program.AggMoments, program.AggMin, program.AggMax, program.AggMoments2:
			choices = append(choices, program.DurationWindow(agg, 1+g.random.Int64N(4e9), 1+g.random.IntN(9)))
		}
	}
	w := choices[g.random.IntN(len(choices))]
	inputs := make([]program.Value, w.Agg.Inputs())
	for i := range inputs {
		inputs[i] = g.pick(program.F)
	}
	for i, v := range g.b.Window(w, g.pick(program.M), g.pick(program.M), inputs...) {
		g.keep(w.Agg.Outputs()[i], v)
	}
}

func (g *programBuilder) operation() {
	b, f, i, m := g.b, program.F, program.I, program.M
	switch g.random.IntN(19) {
	case 0:
		g.keep(f, b.Add(g.pick(f), g.pick(f)))
	case 1:
		g.keep(f, b.Sub(g.pick(f), g.pick(f)))
	case 2:
		g.keep(f, b.Mul(g.pick(f), g.pick(f)))
	case 3:
		g.keep(f, b.Div(g.pick(f), g.pick(f)))
	case 4:
		g.keep(f, b.Sqrt(g.pick(f)))
	case 5:
		g.keep(m, b.Flt(g.pick(f), g.pick(f)))
	case 6:
		g.keep(m, b.Fle(g.pick(f), g.pick(f)))
	case 7:
		g.keep(m, b.Feq(g.pick(f), g.pick(f)))
	case 8:
		g.keep(m, b.Ilt(g.pick(i), g.pick(i)))
	case 9:
		g.keep(m, b.Ieq(g.pick(i), g.pick(i)))
	case 10, 11:
		t := types[g.random.IntN(len(types))]
		g.keep(t, b.Sel(g.pick(m), g.pick(t), g.pick(t)))
	case 12, 13:
		g.bitwise()
	case 14:
		g.keep(i, b.Shl(g.pick(i), g.random.IntN(64)))
	case 15:
		g.keep(i, b.Shr(g.pick(i), g.random.IntN(64)))
	case 16:
		g.keep(i, b.Iadd(g.pick(i), b.Isub(g.pick(i), g.pick(i))))
	case 17:
		g.keep(f, b.I2F(g.pick(i)))
	case 18:
		g.keep(f, b.Neg(b.Abs(b.Add(g.pick(f), b.ConstF(Number(g.random, 3))))))
	}
}

func (g *programBuilder) bitwise() {
	op := []func(x, y program.Value) program.Value{g.b.And, g.b.Or, g.b.Xor, g.b.Andn}[g.random.IntN(4)]
	first, second := types[g.random.IntN(3)], program.M
	if first != program.M {
		second = types[g.random.IntN(3)]
	}
	g.keep(first, op(g.pick(first), g.pick(second)))
}

func (g *programBuilder) finish() *program.Program {
	g.stores()
	for range 1 + g.random.IntN(4) {
		g.b.Emit(g.b.AllocRow(), g.b.ConstM(true), g.pick(program.F))
	}
	for q := range program.RowFirst {
		g.b.EmitMask(q, g.pick(program.I))
	}
	return g.build()
}

func (g *programBuilder) stores() {
	for _, w := range g.words {
		if g.random.IntN(4) != 0 {
			g.b.Store(w.offset, g.pick(w.t))
		}
	}
}

// signals ends a program with up to eight signals, as operators of masks on numbers join them.
func (g *programBuilder) signals() *program.Program {
	g.stores()
	b, count := g.b, 1+g.random.IntN(8)
	bits := func() program.Value { // a bit a signal, of masks
		sum := b.And(b.ConstI(1), g.pick(program.M))
		for i := 1; i < count; i++ {
			sum = b.Or(sum, b.And(b.ConstI(1<<i), g.pick(program.M)))
		}
		return sum
	}
	enabled := b.Load(0, program.I)
	when, exit := b.And(b.And(enabled, bits()), bits()), b.Andn(b.And(enabled, bits()), bits())
	fired := b.Or(when, exit)
	for i := range count {
		own := b.ConstI(1 << i)
		guard := b.Ieq(b.And(fired, own), own)
		for range 1 + g.random.IntN(2) {
			b.Emit(b.AllocRow(), guard, g.pick(program.F))
		}
	}
	b.EmitMask(program.RowWhen, when)
	b.EmitMask(program.RowExit, exit)
	b.EmitMask(program.RowSuppressed, b.Xor(bits(), b.And(fired, g.pick(program.I))))
	return g.build()
}

func (g *programBuilder) build() *program.Program {
	p, err := g.b.Build()
	if err != nil {
		panic("awkward: " + err.Error()) // the generator keeps to the builder's rules
	}
	return p
}
