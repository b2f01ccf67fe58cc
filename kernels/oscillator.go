package kernels

import (
	"fmt"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// oscillators is the family of where the close is within the recent range.
func oscillators() []Operator {
	return []Operator{
		stochKOperator(),
		stochDOperator(),
		williamsOperator(),
		cciOperator(),
		aroonUpOperator(),
		aroonDownOperator(),
		aroonOscOperator(),
		ultimateOperator(),
	}
}

// inRange is the close's place between the extremes of the last n bars, from 0 to 1, and what it is made of.
func (e *emitter) inRange(c call) (place, highest, lowest, last value) {
	in := e.together(c.args)
	highest = e.extreme(program.AggMax, in[0], c.settings[0], c.reset)
	lowest = e.extreme(program.AggMin, in[1], c.settings[0], c.reset)
	last = in[2].with(e.latest(in[2]))
	b := e.b
	width := b.Sub(highest.number, lowest.number)
	return last.with(b.Div(b.Sub(last.number, lowest.number), width)), highest, lowest, last
}

func samplesParam(name string, standard int64) expr.Param {
	return expr.Param{Name: name, Kind: expr.ParamSamples, Optional: true, Default: standard}
}

const stochSource = "Lane (1984), Lane's Stochastics"

func stochKOperator() Operator {
	o := barSignature("stoch_k", "high", "low", "close")
	o.Params = append(o.Params, samplesParam("smooth", 1))
	return Operator{
		Operator: o,
		Doc: Doc{
			Summary:    "stochastic oscillator %K: where the close is in the range of the last n bars, from 0 to 100",
			Formula:    "sma(100 * (close - l) / (h - l), smooth) with h = highest(high, n) and l = lowest(low, n)",
			Source:     stochSource,
			Convention: "fast with smooth=1, slow with smooth=3; %J is 3 * stoch_k - 2 * stoch_d",
			WarmUp:     "first value at bar n + smooth - 1; " + gapRestarts,
			Flat:       "undefined: there is no range (TA-Lib and Skender say 0); such bars are left out of the smoothing",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value { return e.stochastic(c) },
	}
}

func (e *emitter) stochastic(c call) value {
	place, _, _, _ := e.inRange(c)
	raw := place.with(e.b.Mul(e.b.ConstF(100), place.number))
	if c.settings[1].Count == 1 {
		return raw
	}
	return e.mean(raw, c.settings[1], c.reset)
}

func stochDOperator() Operator {
	o := barSignature("stoch_d", "high", "low", "close")
	o.Params = append(o.Params, samplesParam("smooth", 3), samplesParam("d", 3))
	return Operator{
		Operator: o,
		Doc: Doc{
			Summary:    "stochastic oscillator %D: the mean of %K",
			Formula:    "sma(stoch_k(high, low, close, n, smooth), d)",
			Source:     stochSource,
			Convention: "simple means",
			WarmUp:     "first value at bar n + smooth + d - 2; " + gapRestarts,
			Flat:       "undefined until there is a range, holds after",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value { return e.mean(e.stochastic(c), c.settings[2], c.reset) },
	}
}

func williamsOperator() Operator {
	return Operator{
		Operator: barSignature("williams_r", "high", "low", "close"),
		Doc: Doc{
			Summary:    "Williams's %R: how far the close is below the highest high, from -100 to 0",
			Formula:    "-100 * (h - close) / (h - l) with h = highest(high, n) and l = lowest(low, n)",
			Source:     "Williams (1973), How I Made One Million Dollars Last Year Trading Commodities",
			Convention: "-",
			WarmUp:     "first value at bar n; " + gapRestarts,
			Flat:       "undefined: there is no range",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value {
			_, highest, lowest, last := e.inRange(c)
			b := e.b
			below := b.Div(b.Sub(highest.number, last.number), b.Sub(highest.number, lowest.number))
			return last.with(b.Mul(b.ConstF(-100), below))
		},
	}
}

func cciOperator() Operator {
	o := barSignature("cci", "high", "low", "close")
	o.Restrict = func(s []expr.Setting) string {
		if s[0].Count > program.MaxRankSamples {
			return fmt.Sprintf("cci looks at all its bars on each: it takes up to %d", program.MaxRankSamples)
		}
		return ""
	}
	return Operator{
		Operator: o,
		Doc: Doc{
			Summary:    "commodity channel index",
			Formula:    "(t - sma(t, n)) / (0.015 * d), t = (high + low + close) / 3, d being the mean of abs(t - sma(t, n)) over the n bars",
			Source:     "Lambert (1980), Commodity Channel Index: Tool for Trading Cyclic Trends",
			Convention: "deviations are from the newest mean",
			WarmUp:     "first value at bar n; " + gapRestarts,
			Flat:       "undefined: there is no deviation (TA-Lib says 0)",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value {
			b := e.b
			typical := e.typical(e.together(c.args))
			out := b.Window(program.SampleWindow(program.AggAbsdev, int(c.settings[0].Count)), e.step(typical), c.reset, typical.number)
			index := b.Div(out[1], b.Mul(b.ConstF(0.015), out[0])) // undefined until warm, as the outputs are
			return value{number: index, fresh: e.step(typical)}
		},
	}
}

// typical is the mean of a bar's high, low and close, which come first.
func (e *emitter) typical(in []value) value {
	b := e.b
	return in[0].with(b.Div(b.Add(b.Add(in[0].number, in[1].number), in[2].number), b.ConstF(3)))
}

const aroonSource = "Chande (1995), Aroon"

// aroon is how recent the extreme of the last n + 1 samples is, from 0 to 100.
func (e *emitter) aroon(agg program.WindowAgg, x value, n int64, reset program.Value) value {
	age := e.extremeAge(agg, x, n+1, reset)
	b := e.b
	return age.with(b.Div(b.Mul(b.ConstF(100), b.Sub(b.ConstF(float64(n)), age.number)), b.ConstF(float64(n))))
}

func aroonUpOperator() Operator {
	return Operator{
		Operator: smoother("aroon_up", 1),
		Doc: Doc{
			Summary:    "how recent the high of the last n + 1 samples is, from 0 to 100",
			Formula:    "100 * (n - highest_age(x, n + 1)) / n",
			Source:     aroonSource,
			Convention: "x is the series of highs; of equal ones the newest counts",
			WarmUp:     "first value at sample n + 1; " + gapRestarts,
			Flat:       "100",
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value {
			return e.aroon(program.AggMax, c.args[0], c.settings[0].Count, c.reset)
		},
	}
}

func aroonDownOperator() Operator {
	return Operator{
		Operator: smoother("aroon_down", 1),
		Doc: Doc{
			Summary:    "how recent the low of the last n + 1 samples is, from 0 to 100",
			Formula:    "100 * (n - lowest_age(x, n + 1)) / n",
			Source:     aroonSource,
			Convention: "x is the series of lows; of equal ones the newest counts",
			WarmUp:     "first value at sample n + 1; " + gapRestarts,
			Flat:       "100",
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value {
			return e.aroon(program.AggMin, c.args[0], c.settings[0].Count, c.reset)
		},
	}
}

func aroonOscOperator() Operator {
	return Operator{
		Operator: barSignature("aroon_osc", "high", "low"),
		Doc: Doc{
			Summary:    "Aroon oscillator, from -100 to 100",
			Formula:    "aroon_up(high, n) - aroon_down(low, n)",
			Source:     aroonSource,
			Convention: "of equal extremes the newest counts",
			WarmUp:     "first value at bar n + 1; " + gapRestarts,
			Flat:       "0",
			Empty:      "holds while high or low is undefined",
		},
		emit: func(e *emitter, c call) value {
			in, n := e.together(c.args), c.settings[0].Count
			up, down := e.aroon(program.AggMax, in[0], n, c.reset), e.aroon(program.AggMin, in[1], n, c.reset)
			return up.with(e.b.Sub(up.number, down.number))
		},
	}
}

func ultimateOperator() Operator {
	return Operator{
		Operator: expr.Operator{
			Name: "ultimate", Stateful: true,
			Params: []expr.Param{
				series("high"), series("low"), series("close"),
				samplesParam("short", 7), samplesParam("middle", 14), samplesParam("long", 28),
			},
		},
		Doc: Doc{
			Summary:    "ultimate oscillator: buying pressure over three spans, from 0 to 100",
			Formula:    "100 * (4 * a(short) + 2 * a(middle) + a(long)) / 7, a(n) = sum(close - m, n) / sum(tr, n), m = min(low, c), c being the close before",
			Source:     "Williams (1985), The Ultimate Oscillator",
			Convention: "-",
			WarmUp:     "first value at bar n + 1, n being the longest span; " + gapRestarts,
			Flat:       "undefined: there is no range",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value {
			b, in := e.b, e.together(c.args)
			width := e.trueRange(in[0], in[1], in[2], c.reset)
			floor := e.smaller(in[1].number, e.previous(in[2], c.reset))
			parts := e.together([]value{width.with(b.Sub(in[2].number, floor)), width})
			var total program.Value
			for i, weight := range []float64{4, 2, 1} {
				pressure, span := e.sum(parts[0], c.settings[i], c.reset), e.sum(parts[1], c.settings[i], c.reset)
				share := b.Mul(b.ConstF(weight), b.Div(pressure.number, span.number))
				if i == 0 {
					total = share
				} else {
					total = b.Add(total, share)
				}
			}
			return parts[0].with(b.Div(b.Mul(b.ConstF(100), total), b.ConstF(7)))
		},
	}
}
