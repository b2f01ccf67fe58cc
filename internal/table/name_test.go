package table

import "testing"

func TestNameOf(t *testing.T) {
	for header, want := range map[string]string{
		"close": "close", "Close": "close", "Adj Close": "adj_close", "stdDev": "stddev", "2y (%)": "_2y",
		"value": "value_", "a__b": "a__b", "_x": "_x", "Größe": "gr_e", "": "", "%": "", "__": "", "日付": "",
		"  a ": "a", "a.b-c": "a_b_c", "and": "and_", "Session": "session_",
		"a123456789012345678901234567890123456789012345678901234567890123456789": "a1234567890123456789012345678901234567890123456789012345678901",
	} {
		if got := NameOf(header); got != want {
			t.Errorf("NameOf(%q) = %q, want %q", header, got, want)
		}
	}
}
