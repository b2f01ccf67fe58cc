package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// Relations of changes: their first step has none.

const changesWarmUp = "n + 1 steps, or the whole duration since the second one; starts again after a gap"

func betaOperator() Operator {
	returns := expr.Param{Name: "returns", Kind: expr.ParamInteger, Min: 0, Max: 1, Optional: true, Default: 1}
	return Operator{
		Operator: expr.Operator{Name: "beta", Params: pairParams("y", "x", returns), Stateful: true},
		Doc: Doc{
			Summary:    "beta of y to the market x over a window",
			Formula:    "cov(ry, rx) / variance(rx) with r = (p - p') / p', ' being the step before",
			Source:     "Sharpe (1964), Capital Asset Prices",
			Convention: "simple returns as Skender and LEAN; returns=0 takes y and x as they are, which is reg_slope; " + pairsTogether,
			WarmUp:     changesWarmUp,
			Flat:       "0 where y is flat, undefined where x is",
			Empty:      pairsEmpty,
		},
		emit: func(e *emitter, c call) value {
			c = e.anchor(c)
			step := e.step(c.args...)
			y, x, push := c.args[0], c.args[1], step
			if c.settings[1].Count == 1 {
				y, x = e.returnOf(y.at(step), c.reset), e.returnOf(x.at(step), c.reset)
				push = e.step(y, x)
			}
			m := e.comoments(push, x.number, y.number, c.settings[0], c.reset)
			return value{number: e.whileWarm(m.warm, e.slope(m)), fresh: step}
		},
	}
}

func varianceRatioOperator() Operator {
	k := samples("k")
	k.Min = 2
	return Operator{
		Operator: expr.Operator{Name: "variance_ratio", Params: []expr.Param{series("x"), k, anchored(window("w", 2))}, Stateful: true},
		Doc: Doc{
			Summary:    "variance of changes over k steps to k times that of changes over one: below 1 where x reverts, above where it trends",
			Formula:    "variance(x - prev(x, k)) / (k * variance(x - prev(x)))",
			Source:     "Lo, MacKinlay (1988), Stock Market Prices Do Not Follow Random Walks",
			Convention: "overlapping changes, population variances, no correction for small samples; give it the logarithm of a price",
			WarmUp:     "n + k steps, or the whole duration since step k + 1; starts again after a gap",
			Flat:       "undefined",
			Empty:      "undefined while a window of time holds no change",
		},
		emit: func(e *emitter, c call) value {
			c = e.anchor(c)
			x, k, w := c.args[0], c.settings[0].Count, c.settings[1]
			long, newest := e.back(x, k, c.reset)
			variance := func(change, push program.Value) program.Value {
				out := e.advance(program.AggMoments, w, push, c.reset, change)
				return e.whileWarm(out[3], e.b.Div(out[1], e.warmCount(w, out[2])))
			}
			overK, one := e.b.Sub(newest, long), e.change(x, c.reset)
			above := variance(overK, e.b.And(e.step(x), e.b.Defined(overK)))
			below := variance(one.number, one.fresh)
			return value{number: e.b.Div(above, e.b.Mul(e.b.ConstF(float64(k)), below)), fresh: e.step(x)}
		},
	}
}

func rollSpreadOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "roll_spread", Params: []expr.Param{series("x"), anchored(window("w", 2))}, Stateful: true},
		Doc: Doc{
			Summary:    "spread that the bounce of trade prices implies",
			Formula:    "2 * sqrt(-cov(d, d')) with d = x - x', ' being the step before",
			Source:     "Roll (1984), A Simple Implicit Measure of the Effective Bid-Ask Spread",
			Convention: "population covariance about the means of the window; undefined, not negative, where changes continue",
			WarmUp:     "n + 2 steps, or the whole duration since the third one; starts again after a gap",
			Flat:       "0",
			Empty:      "undefined while a window of time holds no pair of changes, or where their covariance is above 0",
		},
		emit: func(e *emitter, c call) value {
			c = e.anchor(c)
			change := e.change(c.args[0], c.reset)
			before := e.previous(change, c.reset)
			push := e.b.And(e.step(change), e.b.Defined(before))
			m := e.comoments(push, change.number, before, c.settings[0], c.reset)
			against := e.b.Div(e.b.Sub(e.b.ConstF(0), m.products), m.count)
			spread := e.b.Mul(e.b.ConstF(2), e.b.Sqrt(against))
			return value{number: e.whileWarm(m.warm, spread), fresh: e.step(c.args[0])}
		},
	}
}

func kyleLambdaOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "kyle_lambda", Params: []expr.Param{anchored(window("w", 2))}, Stateful: true, Reads: tradeFields},
		Doc: Doc{
			Summary: "price impact: move of the trade price for each unit of signed volume",
			Formula: "reg_slope(price - price', sign * size, w), ' being the trade before",
			Source:  "Kyle (1985), Continuous Auctions and Insider Trading; estimated as in Hasbrouck (1991), Measuring the Information Content of Stock Trades",
			Convention: "a trade at a time, with an intercept; of trade prices, so the bounce between bid and ask is in it; " +
				signConvention,
			WarmUp: "n + 1 trades whose side is known, or the whole duration since the second one; starts again after a gap",
			Flat:   "0; undefined where all trades have one side and size",
			Empty:  "undefined while a window of time holds no such trade",
		},
		emit: func(e *emitter, c call) value {
			c = e.anchor(c)
			sign, size, push, step := e.signedTrades(c)
			change := e.change(c.args[0].at(e.step(c.args[0], c.args[2])), c.reset)
			push = e.b.And(push, e.b.And(change.fresh, e.b.Defined(change.number)))
			m := e.comoments(push, e.b.Mul(sign, size), change.number, c.settings[0], c.reset)
			return value{number: e.whileWarm(m.warm, e.slope(m)), fresh: step}
		},
	}
}
