package explain

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sigengine/sigengine/internal/config"
)

// UnknownError says that something was asked for that there is not.
type UnknownError struct {
	What  string // "signal" or "instrument"
	Name  string
	Known []string
}

const knownShown = 20

// Error names what is near, or what there is.
func (e *UnknownError) Error() string {
	if near := config.Nearest(e.Name, e.Known); near != "" {
		return fmt.Sprintf("there is no %s %q; did you mean %s?", e.What, e.Name, near)
	}
	shown, more := e.Known, ""
	if len(shown) > knownShown {
		shown, more = shown[:knownShown], fmt.Sprintf(" and %d more", len(e.Known)-knownShown)
	}
	return fmt.Sprintf("there is no %s %q; there are: %s%s", e.What, e.Name, strings.Join(shown, ", "), more)
}

// ErrTick says that a journal has no answer for a tick: it is not there, or nothing is computed on it.
var ErrTick = errors.New("explain: no signals at this tick")

// TickError says why.
type TickError struct {
	Seq    uint64
	Reason string
	Hint   string
}

// Error returns one line.
func (e *TickError) Error() string {
	text := fmt.Sprintf("tick %d %s", e.Seq, e.Reason)
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap returns ErrTick.
func (e *TickError) Unwrap() error { return ErrTick }
