package explain

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
)

// Answer is why a tick led to what it led to, on one instrument.
type Answer struct {
	Seq         uint64       `json:"seq"`
	Tick        Tick         `json:"tick"`
	Instrument  string       `json:"instrument"`
	Evaluations []Evaluation `json:"evaluations"` // one a slot: boundaries of clocks first, then the tick's own
	Others      []string     `json:"other_instruments,omitempty"`

	Withdrawn []json.RawMessage `json:"withdrawn,omitempty"` // records of what the tick itself withdraws: a gap, a halt, a kill
}

// Tick is the tick itself.
type Tick struct {
	Kind       string     `json:"kind"`
	Instrument string     `json:"instrument,omitempty"`
	Source     uint16     `json:"source"`
	ExchangeNs int64      `json:"exchange_ns"`
	ReceiveNs  int64      `json:"receive_ns"`
	Flags      uint8      `json:"flags"`
	Values     [4]*Number `json:"values"`
}

func (a *asking) tick() Tick {
	t := &a.place.tick
	out := Tick{
		Kind: t.Kind.String(), Source: t.Source, ExchangeNs: t.ExchangeNs, ReceiveNs: t.ReceiveNs, Flags: uint8(t.Flags),
	}
	if t.Instrument != feed.AllInstruments {
		s := a.place.symbols[t.Instrument]
		out.Instrument = s.Venue + "." + s.Name
	}
	for i, v := range t.F {
		out.Values[i] = numberOf(v)
	}
	return out
}

// complete fills in what is known at the end, or says why nothing is.
func (a *asking) complete() error {
	seen := map[uint32]bool{}
	for _, id := range a.others {
		if s := a.place.symbols[id]; !seen[id] && a.anySignal(s) {
			a.answer.Others = append(a.answer.Others, s.Venue+"."+s.Name)
		}
		seen[id] = true
	}
	if len(a.answer.Evaluations)+len(a.answer.Withdrawn) > 0 {
		return nil
	}
	e := &TickError{Seq: a.question.Seq}
	t := &a.place.tick
	switch {
	case a.none != nil:
		return a.none
	case len(a.answer.Others) > 0:
		e.Reason = fmt.Sprintf("computes nothing on %s", a.answer.Instrument)
		e.Hint = "it does on others: --instrument " + a.answer.Others[0]
	case t.Kind.IsMarketData():
		e.Reason = fmt.Sprintf("is a %s that was not applied: it came later than late_drop allows", t.Kind)
	default:
		e.Reason = fmt.Sprintf("is a %s, on which no signal is computed", t.Kind)
		e.Hint = describe(t)
	}
	return e
}

func (a *asking) anySignal(s feed.Symbol) bool {
	return slices.ContainsFunc(a.config.Signals, func(c config.Signal) bool { return c.Applies(s.Venue, s.Name) })
}

// describe says what a tick without signals does.
func describe(t *feed.Tick) string {
	switch t.Kind {
	case feed.KindGap:
		return "it says that data went missing: open signals are withdrawn and windows start afresh"
	case feed.KindStatus:
		return "it is the instrument's trading state"
	case feed.KindHeartbeat:
		return "it only moves engine time"
	case feed.KindControl:
		return "it is an operator's kill or resume"
	}
	return "ask about a quote or a trade"
}
