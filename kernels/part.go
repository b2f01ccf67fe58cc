package kernels

import (
	"fmt"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// The parts that operators are made of. A part of an equal input is made once, so operators that have one in common
// (macd and macd_signal, atr and natr, a written-out ema) share its state. All follow the rules of operators: they
// step when the input is fresh and defined, hold otherwise, and are fresh when they step.

// partKey names a part: what it is, its inputs and its setting.
type partKey struct {
	kind                 string
	number, other, fresh program.Value
	reset                program.Value
	count                int64
}

// part makes a part of x once.
func (e *emitter) part(kind string, x value, count int64, reset program.Value, emit func() value) value {
	return e.partOf(partKey{kind: kind, number: x.number, fresh: x.fresh, reset: reset, count: count}, emit)
}

func (e *emitter) partOf(key partKey, emit func() value) value {
	v, ok := e.parts[key]
	if !ok {
		v = emit()
		e.parts[key] = v
	}
	return v
}

// with is another number with the freshness of x.
func (x value) with(number program.Value) value { return value{number: number, fresh: x.fresh} }

// together are the inputs of an operator, each fresh where the operator steps.
func (e *emitter) together(args []value) []value {
	step := e.step(args...)
	stepped := make([]value, len(args))
	for i, a := range args {
		stepped[i] = value{number: a.number, fresh: step}
	}
	return stepped
}

// latest is x as of its last step. Windows of x are reset with their policy and warm only after another step, so this
// needs no reset of its own beside them.
func (e *emitter) latest(x value) program.Value {
	return e.part("latest", x, 0, e.never(), func() value {
		word := e.words(1)
		v := e.b.Sel(e.step(x), x.number, e.b.Load(word, program.F))
		e.b.Store(word, v)
		return value{number: v}
	}).number
}

// previous is x at the step before this one, to be read where x steps; undefined on the first step after a reset.
func (e *emitter) previous(x value, reset program.Value) program.Value {
	return e.part("previous", x, 0, reset, func() value {
		word := e.words(1)
		before := e.loadReset(word, reset)
		e.b.Store(word, e.b.Sel(e.step(x), x.number, before))
		return value{number: before}
	}).number
}

// change is x less x at the step before, fresh where there is one.
func (e *emitter) change(x value, reset program.Value) value {
	before := e.previous(x, reset)
	return value{number: e.b.Sub(x.number, before), fresh: e.b.And(e.step(x), e.b.Defined(before))}
}

// back is x n steps before the last step, and the last step's x.
func (e *emitter) back(x value, n int64, reset program.Value) (lagged, newest program.Value) {
	out := e.b.Window(program.SampleWindow(program.AggLag, int(n)), e.step(x), reset, x.number)
	return e.b.Sel(out[1], out[0], e.undefined()), e.latest(x)
}

// after is x without its first n steps.
func (e *emitter) after(x value, n int64) value {
	return e.part("after", x, n, e.never(), func() value {
		counter := e.b.AllocState(1, 0)
		count := e.b.Load(counter, program.F)
		skipping := e.b.Flt(count, e.b.ConstF(float64(n)))
		step := e.step(x)
		e.b.Store(counter, e.b.Sel(e.b.And(step, skipping), e.b.Add(count, e.b.ConstF(1)), count))
		return value{number: x.number, fresh: e.b.Andn(step, skipping)}
	})
}

// ema is the exponential average: a running sum of the first n samples, then the average.
func (e *emitter) ema(x value, n int64) value {
	return e.part("ema", x, n, e.never(), func() value {
		return e.seeded(x, n, func(average, x program.Value) program.Value {
			return e.b.Add(average, e.b.Mul(e.b.ConstF(2/float64(n+1)), e.b.Sub(x, average)))
		})
	})
}

// wilder is Wilder's average: each sample weighs 1/n. It is seeded with the mean of the first n.
func (e *emitter) wilder(x value, n int64) value {
	return e.part("wilder", x, n, e.never(), func() value { return e.seeded(x, n, e.wilderMove(n)) })
}

func (e *emitter) wilderMove(n int64) func(average, x program.Value) program.Value {
	return func(average, x program.Value) program.Value {
		return e.b.Div(e.b.Add(e.b.Mul(average, e.b.ConstF(float64(n-1))), x), e.b.ConstF(float64(n)))
	}
}

// wilders are Wilder's averages of series that step together and are compared with each other: seeded with the sum of
// the first samples over n, counted once, and starting again together.
func (e *emitter) wilders(xs []value, n, first int64) []value {
	name := fmt.Sprint("wilders from ", first)
	for _, x := range xs {
		name += fmt.Sprint(" ", x.number)
	}
	key := func(i int) partKey { return partKey{kind: name, other: program.Value(i), fresh: xs[0].fresh, count: n} }
	if _, made := e.parts[key(0)]; !made {
		for i, average := range e.seededs(xs, n, first, e.wilderMove(n)) {
			e.parts[key(i)] = average
		}
	}
	averages := make([]value, len(xs))
	for i := range xs {
		averages[i] = e.parts[key(i)]
	}
	return averages
}

// seeded is an average that starts as the mean of the first n samples.
func (e *emitter) seeded(x value, n int64, move func(average, x program.Value) program.Value) value {
	return e.seededs([]value{x}, n, n, move)[0]
}

// seededs keep a word each: the running sum of the first samples, then the average that starts as that sum over n; and
// one for how many samples there were, up to n, when they have values. They start again if a step overflows.
func (e *emitter) seededs(xs []value, n, first int64, move func(average, x program.Value) program.Value) []value {
	b := e.b
	words, counter := b.AllocState(len(xs)), b.AllocState(1)
	before, next := make([]program.Value, len(xs)), make([]program.Value, len(xs))
	for i := range xs {
		before[i] = b.Load(words+i, program.F)
	}
	count, limit, enough := b.Load(counter, program.F), b.ConstF(float64(n)), b.ConstF(float64(first))
	step := e.step(xs...)
	seeding := b.Flt(count, enough)
	counted := b.Sel(b.Flt(count, limit), b.Add(count, b.ConstF(1)), count)

	var good program.Value
	for i, x := range xs {
		sum := b.Add(before[i], x.number)
		seeded := b.Sel(b.Fle(enough, counted), b.Div(sum, limit), sum)
		next[i] = b.Canon(b.Sel(seeding, seeded, move(before[i], x.number)))
		if defined := b.Defined(next[i]); i == 0 {
			good = defined
		} else {
			good = b.And(good, defined)
		}
	}
	zero := b.ConstF(0)
	for i := range xs {
		next[i] = b.Sel(step, b.Sel(good, next[i], zero), before[i])
	}
	count = b.Sel(step, b.Sel(good, counted, zero), count)
	for i := range xs {
		b.Store(words+i, next[i])
	}
	b.Store(counter, count)
	averages := make([]value, len(xs))
	for i := range xs {
		averages[i] = value{number: b.Sel(b.Fle(limit, count), next[i], e.undefined()), fresh: step}
	}
	return averages
}

// emaFirst is the exponential average from the first sample, given out from sample n.
func (e *emitter) emaFirst(x value, n int64) value {
	return e.part("ema from the first", x, n, e.never(), func() value {
		b := e.b
		accumulator, counter := e.words(1), b.AllocState(1, 0)
		acc, count, limit := b.Load(accumulator, program.F), b.Load(counter, program.F), b.ConstF(float64(n))
		step := e.step(x)
		moved := b.Add(acc, b.Mul(b.ConstF(2/float64(n+1)), b.Sub(x.number, acc)))
		next := b.Canon(b.Sel(b.Defined(acc), moved, x.number))
		counted := b.Sel(b.Defined(next), b.Sel(b.Flt(count, limit), b.Add(count, b.ConstF(1)), count), b.ConstF(0))
		acc, count = b.Sel(step, next, acc), b.Sel(step, counted, count)
		b.Store(accumulator, acc)
		b.Store(counter, count)
		return value{number: b.Sel(b.Fle(limit, count), acc, e.undefined()), fresh: step}
	})
}

// total is the running sum of x from zero, undefined before the first step. It starts again if a step overflows.
func (e *emitter) total(x value) value {
	return e.part("total", x, 0, e.never(), func() value {
		word := e.words(1)
		sum := e.b.Load(word, program.F)
		step := e.step(x)
		next := e.b.Add(e.b.Sel(e.b.Defined(sum), sum, e.b.ConstF(0)), x.number)
		sum = e.b.Sel(step, next, sum)
		e.b.Store(word, sum)
		return value{number: sum, fresh: step}
	})
}

// sum is the sum over a window while it is warm.
func (e *emitter) sum(x value, w expr.Setting, reset program.Value) value {
	step := e.step(x)
	out := e.roll(program.AggSum, w, step, reset, x.number)
	return value{number: e.b.Sel(out[2], out[0], e.undefined()), fresh: step}
}

// mean is the mean over a window while it is warm and not empty.
func (e *emitter) mean(x value, w expr.Setting, reset program.Value) value {
	step := e.step(x)
	out := e.roll(program.AggSum, w, step, reset, x.number)
	mean := e.b.Div(out[0], e.warmCount(w, out[1]))
	return value{number: e.b.Sel(out[2], mean, e.undefined()), fresh: step}
}

// count is the setting of n samples.
func count(n int64) expr.Setting { return expr.Setting{Count: n} }

// larger is the larger of two numbers, undefined if either is.
func (e *emitter) larger(x, y program.Value) program.Value {
	return e.b.Sel(e.b.Flt(x, y), y, e.b.Sel(e.b.Fle(y, x), x, e.undefined()))
}

// smaller is the smaller of two numbers, undefined if either is.
func (e *emitter) smaller(x, y program.Value) program.Value {
	return e.b.Sel(e.b.Flt(y, x), y, e.b.Sel(e.b.Fle(x, y), x, e.undefined()))
}

// percent is 100 * x / y.
func (e *emitter) percent(x, y program.Value) program.Value {
	return e.b.Mul(e.b.ConstF(100), e.b.Div(x, y))
}
