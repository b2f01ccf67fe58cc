package setup

import (
	"os"
	"testing"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/ring"
)

func load(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("test.yaml", []byte("version: 1\n"+text), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNextReset: resets follow the zone's clocks through both changes of the year.
func TestNextReset(t *testing.T) {
	for _, test := range []struct{ zone, reset, after, want string }{
		{"America/New_York", "17:00", "2025-06-02T20:59:59Z", "2025-06-02T21:00:00Z"},
		{"America/New_York", "17:00", "2025-06-02T21:00:00Z", "2025-06-03T21:00:00Z"}, // at the reset: the next
		{"America/New_York", "17:00", "2025-12-01T12:00:00Z", "2025-12-01T22:00:00Z"}, // winter time
		{"America/New_York", "17:00", "2025-03-08T22:00:00Z", "2025-03-09T21:00:00Z"}, // spring forward: 23 hours
		{"America/New_York", "17:00", "2025-11-01T21:00:00Z", "2025-11-02T22:00:00Z"}, // fall back: 25 hours
		{"Europe/London", "08:30:15", "2025-06-02T00:00:00Z", "2025-06-02T07:30:15Z"},
		{"UTC", "00:00", "2025-12-31T12:00:00Z", "2026-01-01T00:00:00Z"},
	} {
		next, err := nextReset(config.Session{Reset: test.reset, Zone: test.zone})
		if err != nil {
			t.Fatal(err)
		}
		after, err := time.Parse(time.RFC3339, test.after)
		if err != nil {
			t.Fatal(err)
		}
		if got := time.Unix(0, next(after.UnixNano())).UTC().Format(time.RFC3339); got != test.want {
			t.Errorf("%s %s after %s: %s, want %s", test.reset, test.zone, test.after, got, test.want)
		}
	}
	if next, err := nextReset(config.Session{}); next != nil || err != nil {
		t.Errorf("no session gives %v", err)
	}
}

// TestEngine: what a configuration says reaches the engine's.
func TestEngine(t *testing.T) {
	c := load(t, `
partition: p7
clock: exchange
late_drop: 3ms
feeds: [{name: a, subject: md.>, codec: json, venue: x}]
session: {reset: "17:00", zone: UTC}
signals:
  - name: slow
    value: ema(mid, 10)
    when: value > entry
    exit: value < 0
    on: clock(250ms)
    throttle: 1s
    expires: 2s
    horizon: 3s
    for: x.A*
    params: {entry: 1}
    overrides: [{for: x.AB, params: {entry: 7}}]
  - name: lead
    value: mid - of(ref("x", "ES"), mid)
    when: value > 0
    on: [self, 'ref("x", "ES")']
risk: {stale: 5s, crossed: allow, locked: refuse, max_trail: 2s, kill: ["signal:lead", "instrument:x.BAD"], gates: off}
engine: {lanes: 3, batch: 7, mode: staged, wait: park, instruments: 99, heartbeat: 20ms}
`)
	e, compiled, err := Engine(c)
	if err != nil {
		t.Fatal(err)
	}
	if e.TimeBase != feed.TimeExchange || e.LateDropNs != 3e6 || e.ClockTrailsNs != 2e9 || e.HeartbeatNs != 20e6 ||
		e.Instruments != 99 || e.Lanes != 3 || e.Batch != 7 || e.Mode != engine.ModeStaged || e.Wait != ring.Park {
		t.Errorf("engine: %+v", e)
	}
	if len(e.Clocks) != 1 || e.Clocks[0].PeriodNs != 250e6 || e.Clocks[0].Signals != 1 {
		t.Errorf("clocks: %+v", e.Clocks)
	}
	if r := e.References.List; len(r) != 1 || r[0].Symbol != (feed.Symbol{Venue: "x", Name: "ES"}) || r[0].Signals != 2 || e.References.Program == nil {
		t.Errorf("references: %+v", r)
	}
	d := e.Desk
	if d.Partition != "p7" || d.StaleNs != 5e9 || d.RefuseCrossed || !d.RefuseLocked || d.GatesOn || d.KillSignals != 2 || d.KillAll {
		t.Errorf("desk: %+v", d)
	}
	if r := d.Rules[0]; r.Name != "slow" || r.ThrottleNs != 1e9 || r.ExpiresNs != 2e9 || r.HorizonNs != 3e9 || !r.HasExit || !r.UsesQuote || r.UsesTrade {
		t.Errorf("rule: %+v", r)
	}
	for _, test := range []struct {
		symbol  string
		signals uint64
		killed  bool
		entry   float64
	}{{"AB", 3, false, 7}, {"AX", 3, false, 1}, {"B", 2, false, 1}, {"BAD", 2, true, 1}} {
		symbol := feed.Symbol{Venue: "x", Name: test.symbol}
		if signals, killed := e.Applies(symbol); signals != test.signals || killed != test.killed {
			t.Errorf("%s has signals %b, killed %v", test.symbol, signals, killed)
		}
		if p := e.Parameters(symbol); len(p) != 1 || p[0].Value != test.entry || p[0].Word != compiled.Params[0].Word {
			t.Errorf("%s has parameters %+v", test.symbol, p)
		}
	}
}

func TestRecordOnly(t *testing.T) {
	e, compiled, err := Engine(load(t, "feeds: [{name: a, subject: md.>, codec: json, venue: x}]\n"))
	if err != nil || compiled != nil || e.Program != nil || len(e.Desk.Rules) != 0 {
		t.Errorf("%v, %v, %+v", err, compiled, e.Desk)
	}
}
