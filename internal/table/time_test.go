package table

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		text string
		unit TimeUnit
		want int64
	}{
		{"1700000000", UnitSecond, 1700000000e9},
		{"1700000000.123456789", UnitSecond, 1700000000123456789},
		{"1700000000.5000000000000", UnitSecond, 1700000000500000000},
		{"-0.000000001", UnitSecond, -1},
		{"1700000000123.25", UnitMillisecond, 1700000000123250000},
		{"7.", UnitMicrosecond, 7000},
		{"9223372036854775807", UnitNanosecond, math.MaxInt64},
		{"1970-01-01T00:00:01Z", UnitRFC3339, 1e9},
		{"1970-01-01T01:00:00+01:00", UnitRFC3339, 0},
		{"1970-01-01 00:00:00.000000001", UnitRFC3339, 1},
		{"1970-01-02T00:00:00", UnitRFC3339, 86400e9},
		{"1970-01-02", UnitRFC3339, 86400e9},
	} {
		r, err := NewReader(strings.NewReader("t\n"+c.text+"\n"), "t.csv", 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if got, err := r.Time(0, c.unit); err != nil || got != c.want {
			t.Errorf("%s %s: %d, %v, want %d", c.text, c.unit, got, err, c.want)
		}
	}
	if _, err := ParseTimeUnit("minutes"); err == nil {
		t.Error("minutes is a unit")
	}
}

// TestParseUnits: a number of any unit is read as exact arithmetic reads it.
func TestParseUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{0,9})?`).Draw(t, "text")
		digits := rapid.SampledFrom([]int{0, 3, 6, 9}).Draw(t, "digits")
		exact, ok := new(big.Rat).SetString(strings.TrimSuffix(text, "."))
		if !ok {
			t.Fatal(text)
		}
		exact.Mul(exact, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)))
		got, err := parseUnits(text, digits)
		fits := exact.IsInt() && exact.Num().IsInt64()
		if (err == nil) != fits || fits && got != exact.Num().Int64() {
			t.Fatalf("%s with %d digits: %d, %v, want %s", text, digits, got, err, exact)
		}
	})
}
