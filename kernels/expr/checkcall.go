package expr

import (
	"fmt"
	"math"
	"slices"
)

// node adds a call; the fields that the operator reads by itself come first among its arguments.
func (c *checker) node(o *Operator, args []Ref, settings []Setting) Ref {
	n := Node{Op: OpCall, Kind: o.Result, Name: o.Name, Settings: settings, Stateful: o.Stateful}
	for _, field := range o.Reads {
		n.Args = append(n.Args, c.field(field))
	}
	n.Args = append(n.Args, args...)
	if o.Stateful {
		n.Gap = c.env.Gap
	}
	return c.graph.intern(n)
}

func (c *checker) call(e *Call) Ref {
	o := c.catalogue.operators[e.Function]
	if o == nil {
		return c.unknownFunction(e)
	}
	given, ok := c.match(e, o)
	if !ok {
		c.visitAll(e, o)
		return None
	}
	var args []Ref
	var settings []Setting
	for i := range o.Params {
		p := &o.Params[i]
		switch p.Kind {
		case ParamSeries, ParamCondition:
			ref := c.argument(o, p, given[i])
			ok = ok && ref != None
			args = append(args, ref)
		default:
			s, fine := c.setting(o, p, given[i])
			ok = ok && fine
			settings = append(settings, s)
		}
	}
	if !ok {
		return None
	}
	if o.Restrict != nil {
		if message := o.Restrict(settings); message != "" {
			return c.fail(e.Span, "", "%s", message)
		}
	}
	ref := c.node(o, args, settings)
	if o.Stateful && !c.graph.Nodes[ref].Varies {
		return c.fail(e.Span, "it steps when its argument is updated, and constants never are", "%s of constants never has a value", o.Name)
	}
	return ref
}

func (c *checker) unknownFunction(e *Call) Ref {
	if c.catalogue.fields[e.Function] {
		return c.fail(e.FunctionSpan, "write "+e.Function, "%s is a field and takes no arguments", e.Function)
	}
	if _, ok := c.env.Names[e.Function]; ok || e.Function == "value" {
		return c.fail(e.FunctionSpan, "write "+e.Function, "%s is a signal's value and takes no arguments", e.Function)
	}
	for _, a := range e.Args {
		if n, ok := a.Value.(*Number); !ok || !n.Unit.IsDuration() {
			c.visit(a.Value)
		}
	}
	return c.fail(e.FunctionSpan, didYouMean(e.Function, c.catalogue.functions), "unknown operator %s", quoteShort(e.Function))
}

// visitAll reports mistakes inside arguments whose places are unclear; literals are left alone.
func (c *checker) visitAll(e *Call, o *Operator) {
	for i, a := range e.Args {
		if _, ok := a.Value.(*Number); ok {
			continue
		}
		if a.Name == "" && i < len(o.Params) && o.Params[i].Kind.IsSetting() {
			continue
		}
		c.visit(a.Value)
	}
}

// match gives each parameter its argument, nil for an optional one left out.
func (c *checker) match(e *Call, o *Operator) (given []Expr, ok bool) {
	given = make([]Expr, len(o.Params))
	before := len(c.errors)
	for i, a := range e.Args {
		at := i
		if a.Name != "" {
			at = slices.IndexFunc(o.Params, func(p Param) bool { return p.Name == a.Name })
			if at < 0 {
				c.unknownArgument(o, a)
				continue
			}
		}
		if at >= len(o.Params) {
			c.fail(a.Value.Where(), "write "+o.Usage(), "%s takes %s, not %d", o.Name, arguments(o), len(e.Args))
			return nil, false
		}
		if given[at] != nil {
			c.fail(a.NameSpan, "", "argument %s of %s is given twice", a.Name, o.Name)
			continue
		}
		given[at] = a.Value
	}
	if len(c.errors) > before {
		return nil, false
	}
	for i, p := range o.Params {
		if given[i] == nil && !p.Optional {
			c.fail(e.Span, "write "+o.Usage(), "%s needs its argument %s", o.Name, p.Name)
			return nil, false
		}
	}
	return given, true
}

