package kernels

import (
	"math"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
)

func isKnown(c refValue) bool { return c.isTrue || c.isFalse }

func knownAndFresh(args []refValue) bool { return args[0].fresh && isKnown(args[0]) }

// filterRules are the definitions of the events, from the history of their steps.
var filterRules = map[string]plainRule{
	"only": {
		holds: true,
		steps: func(args []refValue) bool { return args[0].fresh && isDefined(args[0].number) && args[1].isTrue },
		value: func(c plainCall) refValue {
			if len(c.steps) == 0 {
				return refValue{number: math.NaN()}
			}
			return c.number(c.steps[len(c.steps)-1].x(0))
		},
	},
	"hysteresis": {value: func(c plainCall) refValue {
		inside := false
		for _, s := range c.steps {
			inside = (inside || s.x(0) > s.x(1)) && !(s.x(0) < s.x(2))
		}
		return refValue{isTrue: inside, isFalse: !inside && len(c.steps) > 0, fresh: c.stepped}
	}},
	"cooldown": {
		holds: true, steps: knownAndFresh,
		value: func(c plainCall) refValue {
			fires, begun, last := false, false, int64(0)
			for _, s := range c.steps {
				fires = s.args[0].isTrue && !(begun && s.timeNs-last < c.settings[0].DurationNs)
				if fires {
					begun, last = true, s.timeNs
				}
			}
			fires = fires && c.stepped
			return refValue{isTrue: fires, isFalse: isKnown(c.args[0]) && !fires, fresh: c.stepped}
		},
	},
	"since": {
		steps: func(args []refValue) bool { return args[0].fresh && args[0].isTrue },
		value: func(c plainCall) refValue {
			v := refValue{number: math.NaN(), fresh: knownAndFresh(c.args)}
			if n := len(c.steps); n > 0 {
				v.number = float64(c.nowNs-c.steps[n-1].timeNs) / 1e9
			}
			return v
		},
	},
	"count": func() plainRule {
		rule := statistic(0, each(func(s plainStep) float64 {
			if s.args[0].isTrue {
				return 1
			}
			return 0
		}), plainSum)
		rule.steps = knownAndFresh
		return rule
	}(),
	"rising":  movedRule(func(before, x float64) bool { return x > before }),
	"falling": movedRule(func(before, x float64) bool { return x < before }),
	"changed": movedRule(func(before, x float64) bool { return x != before }),
}

func movedRule(moved func(before, x float64) bool) plainRule {
	return plainRule{value: func(c plainCall) refValue {
		n := len(c.steps)
		earlier := n
		if c.stepped {
			earlier--
		}
		hit := c.stepped && n > 1 && moved(c.steps[n-2].x(0), c.steps[n-1].x(0))
		return refValue{isTrue: hit, isFalse: earlier > 0 && !hit, fresh: c.stepped}
	}}
}

func TestFiltersAgainstRules(t *testing.T) {
	checkRules(t,
		"only(X, size > 1)", "only(X, bid < price) + mid", "sma(only(X, bid_size > 2), W)", "ema(only(X + mid, crosses(X, mid)), N)",
		"where(hysteresis(X, 11, 10), 1, 0) + mid - mid", "where(hysteresis(X, mid, bid), 1, 0)",
		"where(cooldown(X > 10, D), 1, 0)", "where(cooldown(crosses(X, 10), D), 1, 0) + mid - mid",
		"since(X > 10)", "since(crosses(X, mid)) + bid - bid", "count(X > 10, W)", "count(crosses(X, 10), W) + size - size",
		"where(rising(X), 1, 0) + bid - bid", "where(falling(X), 1, 0)", "where(changed(X), 1, 0) + price - price",
		"count(rising(X), W) - count(falling(X), W)", "since(cooldown(hysteresis(X, 11, 10), D))",
	)
}

func TestOnly(t *testing.T) {
	sized := func(price, size float64) slot { return tradeTick(price, size, 0) }
	slots := []slot{sized(10, 1), sized(11, 9), sized(12, 1), sized(13, 9).gap(), quoteTick(1, 1, 1, 1), sized(undef, 9), sized(14, 2)}
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"fresh where the condition is true", "only(price, size > 5)", false, slots, []float64{n, 11, n, 13, n, n, n}},
		{"holds between", "only(price, size > 5) + price - price", false, slots, []float64{u, 11, 11, 13, n, u, 13}},
		{"an operator steps on those alone", "sma(only(price, size > 5), 2)", true, slots, []float64{n, u, n, 12, n, n, n}},
		{"an update of the condition is none of x", "only(price, mid > 0)", false, []slot{sized(10, 1), quoteTick(1, 1, 1, 1), sized(11, 1)}, []float64{n, n, 11}},
	})
}

