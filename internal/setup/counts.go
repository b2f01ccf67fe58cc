package setup

import (
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/risk"
)

// Rejected returns a desk's refusals by gate, in the order of the gates.
func Rejected(c *risk.Counts) metrics.Counts {
	var out metrics.Counts
	for gate := risk.GateNone + 1; gate < risk.GateCount; gate++ {
		out = append(out, metrics.Count{Name: gate.String(), N: c.Rejected[gate].Load()})
	}
	return out
}
