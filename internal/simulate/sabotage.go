package simulate

import (
	"slices"

	"github.com/sigengine/sigengine/internal/engine"
)

// sabotage breaks the engine or what is around it, so that tests see whether Check notices.
type sabotage uint8

const (
	sabotageNone     sabotage = iota
	sabotageGap               // losses are not marked
	sabotageLose              // a tick is lost between decoder and ring now and then
	sabotageGates             // the engine asks no gates
	sabotageThrottle          // nor throttles
	sabotageLie               // the sink says published of what was refused
	sabotageRepeat            // the publisher sends the signal before once more
	sabotageMute              // the operator forgets to lift the kills
)

// shape returns the configuration that the engine is given, which is then not what Check believes.
func (s sabotage) shape(c engine.Config) engine.Config {
	c.Desk.Rules = slices.Clone(c.Desk.Rules)
	switch s {
	case sabotageGates:
		c.Desk.GatesOn = false
	case sabotageThrottle:
		for i := range c.Desk.Rules {
			c.Desk.Rules[i].ThrottleNs = 0
		}
	}
	return c
}
