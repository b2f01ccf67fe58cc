package risk

import (
	"errors"
	"fmt"
)

// SignalsMax is how many signals a configuration may hold: a row has one bit for each.
const SignalsMax = 64

// Rule is what the desk needs to know of one signal.
type Rule struct {
	Name            string
	ThrottleNs      int64 // least engine time between two that pass, a pair; 0: none
	ExpiresNs       int64 // valid-until is decision time plus this; 0: never
	HorizonNs       int64 // copied into the record; 0: none
	HasExit         bool
	UsesQuote       bool // reads a quote field: the stale and gap gates look at quotes
	UsesTrade       bool // reads a trade field: the gap gate looks at trades
	ValueQuarter    int  // row quarter of the value
	SideQuarter     int  // row quarter of the side; -1: none
	StrengthQuarter int  // row quarter of the strength; -1: none
}

// opens reports whether an enter of this signal opens a pair.
func (r *Rule) opens() bool { return r.HasExit || r.ExpiresNs > 0 }

// Config is a desk's configuration. It does not change after NewDesk.
type Config struct {
	Partition     string
	Generation    uint32
	Rules         []Rule
	Instruments   int   // most instruments
	StaleNs       int64 // greatest age of a used quote; 0: any age
	RefuseCrossed bool
	RefuseLocked  bool
	GatesOn       bool   // false: only kill and throttle are asked, and every signal is flagged
	KillAll       bool   // from configuration; an operator's resume does not undo it
	KillSignals   uint64 // from configuration, a bit a signal
}

// ErrConfig says that a desk's configuration cannot be used.
var ErrConfig = errors.New("risk: bad configuration")

// Validate reports the first thing wrong.
func (c *Config) Validate() error {
	if c.Partition == "" {
		return fmt.Errorf("%w: no partition name", ErrConfig)
	}
	if len(c.Rules) > SignalsMax {
		return fmt.Errorf("%w: %d signals, at most %d fit a row", ErrConfig, len(c.Rules), SignalsMax)
	}
	if c.Instruments < 1 {
		return fmt.Errorf("%w: room for %d instruments", ErrConfig, c.Instruments)
	}
	if c.StaleNs < 0 {
		return fmt.Errorf("%w: negative stale limit", ErrConfig)
	}
	for i := range c.Rules {
		r := &c.Rules[i]
		if r.Name == "" || r.ThrottleNs < 0 || r.ExpiresNs < 0 || r.HorizonNs < 0 {
			return fmt.Errorf("%w: signal %d (%q): no name or a negative duration", ErrConfig, i, r.Name)
		}
	}
	return nil
}
