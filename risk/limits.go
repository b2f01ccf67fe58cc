package risk

import (
	"errors"
	"fmt"
)

// Limits are what the gates compare with, for one signal on one instrument. A zero switches its gate off. Limits are
// comparable: equal ones are kept once.
type Limits struct {
	StaleNs          int64 // greatest age of a used quote
	StaleTradeNs     int64 // greatest age of a used trade
	StaleReferenceNs int64 // greatest age of the last market data of a used other instrument
	GapTicks         uint32
	WarmNs           int64  // least engine time since the instrument was first seen, reset or missing data
	WarmTicks        uint32 // least market data events since then
	SkewNs           int64  // exchange time ahead of receive time by more is flagged

	RefuseCrossed bool
	RefuseLocked  bool
	RefuseEmpty   bool // a side of the quote without size

	ValueMax float64 // greatest absolute value
	Spread   float64 // greatest (ask - bid) / |mid|

	Collar         float64 // greatest |price / reference - 1|
	CollarWindowNs int64   // of the reference; the instrument's, no signal has its own
	Band           bool    // PriceLow and PriceHigh count
	PriceLow       float64
	PriceHigh      float64

	Velocity         float64 // greatest move within the window
	VelocityWindowNs int64   // the instrument's, no signal has its own
	VelocityHoldNs   int64   // least time that a greater move refuses; the instrument's

	DuplicateNs   int64   // an equal value and side within this is a duplicate
	DuplicateStep float64 // values are rounded to multiples of this before they are compared; 0: not rounded

	RateNs    int64 // engine time that one signal of the instrument costs
	RateBurst int64 // how many may come at once

	RepeatCount    uint32 // entries within RepeatWindowNs that latch the pair
	RepeatWindowNs int64

	Hours uint8 // 1 + index in Config.Hours

	PositionMax float64 // greatest absolute position, the instrument's units
	SignalSize  float64 // the most that one enter or update may add to a position, the instrument's units
	Multiplier  float64 // money that one unit of position gains when the price rises by one; 0 is 1
}

// Hours says whether trading hours are on at an engine time, and until when that stays so, exclusively. It is a
// function of its argument alone.
type Hours func(nowNs int64) (open bool, untilNs int64)

// Budget bounds what fills add up to, over all instruments. A zero switches its gate off.
type Budget struct {
	Gross    float64 // greatest sum of |position × price × multiplier|
	Net      float64 // greatest |sum of position × price × multiplier|
	Drawdown float64 // greatest fall of profit and loss from its peak; beyond it everything stops
	DayLoss  float64 // greatest fall of profit and loss since the day began; beyond it everything stops
	StaleNs  int64   // without news of fills for longer, only what reduces a position passes
}

// measured reports whether a budget needs profit and loss.
func (b *Budget) measured() bool { return b.Drawdown > 0 || b.DayLoss > 0 }

var errLimits = errors.New("negative or not a number")

// Validate reports the first limit that cannot be one.
func (l *Limits) Validate() error {
	for _, d := range [...]int64{
		l.StaleNs, l.StaleTradeNs, l.StaleReferenceNs, l.WarmNs, l.SkewNs, l.CollarWindowNs, l.VelocityWindowNs,
		l.VelocityHoldNs, l.DuplicateNs, l.RateNs, l.RateBurst, l.RepeatWindowNs,
	} {
		if d < 0 {
			return fmt.Errorf("a duration or count is %d: %w", d, errLimits)
		}
	}
	for _, f := range [...]float64{
		l.ValueMax, l.Spread, l.Collar, l.Velocity, l.DuplicateStep, l.PositionMax, l.SignalSize, l.Multiplier,
	} {
		if !(f >= 0) {
			return fmt.Errorf("a limit is %v: %w", f, errLimits)
		}
	}
	switch {
	case l.Collar > 0 && l.CollarWindowNs < collarParts:
		return fmt.Errorf("a collar needs a window of at least %d ns", collarParts)
	case l.Velocity > 0 && (l.VelocityWindowNs < velocityParts || l.VelocityHoldNs < 1):
		return errors.New("the velocity gate needs a window and a hold")
	case l.RateNs > 0 && (l.RateBurst < 1 || l.RateBurst > rateBurstMax):
		return fmt.Errorf("a rate needs a burst of 1 to %d", rateBurstMax)
	case l.RepeatCount > 0 && (l.RepeatWindowNs < repeatParts || l.RepeatCount > repeatCountMax):
		return fmt.Errorf("repeated entries need a window, and a count of at most %d", repeatCountMax)
	case l.Band && !(l.PriceLow <= l.PriceHigh):
		return fmt.Errorf("a price band from %v to %v", l.PriceLow, l.PriceHigh)
	}
	return nil
}
