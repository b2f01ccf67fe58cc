package config

import (
	"errors"
	"strings"
)

// ErrKill says that a text does not say what to kill.
var ErrKill = errors.New("config: want all, signal:NAME or instrument:venue.symbol")

// KillScope says how much a kill covers.
type KillScope string

// The scopes.
const (
	KillAll        KillScope = "all"
	KillSignal     KillScope = "signal"
	KillInstrument KillScope = "instrument"
)

// Kill refuses the enters and updates of what it covers.
type Kill struct {
	Scope  KillScope
	Signal string // of KillSignal
	Venue  string // of KillInstrument, raw
	Symbol string // of KillInstrument, raw
}

// ParseKill reads `all`, `signal:NAME` or `instrument:venue.symbol`.
func ParseKill(text string) (Kill, error) {
	scope, rest, _ := strings.Cut(text, ":")
	switch {
	case text == string(KillAll):
		return Kill{Scope: KillAll}, nil
	case scope == string(KillSignal) && rest != "":
		return Kill{Scope: KillSignal, Signal: rest}, nil
	case scope == string(KillInstrument):
		venue, symbol, ok := strings.Cut(rest, ".")
		if ok && venue != "" && symbol != "" {
			return Kill{Scope: KillInstrument, Venue: venue, Symbol: symbol}, nil
		}
	}
	return Kill{}, ErrKill
}

// String returns the text of which ParseKill makes k.
func (k Kill) String() string {
	switch k.Scope {
	case KillSignal:
		return string(KillSignal) + ":" + k.Signal
	case KillInstrument:
		return string(KillInstrument) + ":" + k.Venue + "." + k.Symbol
	}
	return string(KillAll)
}
