package expr

import "slices"

// The bounds of a clock's period.
const (
	MinClockNs = int64(1e6)
	MaxClockNs = 24 * 3600 * int64(1e9)
)

// On is what evaluates a signal: a clock, or ticks of its own instrument and of others.
type On struct {
	Self    bool
	ClockNs int64 // 0 for none
	Live    []Instrument
}

const hintOn = `write self, ref("venue", "symbol") or, alone, clock(100ms)`

// Item adds what one text says, items separated by commas, and returns the mistakes in it. Of env it uses lets and
// parameters.
func (o *On) Item(catalogue *Catalogue, text string, env Env) []Error {
	list, parseError := parse(text, true)
	if parseError != nil {
		if text == "" {
			parseError.Message = "on is empty"
		}
		if text == "" || text[parseError.Offset:min(parseError.Offset+1, len(text))] == "[" {
			parseError.Hint = hintOn
		}
		return []Error{*parseError}
	}
	c := checker{graph: NewGraph(), catalogue: catalogue, env: env}
	for _, e := range list {
		o.item(&c, e)
	}
	return c.errors[:min(len(c.errors), maxErrors)]
}

func (o *On) item(c *checker, e Expr) {
	what := c.literal(e)
	if n, ok := what.(*Name); ok && n.Text == "self" {
		switch {
		case o.ClockNs > 0:
			c.fail(e.Where(), hintOn, "a clock stands alone")
		case o.Self:
			c.fail(e.Where(), "", "self is given twice")
		}
		o.Self = true
		return
	}
	call, _ := what.(*Call)
	switch {
	case call != nil && call.Function == "clock":
		o.clock(c, call, e.Where())
	case call != nil && call.Function == "ref":
		o.instrument(c, e)
	default:
		c.fail(e.Where(), hintOn, "this does not say what evaluates a signal")
	}
}

func (o *On) clock(c *checker, e *Call, where Span) {
	given, ok := c.match(e, &clockWord)
	if !ok {
		return
	}
	s, ok := c.setting(&clockWord, &clockWord.Params[0], given[0])
	switch {
	case !ok:
		return
	case o.Self || o.ClockNs > 0 || len(o.Live) > 0:
		c.fail(where, hintOn, "a clock stands alone")
	case s.DurationNs < MinClockNs || s.DurationNs > MaxClockNs:
		c.fail(given[0].Where(), "", "the period of a clock is %s to %s", durationText(MinClockNs), durationText(MaxClockNs))
	}
	o.ClockNs = s.DurationNs
}

func (o *On) instrument(c *checker, e Expr) {
	i, ok := c.instrument(e)
	switch {
	case !ok:
		return
	case o.ClockNs > 0:
		c.fail(e.Where(), hintOn, "a clock stands alone")
	case slices.Contains(o.Live, i):
		c.fail(e.Where(), "", "%s is given twice", i)
	}
	o.Live = append(o.Live, i)
}
