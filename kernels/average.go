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
		Operator: expr.Operator{Name: "ema", Params: []expr.Param{series("x"), samples("n")}, Stateful: true},
		Doc: Doc{
			Summary:    "exponential moving average over samples",
			Formula:    "ema + a * (x - ema) with a = 2 / (n + 1)",
			Source:     "Hunter (1986), The Exponentially Weighted Moving Average; the seed as in Skender's Stock.Indicators",
			Convention: "seeded with the mean of the first n samples; evaluated in the order written, so it agrees with Skender to the bit",
			WarmUp:     "first value at sample n; a gap does not restart it",
			Flat:       "x",
			Empty:      "holds while x is undefined; starts again if a step overflows",
		},
		emit: emitEMA,
	}
}

// emitEMA keeps two words: the running sum of the first n samples, then the average; and how many samples there
// were, up to n.
func emitEMA(e *emitter, c call) value {
	b, x := e.b, c.args[0]
	n := c.settings[0].Count
	accumulator, counter := b.AllocState(1, 0), b.AllocState(1, 0)
	acc, count := b.Load(accumulator, program.F), b.Load(counter, program.F)
	limit := b.ConstF(float64(n))
	step := e.step(x)

	seeding := b.Flt(count, limit)
	counted := b.Sel(seeding, b.Add(count, b.ConstF(1)), count)
	sum := b.Add(acc, x.number)
	seeded := b.Sel(b.Fle(limit, counted), b.Div(sum, limit), sum)
	moved := b.Add(acc, b.Mul(b.ConstF(2/float64(n+1)), b.Sub(x.number, acc)))
	next := b.Canon(b.Sel(seeding, seeded, moved))
	good := b.Defined(next)

	zero := b.ConstF(0)
	acc = b.Sel(step, b.Sel(good, next, zero), acc)
	count = b.Sel(step, b.Sel(good, counted, zero), count)
	b.Store(accumulator, acc)
	b.Store(counter, count)
	return value{number: b.Sel(b.Fle(limit, count), acc, e.undefined()), fresh: step}
}

func smaOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "sma", Params: []expr.Param{series("x"), window("w", 1)}, Stateful: true},
		Doc: Doc{
			Summary:    "mean over a window",
			Formula:    "sum(x) / count",
			Source:     "-",
			Convention: "samples have equal weight, also in a window of time",
			WarmUp:     "n samples, or the whole duration since the first one; starts again after a gap",
			Flat:       "x, within rounding",
			Empty:      "undefined while a window of time holds no sample; undefined samples are left out",
		},
		emit: func(e *emitter, c call) value {
			x := c.args[0]
			step := e.step(x)
			out := e.b.Window(e.windowOf(program.AggSum, c.settings[0]), step, c.reset, x.number)
			mean := e.b.Div(out[0], e.warmCount(c.settings[0], out[1]))
			return value{number: e.b.Sel(out[2], mean, e.undefined()), fresh: step}
		},
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
	if s.DurationNs > 0 {
		return count
	}
	return e.b.ConstF(float64(s.Count))
}
