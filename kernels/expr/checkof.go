package expr

// The words of the language that look like operators.
var (
	ofWord    = Operator{Name: "of", Params: []Param{{Name: "instrument", Kind: ParamText}, {Name: "x", Kind: ParamSeries}}}
	refWord   = Operator{Name: "ref", Params: []Param{{Name: "venue", Kind: ParamText}, {Name: "symbol", Kind: ParamText}}}
	clockWord = Operator{Name: "clock", Params: []Param{{Name: "period", Kind: ParamDuration}}}
)

const hintRef = `write ref("venue", "symbol"), as in of(ref("cme", "ES"), mid)`

// The bounds of an instrument's names, those of package feed.
const (
	VenueBytesMax  = 32
	SymbolBytesMax = 96
)

// word reports or handles a call of one of the language's own words.
func (c *checker) word(e *Call) (ref Ref, isWord bool) {
	switch e.Function {
	case "of":
		return c.of(e), true
	case "ref":
		return c.fail(e.Span, "of(ref(…), x) gives x of another instrument", "ref names an instrument, not a number"), true
	case "clock":
		return c.fail(e.Span, "write on: clock(100ms) beside the signal's value", "clock is not part of an expression"), true
	}
	return None, false
}

// of is an expression over the ticks of another instrument.
func (c *checker) of(e *Call) Ref {
	if c.remote != nil {
		return c.fail(e.FunctionSpan, "", "of cannot be used inside of")
	}
	if c.env.NoRemote {
		return c.fail(e.FunctionSpan, "", "there are no other instruments here")
	}
	given, ok := c.match(e, &ofWord)
	if !ok {
		return None
	}
	instrument, known := c.instrument(given[0])
	inner := checker{graph: c.graph.Remote, catalogue: c.catalogue, env: c.env, remote: &instrument}
	inner.env.ClockNs = 0
	ref := inner.argument(&ofWord, &ofWord.Params[1], given[1])
	c.errors = append(c.errors, inner.errors...)
	if !known || ref == None {
		return None
	}
	if !c.graph.Remote.Nodes[ref].Varies {
		return c.fail(given[1].Where(), "use a field, as in mid or price", "this is the same for every instrument")
	}
	n := Node{Op: OpReference, Kind: KindNumber, Remote: Remote{Instrument: instrument, Ref: ref}}
	for _, live := range c.env.Live {
		n.Remote.Live = n.Remote.Live || live == instrument
	}
	return c.sampled(c.graph.intern(n))
}

// instrument reads ref("venue", "symbol"), or a let that stands for it.
func (c *checker) instrument(e Expr) (i Instrument, ok bool) {
	call, isCall := c.literal(e).(*Call)
	if !isCall || call.Function != "ref" {
		c.fail(e.Where(), hintRef, "this is not an instrument")
		return i, false
	}
	quiet := checker{graph: c.graph, catalogue: c.catalogue, env: c.env}
	given, ok := quiet.match(call, &refWord)
	names := [2]string{}
	for k := 0; ok && k < len(given); k++ {
		names[k], ok = quiet.instrumentName(given[k], refWord.Params[k].Name)
	}
	for _, err := range quiet.errors {
		if Expr(call) != e { // the text is that of a let
			err.Offset, err.Length = e.Where().Offset, e.Where().Length
		}
		c.errors = append(c.errors, err)
	}
	return Instrument{Venue: names[0], Symbol: names[1]}, ok
}

func (c *checker) instrumentName(e Expr, which string) (string, bool) {
	t, ok := e.(*Text)
	most := VenueBytesMax
	if which == "symbol" {
		most = SymbolBytesMax
	}
	switch {
	case !ok:
		c.fail(e.Where(), `write it between double quotes, as in ref("cme", "ES")`, "argument %s of ref is a text", which)
	case t.Value == "":
		c.fail(e.Where(), hintRef, "the %s is empty", which)
	case len(t.Value) > most:
		c.fail(e.Where(), "", "the %s is longer than %d bytes", which, most)
	default:
		return t.Value, true
	}
	return "", false
}

// remoteIn finds an instrument that the expression reads, other than its own.
func (c *checker) remoteIn(ref Ref) (Instrument, bool) {
	seen := map[Ref]bool{}
	var find func(ref Ref) (Instrument, bool)
	find = func(ref Ref) (Instrument, bool) {
		n := &c.graph.Nodes[ref]
		if n.Op == OpReference {
			return n.Remote.Instrument, true
		}
		seen[ref] = true
		for _, arg := range n.Args {
			if !seen[arg] {
				if i, ok := find(arg); ok {
					return i, true
				}
			}
		}
		return Instrument{}, false
	}
	return find(ref)
}
