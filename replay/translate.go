package replay

import (
	"fmt"
	"slices"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
)

// translate makes a recorded command on a signal, which says its number in the configuration of then, one on the signal of
// that name. Where there is none it has nothing to stop, and only its time counts.
func (p *Player) translate(tick *feed.Tick) error {
	if p.options.Config == nil || tick.Kind != feed.KindControl || !namesSignal(tick) {
		return nil
	}
	index := int(feed.Code(tick.F[2]))
	if tick.F[2] < 0 || index >= len(p.recorded) {
		return fmt.Errorf("replay: tick %d commands signal %d of the configuration it was recorded with, which the journal does not tell; "+
			"replay it without another", tick.Seq, index)
	}
	name := p.recorded[index]
	at := slices.IndexFunc(p.config.Signals, func(s config.Signal) bool { return s.Name == name })
	if at < 0 {
		tick.Kind, tick.F = feed.KindHeartbeat, [4]float64{}
		return nil
	}
	tick.F[2] = float64(at)
	return nil
}

// namesSignal reports whether a command is about a signal.
func namesSignal(tick *feed.Tick) bool {
	scope := feed.ControlScope(feed.Code(tick.F[1]))
	switch feed.ControlVerb(feed.Code(tick.F[0])) {
	case feed.ControlFact, feed.ControlTighten:
		return false
	case feed.ControlLatch:
		return scope == feed.ScopeInstrument
	}
	return scope == feed.ScopeSignal
}

// signalNames returns the names of a configuration's signals, nil if it could not be read.
func signalNames(c *config.Config, err error) []string {
	if err != nil {
		return nil
	}
	names := []string{}
	for i := range c.Signals {
		names = append(names, c.Signals[i].Name)
	}
	return names
}
