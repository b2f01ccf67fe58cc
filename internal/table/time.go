package table

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// TimeUnit is how a column writes times.
type TimeUnit string

// The units. Numbers are since 1970 in UTC and may have a fraction down to the nanosecond.
const (
	UnitSecond      TimeUnit = "s"
	UnitMillisecond TimeUnit = "ms"
	UnitMicrosecond TimeUnit = "us"
	UnitNanosecond  TimeUnit = "ns"
	UnitRFC3339     TimeUnit = "rfc3339" // without a zone it is UTC; a date alone is its midnight
)

// ErrTimeUnit says that a unit is not known.
var ErrTimeUnit = errors.New("want s, ms, us, ns or rfc3339")

// ParseTimeUnit returns the unit of a name.
func ParseTimeUnit(text string) (TimeUnit, error) {
	switch u := TimeUnit(text); u {
	case UnitSecond, UnitMillisecond, UnitMicrosecond, UnitNanosecond, UnitRFC3339:
		return u, nil
	}
	return "", ErrTimeUnit
}

// digits is how many digits after the point are whole nanoseconds.
func (u TimeUnit) digits() int {
	return map[TimeUnit]int{UnitSecond: 9, UnitMillisecond: 6, UnitMicrosecond: 3}[u]
}

// Time reads a cell of the row last read as a time in nanoseconds since 1970.
func (r *Reader) Time(column int, unit TimeUnit) (int64, error) {
	text := strings.TrimSpace(r.cells[column])
	if text == "" {
		return 0, r.CellError(column, "no time", "every row needs one")
	}
	if unit == UnitRFC3339 {
		ns, ok := parseDate(text)
		if !ok {
			return 0, r.CellError(column, "not a time", "write 2026-01-02T15:04:05Z, or say --time-unit s, ms, us or ns for numbers")
		}
		return ns, nil
	}
	ns, err := parseUnits(text, unit.digits())
	if err != nil {
		hint := "write a number of " + string(unit)
		if _, ok := parseDate(text); ok {
			hint = "say --time-unit rfc3339 for dates"
		}
		return 0, r.CellError(column, err.Error(), hint)
	}
	return ns, nil
}

// dateLayouts are RFC 3339 and what is usually written for it.
var dateLayouts = []string{
	time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02",
}

// The years whose nanoseconds fit.
const firstYear, lastYear = 1678, 2261

func parseDate(text string) (ns int64, ok bool) {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixNano(), t.UTC().Year() >= firstYear && t.UTC().Year() <= lastYear
		}
	}
	return 0, false
}

// parseUnits reads a decimal number exactly, as a multiple of 10^-digits.
func parseUnits(text string, digits int) (int64, error) {
	negative := strings.HasPrefix(text, "-")
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if whole == "" || !allDigits(whole) || !allDigits(fraction) {
		return 0, errors.New("not a time")
	}
	if rest := len(fraction) - digits; rest > 0 {
		if strings.Trim(fraction[digits:], "0") != "" {
			return 0, fmt.Errorf("finer than a nanosecond")
		}
		fraction = fraction[:digits]
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 64)
	if err != nil || n > math.MaxInt64 {
		return 0, errors.New("too far from 1970")
	}
	if negative {
		return -int64(n), nil
	}
	return int64(n), nil
}

func allDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }
