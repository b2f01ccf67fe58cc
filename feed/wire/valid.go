package wire

import (
	"math"

	"github.com/sigengine/sigengine/feed"
)

// lostMax is the most that a gap can say was lost: counts up to here are exact in float64.
const lostMax = 1 << 53

const knownFlags = feed.FlagMore | feed.FlagSnapshot | feed.FlagReplayed

// valid says whether a tick may enter from a feed, and makes the NaN of an absent side canonical.
// It does not look at the instrument.
func valid(tick *feed.Tick) feed.Reject {
	switch {
	case tick.Flags&^knownFlags != 0:
		return feed.RejectUnknownFlags
	case tick.ExchangeNs < 0:
		return feed.RejectBadTime
	}
	switch tick.Kind {
	case feed.KindQuote:
		return validQuote(tick)
	case feed.KindTrade:
		return validTrade(tick)
	case feed.KindDepth:
		return validDepth(tick)
	case feed.KindStatus:
		return validStatus(tick)
	case feed.KindGap:
		return validGap(tick)
	case feed.KindHeartbeat, feed.KindReference, feed.KindSeries, feed.KindFill, feed.KindControl:
		return feed.RejectUnsupportedKind
	}
	return feed.RejectUnknownKind
}

// finite reports whether value is neither infinite nor NaN.
func finite(value float64) bool {
	const exponent = 0x7ff << 52
	return math.Float64bits(value)&exponent != exponent
}

func validQuote(tick *feed.Tick) feed.Reject {
	f := &tick.F
	if finite(f[0]) && finite(f[2]) && finite(f[1]) && finite(f[3]) {
		if f[1] < 0 || f[3] < 0 {
			return feed.RejectBadSize
		}
		return feed.RejectNone
	}
	noBid, noAsk := f[0] != f[0], f[2] != f[2]
	switch {
	case !finite(f[1]) || !finite(f[3]) || !noBid && !finite(f[0]) || !noAsk && !finite(f[2]):
		return feed.RejectNotFinite
	case f[1] < 0 || f[3] < 0:
		return feed.RejectBadSize
	case noBid && noAsk || noBid && f[1] != 0 || noAsk && f[3] != 0:
		return feed.RejectMissingField
	}
	if noBid {
		f[0], f[1] = feed.NaN(), 0
	}
	if noAsk {
		f[2], f[3] = feed.NaN(), 0
	}
	return feed.RejectNone
}

func validTrade(tick *feed.Tick) feed.Reject {
	f := &tick.F
	switch {
	case !finite(f[0]) || !finite(f[1]):
		return feed.RejectNotFinite
	case f[1] < 0:
		return feed.RejectBadSize
	case f[2] != 0 && f[2] != 1 && f[2] != -1:
		return feed.RejectBadSide
	case f[3] != 0:
		return feed.RejectReservedNotZero
	}
	f[2], f[3] = f[2]+0, 0 // minus zero plus zero is zero
	return feed.RejectNone
}

func validDepth(tick *feed.Tick) feed.Reject {
	f := &tick.F
	if !finite(f[1]) || !finite(f[2]) {
		return feed.RejectNotFinite
	}
	if _, _, ok := feed.SplitDepthValue(f[0]); !ok {
		return feed.RejectBadSide
	}
	switch {
	case f[2] < 0:
		return feed.RejectBadSize
	case f[3] != 0:
		return feed.RejectReservedNotZero
	}
	f[3] = 0
	return feed.RejectNone
}

func validStatus(tick *feed.Tick) feed.Reject {
	f := &tick.F
	if !oneOf(f[0], float64(feed.StatusReset)) {
		return feed.RejectBadStatus
	}
	if f[1] != 0 || f[2] != 0 || f[3] != 0 {
		return feed.RejectReservedNotZero
	}
	f[1], f[2], f[3] = 0, 0, 0
	return feed.RejectNone
}

func validGap(tick *feed.Tick) feed.Reject {
	f := &tick.F
	switch {
	case !oneOf(f[0], float64(feed.GapRejected)):
		return feed.RejectBadStatus
	case !finite(f[1]):
		return feed.RejectNotFinite
	case f[1] < 0:
		return feed.RejectBadSize
	case f[1] > lostMax || f[1] != float64(int64(f[1])):
		return feed.RejectBadNumber
	case f[2] != 0 || f[3] != 0:
		return feed.RejectReservedNotZero
	}
	f[1], f[2], f[3] = f[1]+0, 0, 0
	return feed.RejectNone
}

// oneOf reports whether value is one of 1, 2, … last. NaN is not.
func oneOf(value, last float64) bool {
	return value >= 1 && value <= last && value == float64(int32(value))
}
