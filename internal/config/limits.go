package config

import (
	"slices"
	"time"
)

// Limits are what the gates compare with: keys of `risk`, which its overrides give other values for some signals and
// instruments. Zero, or an empty text, leaves a gate off.
type Limits struct {
	Stale          time.Duration
	StaleTrade     time.Duration
	StaleReference time.Duration
	GapTicks       int
	Warmup         time.Duration
	WarmupTicks    int
	Skew           time.Duration // only flags

	Crossed Gate
	Locked  Gate
	Empty   Gate

	ValueMax float64
	Spread   float64 // of the middle

	Collar       float64
	CollarWindow time.Duration
	PriceBand    Band

	Velocity       float64
	VelocityWindow time.Duration
	VelocityHold   time.Duration

	Duplicate     time.Duration
	DuplicateStep float64

	Rate         int // a second
	RateBurst    int
	Repeat       int
	RepeatWindow time.Duration

	Hours     Hours
	HoursWarm time.Duration
	HoursCool time.Duration
	Holidays  Holidays

	Position   float64
	Size       float64
	Multiplier float64
}

// ofInstrument are the keys that no single signal can have other values for: what they size belongs to the instrument.
var ofInstrument = []string{"collar_window", "velocity_window", "velocity_hold", "skew", "multiplier"}

func (l *Limits) keys() []key {
	return slices.Concat(l.dataKeys(), l.priceKeys(), l.flowKeys())
}

// dataKeys are limits of what the market data is like.
func (l *Limits) dataKeys() []key {
	const day = 24 * time.Hour
	return []key{
		{"stale", duration(&l.Stale, 0, day), "Gate `stale`: refuse a signal that uses quotes when the instrument's last quote is older than this in engine time. `0`: any age."},
		{"stale_trade", duration(&l.StaleTrade, 0, day), "Gate `stale`: the same for trades. Most instruments trade seldom, so it is off."},
		{"stale_reference", duration(&l.StaleReference, 0, day), "Gate `stale`: the same for market data of other instruments that the signal uses."},
		{"gap_ticks", integer(&l.GapTicks, 1, 10000), "Gate `gap`: how many quotes (of a signal that uses quotes) or trades must have come since data went missing."},
		{"warmup", duration(&l.Warmup, 0, day), "Gate `warmup`: refuse until this long after the instrument's first tick, a reset or a gap."},
		{"warmup_ticks", integer(&l.WarmupTicks, 0, 1<<30), "Gate `warmup`: and until so many ticks have come since. Windows that are not warm are undefined anyway."},
		{"skew", duration(&l.Skew, 0, day), "Flag signals `skew` when the venue's clock is ahead of ours by more than this. Nothing is refused. `0`: never."},
		{"crossed", choice(&l.Crossed, GateRefuse, GateAllow), "Gate `crossed`: when the bid is above the ask."},
		{"locked", choice(&l.Locked, GateAllow, GateRefuse), "Gate `locked`: when the bid equals the ask."},
		{"empty", choice(&l.Empty, GateRefuse, GateAllow), "Gate `depth`: when a side of the quote has no size, for signals that use quotes."},
		{"hours", hours(&l.Hours), "Gate `hours`: refuse outside these hours, such as `09:30-16:00 America/New_York mon-fri`. Empty: never closed."},
		{"hours_warm", duration(&l.HoursWarm, 0, day), "Gate `hours`: refuse so long after they begin, too."},
		{"hours_cool", duration(&l.HoursCool, 0, day), "Gate `hours`: and so long before they end."},
		{"holidays", holidays(&l.Holidays), "Gate `hours`: dates without trading, such as `2026-12-25 2027-01-01`."},
	}
}

