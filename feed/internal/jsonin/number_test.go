package jsonin

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
)

var numberSeeds = []string{
	"0", "-0", "1", "-1", "61837.63000000", "0.00426990", "3.5e-7", "9.9E-7", "1e5", "1E+5", "1e22", "1e23", "1e-22", "1e-23",
	"9007199254740992", "9007199254740993", "9007199254740993.0", "18446744073709551615", "18446744073709551616",
	"0.1", "0.30000000000000004", "123456789012345678901234567890", "1.7976931348623157e308", "1.7976931348623159e308",
	"1e999", "-1e999", "1e-999", "5e-324", "2.4703282292062327e-324", "2.2250738585072011e-308", "0e999999999999", "1e999999999999",
	"0.000000000000000000000000000000000001", "123456789.00000000", "9999999999999999999", "0.9999999999999999999",
	"", "-", "+1", "01", "-01", "00", "1.", ".5", "1.e5", "1e", "1e+", "1e-", "--1", "1-2", "0x10", "0x1p4", "1_000", "inf", "-inf",
	"Infinity", "nan", "NaN", " 1", "1 ", "1.2.3", "1e5e5", "1e5.5", "1,5", "٣", "1\x00", "-.5", "-e5",
}

// checkFloat compares ParseFloat with JSON's grammar by encoding/json and the value by strconv.
func checkFloat(t testing.TB, text string) {
	t.Helper()
	got, why := ParseFloat([]byte(text))
	var raw json.Number
	grammatical := json.Unmarshal([]byte(text), &raw) == nil && raw.String() == text && !strings.ContainsAny(text, "\"n")
	if !grammatical {
		if why != feed.RejectBadNumber {
			t.Fatalf("%q is no JSON number, got %v, %v", text, got, why)
		}
		return
	}
	want, err := strconv.ParseFloat(text, 64)
	if err != nil {
		if why != feed.RejectNotFinite {
			t.Fatalf("%q: strconv says %v, got %v, %v", text, err, got, why)
		}
		return
	}
	if why != feed.RejectNone || math.Float64bits(got) != math.Float64bits(want) {
		t.Fatalf("%q: got %v (%x), %v, want %v (%x)", text, got, math.Float64bits(got), why, want, math.Float64bits(want))
	}
}

func TestParseFloatSeeds(t *testing.T) {
	for _, text := range numberSeeds {
		checkFloat(t, text)
	}
}

func TestParseFloatEqualsStrconv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "text")
		got, why := ParseFloat([]byte(text))
		want, err := strconv.ParseFloat(text, 64)
		if (err != nil) != (why == feed.RejectNotFinite) || err == nil && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q: got %v, %v, want %v, %v", text, got, why, want, err)
		}
	})
}

func TestParseFloatEqualsStrconvOnPrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.Uint64().Draw(t, "bits")
		value := math.Float64frombits(bits)
		if math.IsNaN(value) || math.IsInf(value, 0) {
			t.Skip("no finite number drawn")
		}
		for _, text := range []string{
			strconv.FormatFloat(value, 'e', -1, 64),
			strconv.FormatFloat(float64(bits%1e15)/1e8, 'f', 8, 64),
			strconv.FormatUint(bits, 10),
		} {
			got, why := ParseFloat([]byte(text))
			want, _ := strconv.ParseFloat(text, 64)
			if why != feed.RejectNone || math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("%q: got %v, %v, want %v", text, got, why, want)
			}
		}
	})
}

func TestParseUint(t *testing.T) {
	good := map[string]uint64{
		"0": 0, "7": 7, "9007199254740993": 1<<53 + 1, "9223372036854775808": 1 << 63,
		"18446744073709551615": math.MaxUint64, "9999999999999999999": 9999999999999999999, "10000000000000000000": 1e19,
	}
	for text, want := range good {
		if got, why := ParseUint([]byte(text)); got != want || why != feed.RejectNone {
			t.Errorf("%q: got %d, %v", text, got, why)
		}
	}
	for _, text := range []string{
		"", "-1", "+1", "00", "01", "1.0", "1e3", "18446744073709551616", "18446744073709551620", "28446744073709551615",
		"100000000000000000000", "99999999999999999999", "1 ", "0x1", "a",
	} {
		if got, why := ParseUint([]byte(text)); why != feed.RejectBadNumber {
			t.Errorf("%q: got %d, %v", text, got, why)
		}
	}
}

func TestParseUintEqualsStrconv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[0-9]{1,21}`).Draw(t, "text")
		got, why := ParseUint([]byte(text))
		want, err := strconv.ParseUint(text, 10, 64)
		bad := err != nil || len(text) > 1 && text[0] == '0'
		if bad != (why == feed.RejectBadNumber) || !bad && got != want {
			t.Fatalf("%q: got %d, %v, want %d, %v", text, got, why, want, err)
		}
	})
}

func FuzzParseFloat(f *testing.F) {
	for _, text := range numberSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkFloat(t, text) })
}
