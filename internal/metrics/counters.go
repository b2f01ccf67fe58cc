package metrics

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Count is how often something that has a name happened.
type Count struct {
	Name string
	N    uint64
}

// Counts are counts in an order of their owner's choosing, which is kept.
type Counts []Count

// Sum returns the sum of all counts.
func (c Counts) Sum() uint64 {
	var sum uint64
	for _, count := range c {
		sum += count.N
	}
	return sum
}

// MarshalJSON writes an object, name to number, in order.
func (c Counts) MarshalJSON() ([]byte, error) {
	dst := []byte{'{'}
	for i, count := range c {
		if i > 0 {
			dst = append(dst, ',')
		}
		name, err := json.Marshal(count.Name)
		if err != nil {
			return nil, fmt.Errorf("metrics: count %q: %w", count.Name, err)
		}
		dst = append(append(dst, name...), ':')
		dst = fmt.Append(dst, count.N)
	}
	return append(dst, '}'), nil
}

// Counters is a snapshot of what every stage counted since the start. Each number is taken by the stage that owns it;
// together they are not of one instant.
type Counters struct {
	Messages      uint64 `json:"messages"`       // payloads given to decoders
	Ignored       uint64 `json:"ignored"`        // payloads of kinds that carry no ticks
	Malformed     Counts `json:"malformed"`      // payloads or ticks refused by decoders, by reason
	Dropped       uint64 `json:"dropped"`        // ticks that found a ring full or were discarded behind a Gap
	Ticks         uint64 `json:"ticks"`          // ticks sequenced
	Gaps          uint64 `json:"gaps"`           // Gap ticks among them
	Late          uint64 `json:"late"`           // behind engine time among them
	Rows          uint64 `json:"rows"`           // rows the program computed
	Suppressed    uint64 `json:"suppressed"`     // firings held back: undefined or not warm
	Rejected      Counts `json:"rejected"`       // firings refused by a gate, by gate
	Signals       uint64 `json:"signals"`        // signals decided
	Published     uint64 `json:"published"`      // signals handed to the bus
	PublishErrors uint64 `json:"publish_errors"` // signals the bus did not take
	Expired       uint64 `json:"expired"`        // signals that grew too old in the queue before publishing
}

// String returns one line a counter, the named ones indented under their sum.
func (c Counters) String() string {
	var b strings.Builder
	line := func(name string, n uint64) { fmt.Fprintf(&b, "%-16s %15d\n", name, n) }
	group := func(name string, counts Counts) {
		line(name, counts.Sum())
		for _, count := range counts {
			line("  "+count.Name, count.N)
		}
	}
	line("messages", c.Messages)
	line("ignored", c.Ignored)
	group("malformed", c.Malformed)
	line("dropped", c.Dropped)
	line("ticks", c.Ticks)
	line("gaps", c.Gaps)
	line("late", c.Late)
	line("rows", c.Rows)
	line("suppressed", c.Suppressed)
	group("rejected", c.Rejected)
	line("signals", c.Signals)
	line("published", c.Published)
	line("publish errors", c.PublishErrors)
	line("expired", c.Expired)
	return b.String()
}
