package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

func relations() []Operator {
	return []Operator{
		covOperator(), corrOperator(), lagCorrOperator(), autocorrOperator(), betaOperator(),
		regSlopeOperator(), regInterceptOperator(), regResidualOperator(), spreadZscoreOperator(), varianceRatioOperator(),
		rollSpreadOperator(), kyleLambdaOperator(),
	}
}

const (
	pairsTogether = "steps when either is updated and both are defined, so a series that is updated more often repeats the other's value " +
		"(Epps (1979)): sample both by one clock where that matters"
	pairsEmpty = "undefined while a window of time holds no pair; steps on which either is undefined are left out"
	pairsFlat  = "undefined where either is flat"
)

// comoments is what a window knows of pairs.
type comoments struct {
	meanX, meanY, squaresX, squaresY, products, count, warm program.Value
}

func (e *emitter) comoments(push, x, y program.Value, w expr.Setting, reset program.Value) comoments {
	out := e.advance(program.AggMoments2, w, push, reset, x, y)
	return comoments{out[0], out[1], out[2], out[3], out[4], e.warmCount(w, out[5]), out[6]}
}

// whileWarm is a number of a window, undefined until it is warm.
func (e *emitter) whileWarm(warm, x program.Value) program.Value {
	return e.b.Sel(warm, x, e.undefined())
}

// slope is that of the least-squares line of y over x.
func (e *emitter) slope(m comoments) program.Value { return e.b.Div(m.products, m.squaresX) }

func (e *emitter) correlation(m comoments) program.Value {
	return e.b.Div(m.products, e.b.Mul(e.b.Sqrt(m.squaresX), e.b.Sqrt(m.squaresY)))
}

// pairOperator is an operator of the moments of two series: x first, or y first where it is y that depends on x.
func pairOperator(name string, params []expr.Param, doc Doc, of func(e *emitter, m comoments, c call) program.Value) Operator {
	yFirst := params[0].Name == "y"
	return Operator{
		Operator: expr.Operator{Name: name, Params: params, Stateful: true},
		Doc:      doc,
		emit: func(e *emitter, c call) value {
			x, y := c.args[0], c.args[1]
			if yFirst {
				x, y = y, x
			}
			step := e.step(c.args...)
			m := e.comoments(step, x.number, y.number, c.settings[0], c.reset)
			return value{number: e.whileWarm(m.warm, of(e, m, c)), fresh: step}
		},
	}
}

func pairParams(first, second string, more ...expr.Param) []expr.Param {
	return append([]expr.Param{series(first), series(second), anchored(window("w", 2))}, more...)
}

func covOperator() Operator {
	ddof := expr.Param{Name: "ddof", Kind: expr.ParamInteger, Min: 0, Max: 1, Optional: true}
	return pairOperator("cov", pairParams("x", "y", ddof), Doc{
		Summary:    "covariance of two series over a window",
		Formula:    "sum((x - mean x) * (y - mean y)) / (count - ddof)",
		Source:     "Welford (1962); Chan, Golub, LeVeque (1979) for joining parts of a window",
		Convention: "population (ddof=0) as Skender; ddof=1 for the sample estimate; " + pairsTogether,
		WarmUp:     windowWarmUp,
		Flat:       "0 where either is flat",
		Empty:      pairsEmpty,
	}, func(e *emitter, m comoments, c call) program.Value {
		return e.b.Div(m.products, e.b.Sub(m.count, e.b.ConstF(float64(c.settings[1].Count))))
	})
}

func corrOperator() Operator {
	return pairOperator("corr", pairParams("x", "y"), Doc{
		Summary:    "correlation of two series over a window, from -1 to 1",
		Formula:    "sum((x - mean x) * (y - mean y)) / sqrt(sum((x - mean x)^2) * sum((y - mean y)^2))",
		Source:     "Pearson (1895), Note on Regression and Inheritance in the Case of Two Parents",
		Convention: "of the series as they are: give it returns for the correlation of returns; within rounding of -1 and 1; " + pairsTogether,
		WarmUp:     windowWarmUp,
		Flat:       pairsFlat,
		Empty:      pairsEmpty,
	}, func(e *emitter, m comoments, _ call) program.Value { return e.correlation(m) })
}

func regSlopeOperator() Operator {
	return pairOperator("reg_slope", pairParams("y", "x"), Doc{
		Summary:    "slope of y over x by least squares over a window: the hedge ratio",
		Formula:    "sum((x - mean x) * (y - mean y)) / sum((x - mean x)^2)",
		Source:     "Gauss (1809), least squares",
		Convention: "linreg_slope is that of x over the count of samples; " + pairsTogether,
		WarmUp:     windowWarmUp,
		Flat:       "0 where y is flat, undefined where x is",
		Empty:      pairsEmpty,
	}, func(e *emitter, m comoments, _ call) program.Value { return e.slope(m) })
}

