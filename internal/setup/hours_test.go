package setup

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
)

func at(t testing.TB, text string) int64 {
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return when.UnixNano()
}

// TestCalendar: trading hours follow the zone's clocks, days and holidays.
func TestCalendar(t *testing.T) {
	for _, test := range []struct {
		hours, now string
		open       bool
		until      string
	}{
		{"09:30-16:00 America/New_York mon-fri", "2026-06-01T13:29:59Z", false, "2026-06-01T13:30:00Z"},
		{"09:30-16:00 America/New_York mon-fri", "2026-06-01T13:30:00Z", true, "2026-06-01T20:00:00Z"},
		{"09:30-16:00 America/New_York mon-fri", "2026-06-01T20:00:00Z", false, "2026-06-02T13:30:00Z"},
		{"09:30-16:00 America/New_York mon-fri", "2026-06-05T21:00:00Z", false, "2026-06-08T13:30:00Z"}, // a weekend
		{"09:30-16:00 America/New_York mon-fri", "2026-01-02T15:00:00Z", true, "2026-01-02T21:00:00Z"},  // winter time
		{"09:30-16:00 America/New_York mon-fri", "2026-12-24T22:00:00Z", false, "2026-12-28T14:30:00Z"}, // 25 is a holiday
		{"18:00-17:00 America/New_York sun-thu", "2026-06-05T12:00:00Z", true, "2026-06-05T21:00:00Z"},  // thursday's, on friday
		{"18:00-17:00 America/New_York sun-thu", "2026-06-05T21:30:00Z", false, "2026-06-07T22:00:00Z"},
		{"00:00-24:00 UTC", "2026-06-05T12:00:00Z", true, "2026-06-06T00:00:00Z"},
		{"17:00-17:00 UTC", "2026-06-05T16:59:59Z", true, "2026-06-05T17:00:00Z"},
	} {
		plan, err := config.Hours(test.hours).Plan()
		if err != nil {
			t.Fatal(err)
		}
		open, until := calendar{plan: plan, holidays: []string{"2026-12-25"}}.at(at(t, test.now))
		if open != test.open || until != at(t, test.until) {
			t.Errorf("%s at %s: %v until %s, want %v until %s", test.hours, test.now, open, time.Unix(0, until).UTC(), test.open, test.until)
		}
	}
}

// TestCalendarHolds: what is said until a time holds at every time before it, and changes or is asked again then.
func TestCalendarHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]config.Hours{
			"09:30-16:00 America/New_York mon-fri", "18:00-17:00 America/Chicago sun-thu", "22:00-02:00 Europe/London", "01:30-03:00 Europe/Berlin", "00:00-24:00 UTC mon",
		}).Draw(t, "hours")
		plan, err := text.Plan()
		if err != nil {
			t.Fatal(err)
		}
		c := calendar{
			plan: plan, warm: time.Duration(rapid.IntRange(0, 20).Draw(t, "warm")) * time.Minute,
			cool: time.Duration(rapid.IntRange(0, 20).Draw(t, "cool")) * time.Minute, holidays: []string{"2026-03-29", "2026-10-26"},
		}
		const year = 365 * 24 * int64(time.Hour)
		now := int64(1767225600e9) + rapid.Int64Range(0, year).Draw(t, "now")
		open, until := c.at(now)
		if until <= now {
			t.Fatalf("until %d at %d", until, now)
		}
		later := now + rapid.Int64Range(0, until-now-1).Draw(t, "later")
		if again, _ := c.at(later); again != open {
			t.Fatalf("%v until %v, and %v at %v", open, time.Unix(0, until).UTC(), again, time.Unix(0, later).UTC())
		}
	})
}

// TestRiskLimitsReachTheDesk: overrides and trading hours become the desk's limits.
func TestRiskLimitsReachTheDesk(t *testing.T) {
	c := load(t, `
feeds: [{name: a, subject: md.>, codec: json}]
signals:
  - {name: near, value: mid, when: value > 1}
  - {name: lead, value: 'of(ref("cme", "ES"), mid) - mid', when: value > 1, for: v.*}
risk:
  spread: 3pct
  rate: 20
  price_band: 1..2
  hours: 00:00-12:00 UTC
  rate_total: 1000
  fills: fill.>
  overrides:
    - {for: v.B, limits: {spread: 9pct, hours: 12:00-24:00 UTC}}
    - {for: v.C, signals: lead, limits: {hours: "", rate: 0}}
`)
	e, _, err := Engine(c)
	if err != nil {
		t.Fatal(err)
	}
	d := &e.Desk
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(d.References) != 1 || d.Rules[0].References != 0 || d.Rules[1].References != 1 || d.TotalRateNs != 1e6 || d.FillSources != 1<<2 {
		t.Errorf("references %v of rules %+v; total %d, fills %b", d.References, d.Rules, d.TotalRateNs, d.FillSources)
	}
	b := d.LimitsOf(0, feed.Symbol{Venue: "v", Name: "B"})
	lead := d.LimitsOf(1, feed.Symbol{Venue: "v", Name: "C"})
	own := d.LimitsOf(-1, feed.Symbol{Venue: "v", Name: "C"})
	if d.Spread != 0.03 || d.RateNs != 50e6 || !d.Band || d.PriceHigh != 2 || b.Spread != 0.09 || lead.RateNs != 0 || own.RateNs != 50e6 || lead.Hours != 0 {
		t.Errorf("limits %+v\nof B %+v\nof lead on C %+v\nof C %+v", d.Limits, b, lead, own)
	}
	noon := at(t, "2026-06-01T13:00:00Z")
	if open, _ := d.Hours[d.Limits.Hours-1](noon); open {
		t.Error("open at one o'clock")
	}
	if open, _ := d.Hours[b.Hours-1](noon); !open {
		t.Error("B is closed at one o'clock")
	}
}
