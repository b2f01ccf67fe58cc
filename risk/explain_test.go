package risk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/signal"
)

// TestExplainAgreesWithApply: at every event of any history, Explain says what Apply then counts and decides.
func TestExplainAgreesWithApply(t *testing.T) {
	actions := map[signal.Action]int{}
	for _, gate := range Order {
		refused := map[Gate]int{}
		rapid.Check(t, func(t *rapid.T) { explainHistory(t, []Gate{gate}, refused, actions) })
		if refused[gate] == 0 && !testing.Short() {
			t.Errorf("gate %s never refused: the test shows nothing of it", gate)
		}
	}
	rapid.Check(t, func(t *rapid.T) { explainHistory(t, Order[:], map[Gate]int{}, actions) })
	for _, action := range []signal.Action{signal.ActionEnter, signal.ActionUpdate, signal.ActionExit} {
		if actions[action] == 0 {
			t.Errorf("%s was never decided", action)
		}
	}
}

func explainHistory(t *rapid.T, gates []Gate, refused map[Gate]int, actions map[signal.Action]int) {
	h := newHistory(t, gates)
	for range rapid.IntRange(1, 40).Draw(t, "events") {
		e, fired := h.event()
		h.draw()
		var want []string
		for index := range h.desk.rules {
			if (fired.When|fired.Exit)>>index&1 == 0 {
				continue
			}
			x := h.desk.Explain(&e, fired, h, index)
			if again := h.desk.Explain(&e, fired, h, index); !sameExplanation(again, x) {
				t.Fatalf("asked twice: %+v, then %+v", x, again)
			}
			if x.Refused != GateNone {
				action := signal.ActionEnter
				if x.Open {
					action = signal.ActionUpdate
				}
				if x.Exit && x.Open {
					action = signal.ActionExit
				}
				refused[x.Refused]++
				if x.When || x.Exit && x.Open {
					want = append(want, fmt.Sprintf("%d: %s of %d refused %s", e.Instrument, action, index, x.Refused))
				}
			}
			if x.Decides {
				actions[x.Action]++
				line := fmt.Sprintf("%d: %s of %d", e.Instrument, x.Action, index)
				if x.Reason != signal.ReasonNone {
					line += " " + x.Reason.String()
				}
				want = append(want, line)
			}
		}
		h.apply(e, fired)
		got := slices.DeleteFunc(h.taken.lines, func(line string) bool {
			return strings.HasSuffix(line, " drawdown") && strings.Contains(line, "withdraw")
		})
		if e.Kind.IsMarketData() || e.Kind == 0 {
			if !slices.Equal(got, want) {
				t.Fatalf("the desk said %q, explained %q", got, want)
			}
		}
	}
}

// sameExplanation compares all but the numbers that may be NaN.
func sameExplanation(a, b Explanation) bool {
	for _, x := range []*Explanation{&a, &b} {
		x.Value, x.Bid, x.Ask, x.Last, x.Side, x.Reference, x.Move, x.Profit, x.Net, x.Gross = 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	}
	return a == b
}
