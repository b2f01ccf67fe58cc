package risk

import (
	"fmt"
	"math"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// apply takes an event and what fired at it; rows give value and side of each signal.
func (n *naive) apply(e Event, fired Fired, rows func(sig int) (value, side float64)) {
	n.events = append(n.events, e)
	switch e.Kind {
	case feed.KindGap:
		n.withdraw(&e, signal.ReasonGap, func(id, _ int) bool { return n.concerns(&e, id) })
	case feed.KindStatus:
		if s := feed.Status(e.F[0]); s == feed.StatusHalt || s == feed.StatusClose {
			n.withdraw(&e, signal.ReasonHalt, func(id, _ int) bool { return n.concerns(&e, id) })
		}
	case feed.KindControl:
		n.control(&e)
	}
	if n.measure(&e) && n.stoppedAt <= n.stopResumed {
		n.stoppedAt = len(n.events)
		n.withdraw(&e, signal.ReasonDrawdown, func(int, int) bool { return true })
	}
	for sig := range n.config.Rules {
		if (fired.When|fired.Exit)>>sig&1 != 0 {
			value, side := rows(sig)
			n.fire(e, sig, fired.When>>sig&1 != 0, fired.Exit>>sig&1 != 0, value, side)
		}
	}
}

func (n *naive) control(e *Event) {
	scope := feed.ControlScope(e.F[1])
	covers := func(id, sig int) bool {
		return scope == feed.ScopeAll || scope == feed.ScopeInstrument && int(e.Instrument) == id || scope == feed.ScopeSignal && int(e.F[2]) == sig
	}
	switch feed.ControlVerb(e.F[0]) {
	case feed.ControlKill:
		n.withdraw(e, signal.ReasonKill, covers)
	case feed.ControlResume:
		if scope == feed.ScopeAll && e.F[3] > 0 && n.stoppedAt > n.stopResumed {
			n.stopResumed = len(n.events)
			_, _, profit, _ := n.totals()
			n.peak, n.dayBase = profit, profit
		}
	}
}

func (n *naive) fire(e Event, sig int, when, exit bool, value, side float64) {
	id, rule := int(e.Instrument), n.config.Rules[sig]
	q := naiveAsk{e: e, id: id, sig: sig, rule: rule, l: n.limits(sig, id), open: n.isOpen(id, sig, e.EngineNs), value: value, side: side}
	d := naiveDecision{at: len(n.events), id: id, sig: sig, ns: e.EngineNs, value: value, side: side}
	if exit && q.open {
		d.action = signal.ActionExit
		switch {
		case naiveGates[GateSequence](n, q):
			d.gate = GateSequence
		case !n.isFinite(value):
			n.note(naiveDecision{at: d.at, id: id, sig: sig, gate: GateValue, action: signal.ActionExit}, "")
			d.action = signal.ActionWithdraw
		}
		n.note(d, "")
		return
	}
	if !when {
		return
	}
	d.action = signal.ActionEnter
	if q.open {
		d.action = signal.ActionUpdate
	}
	d.opened = !q.open && rule.opens()
	d.until = e.EngineNs + rule.ExpiresNs
	set := n.config.gatesOf(&rule, &q.l)
	for _, gate := range Order {
		if set.has(gate) && naiveGates[gate](n, q) {
			d.gate = gate
			break
		}
	}
	n.note(d, "")
}

// withdraw closes what is open and covered, in the order of names and then of signals.
func (n *naive) withdraw(e *Event, reason signal.Reason, covers func(id, sig int) bool) {
	for _, id := range n.byName() {
		for sig := range n.config.Rules {
			if !covers(id, sig) || !n.isOpen(id, sig, e.EngineNs) {
				continue
			}
			d := naiveDecision{at: len(n.events), id: id, sig: sig, action: signal.ActionWithdraw, ns: e.EngineNs, value: math.NaN()}
			if naiveGates[GateSequence](n, naiveAsk{e: *e}) {
				d.gate = GateSequence
			}
			n.note(d, " "+reason.String())
		}
	}
}

// note keeps a decision or a refusal.
func (n *naive) note(d naiveDecision, reason string) {
	n.log = append(n.log, d)
	if d.gate != GateNone {
		n.refused[d.gate]++
		n.out = append(n.out, fmt.Sprintf("%d: %s of %d refused %s", d.id, d.action, d.sig, d.gate))
		return
	}
	if d.action == signal.ActionWithdraw && reason == "" {
		reason = " " + signal.ReasonValue.String()
	}
	n.out = append(n.out, fmt.Sprintf("%d: %s of %d%s", d.id, d.action, d.sig, reason))
}
