package program

import (
	"errors"
	"strings"
	"testing"
)

// validProgram is small and uses every kind of thing the verifier looks at.
func validProgram(tb testing.TB) *Program {
	b := NewBuilder()
	fresh := bit(b, CtlFreshQuote)
	x := b.Slot(0)
	out := b.Window(SampleWindow(AggSum, 3), fresh, bit(b, CtlGap), x)
	b.Window(DurationWindow(AggSum, 100, 4), fresh, b.ConstM(false), x)
	dur := b.Window(DurationWindow(AggMoments, 100, 4), fresh, b.ConstM(false), x)
	value, mask := b.AllocState(1, CanonicalNaN), b.AllocState(1)
	old := b.Load(value, F)
	b.Store(value, b.Sel(fresh, x, old))
	b.Store(mask, b.Or(b.Load(mask, M), fresh))
	b.Emit(b.AllocRow(), out[2], b.Div(b.Sub(out[0], old), dur[1]))
	b.EmitMask(RowWhen, b.And(b.Shl(b.Load(0, I), 2), out[2]))
	p, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// find returns the n-th instruction of an operation.
func find(t *testing.T, p *Program, op Op, n int) *Instr {
	for part := PartBefore; part <= PartAfter; part++ {
		for i := range p.part(part) {
			if in := &p.part(part)[i]; in.Op == op {
				if n == 0 {
					return in
				}
				n--
			}
		}
	}
	t.Fatalf("no %s in\n%s", op, p)
	return nil
}

// refusal is one way to spoil validProgram and what the verifier must say.
type refusal struct {
	name  string
	spoil func(t *testing.T, p *Program)
	want  string
}

// set changes the first instruction of an operation.
func set(op Op, change func(in *Instr)) func(*testing.T, *Program) {
	return func(t *testing.T, p *Program) { change(find(t, p, op, 0)) }
}

// setB makes the first instruction of an operation read the result of another operation as its second operand.
func setB(op, from Op) func(*testing.T, *Program) {
	return func(t *testing.T, p *Program) { find(t, p, op, 0).B = find(t, p, from, 0).Dst }
}

func TestVerifyRefuses(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			p := validProgram(t)
			c.spoil(t, p)
			err := p.Verify()
			if err == nil {
				t.Fatalf("accepted\n%s", p)
			}
			if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %q, want %q in it", err, c.want)
			}
		})
	}
}

