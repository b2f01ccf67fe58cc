package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// momentum is the family of how far and how steadily x has moved.
func momentum() []Operator {
	return []Operator{
		rocOperator(),
		rsiOperator(),
		cmoOperator(),
		macdOperator(),
		macdSignalOperator(),
		macdHistOperator(),
		ppoOperator(),
		trixOperator(),
		dpoOperator(),
	}
}

func rocOperator() Operator {
	return Operator{
		Operator: smoother("roc", 1),
		Doc: Doc{
			Summary:    "rate of change over n samples in percent",
			Formula:    "100 * (x - prev(x, n)) / prev(x, n)",
			Source:     "-",
			Convention: "percent; the ratio itself is x / prev(x, n), the difference (momentum) is diff(x, n)",
			WarmUp:     "first value at sample n + 1; " + gapRestarts,
			Flat:       "0",
			Empty:      holdsUndefined + "; undefined where prev(x, n) is 0",
		},
		emit: func(e *emitter, c call) value {
			lagged, newest := e.back(c.args[0], c.settings[0].Count, c.reset)
			change := e.b.Mul(e.b.ConstF(100), e.b.Sub(newest, lagged))
			return value{number: e.b.Div(change, lagged), fresh: e.step(c.args[0])}
		},
	}
}

// gains are the changes of x: by how much it rose, and by how much it fell.
func (e *emitter) gains(x value, reset program.Value) (up, down value) {
	b, zero := e.b, e.b.ConstF(0)
	change := e.change(x, reset)
	rose := b.Sel(b.Flt(zero, change.number), change.number, zero)
	fell := b.Sel(b.Flt(change.number, zero), b.Neg(change.number), zero)
	defined := b.Defined(change.number) // a change that overflows is neither
	return change.with(b.Sel(defined, rose, e.undefined())), change.with(b.Sel(defined, fell, e.undefined()))
}

func rsiOperator() Operator {
	return Operator{
		Operator: smoother("rsi", 1),
		Doc: Doc{
			Summary:    "relative strength index, from 0 to 100",
			Formula:    "100 - 100 / (1 + smma(rise, n) / smma(fall, n)), rise and fall being the changes of x up and down",
			Source:     "Wilder (1978), New Concepts in Technical Trading Systems",
			Convention: "Wilder's averages, seeded with the mean of the first n changes; 50 where nothing moved (TA-Lib says 0, others 100)",
			WarmUp:     "first value at sample n + 1; a gap does not restart it, but the change across it is left out",
			Flat:       "50",
			Empty:      holdsUndefined,
		},
		emit: func(e *emitter, c call) value {
			b, zero := e.b, e.b.ConstF(0)
			up, down := e.gains(c.args[0], c.reset)
			averages := e.wilders(e.together([]value{up, down}), c.settings[0].Count, c.settings[0].Count)
			rise, fall := averages[0], averages[1]
			hundred, one := b.ConstF(100), b.ConstF(1)
			index := b.Sub(hundred, b.Div(hundred, b.Add(one, b.Div(rise.number, fall.number))))
			still := b.Sel(b.Flt(zero, rise.number), hundred, b.Sel(b.Fle(rise.number, zero), b.ConstF(50), e.undefined()))
			return rise.with(b.Sel(b.Fle(fall.number, zero), still, index))
		},
	}
}

