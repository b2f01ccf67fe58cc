package engine

import (
	"errors"
	"fmt"

	"github.com/sigengine/sigengine/feed"
)

// ErrCommand says that a command cannot be carried out.
var ErrCommand = errors.New("engine: bad command")

// Command is an operator's word. It enters as a tick, so it is journaled and replayed like a price; who gave it and why
// is journaled beside it, as a note.
type Command struct {
	Verb   feed.ControlVerb
	Scope  feed.ControlScope
	Symbol feed.Symbol // of ScopeInstrument
	Signal int         // of ScopeSignal, and of ControlLatch with ScopeInstrument: index in the configuration
	Limit  feed.Limit  // of ControlTighten
	Value  float64     // of ControlTighten: the limit from now on; 0: as configured
	By     string      // who; a resume and a change of a limit need it
	Reason string      // why; they need it, too
}

// Command sequences an operator's command. It returns when the command is queued; it takes effect at its place in
// the sequence. Any goroutine.
func (e *Engine) Command(c Command) error {
	tick, err := e.commandTick(&c)
	if err != nil {
		return err
	}
	e.commands.Lock()
	defer e.commands.Unlock()
	if c.Scope == feed.ScopeInstrument {
		handle, err := e.control.Symbols.Intern([]byte(c.Symbol.Venue), []byte(c.Symbol.Name))
		if err != nil {
			return fmt.Errorf("%w: instrument %s %s: %w", ErrCommand, c.Symbol.Venue, c.Symbol.Name, err)
		}
		tick.Instrument = handle
	}
	if c.By != "" || c.Reason != "" {
		tick.F[3] = e.notes.put(c, tick.ReceiveNs)
	}
	return e.offer(&tick)
}

// commandTick checks a command and returns its tick, without instrument and note.
func (e *Engine) commandTick(c *Command) (feed.Tick, error) {
	tick := feed.Tick{
		ReceiveNs: e.clock.NowNs(), Instrument: feed.AllInstruments, Kind: feed.KindControl,
		F: [4]float64{float64(c.Verb), float64(c.Scope), -1},
	}
	ofSignal := c.Scope == feed.ScopeSignal
	switch c.Verb {
	case feed.ControlKill, feed.ControlReduce:
	case feed.ControlResume:
		if c.By == "" || c.Reason == "" {
			return tick, fmt.Errorf("%w: a resume needs a name and a reason; say who and why", ErrCommand)
		}
	case feed.ControlTighten:
		return tick, c.tightenTick(&tick)
	case feed.ControlLatch:
		ofSignal = c.Scope == feed.ScopeInstrument
	default:
		return tick, fmt.Errorf("%w: verb %d", ErrCommand, c.Verb)
	}
	if c.Scope < feed.ScopeAll || c.Scope > feed.ScopeSignal || c.Scope == feed.ScopeSignal && c.Verb == feed.ControlLatch {
		return tick, fmt.Errorf("%w: scope %d", ErrCommand, c.Scope)
	}
	if ofSignal {
		if c.Signal < 0 || c.Signal >= len(e.config.Desk.Rules) {
			return tick, fmt.Errorf("%w: no signal %d", ErrCommand, c.Signal)
		}
		tick.F[2] = float64(c.Signal)
	}
	return tick, nil
}

// tightenTick checks a change of a limit and fills in its tick.
func (c *Command) tightenTick(tick *feed.Tick) error {
	switch {
	case c.By == "" || c.Reason == "":
		return fmt.Errorf("%w: a change of a limit needs a name and a reason; say who and why", ErrCommand)
	case c.Scope != feed.ScopeAll:
		return fmt.Errorf("%w: a limit is tightened for all, not for scope %d", ErrCommand, c.Scope)
	case c.Limit < 1 || c.Limit >= feed.LimitCount:
		return fmt.Errorf("%w: limit %d", ErrCommand, c.Limit)
	case !(c.Value >= 0) || c.Value > maxLimit:
		return fmt.Errorf("%w: a limit of %v", ErrCommand, c.Value)
	}
	tick.F[1], tick.F[2] = float64(c.Limit), c.Value
	return nil
}

// maxLimit is the largest value of a limit in a configuration.
const maxLimit = 1e300

// Fact sequences what the world outside is like: see feed.Fact for its values. Any goroutine but those of the engine.
func (e *Engine) Fact(fact feed.Fact, value float64) error {
	if fact == 0 || fact >= feed.FactCount {
		return fmt.Errorf("%w: fact %d", ErrCommand, fact)
	}
	tick := feed.Tick{
		ReceiveNs: e.clock.NowNs(), Instrument: feed.AllInstruments, Kind: feed.KindControl,
		F: [4]float64{float64(feed.ControlFact), float64(fact), value},
	}
	e.commands.Lock()
	defer e.commands.Unlock()
	return e.offer(&tick)
}

func (e *Engine) offer(tick *feed.Tick) error {
	if e.control.Abandoned() || !e.control.Offer(tick, 0) {
		return fmt.Errorf("%w: the engine has stopped", ErrCommand)
	}
	e.control.Flush()
	return nil
}
