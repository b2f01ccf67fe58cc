package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// lags is the family of earlier values.
func lags() []Operator {
	return []Operator{
		prevOperator(),
		diffOperator(),
	}
}

func lagParams() []expr.Param {
	n := samples("n")
	n.Optional, n.Default = true, 1
	return []expr.Param{series("x"), n}
}

func prevOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "prev", Params: lagParams(), Stateful: true},
		Doc: Doc{
			Summary:    "an earlier value",
			Formula:    "x as it was n steps ago; a step is an update on which x is defined",
			Source:     "-",
			Convention: "counts updates, not changes: an update to an equal value is a step",
			WarmUp:     "first value at step n + 1; starts again after a gap",
			Flat:       "x",
			Empty:      "holds while x is undefined",
		},
		emit: func(e *emitter, c call) value {
			_, lagged := e.lag(c)
			return value{number: lagged, fresh: e.step(c.args[0])}
		},
	}
}

func diffOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "diff", Params: lagParams(), Stateful: true},
		Doc: Doc{
			Summary:    "change over n steps",
			Formula:    "x - prev(x, n)",
			Source:     "-",
			Convention: "holds between steps: it is the change at the last step",
			WarmUp:     "first value at step n + 1; starts again after a gap",
			Flat:       "0",
			Empty:      "holds while x is undefined",
		},
		emit: func(e *emitter, c call) value {
			newest, lagged := e.lag(c)
			return value{number: e.b.Sub(newest, lagged), fresh: e.step(c.args[0])}
		},
	}
}

// lag gives x at the last step and n steps before that.
func (e *emitter) lag(c call) (newest, lagged program.Value) {
	x, n := c.args[0], int(c.settings[0].Count)
	if n > 1 {
		last := e.newestOf(c.refs[0], x, e.never()) // the window is reset, and warm only when x has stepped again
		out := e.b.Window(program.SampleWindow(program.AggLag, n), e.step(x), c.reset, x.number)
		return last.now, e.b.Sel(out[1], out[0], e.undefined())
	}
	last := e.newestOf(c.refs[0], x, c.reset)
	return last.now, e.laggedOne(c.refs[0], x, c.reset, last)
}

// laggedOne is the value before the newest; one word serves prev and diff of the same x.
func (e *emitter) laggedOne(ref expr.Ref, x value, reset program.Value, last newestValue) program.Value {
	key := newestKey{ref, reset}
	if v, ok := e.lagged[key]; ok {
		return v
	}
	word := e.words(1)
	v := e.b.Sel(e.step(x), last.before, e.loadReset(word, reset))
	e.b.Store(word, v)
	e.lagged[key] = v
	return v
}
