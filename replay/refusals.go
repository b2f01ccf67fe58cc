package replay

import (
	"math/bits"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/risk"
	"github.com/sigengine/sigengine/signal"
)

// Refused is what one gate makes of one signal over a journal.
type Refused struct {
	Gate        risk.Gate
	Signal      string
	Count       uint64 // enters and updates that it refuses, whether or not another gate refuses them first
	Reason      uint64 // those of which it is the first to refuse
	First, Last RefusedAt
}

// RefusedAt is one enter or update that a gate refuses.
type RefusedAt struct {
	Run      uint64
	Sequence uint64 // of the tick
	EngineNs int64
	Symbol   feed.Symbol
	Action   signal.Action
	Value    float64
	Bid, Ask float64
}

// Refusals is what gates make of a journal.
type Refusals struct {
	Result  Result
	Passed  uint64    // enters and updates that every gate lets pass
	Refused []Refused // in the order in which gates are asked, then of signals; those that refuse nothing are not in it
	Asked   []risk.Gate
	Off     []risk.Gate // no signal is asked
}

// PlayRefusals replays a journal and asks every gate about every enter and update. It is slower than Play.
func PlayRefusals(store journal.Store, options Options) (Refusals, error) {
	w := &refusals{asked: map[risk.Gate]bool{}, of: map[refusalKey]*Refused{}}
	prepare, begin := options.Prepare, options.Begin
	options.Begin = func(run uint64) {
		w.run = run
		if begin != nil {
			begin(run)
		}
	}
	options.Prepare = func(c *config.Config, e *engine.Config, ports *engine.Ports) error {
		for i := range e.Desk.Rules {
			w.note(e.Desk.Rules[i].Name)
		}
		ports.Observe = w.observe
		if prepare != nil {
			return prepare(c, e, ports)
		}
		return nil
	}
	result, err := Play(store, options)
	return w.report(result), err
}

type refusalKey struct {
	gate   risk.Gate
	signal string
}

type refusals struct {
	run     uint64
	signals []string // in the order first met
	asked   map[risk.Gate]bool
	of      map[refusalKey]*Refused
	passed  uint64
}

func (w *refusals) note(name string) {
	for _, known := range w.signals {
		if known == name {
			return
		}
	}
	w.signals = append(w.signals, name)
}

// observe asks about what fired at an event.
func (w *refusals) observe(o engine.Observation) {
	if !o.HasSlot() {
		return
	}
	for left := o.Fired.When; left != 0; left &= left - 1 {
		x := o.Explain(bits.TrailingZeros64(left))
		if x.Exit && x.Open {
			continue // an exit
		}
		if x.Refused == risk.GateNone {
			w.passed++
		}
		for _, gate := range risk.Order {
			v := x.Verdicts[gate]
			w.asked[gate] = w.asked[gate] || v.Asked
			if v.Refuses {
				w.refuse(&o, &x, gate)
			}
		}
	}
}

func (w *refusals) refuse(o *engine.Observation, x *risk.Explanation, gate risk.Gate) {
	at := RefusedAt{
		Run: w.run, Sequence: o.Event.Sequence, EngineNs: o.Event.EngineNs, Symbol: o.Desk.Symbol(o.Event.Instrument),
		Action: signal.ActionEnter, Value: x.Value, Bid: x.Bid, Ask: x.Ask,
	}
	if x.Open {
		at.Action = signal.ActionUpdate
	}
	key := refusalKey{gate, x.Signal}
	r := w.of[key]
	if r == nil {
		r = &Refused{Gate: gate, Signal: x.Signal, First: at}
		w.of[key] = r
	}
	r.Count++
	r.Last = at
	if x.Refused == gate {
		r.Reason++
	}
}

func (w *refusals) report(result Result) Refusals {
	out := Refusals{Result: result, Passed: w.passed}
	for _, gate := range risk.Order {
		if w.asked[gate] {
			out.Asked = append(out.Asked, gate)
		} else {
			out.Off = append(out.Off, gate)
		}
		for _, name := range w.signals {
			if r := w.of[refusalKey{gate, name}]; r != nil {
				out.Refused = append(out.Refused, *r)
			}
		}
	}
	return out
}
