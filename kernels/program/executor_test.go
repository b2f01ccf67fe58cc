package program

import (
	"errors"
	"math"
	"testing"
	"unsafe"
)

func TestLayout(t *testing.T) {
	var q Quarter
	if unsafe.Sizeof(q) != 16 || unsafe.Offsetof(q.Value) != 0 || unsafe.Offsetof(q.Aux) != 8 || unsafe.Offsetof(q.Stamp) != 12 {
		t.Fatalf("quarter is %d bytes, aux at %d, stamp at %d", unsafe.Sizeof(q), unsafe.Offsetof(q.Aux), unsafe.Offsetof(q.Stamp))
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	p := sixSignals(t)
	ex, err := NewExecutor(p, 8)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		ex.SetWord(i, 0, 63)
	}
	lane := quotes(p, 1024, 8)
	for _, batch := range []uint64{1, 64, 500} {
		at := uint64(0)
		if n := testing.AllocsPerRun(20, func() { ex.Run(lane, at, at+batch); at += batch }); n != 0 {
			t.Errorf("batch %d: %v allocations a Run", batch, n)
		}
	}
}

func TestEnableMaskAndWords(t *testing.T) {
	b := NewBuilder()
	b.EmitMask(RowWhen, b.And(b.Load(0, I), b.ConstI(5)))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	ex, err := NewExecutor(p, 2)
	if err != nil {
		t.Fatal(err)
	}
	ex.SetWord(1, 0, 4|2)
	lane := newLane(p, 2)
	lane.In[1].Aux = 1
	ex.Run(lane, 0, 2)
	if lane.Out[0].Value != 0 || lane.Out[1].Value != 4 || ex.Word(1, 0) != 6 {
		t.Fatalf("rows %x %x, word %x", lane.Out[0].Value, lane.Out[1].Value, ex.Word(1, 0))
	}
	for _, at := range [][2]int{{-1, 0}, {2, 0}, {0, -1}, {0, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("word %d of instrument %d does not panic", at[1], at[0])
				}
			}()
			ex.Word(at[0], at[1])
		}()
	}
}

// TestSnapshotRestores runs on from a snapshot in another executor and expects the same rows and state.
func TestSnapshotRestores(t *testing.T) {
	p := sixSignals(t)
	one, err := NewExecutor(p, 4)
	if err != nil {
		t.Fatal(err)
	}
	two, err := NewExecutor(p, 4)
	if err != nil {
		t.Fatal(err)
	}
	lane := quotes(p, 1024, 4)
	one.SetWord(2, 0, 63)
	one.Run(lane, 0, 300)
	snapshot := one.SnapshotState()
	if err := two.RestoreState(snapshot); err != nil {
		t.Fatal(err)
	}
	other := laneLike(lane)
	one.Run(lane, 300, 1000)
	two.Run(other, 300, 1000)
	for i := range lane.Out {
		if lane.Out[i] != other.Out[i] {
			t.Fatalf("row word %d differs", i)
		}
	}
	a, b := one.SnapshotState(), two.SnapshotState()
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("state word %d differs", i)
		}
	}
	if snapshot[0] == maskTrue || two.RestoreState(snapshot[1:]) == nil || !errors.Is(two.RestoreState(nil), ErrInvalid) {
		t.Error("a snapshot of another size is accepted")
	}
	one.Reset()
	if one.Word(2, 0) != 0 || one.Word(2, 1) != p.Init[1] {
		t.Error("Reset left state")
	}
}

// TestAwkwardBits pins results that hardware and languages differ on.
func TestAwkwardBits(t *testing.T) {
	nan, inf, minus := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	negNaN := math.Float64frombits(0xfff8000000000abc)
	b := NewBuilder()
	x, y := b.Slot(0), b.Slot(1)
	number := func(m Value) Value { return b.Sel(m, b.ConstF(1), b.ConstF(0)) }
	for _, v := range []Value{number(b.Flt(x, y)), number(b.Fle(x, y)), number(b.Feq(x, y)), x, b.Abs(x), b.Neg(x), b.Div(x, y), b.Sqrt(x)} {
		b.Emit(b.AllocRow(), b.ConstM(true), v)
	}
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x, y float64
		want [8]float64 // x<y x<=y x==y x |x| -x x/y sqrt(x)
	}{
		{nan, 1, [8]float64{0, 0, 0, nan, nan, nan, nan, nan}},
		{1, nan, [8]float64{0, 0, 0, 1, 1, -1, nan, 1}},
		{negNaN, negNaN, [8]float64{0, 0, 0, nan, nan, nan, nan, nan}},
		{minus, 0, [8]float64{0, 1, 1, minus, 0, 0, nan, minus}},
		{0, minus, [8]float64{0, 1, 1, 0, 0, minus, nan, 0}},
		{inf, 1, [8]float64{0, 0, 0, nan, nan, nan, nan, nan}},
		{1, inf, [8]float64{0, 0, 0, 1, 1, -1, nan, 1}},
		{-inf, inf, [8]float64{0, 0, 0, nan, nan, nan, nan, nan}},
		{4, minus, [8]float64{0, 0, 0, 4, 4, -4, nan, 2}},
		{-4, 2, [8]float64{1, 1, 0, -4, 4, 4, -2, nan}},
		{5e-324, 2, [8]float64{1, 1, 0, 5e-324, 5e-324, -5e-324, 0, 2.2227587494850775e-162}},
		{1e300, 1e-300, [8]float64{0, 0, 0, 1e300, 1e300, -1e300, nan, 1e150}},
	} {
		for _, batch := range []uint64{1, 5} {
			ex, err := NewExecutor(p, 5)
			if err != nil {
				t.Fatal(err)
			}
			lane := newLane(p, 8)
			for n := range batch {
				lane.In[n] = Quarter{Value: math.Float64bits(c.x), Aux: uint32(n)}
				lane.In[8+n].Value = math.Float64bits(c.y)
			}
			ex.Run(lane, 0, batch)
			for k, want := range c.want {
				if got := lane.Out[uint64(RowFirst+k)*8+batch-1].Value; got != Canonical(want) {
					t.Errorf("x %v y %v result %d batch %d: %#x, want %#x", c.x, c.y, k, batch, got, Canonical(want))
				}
			}
		}
	}
}

func TestLaneMustFit(t *testing.T) {
	p := validProgram(t)
	good := newLane(p, 8)
	if err := good.Check(p); err != nil {
		t.Fatal(err)
	}
	for name, lane := range map[string]Lane{
		"empty":     {},
		"odd":       {In: make([]Quarter, 15), Out: make([]Quarter, 12), Capacity: 3},
		"few slots": {In: good.In[1:], Out: good.Out, Capacity: 8},
		"few rows":  {In: good.In, Out: good.Out[1:], Capacity: 8},
	} {
		if err := lane.Check(p); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ex, err := NewExecutor(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a Run longer than the lane does not panic")
		}
	}()
	ex.Run(good, 1, 0)
}
