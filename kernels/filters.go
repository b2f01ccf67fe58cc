package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// known is the mask on which a condition is not undefined.
func (e *emitter) known(c value) program.Value { return e.b.Or(c.isTrue, c.isFalse) }

// stepIf is the mask on which a condition is updated and known.
func (e *emitter) stepIf(c value) program.Value { return e.b.And(c.fresh, e.known(c)) }

func onlyOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "only", Params: []expr.Param{series("x"), condition("c")}, Stateful: true},
		Doc: Doc{
			Summary:    "updates of x while c is true",
			Formula:    "x as of the last update of x on which c was true",
			Source:     "-",
			Convention: "fresh on those updates only, so what steps with it passes over all others; an update of c alone is none",
			WarmUp:     "first value at the first such update; a gap does not restart it",
			Flat:       "x",
			Empty:      "holds while x is undefined or c is not true",
		},
		emit: func(e *emitter, c call) value {
			x := c.args[0]
			step := e.b.And(e.step(x), c.args[1].isTrue)
			word := e.words(1)
			held := e.b.Sel(step, x.number, e.b.Load(word, program.F))
			e.b.Store(word, held)
			return value{number: held, fresh: step}
		},
	}
}

func hysteresisOperator() Operator {
	return Operator{
		Operator: expr.Operator{
			Name: "hysteresis", Params: []expr.Param{series("x"), series("enter"), series("leave")}, Result: expr.KindCondition, Stateful: true,
		},
		Doc: Doc{
			Summary:    "a threshold that is harder to enter than to stay in",
			Formula:    "true from the step on which x > enter until the one on which x < leave",
			Source:     "Schmitt (1938), A Thermionic Trigger",
			Convention: "holds between steps; if both are so at once, which takes enter < leave, it is false; for the other side negate all three",
			WarmUp:     "false or true from the first step on; undefined before, and again after a gap until the next step",
			Flat:       "as it was",
			Empty:      "holds while x, enter or leave is undefined",
		},
		emit: func(e *emitter, c call) value {
			b := e.b
			step := e.step(c.args...)
			x, enter, leave := c.args[0].number, c.args[1].number, c.args[2].number
			word := e.words(1) // 1 inside, 0 outside, undefined before the first step
			last := e.loadReset(word, c.reset)
			one, zero := b.ConstF(1), b.ConstF(0)
			inside := b.Or(b.Feq(last, one), b.Flt(enter, x))
			next := b.Sel(b.Andn(inside, b.Flt(x, leave)), one, zero)
			now := b.Sel(step, next, last)
			b.Store(word, now)
			return value{isTrue: b.Feq(now, one), isFalse: b.Feq(now, zero), fresh: step}
		},
	}
}

func cooldownOperator() Operator {
	d := expr.Param{Name: "d", Kind: expr.ParamDuration}
	return Operator{
		Operator: expr.Operator{Name: "cooldown", Params: []expr.Param{condition("c"), d}, Result: expr.KindCondition, Stateful: true},
		Doc: Doc{
			Summary:    "c, but at most once in a duration",
			Formula:    "true on a step on which c is true and this was last true at least d ago, or never",
			Source:     "-",
			Convention: "a step is an update on which c is defined; true on that one step only; a gap does not restart it",
			WarmUp:     "false or true from the first step on",
			Flat:       "true once in d while c stays true and is updated",
			Empty:      "undefined while c is",
		},
		emit: func(e *emitter, c call) value {
			b, cond := e.b, c.args[0]
			step := e.stepIf(cond)
			begun, at := b.AllocState(1, 0), b.AllocState(1, 0)
			before, last := b.Load(begun, program.M), b.Load(at, program.I)
			early := b.And(before, b.Ilt(b.Isub(b.Time(), last), b.ConstI(c.settings[0].DurationNs)))
			fires := b.Andn(b.And(step, cond.isTrue), early)
			b.Store(begun, b.Or(before, fires))
			b.Store(at, b.Sel(fires, b.Time(), last))
			return value{isTrue: fires, isFalse: b.Andn(e.known(cond), fires), fresh: step}
		},
	}
}

func sinceOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "since", Params: []expr.Param{condition("c")}, Stateful: true},
		Doc: Doc{
			Summary:    "seconds since c was true",
			Formula:    "engine time less that of the last update on which c was true, in seconds",
			Source:     "-",
			Convention: "0 on such an update; grows with engine time between; fresh when c is updated",
			WarmUp:     "undefined until c was true; again after a gap",
			Flat:       "0 on every update while c stays true",
			Empty:      "undefined",
		},
		emit: func(e *emitter, c call) value {
			b, cond := e.b, c.args[0]
			begun, at := b.AllocState(1, 0), b.AllocState(1, 0)
			hit := b.And(cond.fresh, cond.isTrue)
			known := b.Or(b.Andn(b.Load(begun, program.M), c.reset), hit)
			last := b.Sel(hit, b.Time(), b.Load(at, program.I))
			b.Store(begun, known)
			b.Store(at, last)
			seconds := b.Div(b.I2F(b.Isub(b.Time(), last)), b.ConstF(1e9))
			return value{number: b.Sel(known, seconds, e.undefined()), fresh: e.stepIf(cond)}
		},
	}
}

func countOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "count", Params: []expr.Param{condition("c"), anchored(window("w", 1))}, Stateful: true},
		Doc: Doc{
			Summary:    "how often c was true in a window",
			Formula:    "number of steps on which c was true; a step is an update on which c is defined",
			Source:     "-",
			Convention: "a window of n samples is the last n steps, true or not",
			WarmUp:     "n steps, or the whole duration since the first one; starts again after a gap",
			Flat:       "0 or all steps",
			Empty:      "0 while a window of time holds no step",
		},
		emit: func(e *emitter, c call) value {
			step := e.stepIf(c.args[0])
			hit := e.b.Sel(c.args[0].isTrue, e.b.ConstF(1), e.b.ConstF(0))
			out := e.roll(program.AggSum, c.settings[0], step, c.reset, hit)
			return value{number: e.b.Sel(out[2], out[0], e.undefined()), fresh: step}
		},
	}
}

// movedOperator is true on steps on which x compares with x at the step before as told.
func movedOperator(name, summary, formula string, moved func(b *program.Builder, x, before program.Value) program.Value) Operator {
	return Operator{
		Operator: expr.Operator{Name: name, Params: []expr.Param{series("x")}, Result: expr.KindCondition, Stateful: true},
		Doc: Doc{
			Summary:    summary,
			Formula:    formula,
			Source:     "-",
			Convention: "true on that one step only, false between steps; a step is an update on which x is defined",
			WarmUp:     "undefined until x has stepped before; starts again after a gap",
			Flat:       "false",
			Empty:      "does not step while x is undefined",
		},
		emit: func(e *emitter, c call) value {
			x := c.args[0]
			before := e.previous(x, c.reset)
			known := e.b.Defined(before)
			hit := e.b.And(e.step(x), moved(e.b, x.number, before))
			return value{isTrue: hit, isFalse: e.b.Andn(known, hit), fresh: e.step(x)}
		},
	}
}

func risingOperator() Operator {
	return movedOperator("rising", "x has gone up", "x > x at the step before",
		func(b *program.Builder, x, before program.Value) program.Value { return b.Flt(before, x) })
}

func fallingOperator() Operator {
	return movedOperator("falling", "x has gone down", "x < x at the step before",
		func(b *program.Builder, x, before program.Value) program.Value { return b.Flt(x, before) })
}

func changedOperator() Operator {
	return movedOperator("changed", "x has changed", "x != x at the step before",
		func(b *program.Builder, x, before program.Value) program.Value {
			return b.Or(b.Flt(x, before), b.Flt(before, x))
		})
}
