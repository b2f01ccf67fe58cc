package program

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestEqualInstructionsAreMadeOnce(t *testing.T) {
	b := NewBuilder()
	x, y, m := b.Slot(0), b.Slot(1), b.Flt(b.Slot(0), b.Slot(1))
	w := SampleWindow(AggSum, 3)
	for name, pair := range map[string][2]Value{
		"same":            {b.Add(x, y), b.Add(x, y)},
		"commuted add":    {b.Add(x, y), b.Add(y, x)},
		"commuted mul":    {b.Mul(x, y), b.Mul(y, x)},
		"commuted feq":    {b.Feq(x, y), b.Feq(y, x)},
		"constants":       {b.ConstF(0.5), b.ConstF(0.5)},
		"canon of canon":  {b.Canon(b.Canon(x)), b.Canon(x)},
		"canon of finite": {b.Canon(b.I2F(b.Ctl())), b.I2F(b.Ctl())},
		"canon of load":   {b.Canon(b.Load(0, I)), b.Canon(b.Load(0, I))},
		"windows":         {b.Window(w, m, m, x)[1], b.Window(w, m, m, x)[1]},
		"not not":         {b.Not(b.Not(m)), m},
		"neg neg":         {b.Neg(b.Neg(x)), x},
		"and true":        {b.And(m, b.ConstM(true)), m},
		"true and":        {b.And(b.ConstM(true), m), m},
		"and itself":      {b.And(m, m), m},
		"or false":        {b.Or(b.ConstM(false), m), m},
		"sel true":        {b.Sel(b.ConstM(true), x, y), x},
		"sel false":       {b.Sel(b.ConstM(false), x, y), y},
		"sel same":        {b.Sel(m, x, x), x},
	} {
		if name != "canon of load" && pair[0] != pair[1] {
			t.Errorf("%s: v%d and v%d", name, pair[0], pair[1])
		}
	}
	if b.Sub(x, y) == b.Sub(y, x) || b.Flt(x, y) == b.Flt(y, x) || b.Div(x, y) == b.Div(y, x) {
		t.Error("operands of an operation that does not commute were exchanged")
	}
	if b.Window(w, m, m, x)[0] == b.Window(SampleWindow(AggSum, 4), m, m, x)[0] {
		t.Error("windows of different length are one")
	}
}

func TestConstantsFoldAsWritten(t *testing.T) {
	b := NewBuilder()
	tenth, fifth, three := b.ConstF(0.1), b.ConstF(0.2), b.ConstI(3)
	zero, minus := b.ConstF(0), b.ConstF(math.Copysign(0, -1))
	for name, c := range map[string]struct {
		got  Value
		want uint64
	}{
		"0.1+0.2":       {b.Add(tenth, fifth), math.Float64bits(0.30000000000000004)},
		"0.1-0.2":       {b.Sub(tenth, fifth), math.Float64bits(-0.1)},
		"0.1*0.2":       {b.Mul(tenth, fifth), math.Float64bits(0.020000000000000004)},
		"0.1/0.2":       {b.Div(tenth, fifth), math.Float64bits(0.5)},
		"1/0":           {b.Div(b.ConstF(1), zero), CanonicalNaN},
		"sqrt 2":        {b.Sqrt(b.ConstF(2)), math.Float64bits(math.Sqrt2)},
		"sqrt -1":       {b.Sqrt(b.ConstF(-1)), CanonicalNaN},
		"-0 == 0":       {b.Feq(minus, zero), maskTrue},
		"-0 < 0":        {b.Flt(minus, zero), 0},
		"NaN == NaN":    {b.Feq(b.ConstF(math.NaN()), b.ConstF(math.NaN())), 0},
		"NaN <= NaN":    {b.Fle(b.ConstF(math.NaN()), b.ConstF(math.NaN())), 0},
		"infinite":      {b.ConstF(math.Inf(-1)), CanonicalNaN},
		"neg 0":         {b.Neg(zero), 1 << 63},
		"neg undefined": {b.Neg(b.ConstF(math.NaN())), CanonicalNaN},
		"abs":           {b.Abs(b.ConstF(-3)), math.Float64bits(3)},
		"shift":         {b.Shr(b.Shl(three, 62), 62), 3},
		"logical shift": {b.Shr(b.ConstI(-1), 63), 1},
		"wrap":          {b.Iadd(b.ConstI(math.MaxInt64), b.ConstI(1)), 1 << 63},
		"isub":          {b.Isub(b.ConstI(0), b.ConstI(1)), maskTrue},
		"signed":        {b.Ilt(b.ConstI(-1), b.ConstI(0)), maskTrue},
		"ieq":           {b.Ieq(three, three), maskTrue},
		"i2f rounds":    {b.I2F(b.ConstI(1<<53 + 1)), math.Float64bits(1 << 53)},
		"andn":          {b.Andn(three, b.ConstI(1)), 2},
		"xor":           {b.Xor(three, three), 0},
	} {
		n := b.nodes[c.got]
		if n.Op != OpConst || n.Imm != c.want {
			t.Errorf("%s: %s %#x, want constant %#x", name, n.Op, n.Imm, c.want)
		}
	}
}

