package expr

import "slices"

// name gives a name its meaning: fields and operators first, then the signal's own names, lets, earlier signals.
func (c *checker) name(e *Name) Ref {
	if c.catalogue.fields[e.Text] {
		return c.field(e.Text)
	}
	if o := c.catalogue.operators[e.Text]; o != nil {
		if len(o.Params) > 0 {
			return c.fail(e.Span, "", "%s is an operator and needs arguments: %s", e.Text, o.Usage())
		}
		return c.node(o, nil, nil)
	}
	if e.Text == "value" {
		return c.value(e)
	}
	if p, ok := c.env.Params[e.Text]; ok {
		return c.param(e, p)
	}
	if let := c.env.Lets.find(e.Text); let != nil {
		return c.let(e, let)
	}
	if ref, ok := c.env.Names[e.Text]; ok {
		if c.remote != nil {
			return c.fail(e.Span, "of takes fields and lets; put what both need into let",
				"signal %s cannot be used inside of: it is not computed on ticks of %s", e.Text, c.remote)
		}
		return c.sampled(unbroken(ref))
	}
	return c.unknownName(e)
}

// value is the signal's own value.
func (c *checker) value(e *Name) Ref {
	switch {
	case c.remote != nil:
		return c.fail(e.Span, "of takes fields and lets", "value cannot be used inside of: it is not computed on ticks of %s", c.remote)
	case c.env.Value == None:
		return c.fail(e.Span, "value is for when, exit, side and strength", "value cannot be used in %s", c.env.Part)
	}
	return c.sampled(unbroken(c.env.Value))
}

func unbroken(ref Ref) Ref {
	if ref == Broken {
		return None
	}
	return ref
}

func (c *checker) field(name string) Ref {
	return c.sampled(c.graph.intern(Node{Op: OpField, Kind: KindNumber, Name: name}))
}

// sampled is what a clock sees of a node: its value, fresh at the boundaries only. Without a clock it is the node.
func (c *checker) sampled(ref Ref) Ref {
	if ref == None || c.env.ClockNs == 0 {
		return ref
	}
	return c.graph.intern(Node{Op: OpSampled, Kind: KindNumber, PeriodNs: c.env.ClockNs, Args: []Ref{ref}})
}

// param is a parameter used as a number.
func (c *checker) param(e *Name, p *Constant) Ref {
	p.Used = true
	switch {
	case p.Broken:
		return None
	case p.DurationNs > 0:
		return c.fail(e.Span, hintDuration, "parameter %s is a duration and does not fit here", e.Text)
	case !p.Overridden:
		return c.number(p.Value)
	case c.remote != nil:
		return c.fail(e.Span, "of is computed once for all instruments",
			"parameter %s has overrides, so it cannot be used inside of", e.Text)
	}
	return c.graph.intern(Node{Op: OpParam, Kind: KindNumber, Name: c.env.Self + "." + e.Text, Value: p.Value})
}

func (c *checker) unknownName(e *Name) Ref {
	switch {
	case e.Text == c.env.Self && c.env.Value == None:
		return c.fail(e.Span, "prev(x, 1) gives an earlier value of x", "signal %s uses itself", e.Text)
	case e.Text == c.env.Self:
		return c.fail(e.Span, "write value", "signal %s refers to itself by name", e.Text)
	case slices.Contains(c.env.Later, e.Text):
		return c.fail(e.Span, "move it above this one; a signal may use earlier ones only",
			"signal %s is defined later", e.Text)
	case e.Text == "session":
		return c.fail(e.Span, "as in sma(mid, session)", "session is a window, not a number")
	case Reserved(e.Text):
		return c.fail(e.Span, "", "%s is a word kept by the language, not a name", e.Text)
	}
	if c.env.Lets.unknown(c, e) {
		return None
	}
	candidates := slices.Clone(c.catalogue.names)
	for name := range c.env.Names { // order-free: sorted below
		candidates = append(candidates, name)
	}
	for name := range c.env.Params { // order-free: sorted below
		candidates = append(candidates, name)
	}
	candidates = append(candidates, c.env.Lets.names()...)
	if c.env.Value != None {
		candidates = append(candidates, "value")
	}
	if !c.env.NoSession {
		candidates = append(candidates, "session")
	}
	candidates = append(candidates, c.catalogue.functions...)
	slices.Sort(candidates)
	return c.fail(e.Span, didYouMean(e.Text, candidates), "unknown name %s", quoteShort(e.Text))
}

func didYouMean(name string, candidates []string) string {
	if near := nearest(name, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// quoteShort keeps messages short where a name is absurdly long.
func quoteShort(name string) string {
	if len(name) > maxSuggestBytes {
		name = name[:maxSuggestBytes] + "…"
	}
	return name
}
