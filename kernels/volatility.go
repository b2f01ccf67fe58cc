package kernels

import (
	"math"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

func volatility() []Operator {
	return []Operator{
		varianceOperator(), rmsOperator(), semivarianceOperator(),
		realisedVarianceOperator(), bipowerOperator(), ewmaVolatilityOperator(),
	}
}

const windowWarmUp = "n samples, or the whole duration since the first one; starts again after a gap"

// ratioOfSums is a sum over a window divided by another over the same pushes.
func (e *emitter) ratioOfSums(push, x, y program.Value, w expr.Setting, reset program.Value) program.Value {
	above, _ := e.pushed(push, x, w, reset)
	below, _ := e.pushed(push, y, w, reset)
	return e.b.Div(above, below)
}

// pushed is a window's sum and count of what was pushed, undefined until it is warm.
func (e *emitter) pushed(push, x program.Value, w expr.Setting, reset program.Value) (sum, count program.Value) {
	out := e.advance(program.AggSum, w, push, reset, x)
	return e.b.Sel(out[2], out[0], e.undefined()), e.b.Sel(out[2], e.warmCount(w, out[1]), e.undefined())
}

// returnOf is the simple return of x, on every step of x; undefined on the first.
func (e *emitter) returnOf(x value, reset program.Value) value {
	before := e.previous(x, reset)
	return value{number: e.b.Div(e.b.Sub(x.number, before), before), fresh: e.step(x)}
}

// loggable are the parameters of an operator of returns, simple or logarithmic.
func loggable() []expr.Param {
	log := expr.Param{Name: "log", Kind: expr.ParamInteger, Max: 1, Optional: true}
	return []expr.Param{series("x"), anchored(window("w", 1)), log}
}

// returnsOf is the simple or, with log=1, the logarithmic return of x.
func (e *emitter) returnsOf(c call) value {
	if c.settings[1].Count == 0 {
		return e.returnOf(c.args[0], c.reset)
	}
	x := c.args[0]
	return value{number: e.log(x.number, e.previous(x, c.reset)), fresh: e.step(x)}
}

func varianceOperator() Operator {
	std := stdOperator()
	restrict := std.Restrict
	return Operator{
		Operator: expr.Operator{
			Name: "variance", Params: std.Params, Stateful: true,
			Restrict: func(s []expr.Setting) string {
				if restrict(s) != "" {
					return "variance with ddof=1 needs a window of at least 2 samples"
				}
				return ""
			},
		},
		Doc: Doc{
			Summary:    "variance over a window",
			Formula:    "sum((x - mean)^2) / (count - ddof)",
			Source:     std.Doc.Source,
			Convention: std.Doc.Convention,
			WarmUp:     std.Doc.WarmUp,
			Flat:       "0",
			Empty:      std.Doc.Empty,
		},
		emit: func(e *emitter, c call) value {
			step, m := e.moments(c)
			freedom := m.count
			if ddof := c.settings[1].Count; ddof > 0 {
				freedom = e.b.Sub(m.count, e.b.ConstF(float64(ddof)))
			}
			return value{number: e.b.Sel(m.warm, e.b.Div(m.squares, freedom), e.undefined()), fresh: step}
		},
	}
}

func rmsOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "rms", Params: []expr.Param{series("x"), anchored(window("w", 1))}, Stateful: true},
		Doc: Doc{
			Summary:    "root mean square over a window",
			Formula:    "sqrt(sum(x^2) / count)",
			Source:     "-",
			Convention: "about zero, not about the mean: that is std",
			WarmUp:     windowWarmUp,
			Flat:       "abs(x), within rounding",
			Empty:      "undefined while a window of time holds no sample; undefined samples are left out",
		},
		emit: func(e *emitter, c call) value {
			x := c.args[0]
			square := x.with(e.b.Mul(x.number, x.number))
			return value{number: e.b.Sqrt(e.mean(square, c.settings[0], c.reset).number), fresh: e.step(x)}
		},
	}
}

func semivarianceOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "semivariance", Params: []expr.Param{series("x"), anchored(window("w", 1))}, Stateful: true},
		Doc: Doc{
			Summary:    "mean square of what is below zero, over a window",
			Formula:    "sum(x^2 where x < 0) / count",
			Source:     "Markowitz (1959), Portfolio Selection, chapter 9",
			Convention: "count is of all samples; x is a return or a distance from a target; the upper half is semivariance(-x, w)",
			WarmUp:     windowWarmUp,
			Flat:       "x^2 below zero, else 0",
			Empty:      "undefined while a window of time holds no sample; undefined samples are left out",
		},
		emit: func(e *emitter, c call) value {
			x, zero := c.args[0], e.b.ConstF(0)
			below := e.b.Sel(e.b.Flt(x.number, zero), e.b.Mul(x.number, x.number), zero)
			step := e.b.And(e.step(x), e.b.Defined(below))
			sum, n := e.pushed(step, below, c.settings[0], c.reset)
			return value{number: e.b.Div(sum, n), fresh: e.step(x)}
		},
	}
}

func realisedVarianceOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "rv", Params: loggable(), Stateful: true},
		Doc: Doc{
			Summary: "realised variance over a window",
			Formula: "sum(r^2) with r = (x - x') / x', or ln(x / x') with log=1; x' is x at the step before",
			Source:  "Andersen, Bollerslev, Diebold, Labys (2003), Modeling and Forecasting Realized Volatility",
			Convention: "simple returns unless log=1, which cost less and differ by about r^2 / 2 each; a sum, not a mean: sqrt(rv) is the " +
				"volatility over the window",
			WarmUp: "n + 1 steps, or the whole duration since the second one; starts again after a gap",
			Flat:   "0",
			Empty:  "0 while a window of time holds no return; a return from 0, or with log=1 between signs, is left out",
		},
		emit: func(e *emitter, c call) value {
			c = e.anchor(c)
			r := e.returnsOf(c)
			square := r.with(e.b.Mul(r.number, r.number))
			return e.sum(square, c.settings[0], c.reset).at(r.fresh)
		},
	}
}

// at is the same number, fresh on another mask.
func (x value) at(fresh program.Value) value { return value{number: x.number, fresh: fresh} }

func bipowerOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "bipower", Params: loggable(), Stateful: true},
		Doc: Doc{
			Summary: "bipower variation over a window: variance without jumps",
			Formula: "pi / 2 * sum(abs(r) * abs(r')) with r = (x - x') / x', or ln(x / x') with log=1; ' is the step before",
			Source:  "Barndorff-Nielsen, Shephard (2004), Power and Bipower Variation with Stochastic Volatility and Jumps",
			Convention: "simple returns unless log=1; no correction for the pairs lost at the window's start; rv(x, w) - bipower(x, w) " +
				"estimates what jumps add",
			WarmUp: "n + 2 steps, or the whole duration since the third one; starts again after a gap",
			Flat:   "0",
			Empty:  "0 while a window of time holds no pair of returns; a return from 0, or with log=1 between signs, is left out",
		},
		emit: func(e *emitter, c call) value {
			c = e.anchor(c)
			r := e.returnsOf(c)
			size := r.with(e.b.Abs(r.number))
			before := e.previous(size, c.reset)
			pair := size.with(e.b.Mul(size.number, before))
			sum := e.sum(pair, c.settings[0], c.reset)
			return value{number: e.b.Mul(e.b.ConstF(math.Pi/2), sum.number), fresh: r.fresh}
		},
	}
}

func ewmaVolatilityOperator() Operator {
	lambda := expr.Param{Name: "lambda", Kind: expr.ParamNumber, Optional: true, Most: 1, DefaultNumber: 0.94}
	return Operator{
		Operator: expr.Operator{Name: "ewma_vol", Params: []expr.Param{series("x"), lambda}, Stateful: true},
		Doc: Doc{
			Summary: "exponentially weighted volatility of returns",
			Formula: "sqrt(v) with v = lambda * v' + (1 - lambda) * r^2 and r = (x - x') / x', ' being the step before",
			Source:  "J.P. Morgan, Reuters (1996), RiskMetrics Technical Document; its daily lambda is 0.94",
			Convention: "simple returns about zero; starts with the square of the first return; per step, not per day: scale it by the root " +
				"of steps in the period",
			WarmUp: "first value at step 2; a gap forgets x', so that the return over it is left out, and keeps v",
			Flat:   "falls towards 0",
			Empty:  "holds while x is undefined; starts again if a step overflows",
		},
		emit: emitEWMAVolatility,
	}
}

// emitEWMAVolatility keeps the variance in one word.
func emitEWMAVolatility(e *emitter, c call) value {
	b, lambda := e.b, c.settings[0].Number
	r := e.returnOf(c.args[0], c.reset)
	word := e.words(1)
	before := b.Load(word, program.F)
	square := b.Mul(r.number, r.number)
	moved := b.Add(b.Mul(b.ConstF(lambda), before), b.Mul(b.ConstF(1-lambda), square))
	step := b.And(r.fresh, b.Defined(r.number))
	variance := b.Sel(step, b.Sel(b.Defined(before), moved, square), before)
	b.Store(word, variance)
	return value{number: b.Sqrt(variance), fresh: r.fresh}
}
