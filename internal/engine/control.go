package engine

import (
	"errors"
	"fmt"

	"github.com/sigengine/sigengine/feed"
)

// ErrCommand says that a command cannot be carried out.
var ErrCommand = errors.New("engine: bad command")

// Command is an operator's word. It enters as a tick, so it is journaled and replayed like a price.
type Command struct {
	Verb   feed.ControlVerb
	Scope  feed.ControlScope
	Symbol feed.Symbol // of ScopeInstrument
	Signal int         // of ScopeSignal: index in the configuration
}

// Command sequences an operator's command. It returns when the command is queued; it takes effect at its place in
// the sequence. Any goroutine.
func (e *Engine) Command(c Command) error {
	tick := feed.Tick{
		ReceiveNs: e.clock.NowNs(), Instrument: feed.AllInstruments, Kind: feed.KindControl,
		F: [4]float64{float64(c.Verb), float64(c.Scope), -1},
	}
	if c.Verb != feed.ControlKill && c.Verb != feed.ControlResume {
		return fmt.Errorf("%w: verb %d", ErrCommand, c.Verb)
	}
	e.commands.Lock()
	defer e.commands.Unlock()
	switch c.Scope {
	case feed.ScopeAll:
	case feed.ScopeSignal:
		if c.Signal < 0 || c.Signal >= len(e.config.Desk.Rules) {
			return fmt.Errorf("%w: no signal %d", ErrCommand, c.Signal)
		}
		tick.F[2] = float64(c.Signal)
	case feed.ScopeInstrument:
		handle, err := e.control.Symbols.Intern([]byte(c.Symbol.Venue), []byte(c.Symbol.Name))
		if err != nil {
			return fmt.Errorf("%w: instrument %s %s: %w", ErrCommand, c.Symbol.Venue, c.Symbol.Name, err)
		}
		tick.Instrument = handle
	default:
		return fmt.Errorf("%w: scope %d", ErrCommand, c.Scope)
	}
	if e.control.Abandoned() || !e.control.Offer(&tick, 0) {
		return fmt.Errorf("%w: the engine has stopped", ErrCommand)
	}
	e.control.Flush()
	return nil
}
