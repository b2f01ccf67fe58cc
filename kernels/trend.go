package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// trend is the family of range and direction of bars. All take the bar's series, and step when one of them is fresh
// and all are defined.
func trend() []Operator {
	return []Operator{
		trOperator(),
		atrOperator(),
		natrOperator(),
		diPlusOperator(),
		diMinusOperator(),
		dxOperator(),
		adxOperator(),
		vortexPlusOperator(),
		vortexMinusOperator(),
	}
}

// barSignature is that of an operator over some series of a bar and then a number of samples.
func barSignature(name string, fields ...string) expr.Operator {
	params := make([]expr.Param, len(fields), len(fields)+4)
	for i, f := range fields {
		params[i] = series(f)
	}
	return expr.Operator{Name: name, Params: append(params, samples("n")), Stateful: true}
}

// trueRange is the range of a bar, the close before it included; fresh where there is one.
func (e *emitter) trueRange(high, low, last value, reset program.Value) value {
	b := e.b
	before := e.previous(last, reset)
	width := b.Sub(high.number, low.number)
	up, down := b.Abs(b.Sub(high.number, before)), b.Abs(b.Sub(low.number, before))
	return value{number: e.larger(e.larger(width, up), down), fresh: b.And(last.fresh, b.Defined(before))}
}

const wilderSource = "Wilder (1978), New Concepts in Technical Trading Systems"