func TestBuildDropsAndSplits(t *testing.T) {
	b := NewBuilder()
	x, fresh := b.Slot(0), bit(b, CtlFreshQuote)
	b.Sqrt(b.Slot(3))                                                       // dead
	b.Window(SampleWindow(AggSum, 1000), fresh, b.ConstM(false), b.Slot(2)) // dead, with its state
	off := b.AllocState(1, CanonicalNaN)
	old := b.Load(off, F)
	now := b.Sel(fresh, x, old)
	b.Store(off, now)
	b.Emit(b.AllocRow(), b.Flt(old, now), b.Mul(now, now))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if p.StateWords != 2 || len(p.Windows) != 0 || strings.Contains(p.String(), "sqrt") {
		t.Fatalf("dead code is kept:\n%s", p)
	}
	ops := func(list []Instr) (s string) {
		for _, in := range list {
			s += in.Op.String() + " "
		}
		return s
	}
	if got := ops(p.Recur); got != "load sel store " {
		t.Errorf("recur is %s", got)
	}
	if got := ops(p.After); got != "flt mul canon emit emitmask emitmask emitmask " {
		t.Errorf("after is %s", got)
	}
	if _, err := b.Build(); err == nil {
		t.Error("second Build is accepted")
	}
}

func TestBuilderRemembersTheFirstMistake(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(b *Builder)
		want string
	}{
		"types":          {func(b *Builder) { b.Add(b.Ctl(), b.Slot(0)) }, "operand 1 of add is i"},
		"foreign value":  {func(b *Builder) { b.Add(99, b.Slot(0)) }, "not a value of this builder"},
		"no value":       {func(b *Builder) { b.Not(NoValue) }, "not a value"},
		"abs of integer": {func(b *Builder) { b.Abs(b.Ctl()) }, "abs needs an f"},
		"slot":           {func(b *Builder) { b.Slot(64) }, "slot quarter 64"},
		"shift":          {func(b *Builder) { b.Shl(b.Ctl(), 64) }, "shl by 64"},
		"load":           {func(b *Builder) { b.Load(1, F) }, "load of word 1"},
		"load type":      {func(b *Builder) { b.Load(0, W) }, "load of word 0"},
		"store word 0":   {func(b *Builder) { b.Store(0, b.Ctl()) }, "store to word 0"},
		"store types":    {func(b *Builder) { off := b.AllocState(1); b.Load(off, F); b.Store(off, b.Ctl()); b.Store(off, b.Ctl()) }, "stored twice"},
		"init":           {func(b *Builder) { b.AllocState(1, 1, 2) }, "2 initial values"},
		"emit":           {func(b *Builder) { b.Emit(3, b.ConstM(true), b.Slot(0)) }, "row quarter 3"},
		"emit type":      {func(b *Builder) { b.Emit(b.AllocRow(), b.ConstM(true), b.Ctl()) }, "operand 2 of emit"},
		"emit twice": {func(b *Builder) {
			q := b.AllocRow()
			b.Emit(q, b.ConstM(true), b.Slot(0))
			b.Emit(q, b.ConstM(true), b.Slot(0))
		}, "written twice"},
		"emitmask":      {func(b *Builder) { b.EmitMask(3, b.Ctl()) }, "row quarter 3"},
		"emitmask type": {func(b *Builder) { b.EmitMask(0, b.Slot(0)) }, "operand 1 of emitmask"},
		"window":        {func(b *Builder) { b.Window(SampleWindow(AggSum, 0), b.ConstM(true), b.ConstM(true), b.Slot(0)) }, "window of 0 samples"},
		"window inputs": {func(b *Builder) { b.Window(SampleWindow(AggSum, 1), b.ConstM(true), b.ConstM(true)) }, "takes 1 input"},
		"window push":   {func(b *Builder) { b.Window(SampleWindow(AggSum, 1), b.Slot(0), b.ConstM(true), b.Slot(0)) }, "operand 1 of window"},
		"window length": {func(b *Builder) { b.Window(DurationWindow(AggSum, 0, 64), b.ConstM(true), b.ConstM(true), b.Slot(0)) }, "steps of 0 ns"},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBuilder()
			c.do(b)
			_, err := b.Build()
			if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
		})
	}
}
