package program

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// workedExample is the program of the last section of docs/program.md: the mid's z-score over 30 seconds, fired beyond
// 2.5, for signal 0.
func workedExample() (*Program, error) {
	b := NewBuilder()
	fresh := b.Ieq(b.And(b.Ctl(), b.ConstI(CtlFreshQuote)), b.ConstI(CtlFreshQuote))
	gap := b.Ieq(b.And(b.Ctl(), b.ConstI(CtlGap)), b.ConstI(CtlGap))

	held := b.AllocState(1, CanonicalNaN)
	mid := b.Mul(b.Add(b.Slot(SlotF0), b.Slot(SlotF2)), b.ConstF(0.5))
	now := b.Sel(fresh, mid, b.Load(held, F))
	b.Store(held, now)

	w := b.Window(DurationWindow(AggMoments, 30_000_000_000, DefaultWindowSub), b.And(fresh, b.Defined(now)), gap, now)
	z := b.Div(b.Sub(now, w[0]), b.Sqrt(b.Div(w[1], w[2])))

	enabled := b.Ieq(b.And(b.Load(0, I), b.ConstI(1)), b.ConstI(1))
	when := b.And(b.And(enabled, fresh), b.And(w[3], b.Flt(b.ConstF(2.5), b.Abs(z))))
	b.Emit(b.AllocRow(), when, z)
	b.EmitMask(RowWhen, b.And(b.ConstI(1), when))
	return b.Build()
}

// TestDocsShowTheListing holds docs/program.md to what the builder makes.
func TestDocsShowTheListing(t *testing.T) {
	p, err := workedExample()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "docs", "program.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const open, shut = "```listing\n", "```\n"
	head, rest, ok := strings.Cut(string(page), open)
	shown, tail, ok2 := strings.Cut(rest, shut)
	if !ok || !ok2 {
		t.Fatalf("%s has no listing block", path)
	}
	if shown != p.String() && *update {
		if err := os.WriteFile(path, []byte(head+open+p.String()+shut+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if shown != p.String() {
		t.Errorf("the listing in %s is not what the builder makes (-update rewrites it):\n%s", path, p)
	}
	fingerprint := fmt.Sprintf("%x", p.Fingerprint())
	if !strings.Contains(tail, fingerprint) {
		t.Errorf("%s does not give the fingerprint %s", path, fingerprint)
	}
	for op := OpConst; op < opCount; op++ {
		if !strings.Contains(head, "`"+op.String()) {
			t.Errorf("%s does not describe %s", path, op)
		}
	}
}
