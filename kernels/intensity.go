package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

func intensities() []Operator {
	return []Operator{intensityOperator(), tradeIntensityOperator(), intensityRatioOperator()}
}

const nanosecondsASecond = 1e9

// rate is how many events a second there are, over a duration or over the last n intervals between them.
func (e *emitter) rate(events program.Value, w expr.Setting, reset program.Value) program.Value {
	b := e.b
	if w.DurationNs > 0 {
		n, _ := e.pushed(events, b.ConstF(1), w, reset)
		return b.Div(n, b.ConstF(float64(w.DurationNs)/nanosecondsASecond))
	}
	at := value{number: e.elapsed(), fresh: events}
	lagged, newest := e.back(at, w.Count, reset)
	return b.Div(b.ConstF(float64(w.Count)*nanosecondsASecond), b.Sub(newest, lagged))
}

// elapsed is the engine time since the instrument's first tick in nanoseconds, exact for a hundred days.
func (e *emitter) elapsed() program.Value {
	return e.partOf(partKey{kind: "elapsed"}, func() value {
		b := e.b
		word := b.AllocState(2)
		started := b.Load(word+1, program.M)
		first := b.Sel(started, b.Load(word, program.I), b.Time())
		b.Store(word, first)
		b.Store(word+1, b.ConstM(true))
		return value{number: b.I2F(b.Isub(b.Time(), first))}
	}).number
}

const (
	rateConvention = "a window of time is w long to within 1/64 and is looked at with the engine time, so that silence lowers it; a window " +
		"of samples spans the last n intervals and holds until the next event"
	rateWarmUp = "n + 1 events, or the whole duration since the first one; starts again after a gap"
	rateEmpty  = "0 while a window of time holds no event; undefined where n intervals take no time"
)

func intensityOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "intensity", Params: []expr.Param{condition("c"), window("w", 1)}, Stateful: true},
		Doc: Doc{
			Summary:    "events a second: updates on which c is true",
			Formula:    "count / w, or n / (time of the last event - time of the one n before)",
			Source:     "-",
			Convention: rateConvention,
			WarmUp:     rateWarmUp,
			Flat:       "-",
			Empty:      rateEmpty,
		},
		emit: func(e *emitter, c call) value {
			test := c.args[0]
			known := e.b.And(test.fresh, e.b.Or(test.isTrue, test.isFalse))
			return value{number: e.rate(e.b.And(test.fresh, test.isTrue), c.settings[0], c.reset), fresh: known}
		},
	}
}

func tradeIntensityOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "trade_intensity", Params: []expr.Param{window("w", 1)}, Stateful: true, Reads: []string{"price"}},
		Doc: Doc{
			Summary:    "trades a second",
			Formula:    "count / w, or n / (time of the last trade - time of the one n before)",
			Source:     "-",
			Convention: rateConvention,
			WarmUp:     rateWarmUp,
			Flat:       "-",
			Empty:      rateEmpty,
		},
		emit: func(e *emitter, c call) value {
			step := e.step(c.args...)
			return value{number: e.rate(step, c.settings[0], c.reset), fresh: step}
		},
	}
}

func intensityRatioOperator() Operator {
	return Operator{
		Operator: expr.Operator{
			Name: "intensity_ratio", Params: []expr.Param{anchored(window("w", 1))}, Stateful: true, Reads: []string{"price", "aggressor"},
		},
		Doc: Doc{
			Summary:    "trades in which the buyer took for each in which the seller did, over a window",
			Formula:    "count(sign is 1) / count(sign is -1)",
			Source:     signSource,
			Convention: signConvention + "; trades count alike whatever their size",
			WarmUp:     tradesWarmUp,
			Flat:       "-",
			Empty:      "undefined while the window holds no trade in which the seller took",
		},
		emit: func(e *emitter, c call) value {
			b := e.b
			sign := e.tradeSign(c.args[0], c.args[1], c.reset)
			one := b.Sel(b.Flt(b.ConstF(0), sign.number), b.ConstF(1), b.ConstF(0))
			buys, all := e.pushed(e.step(sign), one, c.settings[0], c.reset)
			return value{number: b.Div(buys, b.Sub(all, buys)), fresh: sign.fresh}
		},
	}
}
