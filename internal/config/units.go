package config

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// unit is a suffix and what it multiplies by.
type unit struct {
	suffix string
	factor int64
}

// Largest first; the units of durations are those of the signal language.
var (
	durationUnits = []unit{
		{"h", int64(time.Hour)},
		{"m", int64(time.Minute)},
		{"s", int64(time.Second)},
		{"ms", int64(time.Millisecond)},
		{"us", int64(time.Microsecond)},
		{"ns", 1},
	}
	sizeUnits = []unit{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}
)

const (
	durationHint = "a duration is a number and one of ns us ms s m h, such as 100ms; m is minutes"
	sizeHint     = "a size is a number and one of B KiB MiB GiB TiB, such as 256MiB (1 MiB is 1,048,576 bytes)"
)

// parseUnit reads a decimal number and a suffix, `0` alone included, into a whole number of the smallest unit. It returns
// what is wrong, or nothing.
func parseUnit(text string, units []unit) (value int64, wrong string) {
	if text == "0" {
		return 0, ""
	}
	digits := strings.TrimLeft(text, "0123456789.")
	number := text[:len(text)-len(digits)]
	suffix := strings.TrimSpace(digits)
	if number == "" || number == "." || strings.Count(number, ".") > 1 {
		if strings.HasPrefix(text, "-") {
			return 0, "is negative"
		}
		return 0, "does not start with a number"
	}
	if suffix == "" {
		return 0, "has no unit"
	}
	factor := int64(0)
	for _, u := range units {
		if u.suffix == suffix {
			factor = u.factor
		}
	}
	if factor == 0 {
		return 0, "has an unknown unit " + strconv.Quote(suffix)
	}
	whole, fraction, _ := strings.Cut(number, ".")
	if value, wrong = scale(whole, factor); wrong != "" {
		return 0, wrong
	}
	part, wrong := scaleFraction(fraction, factor)
	if wrong != "" {
		return 0, wrong
	}
	if value > math.MaxInt64-part {
		return 0, "is too large"
	}
	return value + part, ""
}

func scale(digits string, factor int64) (int64, string) {
	if digits == "" {
		return 0, ""
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	high, low := bits.Mul64(n, uint64(factor))
	if err != nil || high != 0 || low > math.MaxInt64 {
		return 0, "is too large"
	}
	return int64(low), ""
}

// scaleFraction returns 0.digits times factor, which must be whole.
func scaleFraction(digits string, factor int64) (int64, string) {
	const tooFine = "is finer than the smallest unit"
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return 0, ""
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || len(digits) > 18 {
		return 0, tooFine
	}
	tens := uint64(1)
	for range digits {
		tens *= 10
	}
	high, low := bits.Mul64(n, uint64(factor)) // n < tens, so the quotient below is less than factor
	quotient, remainder := bits.Div64(high, low, tens)
	if remainder != 0 {
		return 0, tooFine
	}
	return int64(quotient), ""
}

// formatUnit writes the value in the largest unit that divides it.
func formatUnit(value int64, units []unit) string {
	if value == 0 {
		return "0"
	}
	for _, u := range units {
		if value%u.factor == 0 {
			return strconv.FormatInt(value/u.factor, 10) + u.suffix
		}
	}
	return strconv.FormatInt(value, 10) // not reached: the smallest factor is 1
}

func formatSize(n int64) string { return formatUnit(n, sizeUnits) }
