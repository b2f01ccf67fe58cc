package risk

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// TestExplainAgreesWithApply: at every event of any history, Explain says what Apply then counts and decides.
func TestExplainAgreesWithApply(t *testing.T) {
	seen := map[Gate]int{}
	actions := map[signal.Action]int{}
	rapid.Check(t, func(t *rapid.T) { explainHistory(t, seen, actions) })
	if testing.Short() {
		return // too few histories to have met everything
	}
	for gate := GateNone + 1; gate < GateCount; gate++ {
		if seen[gate] == 0 {
			t.Errorf("gate %s never refused: the test shows nothing of it", gate)
		}
	}
	for _, action := range []signal.Action{signal.ActionEnter, signal.ActionUpdate, signal.ActionExit} {
		if actions[action] == 0 {
			t.Errorf("%s was never decided", action)
		}
	}
}

func explainHistory(t *rapid.T, seen map[Gate]int, actions map[signal.Action]int) {
	flip := func(name string) bool { return rapid.Bool().Draw(t, name) }
	rare := func(name string) bool { return rapid.IntRange(0, 7).Draw(t, name) == 0 }
	rules := []Rule{
		{Name: "a", ThrottleNs: rapid.Int64Range(0, 9).Draw(t, "throttle"), HasExit: true, UsesQuote: true, SideQuarter: -1, StrengthQuarter: -1},
		{Name: "b", ExpiresNs: rapid.Int64Range(0, 9).Draw(t, "expires"), UsesTrade: true, SideQuarter: -1, StrengthQuarter: -1},
	}
	config := Config{
		Partition: "p", Instruments: 2, Rules: rules, StaleNs: rapid.Int64Range(0, 5).Draw(t, "stale"), RefuseCrossed: flip("crossed"),
		RefuseLocked: flip("locked"), GatesOn: !rare("off"), KillAll: rare("kill all"), KillSignals: rapid.Uint64Range(0, 1).Draw(t, "kill"),
	}
	var taken collect
	desk, err := NewDesk(config, &taken)
	if err != nil {
		t.Fatal(err)
	}
	desk.Define(0, feed.Symbol{Venue: "v", Name: "A"}, 1, false)
	desk.Define(1, feed.Symbol{Venue: "v", Name: "B"}, 1, rare("killed"))
	now := int64(0)
	for seq := uint64(1); seq <= 40; seq++ {
		now += rapid.Int64Range(0, 4).Draw(t, "dt")
		e := Event{Sequence: seq, EngineNs: now, Instrument: rapid.Uint32Range(0, 1).Draw(t, "instrument"), Source: 1}
		switch rapid.IntRange(0, 11).Draw(t, "what") {
		case 0:
			e.Kind = feed.KindGap
		case 1:
			e.Kind, e.F[0] = feed.KindStatus, float64(rapid.IntRange(1, 2).Draw(t, "status"))
		case 2:
			e.Kind, e.F = feed.KindControl, [4]float64{float64(rapid.IntRange(1, 2).Draw(t, "verb")), float64(rapid.IntRange(1, 3).Draw(t, "scope")), float64(rapid.IntRange(0, 1).Draw(t, "signal"))}
		case 3: // a clock's slot
			explainOne(t, desk, &taken, &e, seen, actions)
			continue
		default:
			e.Kind = feed.KindQuote
			if flip("trade") {
				e.Kind = feed.KindTrade
			}
			e.F = [4]float64{float64(rapid.IntRange(1, 3).Draw(t, "bid")), 1, float64(rapid.IntRange(2, 3).Draw(t, "ask")), 1}
			if done := !rare("more"); done {
				e.QuoteFresh, e.TradeFresh = e.Kind == feed.KindQuote, e.Kind == feed.KindTrade
			}
			e.ClockTrails = rare("trails")
			explainOne(t, desk, &taken, &e, seen, actions)
			continue
		}
		desk.Apply(&e, Fired{}, nil)
	}
}

func explainOne(t *rapid.T, desk *Desk, taken *collect, e *Event, seen map[Gate]int, actions map[signal.Action]int) {
	fired := Fired{When: rapid.Uint64Range(0, 3).Draw(t, "when"), Exit: rapid.Uint64Range(0, 3).Draw(t, "exit")}
	var want []Explanation
	var counts [GateCount]uint64
	for index := range desk.rules {
		x := desk.Explain(e, fired, index)
		if x.Decides {
			want = append(want, x)
			actions[x.Action]++
		} else if x.When {
			counts[x.Refused]++
			seen[x.Refused]++
		}
		if again := desk.Explain(e, fired, index); !sameExplanation(again, x) {
			t.Fatalf("asked twice: %+v, then %+v", x, again)
		}
	}
	before := rejected(desk)
	taken.bodies = taken.bodies[:0]
	desk.Apply(e, fired, values(0))
	after := rejected(desk)
	for gate := range counts {
		if after[gate]-before[gate] != counts[gate] {
			t.Fatalf("gate %s counts %d, explained %d", Gate(gate), after[gate]-before[gate], counts[gate])
		}
	}
	if len(taken.bodies) != len(want) {
		t.Fatalf("%d decided, %d explained", len(taken.bodies), len(want))
	}
	for i, b := range taken.bodies {
		x := want[i]
		if b.Signal != x.Signal || b.Action != x.Action || b.OutputSequence != x.Output || !sameNumber(b.Bid, x.Bid) || !sameNumber(b.Ask, x.Ask) || !sameNumber(b.Last, x.Last) {
			t.Fatalf("decided %+v, explained %+v", b, x)
		}
	}
}

// sameExplanation compares all but the prices, which may be NaN.
func sameExplanation(a, b Explanation) bool {
	a.Bid, a.Ask, a.Last = 0, 0, 0
	b.Bid, b.Ask, b.Last = 0, 0, 0
	return a == b
}

func sameNumber(a, b float64) bool { return a == b || a != a && b != b }

func rejected(d *Desk) (counts [GateCount]uint64) {
	for gate := range counts {
		counts[gate] = d.Counters().Rejected[gate].Load()
	}
	return counts
}
