package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// dispersion is the family of spreads about a mean.
func dispersion() []Operator {
	return []Operator{
		stdOperator(),
		zscoreOperator(),
	}
}

func stdOperator() Operator {
	ddof := expr.Param{Name: "ddof", Kind: expr.ParamInteger, Min: 0, Max: 1, Optional: true}
	return Operator{
		Operator: expr.Operator{
			Name: "std", Params: []expr.Param{series("x"), anchored(window("w", 1)), ddof}, Stateful: true,
			Restrict: func(s []expr.Setting) string {
				if s[0].Count == 1 && s[1].Count == 1 {
					return "std with ddof=1 needs a window of at least 2 samples"
				}
				return ""
			},
		},
		Doc: Doc{
			Summary:    "standard deviation over a window",
			Formula:    "sqrt(sum((x - mean)^2) / (count - ddof))",
			Source:     "Welford (1962); Chan, Golub, LeVeque (1979) for joining parts of a window",
			Convention: "population (ddof=0) as Skender and TA-Lib; ddof=1 for the sample estimate",
			WarmUp:     "n samples, or the whole duration since the first one; starts again after a gap",
			Flat:       "0",
			Empty:      "undefined while the window holds no more than ddof samples; undefined samples are left out",
		},
		emit: func(e *emitter, c call) value {
			// With no more than ddof samples this is 0/0 or the root of nothing: undefined.
			step, m := e.moments(c)
			freedom := m.count
			if ddof := c.settings[1].Count; ddof > 0 {
				freedom = e.b.Sub(m.count, e.b.ConstF(float64(ddof)))
			}
			deviation := e.b.Sqrt(e.b.Div(m.squares, freedom))
			return value{number: e.b.Sel(m.warm, deviation, e.undefined()), fresh: step}
		},
	}
}

func zscoreOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "zscore", Params: []expr.Param{series("x"), anchored(window("w", 2))}, Stateful: true},
		Doc: Doc{
			Summary:    "distance from the mean of a window in standard deviations",
			Formula:    "(x - mean) / std, x being the newest sample",
			Source:     "-",
			Convention: "the window holds x itself; population standard deviation (ddof 0)",
			WarmUp:     "n samples, or the whole duration since the first one; starts again after a gap",
			Flat:       "undefined: the standard deviation is 0",
			Empty:      "undefined while a window of time holds no sample; undefined samples are left out",
		},
		emit: func(e *emitter, c call) value {
			step, m := e.moments(c)
			deviation := e.b.Sqrt(e.b.Div(m.squares, m.count))
			score := e.b.Div(m.newest, deviation)
			return value{number: e.b.Sel(m.warm, score, e.undefined()), fresh: step}
		},
	}
}

// moments is what a window knows of its samples.
type moments struct {
	squares, count, warm, newest program.Value // newest less the mean
}

// moments advances the window of a call; equal windows are one.
func (e *emitter) moments(c call) (step program.Value, m moments) {
	step = e.step(c.args[0])
	out := e.roll(program.AggMoments, c.settings[0], step, c.reset, c.args[0].number)
	return step, moments{squares: out[1], count: e.warmCount(c.settings[0], out[2]), warm: out[3], newest: out[4]}
}
