package expr

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Unit is what was written directly after a number.
type Unit uint8

// The units. UnitNone to UnitPercent give plain numbers, the rest durations of engine time.
const (
	UnitNone       Unit = iota
	UnitBasisPoint      // bp: 5bp is 0.0005
	UnitPercent         // pct: 2pct is 0.02
	UnitNanosecond
	UnitMicrosecond
	UnitMillisecond
	UnitSecond
	UnitMinute
	UnitHour
)

// unitInfo describes a unit: a duration by its nanoseconds, a ratio by its power of ten.
type unitInfo struct {
	name  string
	ns    int64
	power int
}

var units = [...]unitInfo{
	UnitNone:        {},
	UnitBasisPoint:  {name: "bp", power: -4},
	UnitPercent:     {name: "pct", power: -2},
	UnitNanosecond:  {name: "ns", ns: 1},
	UnitMicrosecond: {name: "us", ns: 1e3},
	UnitMillisecond: {name: "ms", ns: 1e6},
	UnitSecond:      {name: "s", ns: 1e9},
	UnitMinute:      {name: "m", ns: 60e9},
	UnitHour:        {name: "h", ns: 3600e9},
}

// String returns the unit as it is written.
func (u Unit) String() string { return units[u].name }

// IsDuration says whether the unit is one of time.
func (u Unit) IsDuration() bool { return units[u].ns != 0 }

const unitList = "units are ns us ms s m h (m is minutes), bp and pct"

// parseNumber reads a number token: exactly what strconv.ParseFloat makes of the decimal text, a bp or pct
// being part of the exponent, so that 5bp has the bits of 0.0005.
func parseNumber(t token) (*Number, *Error) {
	fail := func(message, hint string) (*Number, *Error) {
		return nil, &Error{Offset: t.offset, Length: len(t.text), Message: message, Hint: hint}
	}
	end := scanMantissa(t.text, 0)
	digits, suffix := t.text[:end], t.text[end:]
	unit, ok := lookupUnit(suffix)
	if !ok {
		return fail(fmt.Sprintf("unknown unit %q", suffix), unitList)
	}
	n := &Number{Span: Span{t.offset, len(t.text)}, Text: t.text, Unit: unit}
	if !unit.IsDuration() {
		value, err := strconv.ParseFloat(shiftExponent(digits, units[unit].power), 64)
		if err != nil {
			return fail("number is too large", "the largest is about 1.8e308")
		}
		n.Value = value
		return n, nil
	}
	ns, message := parseDuration(digits, units[unit].ns)
	if message != "" {
		return fail(message, "")
	}
	n.DurationNs = ns
	return n, nil
}

func lookupUnit(suffix string) (Unit, bool) {
	for i := range units {
		if units[i].name == suffix {
			return Unit(i), true
		}
	}
	return UnitNone, false
}

// shiftExponent multiplies a decimal text by a power of ten without rounding.
func shiftExponent(digits string, power int) string {
	if power == 0 {
		return digits
	}
	mantissa, exponent, found := strings.Cut(digits, "e")
	if !found {
		return mantissa + "e" + strconv.Itoa(power)
	}
	e, err := strconv.Atoi(exponent)
	if err != nil || e < -1_000_000 || e > 1_000_000 {
		return digits // far outside float64 either way
	}
	return mantissa + "e" + strconv.Itoa(e+power)
}

// parseDuration returns whole nanoseconds, computed exactly.
func parseDuration(digits string, unitNs int64) (ns int64, message string) {
	about, err := strconv.ParseFloat(digits, 64)
	if err != nil || about*float64(unitNs) > math.MaxInt64/2 {
		return 0, "duration is too long"
	}
	if about*float64(unitNs) < 0.5 {
		if about == 0 {
			return 0, ""
		}
		return 0, "duration is not a whole number of nanoseconds"
	}
	exact, ok := new(big.Rat).SetString(digits)
	if !ok {
		return 0, "duration is not a number"
	}
	exact.Mul(exact, new(big.Rat).SetInt64(unitNs))
	if !exact.IsInt() {
		return 0, "duration is not a whole number of nanoseconds"
	}
	return exact.Num().Int64(), ""
}
