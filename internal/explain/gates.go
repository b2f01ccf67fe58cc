package explain

import (
	"fmt"
	"strings"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/risk"
	"github.com/sigengine/sigengine/signal"
)

// Gate is one gate's verdict on an enter or update at the tick.
type Gate struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"` // passes, refuses, or off: it is not asked
	Looked  string `json:"looked"`  // at what; may be empty
}

// The verdicts.
const (
	verdictPasses  = "passes"
	verdictRefuses = "refuses"
	verdictOff     = "off"
)

// drawGates lists verdicts: a line for each with something to say, and the others together.
func drawGates(b *strings.Builder, gates []Gate) {
	rest := map[string][]string{}
	for _, g := range gates {
		if g.Verdict != verdictOff && (g.Looked != "" || g.Verdict == verdictRefuses) {
			fmt.Fprintf(b, "    %-9s %-8s %s\n", g.Name, g.Verdict, g.Looked)
			continue
		}
		rest[g.Verdict] = append(rest[g.Verdict], g.Name)
	}
	for _, verdict := range []string{verdictPasses, verdictOff} {
		if names := rest[verdict]; len(names) > 0 {
			fmt.Fprintf(b, "    %-18s %s\n", verdict, strings.Join(names, ", "))
		}
	}
}

// gates says what each gate says, in the order in which they are asked.
func gates(x *risk.Explanation, c *config.Config) []Gate {
	var out []Gate
	for _, gate := range risk.Order {
		verdict := verdictPasses
		switch v := x.Verdicts[gate]; {
		case v.Refuses:
			verdict = verdictRefuses
		case !v.Asked:
			verdict = verdictOff
		}
		out = append(out, Gate{Name: gate.String(), Verdict: verdict, Looked: looked(gate, x, c)})
	}
	return out
}

func looked(gate risk.Gate, x *risk.Explanation, c *config.Config) string {
	switch gate {
	case risk.GateKill:
		return killers(x.KilledBy)
	case risk.GateClock:
		return either(x.ClockTrails, "receive time is", "receive time is not") + " more than " + durationText(int64(c.Risk.MaxTrail)) + " behind engine time"
	case risk.GateHalted:
		return either(x.Halted, "the instrument is halted or closed", "the instrument trades")
	case risk.GateGap:
		return seen(x)
	case risk.GateStale:
		return age(x)
	case risk.GateCrossed, risk.GateLocked:
		return "bid " + numberOf(x.Bid).String() + ", ask " + numberOf(x.Ask).String()
	case risk.GateThrottle:
		switch {
		case x.ThrottleNs == 0:
			return "the signal has no throttle"
		case !x.Passed:
			return "none has passed before, the least distance is " + durationText(x.ThrottleNs)
		}
		return durationText(x.SincePassedNs) + " since the last that passed, the least is " + durationText(x.ThrottleNs)
	}
	return lookedLimits(gate, x)
}

