package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// channels is the family of bands about a price.
func channels() []Operator {
	return []Operator{
		bollingerUpperOperator(),
		bollingerLowerOperator(),
		bollingerWidthOperator(),
		percentBOperator(),
		donchianHighOperator(),
		donchianLowOperator(),
		donchianMidOperator(),
		keltnerHighOperator(),
		keltnerLowOperator(),
	}
}

func bollingerSignature(name string) expr.Operator {
	ddof := expr.Param{Name: "ddof", Kind: expr.ParamInteger, Max: 1, Optional: true}
	return expr.Operator{Name: name, Params: []expr.Param{series("x"), anchored(window("w", 2)), series("k"), ddof}, Stateful: true}
}

const (
	bollingerSource     = "Bollinger (2001), Bollinger on Bollinger Bands"
	bollingerConvention = "population standard deviation (ddof=0); k is usually 2; the middle band is sma(x, w)"
)

// bands are the mean of a window, the newest sample's distance from it, and the half width of the bands.
type bands struct {
	middle          value
	newest, halfway program.Value
}

func (e *emitter) bollinger(c call) bands {
	step := e.step(c.args[0])
	out := e.roll(program.AggMoments, c.settings[0], step, c.reset, c.args[0].number)
	freedom := e.warmCount(c.settings[0], out[2])
	if ddof := c.settings[1].Count; ddof > 0 {
		freedom = e.b.Sub(freedom, e.b.ConstF(float64(ddof)))
	}
	deviation := e.b.Sqrt(e.b.Div(out[1], freedom))
	middle := value{number: e.b.Sel(out[3], out[0], e.undefined()), fresh: step}
	return bands{middle: middle, newest: out[4], halfway: e.b.Mul(c.args[1].number, deviation)}
}

func bollingerUpperOperator() Operator {
	return Operator{
		Operator: bollingerSignature("bb_upper"),
		Doc: Doc{
			Summary:    "upper Bollinger band",
			Formula:    "sma(x, w) + k * std(x, w)",
			Source:     bollingerSource,
			Convention: bollingerConvention,
			WarmUp:     warmWindow,
			Flat:       flatWithin,
			Empty:      emptyWindow,
		},
		emit: func(e *emitter, c call) value {
			bb := e.bollinger(c)
			return bb.middle.with(e.b.Add(bb.middle.number, bb.halfway))
		},
	}
}

func bollingerLowerOperator() Operator {
	return Operator{
		Operator: bollingerSignature("bb_lower"),
		Doc: Doc{
			Summary:    "lower Bollinger band",
			Formula:    "sma(x, w) - k * std(x, w)",
			Source:     bollingerSource,
			Convention: bollingerConvention,
			WarmUp:     warmWindow,
			Flat:       flatWithin,
			Empty:      emptyWindow,
		},
		emit: func(e *emitter, c call) value {
			bb := e.bollinger(c)
			return bb.middle.with(e.b.Sub(bb.middle.number, bb.halfway))
		},
	}
}

func bollingerWidthOperator() Operator {
	return Operator{
		Operator: bollingerSignature("bb_width"),
		Doc: Doc{
			Summary:    "width of the Bollinger bands as a part of the middle",
			Formula:    "(bb_upper - bb_lower) / sma(x, w)",
			Source:     bollingerSource,
			Convention: bollingerConvention,
			WarmUp:     warmWindow,
			Flat:       "0",
			Empty:      emptyWindow + "; undefined where the mean is 0",
		},
		emit: func(e *emitter, c call) value {
			bb := e.bollinger(c)
			return bb.middle.with(e.b.Div(e.b.Mul(e.b.ConstF(2), bb.halfway), bb.middle.number))
		},
	}
}

func percentBOperator() Operator {
	return Operator{
		Operator: bollingerSignature("percent_b"),
		Doc: Doc{
			Summary:    "where x is between the Bollinger bands: 0 on the lower, 1 on the upper",
			Formula:    "(x - bb_lower) / (bb_upper - bb_lower)",
			Source:     bollingerSource,
			Convention: bollingerConvention,
			WarmUp:     warmWindow,
			Flat:       "undefined: the bands have no width",
			Empty:      emptyWindow,
		},
		emit: func(e *emitter, c call) value {
			bb := e.bollinger(c)
			place := e.b.Div(e.b.Add(bb.newest, bb.halfway), e.b.Mul(e.b.ConstF(2), bb.halfway))
			return bb.middle.with(e.b.Sel(e.b.Defined(bb.middle.number), place, e.undefined()))
		},
	}
}

