package program

import "testing"

func TestSmoke(t *testing.T) {
	b := NewBuilder()
	mid := b.Mul(b.Add(b.Slot(0), b.Slot(2)), b.ConstF(0.5))
	fresh := b.Ieq(b.And(b.Ctl(), b.ConstI(CtlFreshQuote)), b.ConstI(CtlFreshQuote))
	w := b.Window(SampleWindow(AggMoments, 20), b.And(fresh, b.Defined(mid)), b.ConstM(false), mid)
	std := b.Sqrt(b.Div(w[1], w[2]))
	z := b.Div(b.Sub(mid, w[0]), std)
	off := b.AllocState(1, CanonicalNaN)
	prev := b.Load(off, F)
	b.Store(off, b.Sel(fresh, mid, prev))
	q := b.AllocRow()
	when := b.And(b.Flt(b.ConstF(2), b.Abs(z)), w[3])
	b.Emit(q, when, z)
	b.EmitMask(RowWhen, b.And(b.ConstI(1), when))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + p.String())
	again, err := ParseListing(p.String())
	if err != nil {
		t.Fatal(err)
	}
	if again.Fingerprint() != p.Fingerprint() {
		t.Fatal("fingerprint differs")
	}
}
