package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// averages is the family of means.
func averages() []Operator {
	return []Operator{
		emaOperator(),
		smaOperator(),
	}
}

func emaOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "ema", Params: []expr.Param{series("x"), window("n", 1)}, Stateful: true},
		Doc: Doc{
			Summary: "exponential moving average over samples, or by half-life in time",
			Formula: "ema + a * (x - ema) with a = 2 / (n + 1); with a duration, ewma(x, n)",
			Source:  "Hunter (1986), The Exponentially Weighted Moving Average; the seed as in Skender's Stock.Indicators",
			Convention: "seeded with the mean of the first n samples; evaluated in the order written, so it agrees with Skender to the bit; " +
				"a duration is a half-life, not a time constant: ema(x, 2s) is ewma(x, 2s)",
			WarmUp: "first value at sample n, or n after the first sample; a gap does not restart it",
			Flat:   "x",
			Empty:  "holds while x is undefined; starts again if a step overflows",
		},
		emit: func(e *emitter, c call) value {
			if c.settings[0].DurationNs > 0 {
				return e.ewma(c.args[0], c.settings[0])
			}
			return e.ema(c.args[0], c.settings[0].Count)
		},
	}
}

func smaOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "sma", Params: []expr.Param{series("x"), anchored(window("w", 1))}, Stateful: true},
		Doc: Doc{
			Summary:    "mean over a window",
			Formula:    "sum(x) / count",
			Source:     "-",
			Convention: "samples have equal weight, also in a window of time",
			WarmUp:     "n samples, or the whole duration since the first one; starts again after a gap",
			Flat:       "x, within rounding",
			Empty:      "undefined while a window of time holds no sample; undefined samples are left out",
		},
		emit: func(e *emitter, c call) value { return e.mean(c.args[0], c.settings[0], c.reset) },
	}
}

// windowOf describes the window of a setting.
func (e *emitter) windowOf(agg program.WindowAgg, s expr.Setting) program.Window {
	if s.DurationNs > 0 {
		return program.DurationWindow(agg, s.DurationNs, e.subIntervals)
	}
	return program.SampleWindow(agg, int(s.Count))
}

// warmCount is how many samples a warm window holds; a window of samples is warm only when it is full.
func (e *emitter) warmCount(s expr.Setting, count program.Value) program.Value {
	if s.DurationNs > 0 || s.Session {
		return count
	}
	return e.b.ConstF(float64(s.Count))
}