func channelSignature(name string, fields ...string) expr.Operator {
	o := barSignature(name, fields...)
	o.Params[len(fields)] = anchored(window("w", 1))
	return o
}

const donchianConvention = "the window holds the newest bar; for the bars before it write prev(…)"

func donchianHighOperator() Operator {
	return Operator{
		Operator: channelSignature("donchian_high", "high"),
		Doc: Doc{
			Summary:    "upper Donchian channel",
			Formula:    "highest(high, w)",
			Source:     "Donchian (1960)",
			Convention: donchianConvention,
			WarmUp:     warmWindow,
			Flat:       "high",
			Empty:      emptyWindow,
		},
		emit: func(e *emitter, c call) value {
			return e.extreme(program.AggMax, c.args[0], c.settings[0], c.reset)
		},
	}
}

func donchianLowOperator() Operator {
	return Operator{
		Operator: channelSignature("donchian_low", "low"),
		Doc: Doc{
			Summary:    "lower Donchian channel",
			Formula:    "lowest(low, w)",
			Source:     "Donchian (1960)",
			Convention: donchianConvention,
			WarmUp:     warmWindow,
			Flat:       "low",
			Empty:      emptyWindow,
		},
		emit: func(e *emitter, c call) value {
			return e.extreme(program.AggMin, c.args[0], c.settings[0], c.reset)
		},
	}
}

func donchianMidOperator() Operator {
	return Operator{
		Operator: channelSignature("donchian_mid", "high", "low"),
		Doc: Doc{
			Summary:    "middle of the Donchian channel",
			Formula:    "(highest(high, w) + lowest(low, w)) / 2",
			Source:     "Donchian (1960)",
			Convention: donchianConvention,
			WarmUp:     warmWindow,
			Flat:       "the middle of the bar",
			Empty:      "undefined while a window of time holds no bar; bars with an undefined part are left out",
		},
		emit: func(e *emitter, c call) value {
			in := e.together(c.args)
			high := e.extreme(program.AggMax, in[0], c.settings[0], c.reset)
			low := e.extreme(program.AggMin, in[1], c.settings[0], c.reset)
			return high.with(e.b.Div(e.b.Add(high.number, low.number), e.b.ConstF(2)))
		},
	}
}

func keltnerSignature(name string) expr.Operator {
	o := barSignature(name, "high", "low", "close")
	o.Params = append(o.Params, series("k"), samplesParam("atr", 10))
	return o
}

// keltner are the middle of the channel and its half width.
func (e *emitter) keltner(c call) (middle value, half program.Value) {
	in := e.together(c.args[:3])
	middle = e.ema(in[2], c.settings[0].Count)
	width := e.wilder(e.trueRange(in[0], in[1], in[2], c.reset), c.settings[1].Count)
	return middle, e.b.Mul(c.args[3].number, width.number)
}

const (
	keltnerSource     = "Keltner (1960), How to Make Money in Commodities; with the true range as Raschke"
	keltnerConvention = "k is usually 2; the middle is ema(close, n)"
	keltnerWarmUp     = "first value at bar n or atr + 1, whichever is later; a gap restarts neither average"
)

func keltnerHighOperator() Operator {
	return Operator{
		Operator: keltnerSignature("keltner_high"),
		Doc: Doc{
			Summary:    "upper Keltner channel",
			Formula:    "ema(close, n) + k * atr(high, low, close, atr)",
			Source:     keltnerSource,
			Convention: keltnerConvention,
			WarmUp:     keltnerWarmUp,
			Flat:       "close, within rounding",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value {
			middle, half := e.keltner(c)
			return middle.with(e.b.Add(middle.number, half))
		},
	}
}

func keltnerLowOperator() Operator {
	return Operator{
		Operator: keltnerSignature("keltner_low"),
		Doc: Doc{
			Summary:    "lower Keltner channel",
			Formula:    "ema(close, n) - k * atr(high, low, close, atr)",
			Source:     keltnerSource,
			Convention: keltnerConvention,
			WarmUp:     keltnerWarmUp,
			Flat:       "close, within rounding",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value {
			middle, half := e.keltner(c)
			return middle.with(e.b.Sub(middle.number, half))
		},
	}
}
