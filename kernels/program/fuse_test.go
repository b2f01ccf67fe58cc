package program

import (
	"math"
	"testing"
)

// planOps is the operations of a program's plan, in order.
func planOps(t *testing.T, listing string) (p *Program, ops []Op) {
	t.Helper()
	p, err := ParseListing(listing)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := plan(p)
	for i := range list {
		ops = append(ops, list[i].op)
	}
	return p, ops
}

func TestFuseJoinsOnlyReaders(t *testing.T) {
	head := "program 1 slot=5 row=5 state=1\nbefore:\n  v0 = slot 0\n  v1 = slot 1\n  v2 = const.m true\n  v3 = const.i 0\n"
	tail := "recur:\nafter:\n  emit 3 v2 v5\n  emitmask 0 v3\n  emitmask 1 v3\n  emitmask 2 v3\n"
	_, ops := planOps(t, head+"  v4 = add v0 v1\n  v5 = canon v4\n"+tail)
	if len(ops) != 7 || ops[2] != opAddCanon {
		t.Errorf("one reader: %v", ops)
	}
	_, ops = planOps(t, head+"  v4 = add v0 v1\n  v5 = canon v4\n  v6 = flt v4 v0\n"+tail)
	if len(ops) != 9 || ops[2] != OpAdd || ops[3] != OpCanon {
		t.Errorf("two readers: %v", ops)
	}
}

// TestFuseKeepsLoadsBeforeStores: a sel after the store of the word it chooses still sees the word of before the tick.
func TestFuseKeepsLoadsBeforeStores(t *testing.T) {
	p, ops := planOps(t, `program 1 slot=5 row=4 state=2
before:
  v0 = slot 0
  v1 = canon v0
  v2 = const.f 7
  v3 = flt v1 v2
  v4 = const.m true
  v5 = const.i 0
recur:
  v6 = load.f 1
  store 1 v1
  v7 = sel v3 v2 v6
after:
  emit 3 v4 v7
  emitmask 0 v5
  emitmask 1 v5
  emitmask 2 v5
`)
	for _, op := range ops {
		if op == opSelLoad {
			t.Errorf("a load moved past its store: %v", ops)
		}
	}
	ex, err := NewExecutor(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	lane := newLane(p, 8)
	for n := range uint64(4) {
		lane.In[n].Value = math.Float64bits(10 + float64(n))
	}
	ex.Run(lane, 0, 4)
	for n, want := range []float64{0, 10, 11, 12} {
		if got := math.Float64frombits(lane.Out[3*8+n].Value); got != want {
			t.Errorf("tick %d: got %v, want %v", n, got, want)
		}
	}
}

// TestColumnsAreReused: a long chain needs few columns, and results that nobody reads need none.
func TestColumnsAreReused(t *testing.T) {
	b := NewBuilder()
	v := b.Slot(0)
	for i := range 200 {
		v = b.Sub(b.Mul(v, b.Slot(1)), b.Slot(i%4))
	}
	b.Emit(b.AllocRow(), b.ConstM(true), v)
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	list, constants := plan(p)
	if al := allocate(list, constants, p.values()); al.columns > 10 {
		t.Errorf("%d columns for a chain", al.columns)
	}
}
