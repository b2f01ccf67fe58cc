package risk

// Gate is a reason to refuse an enter or an update. Values are part of journals and metrics: append only.
type Gate uint8

// The gates. Their numbers are not the order in which they are asked: that is Order.
const (
	GateNone      Gate = 0
	GateKill      Gate = 1  // killed by configuration or by an operator
	GateClock     Gate = 2  // the receiver's clock trails engine time
	GateHalted    Gate = 3  // the instrument is halted or closed
	GateGap       Gate = 4  // data went missing and what the signal uses was not seen since
	GateStale     Gate = 5  // what the signal uses is too old, or there was none
	GateCrossed   Gate = 6  // bid above ask
	GateLocked    Gate = 7  // bid equal to ask
	GateThrottle  Gate = 8  // too soon after the last that passed
	GateSequence  Gate = 9  // the event is older than one applied before; exits and withdraws too
	GateValue     Gate = 10 // the value is not a number, or beyond its bound; exits too if it is not a number
	GatePeer      Gate = 11 // another instance of the partition has another build or configuration
	GateRecorder  Gate = 12 // what is decided is not recorded in time, or this instance may not publish
	GateDisk      Gate = 13 // the disk is full
	GateDevice    Gate = 14 // a device failed, or computed otherwise than the CPU
	GateLatency   Gate = 15 // decisions come too late
	GateDeadman   Gate = 16 // the supervisor is silent
	GateDecode    Gate = 17 // a source of the instrument sends what cannot be read
	GateRepeat    Gate = 18 // too many entries; latched until an operator resumes
	GateDrawdown  Gate = 19 // too much was lost; latched until an operator resumes
	GateHours     Gate = 20 // outside trading hours
	GateWarmup    Gate = 21 // too soon after the instrument began
	GateDepth     Gate = 22 // a side of the quote has no size
	GateSpread    Gate = 23 // the quote is too wide
	GateCollar    Gate = 24 // the price is too far from its reference, or out of its band
	GateVelocity  Gate = 25 // the price moved too fast
	GateDuplicate Gate = 26 // the same was decided just before
	GateFills     Gate = 27 // no news of fills; what reduces passes
	GateReducing  Gate = 28 // an operator lets only pass what reduces
	GatePosition  Gate = 29 // the position could become too large
	GateExposure  Gate = 30 // the exposure of all positions could become too large
	GateRate      Gate = 31 // too many signals of the instrument
	GateRateTotal Gate = 32 // too many signals
	GateCount          = 33
)

var gateNames = [GateCount]string{
	"none", "kill", "clock", "halted", "gap", "stale", "crossed", "locked", "throttle", "sequence", "value", "peer",
	"recorder", "disk", "device", "latency", "deadman", "decode", "repeat", "drawdown", "hours", "warmup", "depth",
	"spread", "collar", "velocity", "duplicate", "fills", "reducing", "position", "exposure", "rate", "rate_total",
}

// Order is the order in which gates are asked; the first that refuses is the reason. What costs nothing to be refused by
// comes last: only what passed everything before is charged for.
var Order = [GateCount - 1]Gate{
	GateSequence, GateValue, GateKill, GatePeer, GateRecorder, GateDisk, GateDevice, GateLatency, GateDeadman,
	GateDrawdown, GateClock, GateHours, GateHalted, GateDecode, GateGap, GateWarmup, GateStale, GateCrossed,
	GateLocked, GateDepth, GateSpread, GateCollar, GateVelocity, GateRepeat, GateDuplicate, GateFills, GateReducing,
	GatePosition, GateExposure, GateRate, GateRateTotal, GateThrottle,
}

// String returns the gate's name as counters and subjects spell it.
func (g Gate) String() string {
	if int(g) < len(gateNames) {
		return gateNames[g]
	}
	return "unknown"
}

// ParseGate returns the gate of a name as String spells it.
func ParseGate(name string) (Gate, bool) {
	for g := GateNone + 1; g < GateCount; g++ {
		if gateNames[g] == name {
			return g, true
		}
	}
	return GateNone, false
}

// gateSet is a set of gates, a bit each by their place in Order.
type gateSet uint64

func (s gateSet) has(gate Gate) bool {
	for place, g := range Order {
		if g == gate {
			return s>>place&1 != 0
		}
	}
	return false
}

func setOf(gates ...Gate) gateSet {
	var s gateSet
	for place, g := range Order {
		for _, wanted := range gates {
			if g == wanted {
				s |= 1 << place
			}
		}
	}
	return s
}

// profile is what a rule on some instruments has in common: its limits and the gates that they leave on.
type profile struct {
	limits     Limits // what the gates compare with: configured, and tightened by operators
	configured Limits
	rule       int
	asked      gateSet
}

// gatesOf returns the gates that a rule is asked under limits.
func (c *Config) gatesOf(rule *Rule, l *Limits) gateSet {
	s := setOf(GateSequence, GateValue, GateKill)
	on := func(gate Gate, is bool) {
		if is {
			s |= setOf(gate)
		}
	}
	on(GateThrottle, rule.ThrottleNs > 0)
	if !c.GatesOn {
		return s
	}
	s |= factGates | setOf(GateClock, GateHalted, GateDecode, GateReducing)
	budgeted := l.PositionMax > 0 || c.Budget.Gross > 0 || c.Budget.Net > 0 || c.Budget.measured()
	on(GateDrawdown, c.Budget.measured())
	on(GateHours, l.Hours > 0)
	on(GateGap, rule.UsesQuote || rule.UsesTrade)
	on(GateWarmup, l.WarmNs > 0 || l.WarmTicks > 0)
	on(GateStale, rule.UsesQuote && l.StaleNs > 0 || rule.UsesTrade && l.StaleTradeNs > 0 ||
		rule.References != 0 && l.StaleReferenceNs > 0)
	on(GateCrossed, l.RefuseCrossed)
	on(GateLocked, l.RefuseLocked)
	on(GateDepth, l.RefuseEmpty && rule.UsesQuote)
	on(GateSpread, l.Spread > 0 && rule.UsesQuote)
	on(GateCollar, (l.Collar > 0 || l.Band) && rule.priced() != priceNone)
	on(GateVelocity, l.Velocity > 0 && rule.priced() != priceNone)
	on(GateRepeat, l.RepeatCount > 0 && rule.opens())
	on(GateDuplicate, l.DuplicateNs > 0)
	on(GateFills, budgeted && c.Budget.StaleNs > 0)
	on(GatePosition, l.PositionMax > 0)
	on(GateExposure, c.Budget.Gross > 0 || c.Budget.Net > 0)
	on(GateRate, l.RateNs > 0)
	on(GateRateTotal, c.TotalRateNs > 0)
	return s
}
