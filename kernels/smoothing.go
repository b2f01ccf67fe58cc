package kernels

import (
	"math"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// smoothing is the family of averages built on averages.
func smoothing() []Operator {
	return []Operator{
		smmaOperator(),
		emaFirstOperator(),
		demaOperator(),
		temaOperator(),
		t3Operator(),
		trimaOperator(),
		wmaOperator(),
		hmaOperator(),
		kamaOperator(),
		almaOperator(),
	}
}

// smoother is the signature of an average of x over n samples.
func smoother(name string, fewest int64) expr.Operator {
	n := samples("n")
	n.Min = fewest
	return expr.Operator{Name: name, Params: []expr.Param{series("x"), n}, Stateful: true}
}

const (
	holdsUndefined = "holds while x is undefined"
	leavesOut      = "undefined samples are left out"
	flatWithin     = "x, within rounding"
	gapHolds       = "a gap does not restart it"
	gapRestarts    = "starts again after a gap"
)

func smmaOperator() Operator {
	return Operator{
		Operator: smoother("smma", 1),
		Doc: Doc{
			Summary:    "smoothed moving average, also called Wilder's or RMA",
			Formula:    "(smma * (n - 1) + x) / n",
			Source:     "Wilder (1978), New Concepts in Technical Trading Systems",
			Convention: "seeded with the mean of the first n samples; evaluated in the order written",
			WarmUp:     "first value at sample n; " + gapHolds,
			Flat:       flatWithin,
			Empty:      holdsUndefined + "; starts again if a step overflows",
		},
		emit: func(e *emitter, c call) value { return e.wilder(c.args[0], c.settings[0].Count) },
	}
}

func emaFirstOperator() Operator {
	return Operator{
		Operator: smoother("ema_first", 1),
		Doc: Doc{
			Summary:    "exponential moving average seeded with the first sample",
			Formula:    "e + a * (x - e) with a = 2 / (n + 1), e being the first x at first",
			Source:     "pandas, ewm(span=n, adjust=False); TA-Lib's Metastock mode",
			Convention: "the first sample weighs more than in ema, which is seeded with a mean",
			WarmUp:     "first value at sample n, as the seed weighs most before; " + gapHolds,
			Flat:       "x",
			Empty:      holdsUndefined + "; starts again if a step overflows",
		},
		emit: func(e *emitter, c call) value { return e.emaFirst(c.args[0], c.settings[0].Count) },
	}
}

func demaOperator() Operator {
	return Operator{
		Operator: smoother("dema", 1),
		Doc: Doc{
			Summary:    "double exponential moving average",
			Formula:    "2 * e1 - e2 with e1 = ema(x, n) and e2 = ema(e1, n)",
			Source:     "Mulloy (1994), Smoothing Data with Faster Moving Averages",
			Convention: "each average is seeded with the mean of its own first n samples",
			WarmUp:     "first value at sample 2n - 1; " + gapHolds,
			Flat:       flatWithin,
			Empty:      holdsUndefined,
		},
		emit: func(e *emitter, c call) value {
			n := c.settings[0].Count
			one := e.ema(c.args[0], n)
			two := e.ema(one, n)
			return one.with(e.b.Sub(e.b.Mul(e.b.ConstF(2), one.number), two.number))
		},
	}
}

func temaOperator() Operator {
	return Operator{
		Operator: smoother("tema", 1),
		Doc: Doc{
			Summary:    "triple exponential moving average",
			Formula:    "3 * e1 - 3 * e2 + e3, each the ema of the one before",
			Source:     "Mulloy (1994), Smoothing Data with Less Lag",
			Convention: "each average is seeded with the mean of its own first n samples",
			WarmUp:     "first value at sample 3n - 2; " + gapHolds,
			Flat:       flatWithin,
			Empty:      holdsUndefined,
		},
		emit: func(e *emitter, c call) value {
			n, b := c.settings[0].Count, e.b
			one := e.ema(c.args[0], n)
			two := e.ema(one, n)
			three := e.ema(two, n)
			k := b.ConstF(3)
			return one.with(b.Add(b.Sub(b.Mul(k, one.number), b.Mul(k, two.number)), three.number))
		},
	}
}

func t3Operator() Operator {
	o := smoother("t3", 1)
	o.Params = append(o.Params, series("v"))
	return Operator{
		Operator: o,
		Doc: Doc{
			Summary:    "Tillson's average: three passes of a generalised dema with volume factor v, usually 0.7",
			Formula:    "c1 * e6 + c2 * e5 + c3 * e4 + c4 * e3, where c1 = -v^3, c2 = 3v^2 + 3v^3, c3 = -6v^2 - 3v - 3v^3, c4 = 1 + 3v + v^3 + 3v^2",
			Source:     "Tillson (1998), Smoothing Techniques for More Accurate Signals",
			Convention: "each average is seeded with the mean of its own first n samples",
			WarmUp:     "first value at sample 6n - 5; " + gapHolds,
			Flat:       flatWithin,
			Empty:      holdsUndefined,
		},
		emit: emitT3,
	}
}

func emitT3(e *emitter, c call) value {
	b, n, v := e.b, c.settings[0].Count, c.args[1].number
	var averages [7]value
	averages[0] = c.args[0]
	for i := range 6 {
		averages[i+1] = e.ema(averages[i], n)
	}
	square := b.Mul(v, v)
	cube := b.Mul(square, v)
	three, six := b.ConstF(3), b.ConstF(6)
	c1 := b.Neg(cube)
	c2 := b.Mul(three, b.Add(square, cube))
	c3 := b.Sub(b.Mul(b.Neg(six), square), b.Mul(three, b.Add(v, cube)))
	c4 := b.Add(b.Add(b.Add(b.ConstF(1), b.Mul(three, v)), cube), b.Mul(three, square))
	sum := b.Add(b.Mul(c1, averages[6].number), b.Mul(c2, averages[5].number))
	sum = b.Add(sum, b.Add(b.Mul(c3, averages[4].number), b.Mul(c4, averages[3].number)))
	return averages[1].with(sum)
}

func trimaOperator() Operator {
	return Operator{
		Operator: smoother("trima", 1),
		Doc: Doc{
			Summary:    "triangular moving average: weights rise to the middle of the window and fall again",
			Formula:    "sma(sma(x, a), b) with a = b = (n + 1) / 2 for odd n, a = n / 2 and b = a + 1 for even n",
			Source:     "TA-Lib, TRIMA",
			Convention: "as TA-Lib",
			WarmUp:     "first value at sample n; " + gapRestarts,
			Flat:       flatWithin,
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value {
			n := c.settings[0].Count
			inner := e.mean(c.args[0], count((n+1)/2), c.reset)
			return e.mean(inner, count(n/2+1), c.reset)
		},
	}
}

func wmaOperator() Operator {
	return Operator{
		Operator: smoother("wma", 1),
		Doc: Doc{
			Summary:    "linearly weighted moving average",
			Formula:    "sum(i * x_i) / sum(i), i from 1 for the oldest to n for the newest",
			Source:     "-",
			Convention: "-",
			WarmUp:     "first value at sample n; " + gapRestarts,
			Flat:       flatWithin,
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value { return e.weighted(c.args[0], c.settings[0].Count, c.reset) },
	}
}

// weighted is the linearly weighted mean of the last n samples.
func (e *emitter) weighted(x value, n int64, reset program.Value) value {
	step := e.step(x)
	out := e.b.Window(program.SampleWindow(program.AggWeighted, int(n)), step, reset, x.number)
	mean := e.b.Div(out[0], e.b.ConstF(float64(n)*float64(n+1)/2))
	return value{number: e.b.Sel(out[2], mean, e.undefined()), fresh: step}
}

func hmaOperator() Operator {
	return Operator{
		Operator: smoother("hma", 2),
		Doc: Doc{
			Summary:    "Hull's moving average",
			Formula:    "wma(2 * wma(x, n / 2) - wma(x, n), sqrt(n))",
			Source:     "Hull (2005)",
			Convention: "n / 2 and sqrt(n) are rounded down",
			WarmUp:     "first value at sample n + sqrt(n) - 1; " + gapRestarts,
			Flat:       flatWithin,
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value {
			n := c.settings[0].Count
			whole := e.weighted(c.args[0], n, c.reset)
			half := e.weighted(c.args[0], n/2, c.reset)
			raw := whole.with(e.b.Sub(e.b.Mul(e.b.ConstF(2), half.number), whole.number))
			return e.weighted(raw, int64(math.Sqrt(float64(n))), c.reset)
		},
	}
}

func kamaOperator() Operator {
	o := smoother("kama", 2)
	o.Params = append(
		o.Params,
		expr.Param{Name: "fast", Kind: expr.ParamSamples, Optional: true, Default: 2},
		expr.Param{Name: "slow", Kind: expr.ParamSamples, Optional: true, Default: 30},
	)
	return Operator{
		Operator: o,
		Doc: Doc{
			Summary:    "Kaufman's adaptive moving average: quick where x moves one way, slow where it goes to and fro",
			Formula:    "kama + c^2 * (x - kama) with c = r * (2 / (fast + 1) - 2 / (slow + 1)) + 2 / (slow + 1) and r = abs(x - prev(x, n)) / sum(abs(diff(x)), n)",
			Source:     "Kaufman (1995), Smarter Trading",
			Convention: "seeded with the n-th sample, as TA-Lib; r is 0 where x did not move",
			WarmUp:     "first value at sample n + 1; " + gapRestarts,
			Flat:       "x",
			Empty:      holdsUndefined,
		},
		emit: emitKAMA,
	}
}

// emitKAMA keeps the average in one word beside its windows; it is seeded where the change before last is the n-th.
func emitKAMA(e *emitter, c call) value {
	b, x := e.b, c.args[0]
	n := c.settings[0].Count
	before := e.previous(x, c.reset)
	change := e.change(x, c.reset)
	path := e.sum(change.with(b.Abs(change.number)), count(n), c.reset)
	lagged, newest := e.back(x, n, c.reset)
	direction := b.Abs(b.Sub(newest, lagged))
	zero := b.ConstF(0)
	ratio := b.Sel(b.Flt(zero, path.number), b.Div(direction, path.number), b.Sel(b.Fle(path.number, zero), zero, e.undefined()))
	fast, slow := 2/float64(c.settings[1].Count+1), 2/float64(c.settings[2].Count+1)
	constant := b.Add(b.Mul(ratio, b.ConstF(fast-slow)), b.ConstF(slow))

	word := e.words(1)
	held := e.loadReset(word, c.reset)
	start := b.Sel(b.Defined(held), held, before)
	next := b.Canon(b.Add(start, b.Mul(b.Mul(constant, constant), b.Sub(x.number, start))))
	average := b.Sel(b.And(change.fresh, b.Defined(next)), next, held)
	b.Store(word, average)
	return value{number: average, fresh: e.step(x)}
}
