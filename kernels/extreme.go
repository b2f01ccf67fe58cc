package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// extremes is the family of the largest and smallest in a window.
func extremes() []Operator {
	return []Operator{
		highestOperator(),
		lowestOperator(),
		highestAgeOperator(),
		lowestAgeOperator(),
	}
}

// extreme is the largest or smallest x of a window while it is warm.
func (e *emitter) extreme(agg program.WindowAgg, x value, w expr.Setting, reset program.Value) value {
	step := e.step(x)
	out := e.roll(agg, w, step, reset, x.number)
	return value{number: e.b.Sel(out[2], out[0], e.undefined()), fresh: step}
}

// extremeAge is how many steps ago the largest or smallest x of the last n samples was.
func (e *emitter) extremeAge(agg program.WindowAgg, x value, n int64, reset program.Value) value {
	step := e.step(x)
	out := e.b.Window(program.SampleWindow(agg, int(n)), step, reset, x.number)
	return value{number: e.b.Sel(out[2], out[1], e.undefined()), fresh: step}
}

func highestOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "highest", Params: []expr.Param{series("x"), anchored(window("w", 1))}, Stateful: true},
		Doc: Doc{
			Summary:    "largest value in a window",
			Formula:    "max(x)",
			Source:     "-",
			Convention: "the window holds x itself; for the largest before it write prev(highest(x, w))",
			WarmUp:     warmWindow,
			Flat:       "x",
			Empty:      emptyWindow,
		},
		emit: func(e *emitter, c call) value {
			return e.extreme(program.AggMax, c.args[0], c.settings[0], c.reset)
		},
	}
}

func lowestOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "lowest", Params: []expr.Param{series("x"), anchored(window("w", 1))}, Stateful: true},
		Doc: Doc{
			Summary:    "smallest value in a window",
			Formula:    "min(x)",
			Source:     "-",
			Convention: "the window holds x itself; for the smallest before it write prev(lowest(x, w))",
			WarmUp:     warmWindow,
			Flat:       "x",
			Empty:      emptyWindow,
		},
		emit: func(e *emitter, c call) value {
			return e.extreme(program.AggMin, c.args[0], c.settings[0], c.reset)
		},
	}
}

const (
	warmWindow  = "n samples, or the whole duration since the first one; starts again after a gap"
	emptyWindow = "undefined while a window of time holds no sample; undefined samples are left out"
)

func highestAgeOperator() Operator {
	return Operator{
		Operator: smoother("highest_age", 1),
		Doc: Doc{
			Summary:    "how many samples ago the largest of the last n was",
			Formula:    "0 where x is the largest, n - 1 where the oldest is",
			Source:     "-",
			Convention: "of equal ones the newest counts",
			WarmUp:     "first value at sample n; " + gapRestarts,
			Flat:       "0",
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value {
			return e.extremeAge(program.AggMax, c.args[0], c.settings[0].Count, c.reset)
		},
	}
}

func lowestAgeOperator() Operator {
	return Operator{
		Operator: smoother("lowest_age", 1),
		Doc: Doc{
			Summary:    "how many samples ago the smallest of the last n was",
			Formula:    "0 where x is the smallest, n - 1 where the oldest is",
			Source:     "-",
			Convention: "of equal ones the newest counts",
			WarmUp:     "first value at sample n; " + gapRestarts,
			Flat:       "0",
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value {
			return e.extremeAge(program.AggMin, c.args[0], c.settings[0].Count, c.reset)
		},
	}
}
