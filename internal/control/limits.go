package control

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/risk"
)

// changes are loosenings that wait for their second step.
type changes struct {
	mutex   sync.Mutex
	waiting []waiting
}

// waiting is the first step of one.
type waiting struct {
	limit    feed.Limit
	value    float64
	operator string
	untilNs  int64
}

// waitingMax bounds first steps. The oldest gives way.
const waitingMax = 64

// ask notes a first step.
func (c *changes) ask(w waiting) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.waiting = slices.DeleteFunc(c.waiting, func(o waiting) bool { return o.limit == w.limit && o.value == w.value && o.operator == w.operator })
	if len(c.waiting) == waitingMax {
		c.waiting = c.waiting[1:]
	}
	c.waiting = append(c.waiting, w)
}

// confirm takes the first step that fits a second, and returns who took it.
func (c *changes) confirm(limit feed.Limit, value float64, operator string, people bool, nowNs int64) (string, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.waiting = slices.DeleteFunc(c.waiting, func(w waiting) bool { return w.untilNs < nowNs })
	for i, w := range c.waiting {
		if w.limit != limit || w.value != value || people && w.operator == operator {
			continue
		}
		c.waiting = slices.Delete(c.waiting, i, i+1)
		return w.operator, nil
	}
	who := "nobody"
	if people {
		who = "no other operator"
	}
	return "", fmt.Errorf("%w: %s has asked for %s=%v within the time; ask first, without confirm", ErrStep, who, limit, value)
}

// setLimit tightens a limit at once, and loosens one in two steps.
func (s *Service) setLimit(r micro.Request) {
	var c Change
	err := decode(r.Data(), &c)
	limit, known := feed.ParseLimit(c.Limit)
	text := fmt.Sprintf("%s=%v", c.Limit, c.Value)
	switch {
	case err != nil:
	case !known:
		err = fmt.Errorf("%w: limit %q; want one of %s", ErrUnknown, c.Limit, strings.Join(limitNames(), ", "))
	case !(c.Value >= 0) || math.IsInf(c.Value, 0):
		err = fmt.Errorf("%w: a limit of %v", ErrRequest, c.Value)
	case strings.TrimSpace(c.Reason) == "":
		err = ErrNoReason
	case s.off(limit):
		err = fmt.Errorf("%w: %s is off in the configuration; what is off cannot be tightened while running", ErrRequest, limit)
	}
	if err != nil {
		s.refuse(r, VerbLimits, text, err)
		return
	}
	command := engine.Command{
		Verb: feed.ControlTighten, Scope: feed.ScopeAll, Limit: limit, Value: c.Value, By: operatorOf(r.Subject()), Reason: cut(c.Reason),
	}
	latches, _ := s.options.Engine.InForce()
	if now := tightenedTo(&latches, limit); now > 0 && (c.Value == 0 || c.Value > now) {
		s.loosen(r, &c, command, now)
		return
	}
	s.change(r, text, command)
}

// loosen takes either step.
func (s *Service) loosen(r micro.Request, c *Change, command engine.Command, now float64) {
	k := &s.options.Config.Control
	text, people := fmt.Sprintf("%s=%v", c.Limit, c.Value), k.Loosen == config.LoosenPeople
	nowNs := s.options.Engine.NowNs()
	if c.Confirm {
		asked, err := s.changes.confirm(command.Limit, c.Value, command.By, people, nowNs)
		if err != nil {
			s.refuse(r, VerbLimits, text, err)
			return
		}
		command.By += ", asked by " + asked
		s.change(r, text, command)
		return
	}
	s.changes.ask(waiting{limit: command.Limit, value: c.Value, operator: command.By, untilNs: nowNs + int64(k.Confirm)})
	d := s.done(r, VerbLimits, text)
	d.Pending = true
	who := "you or another operator"
	if people {
		who = "another operator"
	}
	d.Hint = fmt.Sprintf("%s is tightened to %v, and this would loosen it: %s confirms within %v", command.Limit, now, who, k.Confirm)
	s.options.Log.Warn("control: a limit is to be loosened", "limit", text, "operator", command.By, "reason", command.Reason)
	s.answer(r, &d, nil)
}