var refusals = []refusal{
	{"few slot quarters", func(_ *testing.T, p *Program) { p.SlotQuarters = 4 }, "slot quarters"},
	{"many slot quarters", func(_ *testing.T, p *Program) { p.SlotQuarters = 65 }, "slot quarters"},
	{"few row quarters", func(_ *testing.T, p *Program) { p.RowQuarters = 2 }, "row quarters"},
	{"many row quarters", func(_ *testing.T, p *Program) { p.RowQuarters = MaxRowQuarter + 1 }, "row quarters"},
	{"no state", func(_ *testing.T, p *Program) { p.StateWords, p.Init = 0, nil }, "state words"},
	{"init length", func(_ *testing.T, p *Program) { p.Init = p.Init[1:] }, "state words"},
	{"window kind", func(_ *testing.T, p *Program) { p.Windows[0].Kind = 9 }, "unknown kind"},
	{"window aggregate", func(_ *testing.T, p *Program) { p.Windows[0].Agg = aggEnd }, "unknown aggregate"},
	{"window of no samples", func(_ *testing.T, p *Program) { p.Windows[0].N = 0 }, "0 samples"},
	{"window of too many samples", func(_ *testing.T, p *Program) { p.Windows[0].N = MaxWindowSamples + 1 }, "samples is outside"},
	{"sample window with step", func(_ *testing.T, p *Program) { p.Windows[0].StepNs = 1 }, "step"},
	{"duration without step", func(_ *testing.T, p *Program) { p.Windows[1].StepNs = 0 }, "steps of 0 ns"},
	{"duration without sub", func(_ *testing.T, p *Program) { p.Windows[1].Sub = 0 }, "0 steps"},
	{"duration with samples", func(_ *testing.T, p *Program) { p.Windows[1].N = 5 }, "n=5"},
	{"duration lag", func(_ *testing.T, p *Program) { p.Windows[1].Agg = AggLag }, "lag"},
	{"one input of two", func(_ *testing.T, p *Program) {
		w := &p.Windows[1]
		w.Agg, w.State = AggMoments2, p.StateWords
		p.Init = append(p.Init, make([]uint64, w.Words())...)
		p.StateWords = len(p.Init)
	}, "window 1 takes 2 inputs, has 1"},
	{"two inputs of one", set(OpWindow, func(in *Instr) { in.Op, in.D = OpWindow2, in.C }), "window 0 takes 1 inputs, has 2"},
	{"duration weighted", func(_ *testing.T, p *Program) { p.Windows[1].Agg = AggWeighted }, "weighted needs a sample window"},
	{"absdev of too many samples", func(_ *testing.T, p *Program) { p.Windows[0].Agg, p.Windows[0].N = AggAbsdev, MaxRankSamples+1 }, "absdev over 1025"},
	{"duration rank", func(_ *testing.T, p *Program) { p.Windows[1].Agg = AggRank }, "rank needs a sample window"},
	{"rank of too many samples", func(_ *testing.T, p *Program) { p.Windows[0].Agg, p.Windows[0].N = AggRank, MaxRankSamples+1 }, "rank over 1025"},
	{"window over word 0", func(_ *testing.T, p *Program) { p.Windows[0].State = 0 }, "outside 1.."},
	{"window beyond state", func(_ *testing.T, p *Program) { p.Windows[1].State = p.StateWords - 3 }, "outside 1.."},
	{"windows overlap", func(_ *testing.T, p *Program) { p.Windows[1].State = p.Windows[0].State + 1 }, "another window"},
	{"window not zero", func(_ *testing.T, p *Program) { p.Init[p.Windows[0].State] = 1 }, "want 0"},
	{"window advanced twice", func(t *testing.T, p *Program) { find(t, p, OpWindow, 1).Imm = 0 }, "advanced twice"},
	{"window never advanced", func(_ *testing.T, p *Program) {
		p.Windows = append(p.Windows, SampleWindow(AggSum, 1))
		p.Windows[2].State = p.StateWords
		p.Init = append(p.Init, 0, 0, 0, 0)
		p.StateWords += 4
	}, "never advanced"},
	{"window index", set(OpWindow, func(in *Instr) { in.Imm = 7 }), "window 7 is outside"},
	{"window result type", set(OpWindow, func(in *Instr) { in.Type = F }), "has type f"},
	{"wout index", set(OpWout, func(in *Instr) { in.Imm = 3 }), "output 3"},
	{"wout of a number", set(OpWout, func(in *Instr) { in.A = 0 }), "want w"},
	{"unknown operation", set(OpSub, func(in *Instr) { in.Op = 200 }), "unknown operation"},
	{"invalid operation", set(OpSub, func(in *Instr) { in.Op = OpInvalid }), "unknown operation"},
	{"operand missing", set(OpSub, func(in *Instr) { in.B = NoValue }), "not defined before"},
	{"operand too many", set(OpSub, func(in *Instr) { in.C = 0 }), "takes 2 operands"},
	{"operand later", set(OpSub, func(in *Instr) { in.B = in.Dst }), "not defined before"},
	{"operand type", setB(OpSub, OpCtl), "want f"},
	{"sel of two types", set(OpSel, func(in *Instr) { in.C = in.A }), "differ in type"},
	{"sel by a number", set(OpSel, func(in *Instr) { in.A = in.B }), "want m"},
	{"mask with integer", setB(OpOr, OpCtl), "masks only"},
	{"bits of a window", setB(OpOr, OpWindow), "f, i or m"},
	{"result type", set(OpSub, func(in *Instr) { in.Type = I }), "has type i"},
	{"result number", set(OpSub, func(in *Instr) { in.Dst++ }), "defines v"},
	{"result of a store", set(OpStore, func(in *Instr) { in.Dst = 99 }), "has no result"},
	{"immediate where none", set(OpSub, func(in *Instr) { in.Imm = 1 }), "takes no immediate"},
	{"shift", set(OpShl, func(in *Instr) { in.Imm = 64 }), "shift by 64"},
	{"slot quarter", set(OpSlot, func(in *Instr) { in.Imm = 5 }), "slot quarter 5"},
	{"slot type", set(OpSlot, func(in *Instr) { in.Imm = SlotTime }), "has type f"},
	{"constant type", set(OpConst, func(in *Instr) { in.Type = W }), "want f, i or m"},
	{"constant mask", set(OpConst, func(in *Instr) { in.Type = M }), "not a mask"},
	{"constant NaN", set(OpConst, func(in *Instr) { in.Type, in.Imm = F, CanonicalNaN|1 }), "canonical NaN"},
	{"load beyond state", set(OpLoad, func(in *Instr) { in.Imm = 1000 }), "outside 0.."},
	{"load of a window's word", func(t *testing.T, p *Program) { find(t, p, OpLoad, 0).Imm = uint64(p.Windows[0].State) }, "belongs to a window"},
	{"load as two types", func(t *testing.T, p *Program) { find(t, p, OpLoad, 0).Type = F }, "used as"},
	{"load after store", func(_ *testing.T, p *Program) {
		p.Recur = append(p.Recur, Instr{Op: OpLoad, Type: F, A: NoValue, B: NoValue, C: NoValue, D: NoValue, Imm: 1})
	}, "loaded after its store"},
	{"stored word loaded in before", func(_ *testing.T, p *Program) {
		p.Before = append(p.Before, Instr{Op: OpLoad, Type: F, A: NoValue, B: NoValue, C: NoValue, D: NoValue, Imm: 1})
	}, "does not belong in part before"},
	{"initial NaN", func(_ *testing.T, p *Program) { p.Init[1] = CanonicalNaN | 1 }, "canonical NaN"},
	{"initial mask", func(_ *testing.T, p *Program) { p.Init[2] = 1 }, "not a mask"},
	{"store to word 0", set(OpStore, func(in *Instr) { in.Imm = 0 }), "outside 1.."},
	{"store beyond state", set(OpStore, func(in *Instr) { in.Imm = 1000 }), "outside 1.."},
	{"store twice", func(t *testing.T, p *Program) { find(t, p, OpStore, 1).Imm = find(t, p, OpStore, 0).Imm }, "stored twice"},
	{"store of a raw value", func(t *testing.T, p *Program) { find(t, p, OpStore, 0).A = find(t, p, OpSlot, 0).Dst }, "canon it first"},
	{"emit of a raw value", setB(OpEmit, OpDiv), "canon it first"},
	{"emit to a mask quarter", set(OpEmit, func(in *Instr) { in.Imm = 2 }), "row quarter 2"},
	{"emit beyond row", set(OpEmit, func(in *Instr) { in.Imm = 4 }), "row quarter 4"},
	{"emit twice", func(t *testing.T, p *Program) { p.After = append(p.After, *find(t, p, OpEmit, 0)) }, "written twice"},
	{"emitmask to an output", set(OpEmitMask, func(in *Instr) { in.Imm = 3 }), "row quarter 3"},
	{"emitmask missing", func(_ *testing.T, p *Program) { p.After = p.After[:len(p.After)-1] }, "never written"},
	{"emit in before", func(_ *testing.T, p *Program) {
		p.Before = append(p.Before, Instr{Op: OpEmitMask, Dst: NoValue, A: 1, B: NoValue, C: NoValue, D: NoValue})
	}, "does not belong in part before"},
	{"window in after", func(t *testing.T, p *Program) { p.After = append(p.After, *find(t, p, OpWindow, 0)) }, "does not belong in part after"},
	{"stored word loaded in after", func(t *testing.T, p *Program) { p.After = append(p.After, *find(t, p, OpLoad, 1)) }, "loaded after its store"},
}

