package jsonin

import (
	"strconv"
	"unsafe"

	"github.com/sigengine/sigengine/feed"
)

// exactPowers are the powers of ten that float64 holds exactly.
var exactPowers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

const (
	exactMantissa  = 1 << 53 // integers up to here are exact in float64
	mantissaDigits = 19      // decimal digits that always fit in a uint64
	exponentLimit  = 1 << 20 // far beyond float64; keeps the sum from wrapping
)

// decimal is a number's text taken apart: mantissa × 10^exponent.
type decimal struct {
	mantissa uint64 // meaningless if digits > mantissaDigits
	digits   int
	exponent int
	negative bool
	integer  bool // neither point nor exponent
}

// scanDecimal takes apart text if it is, whole, a number by JSON's grammar (RFC 8259, section 6).
func scanDecimal(text []byte) (d decimal, ok bool) {
	i := 0
	if i < len(text) && text[i] == '-' {
		d.negative = true
		i++
	}
	start := i
	for i < len(text) && text[i]-'0' <= 9 {
		d.mantissa = d.mantissa*10 + uint64(text[i]-'0')
		i++
	}
	d.digits = i - start
	if d.digits == 0 || d.digits > 1 && text[start] == '0' {
		return d, false
	}
	if i == len(text) {
		d.integer = true
		return d, true
	}
	if text[i] == '.' {
		i++
		start = i
		for i < len(text) && text[i]-'0' <= 9 {
			d.mantissa = d.mantissa*10 + uint64(text[i]-'0')
			i++
		}
		if i == start {
			return d, false
		}
		d.digits += i - start
		d.exponent = start - i
		if i == len(text) {
			return d, true
		}
	}
	exponent, ok := scanExponent(text[i:])
	d.exponent += exponent
	return d, ok
}

// scanExponent reads what may follow the digits, to the end of text.
func scanExponent(text []byte) (exponent int, ok bool) {
	if len(text) < 2 || text[0]|0x20 != 'e' {
		return 0, false
	}
	text = text[1:]
	negative := text[0] == '-'
	if negative || text[0] == '+' {
		text = text[1:]
	}
	if len(text) == 0 {
		return 0, false
	}
	for _, c := range text {
		if c-'0' > 9 {
			return 0, false
		}
		if exponent < exponentLimit {
			exponent = exponent*10 + int(c-'0')
		}
	}
	if negative {
		exponent = -exponent
	}
	return exponent, true
}

// ParseFloat converts text, which must be a number by JSON's grammar, to the nearest float64, to the bit as
// strconv.ParseFloat does. Reasons: bad_number, and not_finite for a number beyond float64.
//
// Few digits and a small power of ten are both exact in float64, so one division or multiplication rounds
// once and correctly; anything else goes to strconv.
func ParseFloat(text []byte) (float64, feed.Reject) {
	if value, ok := parsePlain(text); ok {
		return value, feed.RejectNone
	}
	d, ok := scanDecimal(text)
	if !ok {
		return 0, feed.RejectBadNumber
	}
	if d.digits <= mantissaDigits && d.mantissa <= exactMantissa && d.exponent >= -22 && d.exponent <= 22 {
		value := float64(d.mantissa)
		if d.exponent < 0 {
			value /= exactPowers[-d.exponent]
		} else {
			value *= exactPowers[d.exponent]
		}
		if d.negative {
			value = -value
		}
		return value, feed.RejectNone
	}
	// The string is used only during the call: strconv copies what it puts into an error.
	value, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	if err != nil {
		return 0, feed.RejectNotFinite
	}
	return value, feed.RejectNone
}

// parsePlain converts the common number: digits, and digits behind a point, few enough to be exact.
func parsePlain(text []byte) (value float64, ok bool) {
	if len(text) == 0 || len(text) > mantissaDigits || text[0] == '0' && len(text) > 1 && text[1] != '.' {
		return 0, false
	}
	mantissa, fraction, point := uint64(0), 0, false
	for _, c := range text {
		digit := uint64(c - '0')
		if digit <= 9 {
			mantissa = mantissa*10 + digit
			fraction++
			continue
		}
		if c != '.' || point || fraction == 0 {
			return 0, false
		}
		point, fraction = true, 0
	}
	if mantissa > exactMantissa || point && fraction == 0 {
		return 0, false
	}
	if !point {
		return float64(mantissa), true
	}
	return float64(mantissa) / exactPowers[fraction], true
}

// ParseUint converts text, which must be an integer from 0 to 2^64-1 without sign, point, exponent or
// leading zeros. Reason: bad_number.
func ParseUint(text []byte) (uint64, feed.Reject) {
	if len(text) == 0 || len(text) > mantissaDigits+1 || len(text) > 1 && text[0] == '0' {
		return 0, feed.RejectBadNumber
	}
	var value uint64
	for i, c := range text {
		digit := uint64(c - '0')
		if digit > 9 {
			return 0, feed.RejectBadNumber
		}
		if i == mantissaDigits && (value > maxUint64/10 || value == maxUint64/10 && digit > maxUint64%10) {
			return 0, feed.RejectBadNumber
		}
		value = value*10 + digit
	}
	return value, feed.RejectNone
}

const maxUint64 = 1<<64 - 1

// isNumber reports whether text is a number by JSON's grammar.
func isNumber(text []byte) bool {
	_, ok := scanDecimal(text)
	return ok
}
