package config

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseUnit(t *testing.T) {
	for _, test := range []struct {
		text  string
		units []unit
		want  int64
		wrong string
	}{
		{"0", durationUnits, 0, ""},
		{"100ms", durationUnits, int64(100 * time.Millisecond), ""},
		{"1.5s", durationUnits, int64(1500 * time.Millisecond), ""},
		{"0.000000001s", durationUnits, 1, ""},
		{".5h", durationUnits, int64(30 * time.Minute), ""},
		{"5.m", durationUnits, int64(5 * time.Minute), ""},
		{"0.1h", durationUnits, int64(6 * time.Minute), ""},
		{"1 s", durationUnits, int64(time.Second), ""},
		{"0s", durationUnits, 0, ""},
		{"5", durationUnits, 0, "has no unit"},
		{"", durationUnits, 0, "does not start with a number"},
		{"ms", durationUnits, 0, "does not start with a number"},
		{".s", durationUnits, 0, "does not start with a number"},
		{"1.2.3s", durationUnits, 0, "does not start with a number"},
		{"1e3s", durationUnits, 0, `has an unknown unit "e3s"`},
		{"-1s", durationUnits, 0, "is negative"},
		{"0.5ns", durationUnits, 0, "is finer than the smallest unit"},
		{"0.0000000000000000000000000001h", durationUnits, 0, "is finer than the smallest unit"},
		{"2562047h", durationUnits, 2562047 * int64(time.Hour), ""},
		{"2562048h", durationUnits, 0, "is too large"},
		{"9223372036854775807ns", durationUnits, math.MaxInt64, ""},
		{"9223372036854775808ns", durationUnits, 0, "is too large"},
		{"2562047.999h", durationUnits, 0, "is too large"},
		{"256MiB", sizeUnits, 256 << 20, ""},
		{"0.5KiB", sizeUnits, 512, ""},
		{"7B", sizeUnits, 7, ""},
		{"1MB", sizeUnits, 0, `has an unknown unit "MB"`},
		{"8388607TiB", sizeUnits, 8388607 << 40, ""},
		{"8388608TiB", sizeUnits, 0, "is too large"},
	} {
		got, wrong := parseUnit(test.text, test.units)
		if got != test.want || wrong != test.wrong {
			t.Errorf("%q: got %d %q, want %d %q", test.text, got, wrong, test.want, test.wrong)
		}
	}
}

func TestUnitRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(0, math.MaxInt64).Draw(t, "value")
		for _, units := range [][]unit{durationUnits, sizeUnits} {
			if back, wrong := parseUnit(formatUnit(v, units), units); back != v || wrong != "" {
				t.Fatalf("%d -> %s -> %d %s", v, formatUnit(v, units), back, wrong)
			}
		}
	})
}

func TestPatternMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, venue, symbol string
		want                   bool
	}{
		{"*", "binance", "BTC", true},
		{"binance.*", "binance", "BTC.X", true},
		{"binance.*", "binance2", "BTC", false},
		{"*.BTC*", "x", "BTCUSDT", true},
		{"*.BTC*", "x", "XBTC", false},
		{"*.*T*T", "x", "BTCUSDT", true},
		{"*.*T*T*T", "x", "BTCUSDT", false},
		{"b*e.BTC", "binance", "BTC", true},
		{"b*e.BTC", "be", "BTC", true},
		{"b*e.BTC", "b", "BTC", false},
		{"cme.ES 06-25", "cme", "ES 06-25", true},
		{"cme.a**b", "cme", "ab", true},
		{"cme.**", "cme", "", true},
	} {
		p, err := ParsePattern(test.pattern)
		if err != nil {
			t.Fatal(err)
		}
		s := Signal{For: []Pattern{{"no", "no"}, p}}
		if got := s.Applies(test.venue, test.symbol); got != test.want {
			t.Errorf("%s %s.%s: got %v", test.pattern, test.venue, test.symbol, got)
		}
	}
}

// TestGlobModel compares with the plain recursive definition.
func TestGlobModel(t *testing.T) {
	var model func(p, n string) bool
	model = func(p, n string) bool {
		if p == "" {
			return n == ""
		}
		if p[0] == '*' {
			return model(p[1:], n) || n != "" && model(p, n[1:])
		}
		return n != "" && p[0] == n[0] && model(p[1:], n[1:])
	}
	rapid.Check(t, func(t *rapid.T) {
		p, n := rapid.StringMatching(`[ab*]{0,8}`).Draw(t, "pattern"), rapid.StringMatching(`[ab]{0,8}`).Draw(t, "name")
		if globMatch(p, n) != model(p, n) {
			t.Fatalf("%q %q: got %v", p, n, !model(p, n))
		}
	})
}

func TestSubjectsOverlap(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"a.b", "a.b", true},
		{"a.b", "a.c", false},
		{"a.*", "a.c", true},
		{"a.*", "a", false},
		{"a.>", "a", false},
		{"a.>", "a.b.c", true},
		{"*.b.>", "a.*.c", true},
		{"*.b", "a.*", true},
		{">", "x", true},
		{"", "x", false},
	} {
		if subjectsOverlap(test.a, test.b) != test.want || subjectsOverlap(test.b, test.a) != test.want {
			t.Errorf("%s %s: want %v", test.a, test.b, test.want)
		}
	}
}

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{"bacth": "batch", "lane": "lanes", "xyzzy": "", "": "", "modes": "mode"} {
		if got := nearest(word, []string{"batch", "lanes", "mode"}); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
