package config

import (
	"fmt"
	"testing"
	"time"
)

// TestLimitsOf: the last override that fits wins, key by key; one that names signals leaves the instrument's own limits.
func TestLimitsOf(t *testing.T) {
	c := mustParse(t, `version: 1
feeds: [{name: a, subject: md.a}]
signals: [{name: near, value: mid, when: value > 1}, {name: far, value: mid, when: value > 1}]
risk:
  spread: 5pct
  rate: 100
  overrides:
    - {for: a.*, limits: {spread: 10pct, stale: 2s}}
    - {for: a.B, signals: near, limits: {spread: 20pct, rate: 7}}
    - {for: "*.Z", limits: {stale: 3s, crossed: allow}}
`)
	for _, want := range []struct {
		signal, venue, symbol string
		spread                float64
		rate                  int
		stale                 time.Duration
		crossed               Gate
	}{
		{"near", "b", "B", 0.05, 100, time.Second, GateRefuse},
		{"near", "a", "A", 0.1, 100, 2 * time.Second, GateRefuse},
		{"near", "a", "B", 0.2, 7, 2 * time.Second, GateRefuse},
		{"far", "a", "B", 0.1, 100, 2 * time.Second, GateRefuse},
		{"", "a", "B", 0.1, 100, 2 * time.Second, GateRefuse},
		{"near", "a", "Z", 0.1, 100, 3 * time.Second, GateAllow},
	} {
		l := c.Risk.LimitsOf(want.signal, want.venue, want.symbol)
		if l.Spread != want.spread || l.Rate != want.rate || l.Stale != want.stale || l.Crossed != want.crossed {
			t.Errorf("%s on %s.%s: %+v, want %+v", want.signal, want.venue, want.symbol, l, want)
		}
	}
	if c.Risk.Spread != 0.05 || c.Risk.Crossed != GateRefuse {
		t.Error("asking changed the limits of the configuration")
	}
}

func TestHoursPlan(t *testing.T) {
	for text, want := range map[Hours]string{
		"09:30-16:00 America/New_York mon-fri": "9h30m0s 16h0m0s America/New_York [false true true true true true false]",
		"17:00-17:00 UTC sun-thu":              "17h0m0s 17h0m0s UTC [true true true true true false false]",
		"00:00-24:00 UTC":                      "0s 24h0m0s UTC [true true true true true true true]",
		"22:00-02:00 UTC fri-sun,wed":          "22h0m0s 2h0m0s UTC [true false false true false true true]",
	} {
		p, err := text.Plan()
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := sprint(p); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	for _, text := range []Hours{"", "09:30-16:00", "9:30-16:00 UTC", "09:30-16:00 Nowhere/None", "09:30-16:00 UTC mon-xyz", "09:30 UTC", "09:30-16:00 UTC mon fri", "24:30-25:00 UTC"} {
		if p, err := text.Plan(); err == nil {
			t.Errorf("%q is %v", text, p)
		}
	}
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]float64{"5pct": 0.05, "20bp": 0.002, "20 bp": 0.002, "0.05": 0.05, "1e6": 1e6, "0": 0} {
		if got, err := parseNumber(text); err != nil || got != want {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "pct", "x", "1e999", "inf", "nan", "5%", "5 bps"} {
		if got, err := parseNumber(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func sprint(p Plan) string { return fmt.Sprintf("%v %v %v %v", p.Open, p.Close, p.Zone, p.Days) }