// change puts a limit in force.
func (s *Service) change(r micro.Request, text string, command engine.Command) {
	in := func(l *risk.Latches) bool { return tightenedTo(l, command.Limit) == command.Value }
	if err := s.give(command, in); err != nil {
		s.refuse(r, VerbLimits, text, err)
		return
	}
	d := s.done(r, VerbLimits, text)
	d.Done = true
	s.options.Log.Warn("control: done", "verb", VerbLimits, "limit", text, "operator", command.By, "reason", command.Reason)
	s.answer(r, &d, nil)
}

// limits tells them.
func (s *Service) limits(r micro.Request) {
	latches, _ := s.options.Engine.InForce()
	a := Limits{Who: s.options.Engine.Who(), Loosen: string(s.options.Config.Control.Loosen)}
	for l := feed.Limit(1); l < feed.LimitCount; l++ {
		configured, tightened := configuredLimit(&s.options.Config.Risk, l), tightenedTo(&latches, l)
		effective := configured
		if configured > 0 && tightened > 0 {
			effective = min(configured, tightened)
		}
		a.Limits = append(a.Limits, Limit{Limit: l.String(), Unit: limitUnits[l], Configured: configured, Tightened: tightened, Effective: effective})
	}
	s.answer(r, &a, nil)
}

var limitUnits = [feed.LimitCount]string{
	"", "seconds", "absolute value", "of the middle", "of the reference", "of the price", "a second", "a second", "units", "money", "money",
}

func limitNames() (names []string) {
	for l := feed.Limit(1); l < feed.LimitCount; l++ {
		names = append(names, l.String())
	}
	return names
}

// tightenedTo returns what operators made of a limit, 0 if it is as configured.
func tightenedTo(l *risk.Latches, limit feed.Limit) float64 {
	for _, t := range l.Tightened {
		if t.Limit == limit.String() {
			return t.Value
		}
	}
	return 0
}

// off reports whether a limit is off for every signal and instrument.
func (s *Service) off(limit feed.Limit) bool {
	r := &s.options.Config.Risk
	return r.Gates == config.Off || configuredLimit(r, limit) == 0 && len(r.Overrides) == 0
}

// configuredLimit returns a limit of the configuration, for what no override changes; 0 if it is off.
func configuredLimit(r *config.Risk, limit feed.Limit) float64 {
	switch limit {
	case feed.LimitStale:
		return r.Stale.Seconds()
	case feed.LimitValue:
		return r.ValueMax
	case feed.LimitSpread:
		return r.Spread
	case feed.LimitCollar:
		return r.Collar
	case feed.LimitVelocity:
		return r.Velocity
	case feed.LimitRate:
		return float64(r.Rate)
	case feed.LimitRateTotal:
		return float64(r.RateTotal)
	case feed.LimitPosition:
		return r.Position
	case feed.LimitGross:
		return r.Budget.Gross
	case feed.LimitNet:
		return r.Budget.Net
	}
	return 0
}

// ParseChange reads `spread=2pct`, `stale=500ms`, `rate=100` or `spread=off`, which lifts what was tightened.
func ParseChange(text string) (Change, error) {
	name, value, ok := strings.Cut(text, "=")
	limit, known := feed.ParseLimit(name)
	if !ok || !known {
		return Change{}, fmt.Errorf("%w: %q: want NAME=VALUE with a name of %s", ErrRequest, text, strings.Join(limitNames(), ", "))
	}
	v, err := parseLimitValue(limit, value)
	if err != nil {
		return Change{}, fmt.Errorf("%w: %q: %w", ErrRequest, text, err)
	}
	return Change{Limit: name, Value: v}, nil
}

func parseLimitValue(limit feed.Limit, text string) (float64, error) {
	if text == config.OffWord {
		return 0, nil
	}
	if d, err := time.ParseDuration(text); limit == feed.LimitStale && err == nil && d > 0 {
		return d.Seconds(), nil
	}
	scale := 1.0
	for suffix, by := range map[string]float64{"pct": 1e-2, "bp": 1e-4} { // order-free: no text has both
		if rest, ok := strings.CutSuffix(text, suffix); ok && limit >= feed.LimitSpread && limit <= feed.LimitVelocity {
			text, scale = rest, by
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("the value is no number above 0 (and the word %s lifts what was tightened)", config.OffWord)
	}
	return cmp.Or(float64(v*scale), v), nil
}
