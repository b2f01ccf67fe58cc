package expr

import (
	"fmt"
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
	if ref, isWord := c.word(e); isWord {
		return ref
	}
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
		return c.neverSteps(e, o, ref)
	}
	return ref
}

// neverSteps reports an operator with state whose arguments are never fresh.
func (c *checker) neverSteps(e *Call, o *Operator, ref Ref) Ref {
	if i, ok := c.remoteIn(ref); ok {
		return c.fail(e.Span, "write of("+i.String()+", "+o.Name+"(…)), or add the instrument to on",
			"%s never steps: ticks of %s do not evaluate this signal", o.Name, i)
	}
	return c.fail(e.Span, "it steps when its argument is updated, and constants never are", "%s of constants never has a value", o.Name)
}

func (c *checker) unknownFunction(e *Call) Ref {
	if c.catalogue.fields[e.Function] {
		return c.fail(e.FunctionSpan, "write "+e.Function, "%s is a field and takes no arguments", e.Function)
	}
	if _, ok := c.env.Names[e.Function]; ok || e.Function == "value" {
		return c.fail(e.FunctionSpan, "write "+e.Function, "%s is a signal's value and takes no arguments", e.Function)
	}
	if _, ok := c.env.Params[e.Function]; ok || c.env.Lets.find(e.Function) != nil {
		return c.fail(e.FunctionSpan, "write "+e.Function, "%s is a name and takes no arguments", e.Function)
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
	if n, ok := c.literal(e).(*Number); ok && n.Unit.IsDuration() {
		return c.fail(e.Where(), hintDuration, "a duration does not fit here: argument %s of %s is a %s", p.Name, o.Name, want)
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