func (c *checker) unknownArgument(o *Operator, a Argument) {
	names := make([]string, len(o.Params))
	for i, p := range o.Params {
		names[i] = p.Name
	}
	hint := didYouMean(a.Name, names)
	if hint == "" {
		hint = "write " + o.Usage()
	}
	c.fail(a.NameSpan, hint, "%s has no argument named %s", o.Name, quoteShort(a.Name))
}

// arguments counts an operator's parameters in words.
func arguments(o *Operator) string {
	most, least := len(o.Params), o.required()
	switch {
	case most == 0:
		return "no arguments"
	case most == 1:
		return "1 argument"
	case least < most:
		return fmt.Sprintf("%d to %d arguments", least, most)
	}
	return fmt.Sprintf("%d arguments", most)
}

func (c *checker) argument(o *Operator, p *Param, e Expr) Ref {
	want := KindNumber
	if p.Kind == ParamCondition {
		want = KindCondition
	}
	if n, ok := e.(*Number); ok && n.Unit.IsDuration() {
		return c.fail(n.Span, hintDuration, "a duration does not fit here: argument %s of %s is a %s", p.Name, o.Name, want)
	}
	ref := c.visit(e)
	if ref == None || c.graph.Nodes[ref].Kind == want {
		return ref
	}
	if want == KindCondition {
		return c.fail(e.Where(), hintCompare, "argument %s of %s is a condition, and this is a number", p.Name, o.Name)
	}
	return c.fail(e.Where(), hintWhere, "argument %s of %s is a number, and this is a condition", p.Name, o.Name)
}

// setting evaluates an argument that must be known now.
func (c *checker) setting(o *Operator, p *Param, e Expr) (Setting, bool) {
	if e == nil {
		return Setting{Count: p.Default}, true
	}
	if n, ok := unsigned(e).(*Number); ok && n.Unit != UnitNone {
		return c.unitSetting(o, p, e, n)
	}
	ref := c.operand(e, KindNumber)
	if ref == None {
		return Setting{}, false
	}
	value, ok := c.graph.constant(ref)
	if !ok {
		c.fail(e.Where(), "write a number, as in "+exampleOf(o, p), "argument %s of %s must be constant", p.Name, o.Name)
		return Setting{}, false
	}
	return c.countSetting(o, p, e, value)
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
	if p.Kind == ParamInteger {
		return fmt.Sprintf("%s=%d", p.Name, p.Max)
	}
	return o.Name + "(…, 20)"
}

func (c *checker) unitSetting(o *Operator, p *Param, e Expr, n *Number) (Setting, bool) {
	switch {
	case !n.Unit.IsDuration() && p.Kind == ParamWindow:
		c.fail(e.Where(), "write a number of samples or a duration, as in 20 or 2s", "%s is not a window", n.Text)
	case p.Kind == ParamSamples:
		c.fail(e.Where(), "write a whole number, as in 20", "argument %s of %s is a number of samples, and this has a unit", p.Name, o.Name)
	case p.Kind == ParamInteger:
		c.fail(e.Where(), "", "argument %s of %s is a whole number without a unit", p.Name, o.Name)
	case n.DurationNs <= 0 || e != Expr(n):
		c.fail(e.Where(), "write a duration above 0, as in 2s", "window must be positive")
	case n.DurationNs > MaxDurationNs:
		c.fail(e.Where(), "the limit is "+durationText(MaxDurationNs), "window is too long")
	default:
		return Setting{DurationNs: n.DurationNs}, true
	}
	return Setting{}, false
}

func (c *checker) countSetting(o *Operator, p *Param, e Expr, value float64) (Setting, bool) {
	if p.Kind == ParamInteger {
		if value != math.Trunc(value) || value < float64(p.Min) || value > float64(p.Max) {
			c.fail(e.Where(), "", "argument %s of %s must be a whole number from %d to %d", p.Name, o.Name, p.Min, p.Max)
			return Setting{}, false
		}
		return Setting{Count: int64(value)}, true
	}
	switch {
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
