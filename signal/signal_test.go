package signal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Body)
		want error
	}{
		{"valid", func(*Body) {}, nil},
		{"no partition", func(b *Body) { b.Partition = "" }, ErrName},
		{"long partition", func(b *Body) { b.Partition = strings.Repeat("x", PartitionBytesMax+1) }, ErrName},
		{"no signal", func(b *Body) { b.Signal = "" }, ErrName},
		{"long signal", func(b *Body) { b.Signal = strings.Repeat("x", SignalBytesMax+1) }, ErrName},
		{"no venue", func(b *Body) { b.Venue = "" }, ErrName},
		{"long venue", func(b *Body) { b.Venue = strings.Repeat("x", VenueBytesMax+1) }, ErrName},
		{"no symbol", func(b *Body) { b.Symbol = "" }, ErrName},
		{"long symbol", func(b *Body) { b.Symbol = strings.Repeat("x", SymbolBytesMax+1) }, ErrName},
		{"no action", func(b *Body) { b.Action = 0 }, ErrMalformed},
		{"no output sequence", func(b *Body) { b.OutputSequence = 0 }, ErrMalformed},
	} {
		b := sampleBody()
		c.edit(&b)
		if err := b.Validate(); !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	for a := ActionEnter; a <= ActionWithdraw; a++ {
		if back, ok := ParseAction(a.String()); back != a || !ok {
			t.Errorf("action %d is %q, which is %d", a, a, back)
		}
	}
	if _, ok := ParseAction("invalid"); ok || Action(0).String() != "invalid" || Action(5).String() != "invalid" {
		t.Error("an invalid action has a name")
	}
	for r := ReasonHalt; r <= ReasonKill; r++ {
		if back := parseReason(r.String()); back != r {
			t.Errorf("reason %d is %q, which is %d", r, r, back)
		}
	}
	if got := (FlagUnknown | FlagLate | FlagGap | FlagInexact | FlagCrossed | FlagHalted | FlagGatesOff).String(); got != "gap,late,crossed,halted,inexact,gates_off,unknown" {
		t.Error(got)
	}
	if got := Flags(0).String(); got != "" {
		t.Error(got)
	}
}

func TestOutputHash(t *testing.T) {
	h := NewOutputHash()
	empty := sha256.Sum256(nil)
	if h.Sum() != hex.EncodeToString(empty[:]) || h.Count() != 0 {
		t.Errorf("the hash of nothing is %s after %d", h.Sum(), h.Count())
	}
	var plain []byte
	b := sampleBody()
	for i := range 3 {
		b.OutputSequence = uint64(i + 1)
		encoded := AppendBinary(nil, &b)
		plain = append(plain, byte(len(encoded)), 0, 0, 0)
		plain = append(plain, encoded...)
		if i == 1 {
			h.AddEncoded(encoded)
		} else {
			h.Add(&b)
		}
		want := sha256.Sum256(plain)
		if h.Sum() != hex.EncodeToString(want[:]) || h.Count() != uint64(i+1) {
			t.Fatalf("after %d: %s, want %x", h.Count(), h.Sum(), want)
		}
	}
}

// Order and every field count.
func TestOutputHashSeesEverything(t *testing.T) {
	sum := func(bodies ...Body) string {
		h := NewOutputHash()
		for i := range bodies {
			h.Add(&bodies[i])
		}
		return h.Sum()
	}
	a, b := sampleBody(), sampleBody()
	b.Sequence++
	if sum(a, b) == sum(b, a) || sum(a) == sum(b) || sum(a) == sum(a, a) {
		t.Error("different outputs, same hash")
	}
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawBody(t, true), drawBody(t, true)
		if same := sameBody(&x, &y); (sum(x) == sum(y)) != same {
			t.Fatalf("same body: %v, but the hashes say otherwise", same)
		}
	})
}

func TestNoAllocation(t *testing.T) {
	b, tr := widest()
	dst := make([]byte, 0, JSONBytesMax)
	h := NewOutputHash()
	for name, f := range map[string]func(){
		"AppendJSON":   func() { AppendJSON(dst, &b, &tr) },
		"AppendBinary": func() { AppendBinaryTrailer(AppendBinary(dst, &b), &tr) },
		"OutputHash":   func() { h.Add(&b) },
		"messageID":    func() { AppendMessageIDEpoch(dst, "sigx.p.s.v.x", 1, 2) },
		"escaped":      func() { AppendEscaped(dst, b.Symbol) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times a call", name, n)
		}
	}
}