// priceKeys are limits of prices and values.
func (l *Limits) priceKeys() []key {
	const day = 24 * time.Hour
	return []key{
		{"value_max", number(&l.ValueMax, 0, 1e300), "Gate `value`: greatest absolute value of a signal. `0`: any. A value that is not a number is always refused."},
		{"spread", number(&l.Spread, 0, 1e6), "Gate `spread`: greatest difference of ask and bid, as a part of the middle (`5pct`, `20bp`, `0.05`), for signals that use quotes. `0`: any."},
		{"collar", number(&l.Collar, 0, 1e6), "Gate `collar`: greatest distance of the price from its reference, as a part of that. `0`: any."},
		{"collar_window", duration(&l.CollarWindow, time.Millisecond, 7*day), "Gate `collar`: the reference is the median of the last prices of the tenths of this window, the running tenth left out."},
		{"price_band", band(&l.PriceBand), "Gate `collar`: the price must be within, such as `90..110`. Empty: anywhere."},
		{"velocity", number(&l.Velocity, 0, 1e6), "Gate `velocity`: greatest move of the price within `velocity_window`, as a part of it. `0`: any."},
		{"velocity_window", duration(&l.VelocityWindow, time.Microsecond, day), "Gate `velocity`: within this, and at most a quarter more."},
		{"velocity_hold", duration(&l.VelocityHold, time.Microsecond, day), "Gate `velocity`: refuses this long after the move, and at most twice as long."},
	}
}

// flowKeys are limits of how many signals leave, and of what they may add up to.
func (l *Limits) flowKeys() []key {
	const day = 24 * time.Hour
	return []key{
		{"duplicate", duration(&l.Duplicate, 0, day), "Gate `duplicate`: refuse when the pair's last enter or update had the same value and side and is younger than this. `0`: never."},
		{"duplicate_step", number(&l.DuplicateStep, 0, 1e300), "Gate `duplicate`: values are rounded to multiples of this to be compared. `0`: they are compared as they are."},
		{"rate", integer(&l.Rate, 0, 1e6), "Gate `rate`: most signals of an instrument a second, on average. `0`: any number."},
		{"rate_burst", integer(&l.RateBurst, 1, 1e6), "Gate `rate`: most signals of an instrument at once."},
		{"repeat", integer(&l.Repeat, 0, 10000), "Gate `repeat`: so many entries of a signal on an instrument within `repeat_window` latch it: it enters no more until an operator resumes it. `0`: never."},
		{"repeat_window", duration(&l.RepeatWindow, time.Millisecond, day), "Gate `repeat`: within this, and at most a fifth more."},
		{"position", number(&l.Position, 0, 1e300), "Gate `position`: greatest absolute position, of fills and of what open signals may add. `0`: any."},
		{"size", number(&l.Size, 0, 1e300), "The most that one enter or update may add to a position, for `position` and `budget`."},
		{"multiplier", number(&l.Multiplier, 0, 1e300), "Money that a position of one gains when the price rises by one, for `budget`. `0` is 1."},
	}
}

// RiskOverride gives limits other values. Where several select a signal on an instrument, the last wins, key by key.
type RiskOverride struct {
	For     []Pattern
	Signals []string // empty: all, and what belongs to the instrument
	Limits  []Named  // keys of Limits and their values
}

func newRiskOverride() RiskOverride { return RiskOverride{For: DefaultSignal().For} }

func (o *RiskOverride) keys() []key {
	return []key{
		{"for", patterns{&o.For}, "Which instruments, as a signal's `for`."},
		{"signals", names{&o.Signals}, "Which signals. Default: all."},
		{"limits", pairs{&o.Limits, "a value"}, "Limits of `risk` and their values here."},
	}
}

// LimitsOf returns the limits of a signal on an instrument, or those of the instrument itself for an empty name.
func (r *Risk) LimitsOf(signal, venue, symbol string) Limits {
	l := r.Limits
	for _, o := range r.Overrides {
		if len(o.Signals) > 0 && !slices.Contains(o.Signals, signal) ||
			!slices.ContainsFunc(o.For, func(p Pattern) bool { return p.Match(venue, symbol) }) {
			continue
		}
		for _, named := range o.Limits {
			l.set(named) // checked by Validate
		}
	}
	return l
}

// set gives one limit the value of a text. It returns what is wrong, or nothing.
func (l *Limits) set(named Named) (wrong, hint string) {
	keys := l.keys()
	known := make([]string, len(keys))
	for i, k := range keys {
		known[i] = k.name
		if k.name != named.Name {
			continue
		}
		s := k.value.(*scalar) // every limit is one
		if wrong, hint = s.parse(scalarNode(named.Text)); wrong != "" {
			return wrong, hint
		}
		return s.verify()
	}
	hint = "limits are keys of risk, such as stale, spread and rate"
	if near := nearest(named.Name, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	return "is not a limit", hint
}
