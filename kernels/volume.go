package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
)

// volumes is the family of price with volume.
func volumes() []Operator {
	return []Operator{
		obvOperator(),
		adlOperator(),
		chaikinOperator(),
		mfiOperator(),
		forceOperator(),
		vwmaOperator(),
	}
}

const runningTotal = "a running total from the first sample: only its changes mean anything"

func obvOperator() Operator {
	o := barSignature("obv", "close", "volume")
	o.Params = o.Params[:2]
	return Operator{
		Operator: o,
		Doc: Doc{
			Summary:    "on-balance volume",
			Formula:    "obv + volume where close rose, obv - volume where it fell",
			Source:     "Granville (1963), Granville's New Key to Stock Market Profits",
			Convention: runningTotal + "; 0 on the first bar, as Skender (TA-Lib starts with its volume)",
			WarmUp:     "first value at bar 1; a gap does not restart it, but the change across it is left out",
			Flat:       "0",
			Empty:      "holds while close or volume is undefined; starts again if it overflows",
		},
		emit: func(e *emitter, c call) value {
			b, in := e.b, e.together(c.args)
			before := e.previous(in[0], c.reset)
			zero, last, volume := b.ConstF(0), in[0].number, in[1].number
			flow := b.Sel(b.Flt(before, last), volume, b.Sel(b.Flt(last, before), b.Neg(volume), zero))
			return e.total(in[0].with(flow))
		},
	}
}

// moneyFlow is the volume times where the close is in its bar, from -1 to 1; 0 in a bar without a range.
func (e *emitter) moneyFlow(in []value) value {
	b := e.b
	high, low, last, volume := in[0].number, in[1].number, in[2].number, in[3].number
	width := b.Sub(high, low)
	place := b.Div(b.Sub(b.Sub(last, low), b.Sub(high, last)), width)
	return in[0].with(b.Mul(b.Sel(b.Feq(width, b.ConstF(0)), b.ConstF(0), place), volume))
}

func adlOperator() Operator {
	o := barSignature("adl", "high", "low", "close", "volume")
	o.Params = o.Params[:4]
	return Operator{
		Operator: o,
		Doc: Doc{
			Summary:    "accumulation and distribution line",
			Formula:    "adl + volume * ((close - low) - (high - close)) / (high - low)",
			Source:     "Chaikin",
			Convention: runningTotal + "; a bar without a range adds 0",
			WarmUp:     "first value at bar 1; a gap does not restart it",
			Flat:       "0",
			Empty:      holdsUndefined3 + "; starts again if it overflows",
		},
		emit: func(e *emitter, c call) value { return e.total(e.moneyFlow(e.together(c.args))) },
	}
}

func chaikinOperator() Operator {
	o := barSignature("chaikin", "high", "low", "close", "volume")
	o.Params = append(o.Params[:4], samplesParam("fast", 3), samplesParam("slow", 10))
	return Operator{
		Operator: o,
		Doc: Doc{
			Summary:    "Chaikin oscillator: momentum of the accumulation and distribution line",
			Formula:    "ema(adl, fast) - ema(adl, slow)",
			Source:     "Chaikin",
			Convention: "each average is seeded with the mean of its own first samples; TA-Lib seeds both with the first",
			WarmUp:     "first value at bar fast or slow, whichever is later; " + gapHolds,
			Flat:       "0",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value {
			line := e.total(e.moneyFlow(e.together(c.args)))
			fast, slow := e.ema(line, c.settings[0].Count), e.ema(line, c.settings[1].Count)
			return fast.with(e.b.Sub(fast.number, slow.number))
		},
	}
}

func mfiOperator() Operator {
	return Operator{
		Operator: barSignature("mfi", "high", "low", "close", "volume"),
		Doc: Doc{
			Summary:    "money flow index, from 0 to 100 where prices are above 0",
			Formula:    "100 - 100 / (1 + sum(u, n) / sum(d, n)), u being t * volume where t = (high + low + close) / 3 rose and d where it fell",
			Source:     "Quong, Soudack (1989), Volume-Weighted RSI: Money Flow",
			Convention: "a bar on which t did not change counts for neither; 50 where nothing flowed (TA-Lib says 0)",
			WarmUp:     "first value at bar n + 1; " + gapRestarts,
			Flat:       "50",
			Empty:      holdsUndefined3,
		},
		emit: emitMFI,
	}
}

func emitMFI(e *emitter, c call) value {
	b, zero := e.b, e.b.ConstF(0)
	in := e.together(c.args)
	typical := e.typical(in)
	change := e.change(typical, c.reset)
	flow := b.Mul(typical.number, in[3].number)
	up := change.with(b.Sel(b.Flt(zero, change.number), flow, zero))
	down := change.with(b.Sel(b.Flt(change.number, zero), flow, zero))
	parts := e.together([]value{up, down})
	rise, fall := e.sum(parts[0], c.settings[0], c.reset), e.sum(parts[1], c.settings[0], c.reset)
	hundred := b.ConstF(100)
	index := b.Sub(hundred, b.Div(hundred, b.Add(b.ConstF(1), b.Div(rise.number, fall.number))))
	flowed := b.Sel(b.Defined(rise.number), hundred, e.undefined()) // all of it up; where prices are negative, it may be less than 0
	still := b.Sel(b.Feq(rise.number, zero), b.ConstF(50), flowed)
	return rise.with(b.Sel(b.Feq(fall.number, zero), still, index))
}

func forceOperator() Operator {
	return Operator{
		Operator: barSignature("force", "close", "volume"),
		Doc: Doc{
			Summary:    "force index",
			Formula:    "ema(diff(close) * volume, n)",
			Source:     "Elder (1993), Trading for a Living",
			Convention: "seeded with the mean of the first n",
			WarmUp:     "first value at bar n + 1; " + gapLeavesOut,
			Flat:       "0",
			Empty:      "holds while close or volume is undefined",
		},
		emit: func(e *emitter, c call) value {
			in := e.together(c.args)
			change := e.change(in[0], c.reset)
			return e.ema(change.with(e.b.Mul(change.number, in[1].number)), c.settings[0].Count)
		},
	}
}

// volumeWeighted is the mean of the first series over a window, weighted with the second.
func volumeWeighted(e *emitter, c call) value {
	in := e.together(c.args)
	parts := e.together([]value{in[0].with(e.b.Mul(in[0].number, in[1].number)), in[1]})
	value, volume := e.sum(parts[0], c.settings[0], c.reset), e.sum(parts[1], c.settings[0], c.reset)
	return value.with(e.b.Div(value.number, volume.number))
}

func vwmaOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "vwma", Params: []expr.Param{series("x"), series("volume"), anchored(window("w", 1))}, Stateful: true},
		Doc: Doc{
			Summary:    "volume-weighted moving average",
			Formula:    "sum(x * volume, w) / sum(volume, w)",
			Source:     "-",
			Convention: "with bars and x = (high + low + close) / 3 this is their vwap; for that of trades see vwap",
			WarmUp:     warmWindow,
			Flat:       flatWithin,
			Empty:      emptyWindow + "; undefined where the volume is 0",
		},
		emit: volumeWeighted,
	}
}