func trOperator() Operator {
	o := barSignature("tr", "high", "low", "close")
	o.Params = o.Params[:3]
	return Operator{
		Operator: o,
		Doc: Doc{
			Summary:    "true range: the bar's range, with the close before it",
			Formula:    "max(high - low, abs(high - c), abs(low - c)), c being the close before",
			Source:     wilderSource,
			Convention: "undefined on the first bar, which has no close before it",
			WarmUp:     "first value at bar 2; " + gapRestarts,
			Flat:       "0",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value {
			in := e.together(c.args)
			width := e.trueRange(in[0], in[1], in[2], c.reset)
			return value{number: e.latest(width), fresh: width.fresh}
		},
	}
}

const (
	holdsUndefined3 = "holds while a part of the bar is undefined"
	gapLeavesOut    = "a gap does not restart it, but the first bar after it is left out"
)

func atrOperator() Operator {
	return Operator{
		Operator: barSignature("atr", "high", "low", "close"),
		Doc: Doc{
			Summary:    "average true range",
			Formula:    "smma(tr(high, low, close), n)",
			Source:     wilderSource,
			Convention: "Wilder's average, seeded with the mean of the first n true ranges",
			WarmUp:     "first value at bar n + 1; " + gapLeavesOut,
			Flat:       "0",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value {
			in := e.together(c.args)
			return e.wilder(e.trueRange(in[0], in[1], in[2], c.reset), c.settings[0].Count)
		},
	}
}

func natrOperator() Operator {
	return Operator{
		Operator: barSignature("natr", "high", "low", "close"),
		Doc: Doc{
			Summary:    "average true range in percent of the close",
			Formula:    "100 * atr(high, low, close, n) / close",
			Source:     "TA-Lib, NATR",
			Convention: "as atr",
			WarmUp:     "first value at bar n + 1; " + gapLeavesOut,
			Flat:       "0",
			Empty:      holdsUndefined3 + "; undefined where close is 0",
		},
		emit: func(e *emitter, c call) value {
			in := e.together(c.args)
			width := e.trueRange(in[0], in[1], in[2], c.reset)
			average := e.wilder(width, c.settings[0].Count)
			return average.with(e.percent(average.number, e.latest(width.with(in[2].number))))
		},
	}
}

// directional are Wilder's averages of upward movement, downward movement and true range.
func (e *emitter) directional(c call) (plus, minus, width value) {
	b, zero := e.b, e.b.ConstF(0)
	in := e.together(c.args)
	width = e.trueRange(in[0], in[1], in[2], c.reset)
	up := b.Sub(in[0].number, e.previous(in[0], c.reset))
	down := b.Sub(e.previous(in[1], c.reset), in[1].number)
	rose := b.And(b.Flt(down, up), b.Flt(zero, up))
	fell := b.And(b.Flt(up, down), b.Flt(zero, down))
	n, first := c.settings[0].Count, c.settings[0].Count
	if c.settings[1].Count == 1 {
		first = max(n-1, 1)
	}
	parts := e.together([]value{width, width.with(b.Sel(rose, up, zero)), width.with(b.Sel(fell, down, zero))})
	averages := e.wilders(parts, n, first)
	return averages[1], averages[2], averages[0]
}

const directionalSeed = "Wilder's averages, seeded with the mean of the first n; with talib=1 with the sum of n - 1 bars over n, as TA-Lib"

func directionalSignature(name string) expr.Operator {
	o := barSignature(name, "high", "low", "close")
	o.Params = append(o.Params, expr.Param{Name: "talib", Kind: expr.ParamInteger, Max: 1, Optional: true})
	return o
}

func diPlusOperator() Operator {
	return Operator{
		Operator: directionalSignature("di_plus"),
		Doc: Doc{
			Summary:    "positive directional indicator, from 0 to 100",
			Formula:    "100 * smma(u, n) / smma(tr, n), u being the rise of high where that is above 0 and the fall of low, else 0",
			Source:     wilderSource,
			Convention: directionalSeed,
			WarmUp:     "first value at bar n + 1; " + gapLeavesOut,
			Flat:       "undefined: there is no range",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value {
			plus, _, width := e.directional(c)
			return plus.with(e.percent(plus.number, width.number))
		},
	}
}

func diMinusOperator() Operator {
	return Operator{
		Operator: directionalSignature("di_minus"),
		Doc: Doc{
			Summary:    "negative directional indicator, from 0 to 100",
			Formula:    "100 * smma(d, n) / smma(tr, n), d being the fall of low where that is above 0 and the rise of high, else 0",
			Source:     wilderSource,
			Convention: directionalSeed,
			WarmUp:     "first value at bar n + 1; " + gapLeavesOut,
			Flat:       "undefined: there is no range",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value {
			_, minus, width := e.directional(c)
			return minus.with(e.percent(minus.number, width.number))
		},
	}
}

// directionalIndex is dx.
func (e *emitter) directionalIndex(c call) value {
	plus, minus, width := e.directional(c)
	p, m := e.percent(plus.number, width.number), e.percent(minus.number, width.number)
	return plus.with(e.percent(e.b.Abs(e.b.Sub(p, m)), e.b.Add(p, m)))
}

func dxOperator() Operator {
	return Operator{
		Operator: directionalSignature("dx"),
		Doc: Doc{
			Summary:    "directional movement index, from 0 to 100",
			Formula:    "100 * abs(di_plus - di_minus) / (di_plus + di_minus)",
			Source:     wilderSource,
			Convention: directionalSeed,
			WarmUp:     "first value at bar n + 1; " + gapLeavesOut,
			Flat:       "undefined: there is no range",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value { return e.directionalIndex(c) },
	}
}

func adxOperator() Operator {
	return Operator{
		Operator: directionalSignature("adx"),
		Doc: Doc{
			Summary:    "average directional index, from 0 to 100: how strong a trend is, either way",
			Formula:    "smma(dx(high, low, close, n), n)",
			Source:     wilderSource,
			Convention: directionalSeed + "; bars without a dx are left out",
			WarmUp:     "first value at bar 2n; " + gapLeavesOut,
			Flat:       "undefined until there is a range, holds after",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value { return e.wilder(e.directionalIndex(c), c.settings[0].Count) },
	}
}

// vortex is the movement from one bar's edge to the other edge of the bar before, over the true range.
func (e *emitter) vortex(c call, from, to int) value {
	in := e.together(c.args)
	width := e.trueRange(in[0], in[1], in[2], c.reset)
	moved := e.b.Abs(e.b.Sub(in[to].number, e.previous(in[from], c.reset)))
	parts := e.together([]value{width.with(moved), width})
	sum := e.sum(parts[0], c.settings[0], c.reset)
	return sum.with(e.b.Div(sum.number, e.sum(parts[1], c.settings[0], c.reset).number))
}

const vortexSource = "Botes, Siepman (2010), The Vortex Indicator"

func vortexPlusOperator() Operator {
	return Operator{
		Operator: barSignature("vortex_plus", "high", "low", "close"),
		Doc: Doc{
			Summary:    "positive vortex: upward movement over true range",
			Formula:    "sum(abs(high - prev(low)), n) / sum(tr(high, low, close), n)",
			Source:     vortexSource,
			Convention: "-",
			WarmUp:     "first value at bar n + 1; " + gapRestarts,
			Flat:       "undefined: there is no range",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value { return e.vortex(c, 1, 0) },
	}
}

func vortexMinusOperator() Operator {
	return Operator{
		Operator: barSignature("vortex_minus", "high", "low", "close"),
		Doc: Doc{
			Summary:    "negative vortex: downward movement over true range",
			Formula:    "sum(abs(low - prev(high)), n) / sum(tr(high, low, close), n)",
			Source:     vortexSource,
			Convention: "-",
			WarmUp:     "first value at bar n + 1; " + gapRestarts,
			Flat:       "undefined: there is no range",
			Empty:      holdsUndefined3,
		},
		emit: func(e *emitter, c call) value { return e.vortex(c, 0, 1) },
	}
}
