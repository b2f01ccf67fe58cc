package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// bars are the operators over bars by time or steps (bar_…) and by volume (volume_bar_…).
func bars() []Operator {
	var all []Operator
	for _, p := range barParts {
		all = append(all, barOperator(p), volumeBarOperator(p))
	}
	return all
}

// barPart is one thing that a bar says.
type barPart struct {
	name, summary, formula string
	reads                  []string // fields in place of x
	take                   func(e *emitter, k barClock, args []value) value
}

// barOf gives a bar's part of x alone.
func barOf(fold func(e *emitter, sofar, x program.Value) program.Value) func(*emitter, barClock, []value) value {
	return func(e *emitter, k barClock, args []value) value {
		return e.barValue(k, args[0].number, func(sofar, x program.Value) program.Value { return fold(e, sofar, x) })
	}
}

var barParts = []barPart{
	{name: "open", summary: "first x of the last bar", formula: "x of its first step", take: barOf(
		func(_ *emitter, sofar, _ program.Value) program.Value { return sofar })},
	{name: "high", summary: "largest x of the last bar", formula: "the largest x of its steps", take: barOf(
		func(e *emitter, sofar, x program.Value) program.Value { return e.b.Sel(e.b.Flt(sofar, x), x, sofar) })},
	{name: "low", summary: "least x of the last bar", formula: "the least x of its steps", take: barOf(
		func(e *emitter, sofar, x program.Value) program.Value { return e.b.Sel(e.b.Flt(x, sofar), x, sofar) })},
	{name: "close", summary: "last x of the last bar", formula: "x of its last step", take: barOf(
		func(_ *emitter, _, x program.Value) program.Value { return x })},
	{name: "volume", summary: "volume traded in the last bar", formula: "sum(size) of its trades", reads: []string{"size"}, take: barOf(
		func(e *emitter, sofar, x program.Value) program.Value { return e.b.Add(sofar, x) })},
	{
		name: "vwap", summary: "volume-weighted average price of the last bar", formula: "sum(price * size) / sum(size) of its trades",
		reads: []string{"price", "size"},
		take: func(e *emitter, k barClock, args []value) value {
			sum := func(sofar, x program.Value) program.Value { return e.b.Add(sofar, x) }
			paid := e.barValue(k, e.b.Mul(args[0].number, args[1].number), sum)
			volume := e.barValue(k, args[1].number, sum)
			return value{number: e.b.Div(paid.number, volume.number), fresh: k.closes}
		},
	},
}

func (p *barPart) params(more expr.Param) []expr.Param {
	if len(p.reads) > 0 {
		return []expr.Param{more}
	}
	return []expr.Param{series("x"), more}
}

const barEmpty = "undefined until a bar has closed; a period without a step has no bar, and the last one holds"

func barOperator(p barPart) Operator {
	return Operator{
		Operator: expr.Operator{
			Name: "bar_" + p.name, Params: p.params(window("w", 1)), Stateful: true, Reads: p.reads, Restrict: restrictBars,
		},
		Doc: Doc{
			Summary: p.summary + ", by time or steps",
			Formula: p.formula,
			Source:  "-",
			Convention: "fresh exactly when a bar closes; a bar of time ends at multiples of w since 1970 and closes at the first step after " +
				"that, which belongs to the next bar; a bar of n steps closes with the n-th",
			WarmUp: "the first whole bar; one that had begun before the start or a gap is passed over",
			Flat:   "-",
			Empty:  barEmpty,
		},
		emit: func(e *emitter, c call) value {
			return p.take(e, e.barsOf(e.step(c.args...), c.settings[0], c.reset), c.args)
		},
	}
}

func volumeBarOperator(p barPart) Operator {
	reads := []string{"size"}
	if len(p.reads) > 0 {
		reads = p.reads
	}
	return Operator{
		Operator: expr.Operator{
			Name: "volume_bar_" + p.name, Params: p.params(series("v")), Stateful: true, Reads: reads,
		},
		Doc: Doc{
			Summary: p.summary + ", by volume",
			Formula: p.formula,
			Source:  "Easley, Lopez de Prado, O'Hara (2012), The Volume Clock: Insights into the High-Frequency Paradigm",
			Convention: "fresh exactly when a bar closes: with the trade that brings its volume to v, which is not split, so that a bar may " +
				"hold more than v; x counts whenever it or size is updated",
			WarmUp: "the first whole bar; starts again after a gap",
			Flat:   "-",
			Empty:  "undefined until a bar has closed; bars do not close while v is not above 0",
		},
		emit: func(e *emitter, c call) value {
			inputs := c.args[:len(c.args)-1]
			size := inputs[0]
			if len(p.reads) > 0 {
				size = inputs[len(p.reads)-1]
			} else {
				inputs = []value{c.args[1], size}
			}
			step := e.step(inputs...)
			traded := e.b.Sel(size.fresh, size.number, e.b.ConstF(0))
			f := e.filling(step, traded, c.args[len(c.args)-1].number, c.reset)
			return p.take(e, barClock{step: step, closes: f.isTrue, turns: f.isTrue, reset: c.reset}, inputs)
		},
	}
}
