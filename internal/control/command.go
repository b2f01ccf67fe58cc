package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/risk"
)

// What is wrong with a request.
var (
	ErrRequest  = errors.New("control: the request cannot be understood")
	ErrUnknown  = errors.New("control: there is none of that name here")
	ErrNoReason = errors.New("control: say why: \"reason\"")
	ErrStep     = errors.New("control: the second step does not fit")
	ErrEffect   = errors.New("control: the engine has not said within a second that it is in force")
)

// codeOf returns an error's code, in the manner of HTTP as services have it.
func codeOf(err error) string {
	switch {
	case errors.Is(err, ErrUnknown):
		return "404"
	case errors.Is(err, ErrStep):
		return "409"
	case errors.Is(err, ErrEffect):
		return "504"
	case errors.Is(err, ErrRequest), errors.Is(err, ErrNoReason), errors.Is(err, engine.ErrCommand):
		return "400"
	}
	return "500"
}

// reasonBytesMax bounds a reason. The rest is cut off.
const reasonBytesMax = 512

// kill stops what the request names; everything, if it cannot be understood.
func (s *Service) kill(r micro.Request) {
	var o Order
	hint := ""
	if len(bytes.TrimSpace(r.Data())) > 0 {
		if err := json.Unmarshal(r.Data(), &o); err != nil {
			o, hint = Order{}, "the request is not JSON, so everything was killed"
		}
	}
	scope, err := config.ParseKill(o.Scope)
	if err != nil {
		scope = config.Kill{Scope: config.KillAll}
		if o.Scope != "" && hint == "" {
			hint = "the scope cannot be understood, so everything was killed"
		}
	}
	s.order(r, VerbKill, feed.ControlKill, scope, o.Reason, hint)
}

// killAll stops everything, whatever the request says.
func (s *Service) killAll(r micro.Request) {
	var o Order
	_ = json.Unmarshal(r.Data(), &o) // only the reason is of use
	s.order(r, VerbKill, feed.ControlKill, config.Kill{Scope: config.KillAll}, o.Reason, "")
}

// resume undoes a kill, a reduce and latches of what the request names.
func (s *Service) resume(r micro.Request) {
	var o Order
	scope, err := config.Kill{}, decode(r.Data(), &o)
	if err == nil {
		if scope, err = config.ParseKill(o.Scope); err != nil {
			err = fmt.Errorf("%w: scope %q: want all, signal:NAME or instrument:venue.symbol", ErrRequest, o.Scope)
		}
	}
	if err == nil && strings.TrimSpace(o.Reason) == "" {
		err = ErrNoReason
	}
	if err != nil {
		s.refuse(r, VerbResume, o.Scope, err)
		return
	}
	s.order(r, VerbResume, feed.ControlResume, scope, o.Reason, "")
}

// decode reads a request that must be understood whole.
func decode(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", ErrRequest, err)
	}
	if decoder.More() {
		return fmt.Errorf("%w: there is more after the object", ErrRequest)
	}
	return nil
}

// refuse answers that nothing was done.
func (s *Service) refuse(r micro.Request, verb, scope string, err error) {
	d := s.done(r, verb, scope)
	d.Error = err.Error()
	s.options.Log.Warn("control: refused", "verb", verb, "scope", scope, "operator", d.Operator, "error", err)
	s.answer(r, &d, err)
}

func (s *Service) done(r micro.Request, verb, scope string) Done {
	latches, _ := s.options.Engine.InForce()
	return Done{
		Who: s.options.Engine.Who(), Verb: verb, Scope: scope, Operator: operatorOf(r.Subject()),
		State: s.options.Engine.Beat().State, Latches: latches,
	}
}

// order gives a command and answers when it is in force.
func (s *Service) order(r micro.Request, verb string, code feed.ControlVerb, scope config.Kill, reason, hint string) {
	c := engine.Command{Verb: code, Scope: feed.ScopeAll, By: operatorOf(r.Subject()), Reason: cut(reason)}
	if c.Reason == "" {
		c.Reason = "none given" // a kill does not wait for one
	}
	switch scope.Scope {
	case config.KillSignal:
		c.Scope, c.Signal = feed.ScopeSignal, s.options.Config.SignalIndex(scope.Signal)
		if c.Signal < 0 {
			s.refuse(r, verb, scope.String(), fmt.Errorf("%w: signal %q", ErrUnknown, scope.Signal))
			return
		}
	case config.KillInstrument:
		c.Scope, c.Symbol = feed.ScopeInstrument, feed.Symbol{Venue: scope.Venue, Name: scope.Symbol}
	}
	in := func(l *risk.Latches) bool { return killed(l, scope) == (code == feed.ControlKill) }
	if err := s.give(c, in); err != nil {
		s.refuse(r, verb, scope.String(), err)
		return
	}
	d := s.done(r, verb, scope.String())
	d.Done, d.Hint = true, hint
	s.options.Log.Warn("control: done", "verb", verb, "scope", scope.String(), "operator", c.By, "reason", c.Reason)
	s.answer(r, &d, nil)
}

// cut shortens a reason to what the journal takes.
func cut(reason string) string {
	reason = strings.TrimSpace(reason)
	return strings.ToValidUTF8(reason[:min(len(reason), reasonBytesMax)], "")
}

// killed reports whether an operator's kill of exactly this scope is in force.
func killed(l *risk.Latches, scope config.Kill) bool {
	switch scope.Scope {
	case config.KillSignal:
		return slices.Contains(l.KillSignals, scope.Signal)
	case config.KillInstrument:
		return slices.Contains(l.Killed, feed.Symbol{Venue: scope.Venue, Name: scope.Symbol})
	}
	return l.KillAll
}

// give sequences a command and waits until the desk says that it is so.
func (s *Service) give(c engine.Command, in func(*risk.Latches) bool) error {
	_, before := s.options.Engine.InForce()
	if err := s.options.Engine.Command(c); err != nil {
		return err
	}
	ticker := time.NewTicker(effectEvery)
	defer ticker.Stop()
	for range int(effectWithin / effectEvery) {
		if latches, told := s.options.Engine.InForce(); told > before && in(&latches) {
			return nil
		}
		<-ticker.C
	}
	return ErrEffect
}

const (
	effectEvery  = time.Millisecond
	effectWithin = time.Second
)
