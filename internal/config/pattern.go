package config

import (
	"errors"
	"strings"
)

// ErrPattern says that a text is not a pattern of instruments.
var ErrPattern = errors.New("config: want venue.symbol, where * stands for any bytes, such as binance.* or *.BTCUSDT")

// Pattern selects instruments. Both halves are raw names in which * stands for any bytes, none included; there is no way to
// mean a literal star. A symbol may hold dots: the first dot of the text ends the venue.
type Pattern struct {
	Venue, Symbol string
}

// ParsePattern reads `venue.symbol`; `*` alone means every instrument.
func ParsePattern(text string) (Pattern, error) {
	if text == "*" {
		return Pattern{Venue: "*", Symbol: "*"}, nil
	}
	venue, symbol, ok := strings.Cut(text, ".")
	if !ok || venue == "" || symbol == "" {
		return Pattern{}, ErrPattern
	}
	return Pattern{Venue: venue, Symbol: symbol}, nil
}

// String returns the text of which ParsePattern makes p.
func (p Pattern) String() string { return p.Venue + "." + p.Symbol }

// Match reports whether the instrument is selected.
func (p Pattern) Match(venue, symbol string) bool {
	return globMatch(p.Venue, venue) && globMatch(p.Symbol, symbol)
}

// Applies reports whether any of the signal's patterns selects the instrument.
func (s *Signal) Applies(venue, symbol string) bool {
	for _, p := range s.For {
		if p.Match(venue, symbol) {
			return true
		}
	}
	return false
}

// globMatch matches greedily from the left; on a mismatch it goes back to the last star only, which suffices because an
// earlier star could take nothing that the last one cannot.
func globMatch(pattern, name string) bool {
	p, n := 0, 0
	star, mark := -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && pattern[p] == name[n]:
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
