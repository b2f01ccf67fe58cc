package feed

import "testing"

func TestLimitNames(t *testing.T) {
	for l := Limit(1); l < LimitCount; l++ {
		if back, ok := ParseLimit(l.String()); !ok || back != l {
			t.Errorf("limit %d: %q is %d, %v", l, l.String(), back, ok)
		}
	}
	for _, name := range []string{"", "none", "unknown", "Spread"} {
		if l, ok := ParseLimit(name); ok {
			t.Errorf("%q is limit %d", name, l)
		}
	}
	if Limit(LimitCount).String() != "unknown" {
		t.Error(Limit(LimitCount).String())
	}
}
