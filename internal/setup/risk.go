package setup

import (
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/risk"
)

// desk makes the desk's configuration.
func desk(c *config.Config, compiled *kernels.Compiled) (risk.Config, error) {
	r := &c.Risk
	d := risk.Config{
		Partition: c.Partition, Generation: Generation, Instruments: c.Engine.InstrumentsMax, GatesOn: r.Gates == config.On,
		TotalRateNs: everyNs(r.RateTotal), TotalBurst: int64(r.RateTotalBurst), DecodeHoldNs: int64(r.DecodeHold),
		Budget: risk.Budget{
			Gross: r.Budget.Gross, Net: r.Budget.Net, Drawdown: r.Budget.Drawdown, DayLoss: r.Budget.DayLoss,
			StaleNs: int64(r.Budget.FillsStale),
		},
	}
	if r.Fills != "" {
		d.FillSources = 1 << (len(c.Feeds) + 1) // they come after the engine's own source and the feeds; see package live
	}
	table := newHoursTable(c)
	d.Hours = table.hours
	d.Limits = table.limits(r.Limits)
	if len(r.Overrides) > 0 {
		d.LimitsOf = func(rule int, symbol feed.Symbol) risk.Limits {
			name := ""
			if rule >= 0 {
				name = c.Signals[rule].Name
			}
			return table.limits(r.LimitsOf(name, symbol.Venue, symbol.Name))
		}
	}
	rules(&d, c, compiled)
	for _, k := range r.Kill {
		switch k.Scope {
		case config.KillAll:
			d.KillAll = true
		case config.KillSignal:
			if i := c.SignalIndex(k.Signal); i >= 0 {
				d.KillSignals |= 1 << i
			}
		}
	}
	return d, table.err
}

// rules says what the desk needs to know of each signal.
func rules(d *risk.Config, c *config.Config, compiled *kernels.Compiled) {
	var at []int // place in d.References of each reference of the program
	if compiled != nil {
		for _, r := range compiled.References {
			at = append(at, place(d, feed.Symbol{Venue: r.Venue, Name: r.Symbol}))
		}
	}
	for i := range c.Signals {
		s, of := &c.Signals[i], &compiled.Signals[i]
		rule := risk.Rule{
			Name: s.Name, ThrottleNs: int64(s.Throttle), ExpiresNs: int64(s.Expires), HorizonNs: int64(s.Horizon),
			HasExit: of.HasExit, UsesQuote: of.UsesQuote, UsesTrade: of.UsesTrade,
			ValueQuarter: of.ValueQuarter, SideQuarter: of.SideQuarter, StrengthQuarter: of.StrengthQuarter,
		}
		for _, r := range of.References {
			rule.References |= 1 << at[r]
		}
		d.Rules = append(d.Rules, rule)
	}
}

// place returns the place of an instrument among the references, each of which is there once.
func place(d *risk.Config, symbol feed.Symbol) int {
	for i := range d.References {
		if d.References[i] == symbol {
			return i
		}
	}
	d.References = append(d.References, symbol)
	return len(d.References) - 1
}

// everyNs is the time that one of so many a second costs; 0 of none.
func everyNs(rate int) int64 {
	if rate == 0 {
		return 0
	}
	return 1e9 / int64(rate)
}

// limits converts the limits of a signal on an instrument.
func (t *hoursTable) limits(l config.Limits) risk.Limits {
	low, high, err := l.PriceBand.Ends()
	return risk.Limits{
		StaleNs: int64(l.Stale), StaleTradeNs: int64(l.StaleTrade), StaleReferenceNs: int64(l.StaleReference),
		GapTicks: uint32(l.GapTicks), WarmNs: int64(l.Warmup), WarmTicks: uint32(l.WarmupTicks), SkewNs: int64(l.Skew),
		RefuseCrossed: l.Crossed == config.GateRefuse, RefuseLocked: l.Locked == config.GateRefuse, RefuseEmpty: l.Empty == config.GateRefuse,
		ValueMax: l.ValueMax, Spread: l.Spread, Collar: l.Collar, CollarWindowNs: int64(l.CollarWindow),
		Band: err == nil, PriceLow: low, PriceHigh: high,
		Velocity: l.Velocity, VelocityWindowNs: int64(l.VelocityWindow), VelocityHoldNs: int64(l.VelocityHold),
		DuplicateNs: int64(l.Duplicate), DuplicateStep: l.DuplicateStep,
		RateNs: everyNs(l.Rate), RateBurst: int64(l.RateBurst), RepeatCount: uint32(l.Repeat), RepeatWindowNs: int64(l.RepeatWindow),
		Hours: t.number(&l), PositionMax: l.Position, SignalSize: l.Size, Multiplier: l.Multiplier,
	}
}
