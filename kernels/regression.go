package kernels

import "github.com/sigengine/sigengine/kernels/program"

// regression is the family of the straight line through the last n samples.
func regression() []Operator {
	return []Operator{
		linregOperator(),
		linregSlopeOperator(),
		linregInterceptOperator(),
		linregR2Operator(),
	}
}

// line is the least-squares line through the last n samples against their number.
type line struct {
	fresh            program.Value
	mean, slope      program.Value
	squares, product program.Value // of the deviations of x, and of those of x and the sample number
}

// line counts samples in one word; the window sees differences of the count only, so its size does not matter.
func (e *emitter) line(c call) line {
	b, x, n := e.b, c.args[0], c.settings[0].Count
	step := e.step(x)
	counted := e.part("counted", x, 0, e.never(), func() value {
		counter := b.AllocState(1, 0)
		was := b.Load(counter, program.F)
		now := b.Sel(step, b.Add(was, b.ConstF(1)), was)
		b.Store(counter, now)
		return value{number: now, fresh: step}
	})
	out := b.Window(program.SampleWindow(program.AggMoments2, int(n)), step, c.reset, counted.number, x.number)
	product := b.Sel(out[6], out[4], e.undefined())
	return line{
		fresh: step, mean: out[1], slope: b.Div(product, b.ConstF(spreadOfCounts(n))), squares: out[3], product: product,
	}
}

// spreadOfCounts is the sum of the squared deviations of 1 to n from their mean.
func spreadOfCounts(n int64) float64 { return float64(n) * (float64(float64(n)*float64(n)) - 1) / 12 }

const (
	regressionSource     = "Gauss (1809), least squares"
	regressionConvention = "samples are one apart, whatever the time between them"
)

func linregOperator() Operator {
	return Operator{
		Operator: smoother("linreg", 2),
		Doc: Doc{
			Summary:    "value of the least-squares line at the newest of the last n samples",
			Formula:    "mean + slope * (n - 1) / 2",
			Source:     regressionSource,
			Convention: regressionConvention + "; also called the least-squares or endpoint moving average",
			WarmUp:     "first value at sample n; " + gapRestarts,
			Flat:       "x",
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value {
			l, b := e.line(c), e.b
			half := b.ConstF(float64(c.settings[0].Count-1) / 2)
			return value{number: b.Add(l.mean, b.Mul(l.slope, half)), fresh: l.fresh}
		},
	}
}

func linregSlopeOperator() Operator {
	return Operator{
		Operator: smoother("linreg_slope", 2),
		Doc: Doc{
			Summary:    "slope of the least-squares line through the last n samples, a sample",
			Formula:    "sum((i - mean(i)) * (x_i - mean(x))) / sum((i - mean(i))^2)",
			Source:     regressionSource,
			Convention: regressionConvention,
			WarmUp:     "first value at sample n; " + gapRestarts,
			Flat:       "0",
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value {
			l := e.line(c)
			return value{number: l.slope, fresh: l.fresh}
		},
	}
}

func linregInterceptOperator() Operator {
	return Operator{
		Operator: smoother("linreg_intercept", 2),
		Doc: Doc{
			Summary:    "value of the least-squares line at the oldest of the last n samples",
			Formula:    "mean - slope * (n - 1) / 2",
			Source:     regressionSource,
			Convention: regressionConvention + "; the oldest is number 0, as TA-Lib (Skender counts from the first sample of all)",
			WarmUp:     "first value at sample n; " + gapRestarts,
			Flat:       "x",
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value {
			l, b := e.line(c), e.b
			half := b.ConstF(float64(c.settings[0].Count-1) / 2)
			return value{number: b.Sub(l.mean, b.Mul(l.slope, half)), fresh: l.fresh}
		},
	}
}

func linregR2Operator() Operator {
	return Operator{
		Operator: smoother("linreg_r2", 2),
		Doc: Doc{
			Summary:    "how much of the variance the least-squares line explains, from 0 to 1",
			Formula:    "squared correlation of x and the sample number",
			Source:     regressionSource,
			Convention: regressionConvention,
			WarmUp:     "first value at sample n; " + gapRestarts,
			Flat:       "undefined: there is no variance",
			Empty:      leavesOut,
		},
		emit: func(e *emitter, c call) value {
			l, b := e.line(c), e.b
			return value{number: b.Div(b.Mul(l.slope, l.product), l.squares), fresh: l.fresh}
		},
	}
}
