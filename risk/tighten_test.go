package risk

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
)

// tightDesk is a desk with every limit that can be tightened, and an instrument whose value_max is off.
func tightDesk(t testing.TB) *Desk {
	t.Helper()
	all := Limits{
		StaleNs: 1e9, ValueMax: 100, Spread: 0.1, Collar: 0.2, CollarWindowNs: 1e9, Velocity: 0.3, VelocityWindowNs: 1e9, VelocityHoldNs: 1e9,
		RateNs: 1e6, RateBurst: 1, PositionMax: 50,
	}
	desk, err := NewDesk(Config{
		Partition: "p", Instruments: 3, GatesOn: true, Limits: all, TotalRateNs: 1e5, TotalBurst: 1, Budget: Budget{Gross: 1000, Net: 500},
		LimitsOf: func(_ int, symbol feed.Symbol) Limits {
			l := all
			if symbol.Name == "open" {
				l.ValueMax = 0
			}
			return l
		},
		Rules: []Rule{{Name: "a", HasExit: true, UsesQuote: true, SideQuarter: -1, StrengthQuarter: -1}},
	}, &collect{})
	if err != nil {
		t.Fatal(err)
	}
	desk.Define(0, feed.Symbol{Venue: "v", Name: "shut"}, 1, false)
	desk.Define(1, feed.Symbol{Venue: "v", Name: "open"}, 1, false)
	return desk
}

func (d *Desk) effective(id uint32) string {
	l := d.profiles[d.pairs[d.Pair(0, id)].profile].limits
	return fmt.Sprint(l.StaleNs, l.ValueMax, l.Spread, l.Collar, l.Velocity, l.RateNs, d.totalRateNs, l.PositionMax, int64(d.most.gross), int64(d.most.net))
}

func tighten(d *Desk, limit feed.Limit, value float64) {
	seq := d.lastSequence + 1
	e := Event{Sequence: seq, EngineNs: int64(seq), Instrument: feed.AllInstruments, Kind: feed.KindControl, F: [4]float64{float64(feed.ControlTighten), float64(limit), value, 1}}
	d.Apply(&e, Fired{}, nil)
}

// TestTighten: each limit becomes the tighter of two, never looser than configured, never on where it is off, and comes back.
func TestTighten(t *testing.T) {
	before := "1000000000 100 0.1 0.2 0.3 1000000 100000 50 1000000000 500000000"
	for _, c := range []struct {
		limit            feed.Limit
		tighter, looser  float64
		configured, want string
	}{
		{feed.LimitStale, 0.5, 2, "1000000000 100", "500000000 100"},
		{feed.LimitValue, 7, 200, " 100 ", " 7 "},
		{feed.LimitSpread, 0.01, 1, " 0.1 ", " 0.01 "},
		{feed.LimitCollar, 0.02, 1, " 0.2 ", " 0.02 "},
		{feed.LimitVelocity, 0.03, 1, " 0.3 ", " 0.03 "},
		{feed.LimitRate, 10, 1e5, " 1000000 100000 ", " 100000000 100000 "},
		{feed.LimitRateTotal, 10, 1e6, " 1000000 100000 ", " 1000000 100000000 "},
		{feed.LimitPosition, 5, 60, " 50 ", " 5 "},
		{feed.LimitGross, 1, 2000, " 1000000000 ", " 1000000 "},
		{feed.LimitNet, 2, 2000, " 500000000", " 2000000"},
	} {
		d := tightDesk(t)
		want := replaceOnce(t, before, c.configured, c.want)
		for _, step := range []struct {
			value float64
			want  string
		}{{c.looser, before}, {c.tighter, want}, {0, before}, {c.tighter, want}} {
			changes := d.LatchChanges()
			tighten(d, c.limit, step.value)
			if got := d.effective(0); got != step.want || d.LatchChanges() == changes {
				t.Errorf("%s %v: %s, want %s", c.limit, step.value, got, step.want)
			}
		}
		if l := d.Latches(); fmt.Sprint(l.Tightened) != fmt.Sprintf("[{%s %v}]", c.limit, c.tighter) || !l.Any() {
			t.Errorf("told %+v", l)
		}
		loaded := tightDesk(t)
		if err := loaded.LoadState(d.AppendState(nil)); err != nil || loaded.effective(0) != want {
			t.Errorf("loaded %s, want %s; %v", loaded.effective(0), want, err)
		}
		d.Define(2, feed.Symbol{Venue: "v", Name: "later"}, 1, false)
		if got := d.effective(2); got != want {
			t.Errorf("an instrument that comes later has %s, want %s", got, want)
		}
	}
	d := tightDesk(t)
	tighten(d, feed.LimitValue, 7)
	if l := d.profiles[d.pairs[d.Pair(0, 1)].profile].limits; l.ValueMax != 0 {
		t.Errorf("a limit that is off became %v", l.ValueMax)
	}
}

func replaceOnce(t *testing.T, text, old, with string) string {
	t.Helper()
	for i := range len(text) - len(old) + 1 {
		if text[i:i+len(old)] == old {
			return text[:i] + with + text[i+len(old):]
		}
	}
	t.Fatalf("no %q in %q", old, text)
	return ""
}

// TestTightenFailsClosed: a change that cannot be understood kills, and tiny values do not switch a gate off.
func TestTightenFailsClosed(t *testing.T) {
	for _, bad := range [][2]float64{{0, 1}, {float64(feed.LimitCount), 1}, {3, -1}, {3, feed.NaN()}, {3, math.Inf(1)}} {
		d := tightDesk(t)
		if tighten(d, feed.Limit(bad[0]), bad[1]); !d.killAll || d.effective(0) != tightDesk(t).effective(0) {
			t.Errorf("%v: killed %v, %s", bad, d.killAll, d.effective(0))
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		d := tightDesk(t)
		limit := feed.Limit(rapid.IntRange(1, feed.LimitCount-1).Draw(r, "limit"))
		value := math.Ldexp(1, rapid.IntRange(-1074, 1023).Draw(r, "exponent"))
		tighten(d, limit, value)
		l := d.profiles[d.pairs[d.Pair(0, 0)].profile].limits
		c := d.config.Limits
		if err := l.Validate(); err != nil || l.StaleNs < 1 || l.StaleNs > c.StaleNs || !(l.ValueMax > 0 && l.ValueMax <= c.ValueMax) ||
			!(l.Spread > 0 && l.Spread <= c.Spread) || l.RateNs < c.RateNs || d.totalRateNs < d.config.TotalRateNs || !(l.PositionMax > 0 && l.PositionMax <= c.PositionMax) ||
			d.most.gross > limitOf(d.config.Budget.Gross) || d.most.gross < 0 {
			r.Fatalf("%s %v: %+v, %v", limit, value, l, err)
		}
	})
}
