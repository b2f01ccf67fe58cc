package risk

import (
	"errors"
	"fmt"

	"github.com/sigengine/sigengine/feed"
)

// SignalsMax is how many signals a configuration may hold: a row has one bit for each.
const SignalsMax = 64

// ReferencesMax is how many other instruments the signals of a configuration may use.
const ReferencesMax = 32

// Rule is what the desk needs to know of one signal.
type Rule struct {
	Name            string
	ThrottleNs      int64 // least engine time between two that pass, a pair; 0: none
	ExpiresNs       int64 // valid-until is decision time plus this; 0: never
	HorizonNs       int64 // copied into the record; 0: none
	HasExit         bool
	UsesQuote       bool   // reads a quote field: gates of quotes look
	UsesTrade       bool   // reads a trade field: gates of trades look
	References      uint32 // other instruments it uses, a bit each, by their place in Config.References
	ValueQuarter    int    // row quarter of the value
	SideQuarter     int    // row quarter of the side; -1: none
	StrengthQuarter int    // row quarter of the strength; -1: none
}

// opens reports whether an enter of this signal opens a pair.
func (r *Rule) opens() bool { return r.HasExit || r.ExpiresNs > 0 }

// priced returns the price that the signal lives by: quotes' mids, else trades, else none.
func (r *Rule) priced() int {
	switch {
	case r.UsesQuote:
		return priceMid
	case r.UsesTrade:
		return priceTrade
	}
	return priceNone
}

// Config is a desk's configuration. It does not change after NewDesk.
type Config struct {
	Partition   string
	Generation  uint32
	Rules       []Rule
	Instruments int // most instruments
	Limits          // of every signal on every instrument, unless LimitsOf is there
	// LimitsOf gives the limits of a rule on an instrument, and those of the instrument itself for rule -1. It is asked once
	// for each, in Define. nil: Limits everywhere.
	LimitsOf    func(rule int, symbol feed.Symbol) Limits
	GatesOn     bool   // false: only value, kill and throttle are asked, and every signal is flagged
	KillAll     bool   // from configuration; an operator's resume does not undo it
	KillSignals uint64 // from configuration, a bit a signal

	TotalRateNs  int64 // engine time that one signal costs, over all instruments; 0: no limit
	TotalBurst   int64
	DecodeHoldNs int64 // how long a source whose messages cannot be read is not believed
	Hours        []Hours
	References   []feed.Symbol // other instruments that rules use
	Budget       Budget
	FillSources  uint64 // sources that fills come from, a bit each; one that sends a fill is one, one that sends market data is none
	// EveryRefusal hands on every refusal, where a Refuser otherwise gets a sample of them. It changes no decision.
	EveryRefusal bool
	// NextDay returns the first day's end after a time, for Budget.DayLoss. nil: midnight UTC.
	NextDay func(afterNs int64) int64
}

// ErrConfig says that a desk's configuration cannot be used.
var ErrConfig = errors.New("risk: bad configuration")

// Validate reports the first thing wrong.
func (c *Config) Validate() error {
	if c.Partition == "" {
		return fmt.Errorf("%w: no partition name", ErrConfig)
	}
	if len(c.Rules) > SignalsMax || len(c.References) > ReferencesMax || len(c.Hours) > 254 {
		return fmt.Errorf("%w: %d signals, %d references and %d trading hours, at most %d, %d and 254", ErrConfig,
			len(c.Rules), len(c.References), len(c.Hours), SignalsMax, ReferencesMax)
	}
	if c.Instruments < 1 {
		return fmt.Errorf("%w: room for %d instruments", ErrConfig, c.Instruments)
	}
	if err := c.Limits.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if int(c.Limits.Hours) > len(c.Hours) {
		return fmt.Errorf("%w: trading hours %d of %d", ErrConfig, c.Limits.Hours, len(c.Hours))
	}
	if c.TotalRateNs < 0 || c.DecodeHoldNs < 0 || c.TotalRateNs > 0 && (c.TotalBurst < 1 || c.TotalBurst > rateBurstMax) {
		return fmt.Errorf("%w: a total rate of one in %d ns, burst %d", ErrConfig, c.TotalRateNs, c.TotalBurst)
	}
	b := &c.Budget
	if !(b.Gross >= 0) || !(b.Net >= 0) || !(b.Drawdown >= 0) || !(b.DayLoss >= 0) || b.StaleNs < 0 {
		return fmt.Errorf("%w: a negative budget", ErrConfig)
	}
	for i := range c.Rules {
		r := &c.Rules[i]
		if r.Name == "" || r.ThrottleNs < 0 || r.ExpiresNs < 0 || r.HorizonNs < 0 {
			return fmt.Errorf("%w: signal %d (%q): no name or a negative duration", ErrConfig, i, r.Name)
		}
		if uint64(r.References)>>len(c.References) != 0 {
			return fmt.Errorf("%w: signal %d (%q) uses a reference that there is none of", ErrConfig, i, r.Name)
		}
	}
	return nil
}
