package control

import (
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/risk"
)

// Version is that of all messages here. Fields are only added.
const Version = 1

// Who says which instance of the engine speaks.
type Who struct {
	Version    int    `json:"version"`
	Partition  string `json:"partition"`
	Instance   string `json:"instance"`
	Epoch      uint64 `json:"epoch,string"` // when this run began, Unix nanoseconds
	Build      string `json:"build"`
	Generation uint32 `json:"generation"`
	ConfigHash string `json:"config_hash"`
}

// Beat is a heartbeat: enough for a router to withdraw its orders when it is silent, stopped or halted.
type Beat struct {
	Who
	Number   uint64 `json:"number,string"`   // from 1 in a run
	AtNs     int64  `json:"at_ns,string"`    // by the engine's clock
	Sequence uint64 `json:"sequence,string"` // of the last tick sequenced
	Signals  uint64 `json:"signals,string"`  // decided
	State    string `json:"state"`           // active, reducing or halted; stopped in the last one
	InForce  bool   `json:"in_force"`        // something is killed, reduced, latched or tightened
}

// Stopped is the state of the last heartbeat of a run that ends in good order.
const Stopped = "stopped"

// Status is what an instance tells of itself.
type Status struct {
	Who
	UptimeS       float64           `json:"uptime_s"`
	Executor      string            `json:"executor"`
	GPU           *metrics.GPU      `json:"gpu,omitempty"` // devices
	Mode          string            `json:"mode"`
	Lanes         int               `json:"lanes"`
	Sequence      uint64            `json:"sequence,string"` // of the last tick sequenced
	Journaled     uint64            `json:"journaled,string"`
	Ticks         uint64            `json:"ticks,string"`   // without heartbeats
	Signals       uint64            `json:"signals,string"` // decided
	Instruments   uint64            `json:"instruments"`
	Dropped       uint64            `json:"dropped"`
	Gaps          uint64            `json:"gaps"`
	Malformed     uint64            `json:"malformed"`
	Suppressed    uint64            `json:"suppressed"`
	PublishErrors uint64            `json:"publish_errors"`
	Rejected      map[string]uint64 `json:"rejected"` // by gate, those that refused
	State         string            `json:"state"`
	InForce       risk.Latches      `json:"in_force"`     // by operators, and what latched
	ConfigKills   []string          `json:"config_kills"` // by configuration
	Facts         []string          `json:"facts"`        // gates that a fact closes now
	Input         bool              `json:"input_connected"`
	Output        bool              `json:"output_connected"`
	Journal       string            `json:"journal,omitempty"` // folder
}

// Order asks for a kill or a resume.
type Order struct {
	Scope  string `json:"scope"` // all, signal:NAME or instrument:venue.symbol
	Reason string `json:"reason"`
}

// Change asks for another limit.
type Change struct {
	Limit   string  `json:"limit"`   // such as spread
	Value   float64 `json:"value"`   // 0: as configured
	Confirm bool    `json:"confirm"` // the second step of loosening
	Reason  string  `json:"reason"`
}

// Done answers an order or a change.
type Done struct {
	Who
	Verb     string       `json:"verb"`
	Scope    string       `json:"scope"` // of a change: limit=value
	Operator string       `json:"operator"`
	Done     bool         `json:"done"`              // the desk has said that it is so
	Pending  bool         `json:"pending,omitempty"` // the second step is needed
	Hint     string       `json:"hint,omitempty"`
	State    string       `json:"state"`
	Latches  risk.Latches `json:"in_force"`
	Error    string       `json:"error,omitempty"`
}

// Limits tells the limits that can be tightened while running.
type Limits struct {
	Who
	Limits []Limit `json:"limits"`
	Loosen string  `json:"loosen"` // who confirms: steps or people
}

// Limit is one of them. 0 is off.
type Limit struct {
	Limit      string  `json:"limit"`
	Unit       string  `json:"unit"`
	Configured float64 `json:"configured"` // for signals and instruments without an override
	Tightened  float64 `json:"tightened"`
	Effective  float64 `json:"effective"`
}

// ConfigAnswer is the effective configuration. There are no secrets in one.
type ConfigAnswer struct {
	Who
	Config string `json:"config"`
}

// Question asks how a signal is computed, or what became of one.
type Question struct {
	Signal string `json:"signal"`     // empty: all
	Seq    uint64 `json:"seq,string"` // of a signal's record: how to ask for it
}

// Explanation answers it.
type Explanation struct {
	Who
	Text    string `json:"text,omitempty"`
	Command string `json:"command,omitempty"` // what to run where the journal is
	Error   string `json:"error,omitempty"`
}
