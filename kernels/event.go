package kernels

import "github.com/sigengine/sigengine/kernels/expr"

// events is the family of conditions on what happens.
func events() []Operator {
	return []Operator{
		crossesOperator(), risingOperator(), fallingOperator(), changedOperator(),
		hysteresisOperator(), cooldownOperator(),
		onlyOperator(), sinceOperator(), countOperator(),
	}
}

func crossesOperator() Operator {
	return Operator{
		Operator: expr.Operator{
			Name: "crosses", Params: []expr.Param{series("x"), series("c")}, Result: expr.KindCondition, Stateful: true,
		},
		Doc: Doc{
			Summary:    "x has gone to the other side of c",
			Formula:    "true on the step on which x is above c and was last below it, or the reverse",
			Source:     "-",
			Convention: "x equal to c is on neither side and changes nothing; true on that one step only, false between steps",
			WarmUp:     "undefined until x was on a side before this tick; starts again after a gap",
			Flat:       "false",
			Empty:      "does not step while x or c is undefined",
		},
		emit: emitCrosses,
	}
}

// emitCrosses keeps the last side in one word: 1 above, -1 below, undefined at first.
func emitCrosses(e *emitter, c call) value {
	b, x, level := e.b, c.args[0].number, c.args[1].number
	step := e.step(c.args...)
	word := e.words(1)
	last := e.loadReset(word, c.reset)
	known := b.Defined(last)

	above, below := b.Flt(level, x), b.Flt(x, level)
	side := b.Sel(above, b.ConstF(1), b.ConstF(-1))
	sided := b.And(step, b.Or(above, below))
	crossed := b.And(b.And(sided, known), b.Not(b.Feq(side, last)))
	b.Store(word, b.Sel(sided, side, last))
	return value{isTrue: crossed, isFalse: b.Andn(known, crossed), fresh: step}
}