// TestVerifySeesNaNBits lists, for each operation that could show a NaN's bits, a listing that would.
func TestVerifySeesNaNBits(t *testing.T) {
	head := "program 1 slot=5 row=4 state=2\nbefore:\n  v0 = slot 0\n  v1 = slot 4\n  v2 = const.i -9223372036854775808\n  v3 = const.i 3\n  v4 = const.m true\n"
	tail := "recur:\nafter:\n  emitmask 0 v3\n  emitmask 1 v3\n  emitmask 2 v3\n"
	for _, c := range []struct {
		line string
		ok   bool
	}{
		{"v5 = and v0 v4", true},
		{"v5 = andn v0 v4", true},
		{"v5 = andn v0 v2", true},
		{"v5 = xor v0 v2", true},
		{"v5 = or v0 v2", true},
		{"v5 = and v0 v2", false},
		{"v5 = and v0 v3", false},
		{"v5 = xor v0 v3", false},
		{"v5 = or v0 v4", false},
		{"v5 = xor v0 v4", false},
		{"v5 = and v3 v0", false},
		{"v5 = or v0 v0", false},
		{"v5 = andn v1 v0", false},
	} {
		_, err := ParseListing(head + "  " + c.line + "\n" + tail)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v, want accepted %v", c.line, err, c.ok)
		}
	}
}

func TestExecutorRefuses(t *testing.T) {
	p := validProgram(t)
	if _, err := NewExecutor(p, 0); !errors.Is(err, ErrInvalid) {
		t.Errorf("no instruments: %v", err)
	}
	if _, err := NewExecutor(p, MaxExecutorWords); !errors.Is(err, ErrInvalid) {
		t.Errorf("too much state: %v", err)
	}
	p.Recur = p.Recur[1:]
	if _, err := NewExecutor(p, 1); !errors.Is(err, ErrInvalid) {
		t.Errorf("spoilt program: %v", err)
	}
}