// lookedLimits is looked for the gates that compare with a limit of the configuration.
func lookedLimits(gate risk.Gate, x *risk.Explanation) string {
	l := &x.Limits
	number := func(v float64) string { return numberOf(v).String() }
	switch gate {
	case risk.GateValue:
		if !x.When && !x.Exit {
			return "" // a value is there only when something fired
		}
		return "value " + number(x.Value) + optional(l.ValueMax > 0, ", the most is "+number(l.ValueMax))
	case risk.GateDepth:
		return "bid size " + number(x.BidSize) + ", ask size " + number(x.AskSize)
	case risk.GateSpread:
		return "bid " + number(x.Bid) + ", ask " + number(x.Ask) + ", the most is " + number(l.Spread) + " of the middle"
	case risk.GateCollar:
		return "reference " + number(x.Reference) + optional(l.Collar > 0, ", the most away is "+number(l.Collar)) +
			optional(l.Band, ", the band is "+number(l.PriceLow)+" to "+number(l.PriceHigh))
	case risk.GateVelocity:
		return "greatest move " + number(x.Move) + " within " + durationText(l.VelocityWindowNs) + ", the most is " + number(l.Velocity)
	case risk.GateRepeat:
		return fmt.Sprintf("%d entries within %s, the most is %d%s", x.Entries, durationText(l.RepeatWindowNs), l.RepeatCount,
			optional(x.Latched, "; latched until an operator resumes"))
	case risk.GateDuplicate:
		return either(x.Passed, "the last that passed is "+durationText(x.SincePassedNs)+" old", "none has passed before") +
			", an equal one refuses within " + durationText(l.DuplicateNs)
	case risk.GateRate:
		return fmt.Sprintf("one in %s, at most %d at once", durationText(l.RateNs), l.RateBurst)
	case risk.GatePosition:
		return "position " + number(x.Position) + ", one signal may add " + number(l.SignalSize) + ", the most is " + number(l.PositionMax)
	case risk.GateExposure:
		return "gross " + number(x.Gross) + ", net " + number(x.Net)
	case risk.GateDrawdown:
		return "profit and loss " + number(x.Profit)
	}
	return ""
}

func optional(is bool, text string) string { return either(is, text, "") }

// age says how old what the signal uses is.
func age(x *risk.Explanation) string {
	switch {
	case x.ReferenceStale:
		return "another instrument that the signal uses was silent for more than " + durationText(x.Limits.StaleReferenceNs)
	case !x.UsesQuote:
		return "the signal uses no quote"
	case !x.Quoted:
		return "there was no quote yet"
	case x.StaleNs == 0:
		return "the quote is " + durationText(x.QuoteAgeNs) + " old, any age will do"
	}
	return "the quote is " + durationText(x.QuoteAgeNs) + " old, the limit is " + durationText(x.StaleNs)
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// seen says whether what the signal uses came since data went missing.
func seen(x *risk.Explanation) string {
	switch {
	case x.UsesQuote && x.GapQuote:
		return "data went missing, and no quote has come since"
	case x.UsesTrade && x.GapTrade:
		return "data went missing, and no trade has come since"
	case !x.UsesQuote && !x.UsesTrade:
		return "the signal uses neither quotes nor trades of the instrument"
	}
	return "nothing is missing of what the signal uses"
}

func killers(k risk.Killers) string {
	var by []string
	for _, one := range []struct {
		is   bool
		text string
	}{
		{k.ConfigAll, "the configuration kills everything"},
		{k.ConfigSignal, "the configuration kills the signal"},
		{k.ConfigInstrument, "the configuration kills the instrument"},
		{k.OperatorAll, "an operator killed everything"},
		{k.OperatorSignal, "an operator killed the signal"},
		{k.OperatorInstrument, "an operator killed the instrument"},
	} {
		if one.is {
			by = append(by, one.text)
		}
	}
	if len(by) == 0 {
		return "nobody has killed it"
	}
	return strings.Join(by, "; ")
}

// outcome says what came of a signal, in one sentence.
func outcome(x *risk.Explanation, evaluated, clocked bool) string {
	pair := either(x.Open, "open", "closed")
	switch {
	case x.Decides && x.Action == signal.ActionExit:
		return fmt.Sprintf("Decided: exit, number %d of the pair. Exits pass every gate.", x.Output)
	case x.Decides:
		return fmt.Sprintf("Decided: %s, number %d of the pair.", x.Action, x.Output)
	case x.When:
		return fmt.Sprintf("Refused by the gate %s: when is true and the pair is %s.", x.Refused, pair)
	case x.Exit:
		return "Nothing: exit is true, and the pair is not open."
	case x.Suppressed:
		return "Suppressed: its value or condition is undefined."
	case !evaluated && clocked:
		return "Not evaluated: this is no boundary of its clock."
	case !evaluated:
		return "Not evaluated: this tick does not make its value fresh."
	}
	return fmt.Sprintf("Nothing: when is not true%s. The pair is %s.", either(x.Open, ", nor is exit", ""), pair)
}
