package report

import (
	"fmt"
	"strings"

	"github.com/sigengine/sigengine/internal/metrics"
)

// Result is what one run did.
type Result struct {
	Ticks         uint64            `json:"ticks"`     // sequenced, without heartbeats
	Signals       uint64            `json:"signals"`   // decided
	Decoded       uint64            `json:"decoded"`   // ticks read from messages
	Dropped       uint64            `json:"dropped"`   // ticks and messages lost on the way in
	Undecoded     uint64            `json:"undecoded"` // of them: messages, which came quicker than they could be decoded
	Rejected      metrics.Counts    `json:"rejected"`
	Suppressed    uint64            `json:"suppressed"`     // firings whose value or condition was undefined
	PublishErrors uint64            `json:"publish_errors"` // decided, not published
	Gaps          uint64            `json:"gaps"`
	Instruments   uint64            `json:"instruments"`
	Malformed     metrics.Counts    `json:"malformed"`     // messages and ticks that could not be decoded, by reason
	Ignored       uint64            `json:"ignored"`       // messages of kinds that carry no ticks
	Executor      string            `json:"executor"`      // what runs the program now: cpu or gpu
	GPU           *metrics.GPU      `json:"gpu,omitempty"` // where it began on one
	Lanes         int               `json:"lanes"`
	Batch         int               `json:"batch"`
	Mode          string            `json:"mode"`
	OutputHash    string            `json:"output_hash"`
	Journal       string            `json:"journal,omitempty"`   // directory
	FromTick      uint64            `json:"from_tick,omitempty"` // a replay began after this one, with a snapshot's state
	ElapsedS      float64           `json:"elapsed_s"`
	LatencyNs     metrics.Latencies `json:"latency_ns"`
	Market        *Market           `json:"market,omitempty"`  // of a demo
	Process       *metrics.Process  `json:"process,omitempty"` // of a live run
}

// Market is what a simulated market sent, and what became of it: Ticks is Result.Decoded and Lost together.
type Market struct {
	Ticks    uint64  `json:"ticks"`
	Messages uint64  `json:"messages"`
	Late     uint64  `json:"late"`     // ticks sent over a millisecond after they were due
	Lost     uint64  `json:"lost"`     // ticks that NATS or its client dropped before they were decoded
	BehindS  float64 `json:"behind_s"` // how far the market was behind its own clock at the end
}

// String is a line of the table.
func (m *Market) String() string {
	return fmt.Sprintf("market     %d ticks sent in %d messages, %d of them over 1 ms late; %d lost by NATS before they were decoded\n",
		m.Ticks, m.Messages, m.Late, m.Lost)
}

// String returns a short table.
func (r *Result) String() string {
	var b strings.Builder
	rate := 0.0
	if r.ElapsedS > 0 {
		rate = float64(r.Ticks) / r.ElapsedS
	}
	fmt.Fprintf(&b, "ticks      %d in %.1f s (%.0f a second), %d instruments, %d dropped, %d gaps\n",
		r.Ticks, r.ElapsedS, rate, r.Instruments, r.Dropped, r.Gaps)
	fmt.Fprintf(&b, "signals    %d decided, %d not published, %d suppressed while undefined\n",
		r.Signals, r.PublishErrors, r.Suppressed)
	fmt.Fprintf(&b, "refused    %s\n", list(r.Rejected))
	if r.Ignored > 0 || r.Malformed.Sum() > 0 {
		fmt.Fprintf(&b, "input      %d messages ignored, %d malformed: %s\n", r.Ignored, r.Malformed.Sum(), list(r.Malformed))
	}
	fmt.Fprintf(&b, "executor   %s, %s, %d lanes, batches of up to %d\n", r.executor(), r.Mode, r.Lanes, r.Batch)
	fmt.Fprintf(&b, "output     %s\n", r.OutputHash)
	if r.Journal != "" {
		fmt.Fprintf(&b, "journal    %s\n", r.Journal)
	}
	if r.Market != nil {
		b.WriteString(r.Market.String())
	}
	if r.Process != nil {
		fmt.Fprintf(&b, "process    %s\n", r.Process)
	}
	return b.String() + r.LatencyNs.String()
}

// executor describes what ran the program.
func (r *Result) executor() string {
	if r.GPU == nil {
		return r.Executor
	}
	return r.GPU.String()
}

// list writes the counts that are not zero.
func list(counts metrics.Counts) string {
	var parts []string
	for _, c := range counts {
		if c.N > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", c.Name, c.N))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
