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
	Looked  string `json:"looked"`  // at what
}

// gates says what each gate says, in the order in which they are asked.
func gates(x *risk.Explanation, c *config.Config) []Gate {
	var out []Gate
	for gate := risk.GateNone + 1; gate < risk.GateCount; gate++ {
		verdict := "passes"
		switch v := x.Verdicts[gate]; {
		case v.Refuses:
			verdict = "refuses"
		case !v.Asked:
			verdict = "off"
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
		switch {
		case !x.UsesQuote:
			return "the signal uses no quote"
		case !x.Quoted:
			return "there was no quote yet"
		case x.StaleNs == 0:
			return "the quote is " + durationText(x.QuoteAgeNs) + " old, any age will do"
		}
		return "the quote is " + durationText(x.QuoteAgeNs) + " old, the limit is " + durationText(x.StaleNs)
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
	return ""
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
