package simulate

import (
	"fmt"
	"slices"

	"github.com/sigengine/sigengine/internal/publish"
	"github.com/sigengine/sigengine/signal"
)

// What liveness asks for, a venue.
const (
	warmUpTicks = 250 // market data after the faults stopped, until signals must be there
	judgedTicks = 250 // and how many ticks more are looked at, at least
)

// lively are the signals that fire often.
var lively = []string{"drift", "takers", "tape", "apart"}

// checkLiveness looks at what came after the faults: the last run must have ended well, and once warm, signals of
// each venue must have been entered or updated, and published.
func checkLiveness(r *Result) []Violation {
	last := r.Runs[len(r.Runs)-1]
	recorded, err := Read(last.Store)
	if err != nil {
		return nil // checkRun has said so
	}
	var found []Violation
	violation := func(format string, a ...any) {
		found = append(found, Violation{"liveness", last.Number, fmt.Sprintf(format, a...)})
	}
	if last.Quiet < 0 || !last.Good {
		violation("no process was alive when the faults had stopped, or it did not end in good order")
		return found
	}
	judged := 0
	for i, venue := range []string{"A", "B"} {
		warmAt, ticks := marketData(recorded, venue, last.QuietAt)
		if sent := r.Healthy[i] * uint64(r.Plan.TicksPerMessage[i]); uint64(ticks) < sent/3 {
			violation("venue %s: only %d ticks of %d after the faults had stopped", venue, ticks, sent)
		}
		if ticks < warmUpTicks+judgedTicks {
			continue // nearly all of it is halted
		}
		judged++
		if n := entered(last.Emitted[last.Quiet:], venue, warmAt); n == 0 {
			violation("venue %s: nothing entered or updated in %d ticks after the faults had stopped, all but the first %d", venue, ticks, warmUpTicks)
		}
	}
	if judged == 0 {
		violation("hardly a tick after the faults had stopped")
	}
	if judged < 2 {
		return found
	}
	for _, name := range lively {
		if !slices.ContainsFunc(last.Emitted[last.Quiet:], func(e Emission) bool {
			b, _ := decodeEmission(e)
			return b.Signal == name && b.Action == signal.ActionEnter
		}) {
			violation("signal %s: never entered after the faults had stopped", name)
		}
	}
	return found
}

// marketData counts a venue's market data after a tick, and returns where it must be warm.
func marketData(recorded *Recorded, venue string, after uint64) (warmAt uint64, ticks int) {
	of := map[uint32]bool{}
	for _, d := range recorded.Definitions {
		of[d.ID] = d.Venue == venue
	}
	for i := range recorded.Ticks {
		if t := &recorded.Ticks[i]; t.Seq > after && t.Kind.IsMarketData() && of[t.Instrument] {
			if ticks++; ticks == warmUpTicks {
				warmAt = t.Seq
			}
		}
	}
	return warmAt, ticks
}

// entered counts a venue's enters and updates that were published after a tick.
func entered(emitted []Emission, venue string, after uint64) int {
	n := 0
	for _, e := range emitted {
		b, ok := decodeEmission(e)
		if ok && b.Venue == venue && b.Sequence > after && e.Result == uint8(publish.Published) &&
			(b.Action == signal.ActionEnter || b.Action == signal.ActionUpdate) {
			n++
		}
	}
	return n
}