func cmoOperator() Operator {
	return Operator{
		Operator: smoother("cmo", 1),
		Doc: Doc{
			Summary:    "Chande's momentum oscillator, from -100 to 100",
			Formula:    "100 * (sum(rise, n) - sum(fall, n)) / (sum(rise, n) + sum(fall, n)), rise and fall being the changes of x up and down",
			Source:     "Chande, Kroll (1994), The New Technical Trader",
			Convention: "plain sums, as Chande and Skender; TA-Lib takes Wilder's averages of rise and fall",
			WarmUp:     "first value at sample n + 1; " + gapRestarts,
			Flat:       "undefined: nothing moved",
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value {
			up, down := e.gains(c.args[0], c.reset)
			rise, fall := e.sum(up, c.settings[0], c.reset), e.sum(down, c.settings[0], c.reset)
			return rise.with(e.percent(e.b.Sub(rise.number, fall.number), e.b.Add(rise.number, fall.number)))
		},
	}
}

// macdSignature is that of the macd operators: x, fast, slow, then others, then whether both averages start together.
func macdSignature(name string, others ...expr.Param) expr.Operator {
	params := append([]expr.Param{series("x"), samples("fast"), samples("slow")}, others...)
	params = append(params, expr.Param{Name: "together", Kind: expr.ParamInteger, Max: 1, Optional: true})
	return expr.Operator{
		Name: name, Params: params, Stateful: true,
		Restrict: func(s []expr.Setting) string {
			if s[0].Count >= s[1].Count {
				return name + " needs fast below slow"
			}
			return ""
		},
	}
}

const (
	macdSource   = "Appel (1979), The Moving Average Convergence-Divergence Trading Method"
	macdTogether = "each average is seeded with the mean of its own first samples; with together=1 the fast one starts so that both have their first value at sample slow, as TA-Lib"
)

// macd is the fast average of a call less the slow one, and the slow one.
func (e *emitter) macd(c call) (line, slow value) {
	fast, last := c.settings[0].Count, c.settings[len(c.settings)-1].Count
	x := c.args[0]
	slow = e.ema(x, c.settings[1].Count)
	if last == 1 {
		x = e.after(x, c.settings[1].Count-fast)
	}
	quick := e.ema(x, fast)
	return slow.with(e.b.Sub(quick.number, slow.number)), slow
}

func macdOperator() Operator {
	return Operator{
		Operator: macdSignature("macd"),
		Doc: Doc{
			Summary:    "moving average convergence and divergence",
			Formula:    "ema(x, fast) - ema(x, slow)",
			Source:     macdSource,
			Convention: macdTogether,
			WarmUp:     "first value at sample slow; " + gapHolds,
			Flat:       "0, within rounding",
			Empty:      holdsUndefined,
		},
		emit: func(e *emitter, c call) value {
			line, _ := e.macd(c)
			return line
		},
	}
}

func macdSignalOperator() Operator {
	return Operator{
		Operator: macdSignature("macd_signal", samples("signal")),
		Doc: Doc{
			Summary:    "signal line of macd",
			Formula:    "ema(macd(x, fast, slow), signal)",
			Source:     macdSource,
			Convention: macdTogether,
			WarmUp:     "first value at sample slow + signal - 1; " + gapHolds,
			Flat:       "0, within rounding",
			Empty:      holdsUndefined,
		},
		emit: func(e *emitter, c call) value {
			line, _ := e.macd(c)
			return e.ema(line, c.settings[2].Count)
		},
	}
}

func macdHistOperator() Operator {
	return Operator{
		Operator: macdSignature("macd_hist", samples("signal")),
		Doc: Doc{
			Summary:    "histogram of macd: by how much it is above its signal line",
			Formula:    "macd(x, fast, slow) - macd_signal(x, fast, slow, signal)",
			Source:     macdSource,
			Convention: macdTogether,
			WarmUp:     "first value at sample slow + signal - 1; " + gapHolds,
			Flat:       "0, within rounding",
			Empty:      holdsUndefined,
		},
		emit: func(e *emitter, c call) value {
			line, _ := e.macd(c)
			return line.with(e.b.Sub(line.number, e.ema(line, c.settings[2].Count).number))
		},
	}
}

func ppoOperator() Operator {
	return Operator{
		Operator: macdSignature("ppo"),
		Doc: Doc{
			Summary:    "percentage price oscillator: macd in percent of the slow average",
			Formula:    "100 * (ema(x, fast) - ema(x, slow)) / ema(x, slow)",
			Source:     "-",
			Convention: macdTogether,
			WarmUp:     "first value at sample slow; " + gapHolds,
			Flat:       "0, within rounding",
			Empty:      holdsUndefined + "; undefined where the slow average is 0",
		},
		emit: func(e *emitter, c call) value {
			line, slow := e.macd(c)
			return line.with(e.percent(line.number, slow.number))
		},
	}
}

func trixOperator() Operator {
	return Operator{
		Operator: smoother("trix", 1),
		Doc: Doc{
			Summary:    "rate of change of a triple exponential average in percent",
			Formula:    "roc(e3, 1) with e1 = ema(x, n), e2 = ema(e1, n), e3 = ema(e2, n)",
			Source:     "Hutson (1983), Good TRIX",
			Convention: "each average is seeded with the mean of its own first n samples",
			WarmUp:     "first value at sample 3n - 1; after a gap one sample later, the averages go on",
			Flat:       "0, within rounding",
			Empty:      holdsUndefined + "; undefined where the average was 0",
		},
		emit: func(e *emitter, c call) value {
			n := c.settings[0].Count
			triple := e.ema(e.ema(e.ema(c.args[0], n), n), n)
			lagged, newest := e.back(triple, 1, c.reset)
			return value{number: e.percent(e.b.Sub(newest, lagged), lagged), fresh: triple.fresh}
		},
	}
}

func dpoOperator() Operator {
	return Operator{
		Operator: smoother("dpo", 1),
		Doc: Doc{
			Summary:    "detrended price oscillator: how far an earlier x was from the mean about it",
			Formula:    "prev(x, n / 2 + 1) - sma(x, n)",
			Source:     "-",
			Convention: "n / 2 is rounded down; uses no later sample, so where charts draw it n / 2 + 1 bars back it is the same number, later",
			WarmUp:     "first value at sample n (n / 2 + 2 if that is later); " + gapRestarts,
			Flat:       "0, within rounding",
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value {
			n := c.settings[0].Count
			lagged, _ := e.back(c.args[0], n/2+1, c.reset)
			mean := e.mean(c.args[0], c.settings[0], c.reset)
			return mean.with(e.b.Sub(lagged, mean.number))
		},
	}
}
