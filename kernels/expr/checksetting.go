package expr

import (
	"fmt"
	"math"
	"strings"
)

// setting evaluates an argument that must be known now.
func (c *checker) setting(o *Operator, p *Param, e Expr) (Setting, bool) {
	if e == nil {
		return p.defaultSetting(), true
	}
	literal := c.literal(e)
	if n, ok := literal.(*Name); ok && n.Text == "session" {
		return c.sessionSetting(o, p, e)
	}
	if n, ok := unsigned(literal).(*Number); ok && n.Unit.IsDuration() || ok && n.Unit != UnitNone && p.Kind != ParamNumber {
		return c.unitSetting(o, p, e, n, literal != Expr(n))
	}
	ref := c.operand(e, KindNumber)
	if ref == None {
		return Setting{}, false
	}
	value, ok := c.graph.constant(ref)
	switch name, overridden := c.paramIn(ref); {
	case overridden:
		c.fail(e.Where(), "write a signal of its own for those instruments",
			"parameter %s has overrides, and argument %s of %s is the same for all instruments", name, p.Name, o.Name)
		return Setting{}, false
	case !ok:
		c.fail(e.Where(), "write a number, as in "+exampleOf(o, p), "argument %s of %s must be constant", p.Name, o.Name)
		return Setting{}, false
	}
	return c.countSetting(o, p, e, value)
}

// paramIn finds a parameter with overrides among a node's operands.
func (c *checker) paramIn(ref Ref) (name string, found bool) {
	n := &c.graph.Nodes[ref]
	if own, ok := strings.CutPrefix(n.Name, c.env.Self+"."); ok && n.Op == OpParam {
		return own, true
	}
	for _, arg := range n.Args {
		if c.graph.Nodes[arg].Varies {
			continue
		}
		if name, found = c.paramIn(arg); found {
			return name, true
		}
	}
	return "", false
}

func (c *checker) sessionSetting(o *Operator, p *Param, e Expr) (Setting, bool) {
	switch {
	case p.Kind != ParamWindow:
		c.fail(e.Where(), "write "+exampleOf(o, p), "session is a window, and argument %s of %s is none", p.Name, o.Name)
	case !p.Anchored:
		c.fail(e.Where(), "write a number of samples or a duration, as in 20 or 2s", "%s cannot be over a session", o.Name)
	case c.env.NoSession:
		c.fail(e.Where(), `add session: {reset: "17:00", zone: "America/New_York"} to the configuration`, "no session is configured")
	default:
		return Setting{Session: true}, true
	}
	return Setting{}, false
}

// unsigned looks under signs, so that -2s is reported as a duration that is not positive.
func unsigned(e Expr) Expr {
	for {
		u, ok := e.(*Unary)
		if !ok || u.Op == "not" {
			return e
		}
		e = u.Operand
	}
}

func exampleOf(o *Operator, p *Param) string {
	switch p.Kind {
	case ParamInteger:
		return fmt.Sprintf("%s=%d", p.Name, p.Max)
	case ParamDuration:
		return p.Name + "=2s"
	case ParamNumber:
		return p.Name + "=" + numberText(max(p.DefaultNumber, p.Least))
	}
	return o.Name + "(…, 20)"
}

func (c *checker) unitSetting(o *Operator, p *Param, e Expr, n *Number, signed bool) (Setting, bool) {
	switch {
	case p.Kind == ParamNumber:
		c.fail(e.Where(), "write "+exampleOf(o, p), "argument %s of %s is a number, and this is a duration", p.Name, o.Name)
	case !n.Unit.IsDuration() && p.Kind == ParamDuration:
		c.fail(e.Where(), "write "+exampleOf(o, p), "%s is not a duration", n.Text)
	case !n.Unit.IsDuration() && p.Kind == ParamWindow:
		c.fail(e.Where(), "write a number of samples or a duration, as in 20 or 2s", "%s is not a window", n.Text)
	case p.Kind == ParamSamples:
		c.fail(e.Where(), "write a whole number, as in 20", "argument %s of %s is a number of samples, and this has a unit", p.Name, o.Name)
	case p.Kind == ParamInteger:
		c.fail(e.Where(), "", "argument %s of %s is a whole number without a unit", p.Name, o.Name)
	case n.DurationNs <= 0 || signed:
		c.fail(e.Where(), "write a duration above 0, as in 2s", "%s must be positive", whatIs(p))
	case n.DurationNs > MaxDurationNs:
		c.fail(e.Where(), "the limit is "+durationText(MaxDurationNs), "%s is too long", whatIs(p))
	default:
		return Setting{DurationNs: n.DurationNs}, true
	}
	return Setting{}, false
}

// whatIs names a setting that may be a duration.
func whatIs(p *Param) string {
	if p.Kind == ParamDuration {
		return "duration"
	}
	return "window"
}

func (c *checker) countSetting(o *Operator, p *Param, e Expr, value float64) (Setting, bool) {
	if p.Kind == ParamInteger {
		if value != math.Trunc(value) || value < float64(p.Min) || value > float64(p.Max) {
			c.fail(e.Where(), "", "argument %s of %s must be a whole number from %d to %d", p.Name, o.Name, p.Min, p.Max)
			return Setting{}, false
		}
		return Setting{Count: int64(value)}, true
	}
	if p.Kind == ParamNumber {
		return c.numberSetting(o, p, e, value)
	}
	switch {
	case p.Kind == ParamDuration:
		c.fail(e.Where(), "write it with a unit, as in "+exampleOf(o, p), "argument %s of %s is a duration", p.Name, o.Name)
	case value <= 0:
		c.fail(e.Where(), "write 1 or more samples", "window must be positive")
	case value != math.Trunc(value):
		hint := "write a whole number of samples"
		if p.Kind == ParamWindow {
			hint += ", or a duration, as in 2s"
		}
		c.fail(e.Where(), hint, "window must be a whole number of samples")
	case value > float64(c.env.SampleLimit):
		c.fail(e.Where(), "use fewer samples, or a duration", "window is too large: the limit is %d samples", c.env.SampleLimit)
	case value < float64(p.Min):
		c.fail(e.Where(), "", "%s needs a window of at least %d samples", o.Name, p.Min)
	default:
		return Setting{Count: int64(value)}, true
	}
	return Setting{}, false
}

func (c *checker) numberSetting(o *Operator, p *Param, e Expr, value float64) (Setting, bool) {
	if bounded := p.Least != 0 || p.Most != 0; bounded && (value < p.Least || value > p.Most) {
		c.fail(e.Where(), "", "argument %s of %s must be from %s to %s", p.Name, o.Name, numberText(p.Least), numberText(p.Most))
		return Setting{}, false
	}
	return Setting{Number: value}, true
}