func regInterceptOperator() Operator {
	return pairOperator("reg_intercept", pairParams("y", "x"), Doc{
		Summary:    "intercept of y over x by least squares over a window",
		Formula:    "mean y - reg_slope(y, x, w) * mean x",
		Source:     "Gauss (1809), least squares",
		Convention: pairsTogether,
		WarmUp:     windowWarmUp,
		Flat:       "y where y is flat, undefined where x is",
		Empty:      pairsEmpty,
	}, func(e *emitter, m comoments, _ call) program.Value {
		return e.b.Sub(m.meanY, e.b.Mul(e.slope(m), m.meanX))
	})
}

// fitted is the line of y over x and how far the newest pair is off it.
func (e *emitter) fitted(c call) (step, residual program.Value, m comoments) {
	y, x, w := c.args[0], c.args[1], c.settings[0]
	step = e.step(y, x)
	m = e.comoments(step, x.number, y.number, w, c.reset)
	// The newest deviations come from windows of one series, which keep the digits that a difference of large numbers loses.
	dy := e.advance(program.AggMoments, w, step, c.reset, y.number)[4]
	dx := e.advance(program.AggMoments, w, step, c.reset, x.number)[4]
	return step, e.b.Sub(dy, e.b.Mul(e.slope(m), dx)), m
}

func regResidualOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "reg_residual", Params: pairParams("y", "x"), Stateful: true},
		Doc: Doc{
			Summary:    "how far the newest y is above its line over x: the hedged spread",
			Formula:    "y - (reg_intercept(y, x, w) + reg_slope(y, x, w) * x)",
			Source:     "Gauss (1809), least squares",
			Convention: "the line is fitted to the window that holds the newest pair itself; " + pairsTogether,
			WarmUp:     windowWarmUp,
			Flat:       "0 where y is flat, undefined where x is",
			Empty:      pairsEmpty,
		},
		emit: func(e *emitter, c call) value {
			step, residual, m := e.fitted(c)
			return value{number: e.whileWarm(m.warm, residual), fresh: step}
		},
	}
}

// perfectFit is the share of y's squares below which those of the residuals are rounding.
const perfectFit = 1e-12

func spreadZscoreOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "spread_zscore", Params: pairParams("y", "x"), Stateful: true},
		Doc: Doc{
			Summary:    "the hedged spread in its standard deviations over a window",
			Formula:    "reg_residual(y, x, w) / sqrt(sum of squared residuals / count)",
			Source:     "Vidyamurthy (2004), Pairs Trading",
			Convention: "hedge ratio and deviation are of the same window, which holds the newest pair; population (ddof 0); " + pairsTogether,
			WarmUp:     windowWarmUp,
			Flat:       "undefined where either is flat, or where the fit leaves less than 1e-6 of y's deviation, which is rounding",
			Empty:      pairsEmpty,
		},
		emit: func(e *emitter, c call) value {
			b := e.b
			step, residual, m := e.fitted(c)
			squares := b.Sub(m.squaresY, b.Mul(e.slope(m), m.products))
			loose := b.Flt(b.Mul(b.ConstF(perfectFit), m.squaresY), squares)
			score := b.Div(residual, b.Sqrt(b.Div(squares, m.count)))
			return value{number: e.whileWarm(b.And(m.warm, loose), score), fresh: step}
		},
	}
}

func lagCorrOperator() Operator {
	params := []expr.Param{series("x"), series("y"), samples("k"), anchored(window("w", 2))}
	return Operator{
		Operator: expr.Operator{Name: "lag_corr", Params: params, Stateful: true},
		Doc: Doc{
			Summary:    "correlation of x with y k steps earlier: high where y leads x",
			Formula:    "corr of x and y', y' being y k steps before",
			Source:     "Lo, MacKinlay (1990), When Are Contrarian Profits Due to Stock Market Overreaction?, for lead and lag",
			Convention: "a step of the pair, not of y alone, is what k counts; " + pairsTogether,
			WarmUp:     "n + k steps, or the whole duration since step k + 1; starts again after a gap",
			Flat:       pairsFlat,
			Empty:      pairsEmpty,
		},
		emit: func(e *emitter, c call) value {
			return e.lagCorr(c.args[0], c.args[1], e.anchor(c))
		},
	}
}

func (e *emitter) lagCorr(x, y value, c call) value {
	step := e.step(x, y)
	lag := e.b.Window(program.SampleWindow(program.AggLag, int(c.settings[0].Count)), step, c.reset, y.number)
	m := e.comoments(e.b.And(step, lag[1]), x.number, lag[0], c.settings[1], c.reset)
	return value{number: e.whileWarm(m.warm, e.correlation(m)), fresh: step}
}

func autocorrOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "autocorr", Params: []expr.Param{series("x"), samples("k"), anchored(window("w", 2))}, Stateful: true},
		Doc: Doc{
			Summary:    "correlation of x with itself k steps earlier",
			Formula:    "corr of x and x', x' being x k steps before",
			Source:     "Box, Jenkins (1970), Time Series Analysis",
			Convention: "each half has its own mean, so it stays within -1 and 1",
			WarmUp:     "n + k steps, or the whole duration since step k + 1; starts again after a gap",
			Flat:       "undefined",
			Empty:      pairsEmpty,
		},
		emit: func(e *emitter, c call) value { return e.lagCorr(c.args[0], c.args[0], e.anchor(c)) },
	}
}
