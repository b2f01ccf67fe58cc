package feed

import (
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
)

func TestRejectAndIgnoredNames(t *testing.T) {
	shape := regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
	seen := map[string]bool{"unknown": true}
	check := func(name string) {
		if !shape.MatchString(name) || seen[name] {
			t.Errorf("name %q is not lower_snake or not unique", name)
		}
		seen[name] = true
	}
	for i := range RejectCount {
		check(Reject(i).String())
	}
	clear(seen)
	for i := range IgnoredCount {
		check(Ignored(i).String())
	}
	if Reject(RejectCount).String() != "unknown" || Ignored(IgnoredCount).String() != "unknown" {
		t.Error("beyond the last")
	}
	// The names are a contract: spot checks at both ends catch a shifted table.
	for reason, name := range map[Reject]string{
		RejectNone: "none", RejectMalformed: "malformed", RejectBadUTF8: "bad_utf8", RejectNotFinite: "not_finite",
		RejectNAPrint: "na_print", RejectUnknownHandle: "unknown_handle", RejectReservedNotZero: "reserved_not_zero",
	} {
		if reason.String() != name {
			t.Errorf("%d is %s, want %s", reason, reason, name)
		}
	}
	if IgnoredDepthDiff.String() != "depth_diff" || IgnoredResponse.String() != "response" || IgnoredAggTrade.String() != "agg_trade" {
		t.Error("ignored names shifted")
	}
}

func TestDecodeStats(t *testing.T) {
	var s DecodeStats
	for range 6 {
		s.Begin()
	}
	s.Decoded()
	s.Ignored(IgnoredKline)
	s.Ignored(IgnoredKline)
	s.Rejected(RejectTooDeep)
	s.RejectedTick(RejectBadSide)
	s.Ticks(3)
	s.Ticks(0)
	c := s.Counts()
	if c.Messages != 6 || c.Decoded != 1 || c.Ignored[IgnoredKline] != 2 || c.Rejected[RejectTooDeep] != 1 || c.RejectedTicks[RejectBadSide] != 1 || c.Ticks != 3 {
		t.Errorf("%+v", c)
	}
	if c.Settled() != 4 || c.IgnoredTotal() != 2 || c.RejectedTotal() != 1 {
		t.Errorf("settled %d, ignored %d, rejected %d", c.Settled(), c.IgnoredTotal(), c.RejectedTotal())
	}
}

func TestDepthValue(t *testing.T) {
	for level := range DepthLevelMax + 1 {
		for _, bid := range []bool{true, false} {
			gotBid, gotLevel, ok := SplitDepthValue(DepthValue(bid, uint16(level)))
			if !ok || gotBid != bid || int(gotLevel) != level {
				t.Fatalf("%t %d became %t %d %t", bid, level, gotBid, gotLevel, ok)
			}
		}
	}
	for _, bad := range []float64{0, math.Copysign(0, -1), 0.5, 1.5, -1.5, 65537, -65537, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		if _, _, ok := SplitDepthValue(bad); ok {
			t.Errorf("%v passes", bad)
		}
	}
	if DepthValue(true, 1) != 2 || DepthValue(false, 0) != -1 {
		t.Error("the encoding changed")
	}
}

// Where the venue ends and the symbol begins is part of the name, whatever bytes are in them.
func TestSymbolsNeverShareAHandle(t *testing.T) {
	for _, pair := range [][2]Symbol{
		{{"v", "x\x00s"}, {"v\x00x", "s"}},
		{{"ab", "c"}, {"a", "bc"}},
	} {
		s := NewSymbols(4)
		a, _ := s.Intern([]byte(pair[0].Venue), []byte(pair[0].Name))
		b, _ := s.Intern([]byte(pair[1].Venue), []byte(pair[1].Name))
		if a == b || s.At(a) != pair[0] || s.At(b) != pair[1] {
			t.Errorf("%q share a handle", pair)
		}
	}
}

func TestSymbolsHandle(t *testing.T) {
	s := NewSymbols(1)
	cases := []struct {
		venue, symbol string
		want          Reject
	}{
		{"v", "s", RejectNone},
		{"v", "s", RejectNone},
		{"v", "t", RejectTooManySymbols},
		{"", "s", RejectSymbolName},
		{"v", "", RejectSymbolName},
		{strings.Repeat("v", VenueBytesMax+1), "s", RejectSymbolName},
		{"v", strings.Repeat("s", SymbolBytesMax+1), RejectSymbolName},
	}
	for _, c := range cases {
		if _, why := s.Handle([]byte(c.venue), []byte(c.symbol)); why != c.want {
			t.Errorf("%q %q: %v, want %v", c.venue, c.symbol, why, c.want)
		}
	}
	if s.Cap() != 1 || s.Len() != 1 {
		t.Error(s.Cap(), s.Len())
	}
	if _, err := s.Intern([]byte("w"), []byte("w")); !errors.Is(err, ErrSymbolsFull) {
		t.Error(err)
	}
}
