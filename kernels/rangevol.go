package kernels

import (
	"math"

	"github.com/sigengine/sigengine/kernels/exact"
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// rangeVolatility are the logarithmic return, and estimates from bars, which use what a bar's high and low say beyond its
// close.
func rangeVolatility() []Operator {
	return []Operator{logReturnOperator(), parkinsonOperator(), garmanKlassOperator(), rogersSatchellOperator(), yangZhangOperator()}
}

// log is the natural logarithm of x / y.
func (e *emitter) log(x, y program.Value) program.Value { return exact.BuildLog(e.b, e.b.Div(x, y)) }

const (
	barVolatilityEmpty = "undefined while a window of time holds no bar; a bar with a price that is not above 0 is left out"
	barsWarmUp         = "n bars, or the whole duration since the first one; starts again after a gap"
)

// barsInto are the parameters of an operator of bars: their series, then the window.
func barsInto(fewest int64, names ...string) []expr.Param {
	var params []expr.Param
	for _, name := range names {
		params = append(params, series(name))
	}
	return append(params, anchored(window("w", fewest)))
}

// rangeOperator is the root of the mean of a variance that each bar gives alone.
func rangeOperator(name string, names []string, doc Doc, variance func(e *emitter, p []program.Value) program.Value) Operator {
	doc.WarmUp, doc.Flat, doc.Empty = barsWarmUp, "0", barVolatilityEmpty
	return Operator{
		Operator: expr.Operator{Name: name, Params: barsInto(1, names...), Stateful: true},
		Doc:      doc,
		emit: func(e *emitter, c call) value {
			step := e.step(c.args...)
			p := make([]program.Value, len(c.args))
			for i, a := range c.args {
				p[i] = a.number
			}
			bar := value{number: variance(e, p), fresh: step}
			return value{number: e.b.Sqrt(e.mean(bar, c.settings[0], c.reset).number), fresh: step}
		},
	}
}

func parkinsonOperator() Operator {
	return rangeOperator("parkinson", []string{"high", "low"}, Doc{
		Summary:    "volatility from the ranges of bars",
		Formula:    "sqrt(mean of ln(high / low)^2 / (4 ln 2))",
		Source:     "Parkinson (1980), The Extreme Value Method for Estimating the Variance of the Rate of Return",
		Convention: "for a bar, not a year; assumes no drift and takes nothing between bars",
	}, func(e *emitter, p []program.Value) program.Value {
		span := e.log(p[0], p[1])
		return e.b.Div(e.b.Mul(span, span), e.b.ConstF(4*math.Ln2))
	})
}

func garmanKlassOperator() Operator {
	return rangeOperator("garman_klass", []string{"open", "high", "low", "close"}, Doc{
		Summary:    "volatility from open, high, low and close of bars",
		Formula:    "sqrt(mean of ln(high / low)^2 / 2 - (2 ln 2 - 1) * ln(close / open)^2)",
		Source:     "Garman, Klass (1980), On the Estimation of Security Price Volatilities from Historical Data",
		Convention: "for a bar, not a year; assumes no drift and takes nothing between bars",
	}, func(e *emitter, p []program.Value) program.Value {
		span, move := e.log(p[1], p[2]), e.log(p[3], p[0])
		half := e.b.Div(e.b.Mul(span, span), e.b.ConstF(2))
		return e.b.Sub(half, e.b.Mul(e.b.ConstF(2*math.Ln2-1), e.b.Mul(move, move)))
	})
}

// rogersSatchell is one bar's variance.
func (e *emitter) rogersSatchell(open, high, low, closing program.Value) program.Value {
	up := e.b.Mul(e.log(high, closing), e.log(high, open))
	return e.b.Add(up, e.b.Mul(e.log(low, closing), e.log(low, open)))
}

func rogersSatchellOperator() Operator {
	return rangeOperator("rogers_satchell", []string{"open", "high", "low", "close"}, Doc{
		Summary:    "volatility from open, high, low and close of bars that may drift",
		Formula:    "sqrt(mean of ln(high / close) * ln(high / open) + ln(low / close) * ln(low / open))",
		Source:     "Rogers, Satchell (1991), Estimating Variance from High, Low and Closing Prices",
		Convention: "for a bar, not a year; right under any drift; takes nothing between bars",
	}, func(e *emitter, p []program.Value) program.Value { return e.rogersSatchell(p[0], p[1], p[2], p[3]) })
}

func yangZhangOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "yang_zhang", Params: barsInto(2, "open", "high", "low", "close"), Stateful: true},
		Doc: Doc{
			Summary: "volatility from bars, the jumps between them included",
			Formula: "sqrt(vo + k * vc + (1 - k) * rs) with vo the variance of ln(open / close'), vc that of ln(close / open), rs the mean of " +
				"Rogers and Satchell's terms, k = 0.34 / (1.34 + (n + 1) / (n - 1)); ' is the bar before",
			Source:     "Yang, Zhang (2000), Drift-Independent Volatility Estimation Based on High, Low, Open, and Close Prices",
			Convention: "for a bar, not a year; sample variances (ddof 1); all terms are of the same n bars, each with a bar before it",
			WarmUp:     "n + 1 bars, or the whole duration since the second one; starts again after a gap",
			Flat:       "0",
			Empty:      "undefined while the window holds fewer than 2 bars; a bar with a price that is not above 0 is left out",
		},
		emit: emitYangZhang,
	}
}

func emitYangZhang(e *emitter, c call) value {
	c = e.anchor(c)
	b, w := e.b, c.settings[0]
	step := e.step(c.args...)
	open, high, low, closing := c.args[0].number, c.args[1].number, c.args[2].number, c.args[3].number
	jump := e.log(open, e.previous(c.args[3].at(step), c.reset))
	move, bar := e.log(closing, open), e.rogersSatchell(open, high, low, closing)
	push := b.And(b.And(step, b.Defined(jump)), b.And(b.Defined(move), b.Defined(bar)))

	sum, n := e.pushed(push, bar, w, c.reset)
	freedom := b.Sub(n, b.ConstF(1))
	variance := func(x program.Value) program.Value {
		return b.Div(e.advance(program.AggMoments, w, push, c.reset, x)[1], freedom)
	}
	share := b.Div(b.ConstF(0.34), b.Add(b.ConstF(1.34), b.Div(b.Add(n, b.ConstF(1)), freedom)))
	within := b.Add(b.Mul(share, variance(move)), b.Mul(b.Sub(b.ConstF(1), share), b.Div(sum, n)))
	return value{number: b.Sqrt(b.Add(variance(jump), within)), fresh: step}
}

func logReturnOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "log_return", Params: lagParams(), Stateful: true},
		Doc: Doc{
			Summary:    "logarithmic return over n steps",
			Formula:    "ln(x / prev(x, n))",
			Source:     "-",
			Convention: "natural logarithm, correct to within an ulp of the rounded ratio",
			WarmUp:     "first value at step n + 1; starts again after a gap",
			Flat:       "0",
			Empty:      "undefined where x or prev(x, n) is not above 0; holds while x is undefined",
		},
		emit: func(e *emitter, c call) value {
			newest, lagged := e.lag(c)
			return value{number: exact.BuildLog(e.b, e.b.Div(newest, lagged)), fresh: e.step(c.args[0])}
		},
	}
}