func TestHysteresis(t *testing.T) {
	p := prices(5, 10, 11, 10, 8, 7, 8, 11, undef, 8, 7.5)
	gapped := prices(11, 9, 9, 11)
	gapped[2] = gapped[2].gap()
	n, u := notFresh, undef
	shown := "where(hysteresis(price, 10, 8), 1, 0)"
	runCases(t, []operatorCase{
		{"enters above, leaves below", shown, false, p, []float64{0, 0, 1, 1, 1, 0, 0, 1, n, 1, 0}},
		{"named arguments", "where(hysteresis(price, leave=8, enter=10), 1, 0)", false, p, []float64{0, 0, 1, 1, 1, 0}},
		{"forgets over a gap", shown, false, gapped, []float64{1, 1, 0, 1}},
		{"over a held gap", shown, true, gapped, []float64{1, 1, 1, 1}},
		{"thresholds the wrong way round", "where(hysteresis(price, 5, 10), 1, 0)", false, prices(7, 11, 9), []float64{0, 1, 0}},
		{"undefined before the first step", shown + " + mid - mid", false, []slot{quoteTick(1, 1, 1, 1), tradeTick(11, 1, 0)}, []float64{u, 1}},
	})
}

func TestCooldown(t *testing.T) {
	at := func(price float64, ns int64) slot { return tradeTick(price, 1, 0).at(ns) }
	slots := []slot{at(1, 0), at(9, second), at(9, 2*second), at(9, 6*second-1), at(1, 6*second), at(9, 6*second), at(9, 12*second).gap(), quoteTick(1, 1, 1, 1).at(30 * second)}
	n := notFresh
	runCases(t, []operatorCase{
		{"at most once", "where(cooldown(price > 5, 5s), 1, 0)", false, slots, []float64{0, 1, 0, 0, 0, 1, 1, n}},
		{"on its own step only", "where(cooldown(price > 5, 5s), 1, 0) + mid - mid", false, slots, []float64{undef, undef, undef, undef, undef, undef, undef, 0}},
		{"exactly the duration later", "where(cooldown(price > 5, 1s), 1, 0)", false, slots[:4], []float64{0, 1, 1, 1}},
		{"before 1970", "where(cooldown(price > 5, 5s), 1, 0)", false, []slot{at(9, -20*second), at(9, -18*second), at(9, -15*second)}, []float64{1, 0, 1}},
		{"does not step while undefined", "where(cooldown(price > 5, 5s), 1, 0)", false, []slot{at(undef, 0), at(9, 1)}, []float64{n, 1}},
	})
}

func TestSinceAndCount(t *testing.T) {
	at := func(price float64, ns int64) slot { return tradeTick(price, 1, 0).at(ns) }
	slots := []slot{at(1, 0), at(9, 1*second), at(1, 2*second), quoteTick(1, 1, 1, 1).at(4 * second), at(9, 5*second), at(1, 7*second).gap(), at(9, 8*second)}
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"since", "since(price > 5)", false, slots, []float64{u, 0, 1, n, 0, u, 0}},
		{"since, over a held gap", "since(price > 5)", true, slots, []float64{u, 0, 1, n, 0, 2, 0}},
		{"since grows with time", "since(price > 5) + mid - mid", false, slots[:4], []float64{u, u, u, 3}},
		{"count", "count(price > 5, 3)", true, slots, []float64{u, u, 1, n, 2, 1, 2}},
		{"count rewarms", "count(price > 5, 2)", false, slots, []float64{u, 1, 1, n, 1, u, 1}},
		{"rising", "where(rising(price), 1, 0)", false, prices(1, 2, 2, 1), []float64{u, 1, 0, 0}},
		{"falling", "where(falling(price), 1, 0)", false, prices(1, 2, 2, 1), []float64{u, 0, 0, 1}},
		{"changed", "where(changed(price), 1, 0)", false, prices(1, 2, 2, undef, 1), []float64{u, 1, 0, n, 1}},
	})
}

func TestFilterMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"cooldown(mid > 1, 5)":          "argument d of cooldown is a duration",
		"cooldown(mid > 1, 5bp)":        "5bp is not a duration",
		"cooldown(mid > 1, 0s)":         "duration must be positive",
		"cooldown(mid > 1, session)":    "session is a window, and argument d of cooldown is none",
		"cooldown(mid, 5s)":             "argument c of cooldown is a condition, and this is a number",
		"only(mid > 1, mid > 1)":        "argument x of only is a number, and this is a condition",
		"hysteresis(mid, 1)":            "hysteresis needs its argument leave",
		"hysteresis(mid, exit=1, 2)":    "a positional argument follows a named one",
		"hysteresis(mid, 1, exit=2)":    "hysteresis has no argument named exit",
		"hysteresis(mid, 1, enter=2)":   "argument enter of hysteresis is given twice",
		"cooldown(c=mid > 1, d=-2s)":    "duration must be positive",
		"cooldown(c=mid > 1, d=99999h)": "duration is too long",
	} {
		_, errs := Compile([]SignalSpec{{Name: "a", Value: "mid", When: text + " == 1"}}, Options{})
		if len(errs) == 0 || errs[0].Mistake.Message != want {
			t.Errorf("%s: %v, want %q", text, errs, want)
		}
	}
	if c := mustCompile(t, SignalSpec{Name: "a", Value: "mid", When: "cooldown(c=value > 1, d=2s)", OnGap: expr.GapHold}); c.UsesSession {
		t.Error("session")
	}
}
