package metrics

import (
	"fmt"
	"strconv"
	"strings"
)

// Latency is the distribution of one stage since the start, in nanoseconds.
type Latency struct {
	Count  int64
	P50Ns  int64
	P90Ns  int64
	P99Ns  int64
	P999Ns int64
	MaxNs  int64   // exact, up to LatencyNsMax
	MeanNs float64 // exact but for rounding
	Under  uint64  // negative, recorded as 0: two clocks, or one set back
	Over   uint64  // above LatencyNsMax, recorded as LatencyNsMax
}

// Latencies is a Latency for each stage, indexed by Stage.
type Latencies [StageCount]Latency

func summarise(v *interval) Latency {
	l := Latency{Count: v.histogram.TotalCount(), MaxNs: v.maxNs, Under: v.under, Over: v.over}
	if l.Count == 0 {
		return l
	}
	l.MeanNs = float64(v.sumNs) / float64(l.Count)
	// A percentile is the upper end of its bucket, which may lie above the exact maximum.
	at := func(percentile float64) int64 { return min(v.histogram.ValueAtPercentile(percentile), v.maxNs) }
	l.P50Ns, l.P90Ns, l.P99Ns, l.P999Ns = at(50), at(90), at(99), at(99.9)
	return l
}

// MarshalJSON writes an object with a member for every stage, in the order of the path: count, p50, p90, p99, p999 and max
// in nanoseconds. It is what reports hold under latency_ns.
func (l Latencies) MarshalJSON() ([]byte, error) {
	dst := []byte{'{'}
	for i := range l {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendQuote(dst, Stage(i).String())
		dst = append(dst, `:{"count":`...)
		dst = strconv.AppendInt(dst, l[i].Count, 10)
		for _, m := range [...]struct {
			key string
			ns  int64
		}{{"p50", l[i].P50Ns}, {"p90", l[i].P90Ns}, {"p99", l[i].P99Ns}, {"p999", l[i].P999Ns}, {"max", l[i].MaxNs}} {
			dst = append(strconv.AppendQuote(append(dst, ','), m.key), ':')
			dst = strconv.AppendInt(dst, m.ns, 10)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}'), nil
}

// String returns a table: a line for every stage with values, in microseconds.
func (l Latencies) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-9s %12s %10s %10s %10s %10s %10s  us\n", "stage", "count", "p50", "p90", "p99", "p99.9", "max")
	for i := range l {
		v := &l[i]
		if v.Count == 0 {
			continue
		}
		us := func(ns int64) string { return strconv.FormatFloat(float64(ns)/1000, 'f', 2, 64) }
		fmt.Fprintf(&b, "%-9s %12d %10s %10s %10s %10s %10s", Stage(i), v.Count,
			us(v.P50Ns), us(v.P90Ns), us(v.P99Ns), us(v.P999Ns), us(v.MaxNs))
		if v.Under > 0 || v.Over > 0 {
			fmt.Fprintf(&b, "  (%d below 0, %d above 60 s)", v.Under, v.Over)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
