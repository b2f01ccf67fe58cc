package risk

import "github.com/sigengine/sigengine/signal"

// Gate is a reason to refuse an enter or an update. Values are part of journals and metrics: append only.
type Gate uint8

// The gates, in the order in which they are asked.
const (
	GateNone     Gate = 0
	GateKill     Gate = 1 // killed by configuration or by an operator
	GateClock    Gate = 2 // the receiver's clock trails engine time
	GateHalted   Gate = 3 // the instrument is halted or closed
	GateGap      Gate = 4 // data went missing and what the signal uses was not seen since
	GateStale    Gate = 5 // the quote that the signal uses is too old, or there was none
	GateCrossed  Gate = 6 // bid above ask
	GateLocked   Gate = 7 // bid equal to ask
	GateThrottle Gate = 8 // too soon after the last that passed
	GateCount         = 9
)

var gateNames = [GateCount]string{
	"none", "kill", "clock", "halted", "gap", "stale", "crossed", "locked", "throttle",
}

// String returns the gate's name as counters and subjects spell it.
func (g Gate) String() string {
	if int(g) < len(gateNames) {
		return gateNames[g]
	}
	return "unknown"
}

// ask runs the gates for one enter or update and returns the first that refuses.
func (d *Desk) ask(event *Event, market *market, signalIndex int, pair uint32) Gate {
	if d.killed(event.Instrument, signalIndex) {
		return GateKill
	}
	rule := &d.rules[signalIndex]
	if d.config.GatesOn {
		if gate := d.askMarket(event, market, rule); gate != GateNone {
			return gate
		}
	}
	if rule.ThrottleNs > 0 && d.pairs[pair].passed && event.EngineNs-d.pairs[pair].passedNs < rule.ThrottleNs {
		return GateThrottle
	}
	return GateNone
}

func (d *Desk) askMarket(event *Event, market *market, rule *Rule) Gate {
	if event.ClockTrails {
		return GateClock
	}
	if market.halted {
		return GateHalted
	}
	if (rule.UsesQuote && market.gapQuote) || (rule.UsesTrade && market.gapTrade) {
		return GateGap
	}
	if rule.UsesQuote && d.config.StaleNs > 0 &&
		(!market.quoted || event.EngineNs-market.quoteNs > d.config.StaleNs) {
		return GateStale
	}
	if d.config.RefuseCrossed && market.bid > market.ask {
		return GateCrossed
	}
	if d.config.RefuseLocked && market.bid == market.ask {
		return GateLocked
	}
	return GateNone
}

// killed reports whether configuration or an operator stops this signal on this instrument.
func (d *Desk) killed(instrument uint32, signalIndex int) bool {
	return d.config.KillAll || d.killAll ||
		(d.config.KillSignals|d.killSignals)>>signalIndex&1 != 0 ||
		d.markets[instrument].killed || d.markets[instrument].killedByConfig
}

// flags collects the doubts about a signal decided at this event.
func (d *Desk) flags(event *Event, market *market) signal.Flags {
	var flags signal.Flags
	if event.Gap || market.gapQuote || market.gapTrade {
		flags |= signal.FlagGap
	}
	if event.Late {
		flags |= signal.FlagLate
	}
	if market.bid > market.ask {
		flags |= signal.FlagCrossed
	}
	if market.halted {
		flags |= signal.FlagHalted
	}
	if !d.config.GatesOn {
		flags |= signal.FlagGatesOff
	}
	return flags
}
