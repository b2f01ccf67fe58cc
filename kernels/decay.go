package kernels

import (
	"math"

	"github.com/sigengine/sigengine/kernels/exact"
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

func decays() []Operator {
	return []Operator{ewmaOperator(), twapOperator(), decayedSumOperator(), decayedIntensityOperator()}
}

// sinceStep is the time from the step before this tick until now, in nanoseconds (I), and whether there was one.
func (e *emitter) sinceStep(step, reset program.Value) (ns, known program.Value) {
	key := partKey{kind: "since_step", number: step, fresh: step, reset: reset}
	part := e.partOf(key, func() value {
		b := e.b
		word := b.AllocState(2)
		last, stepped := b.Load(word, program.I), b.Andn(b.Load(word+1, program.M), reset)
		b.Store(word, b.Sel(step, b.Time(), last))
		b.Store(word+1, b.Or(stepped, step))
		return value{number: b.Isub(b.Time(), last), isTrue: stepped}
	})
	return part.number, part.isTrue
}

// sinceFirst is the time from the first step until now, in nanoseconds (F); undefined before it.
func (e *emitter) sinceFirst(step, reset program.Value) program.Value {
	key := partKey{kind: "since_first", number: step, fresh: step, reset: reset}
	return e.partOf(key, func() value {
		b := e.b
		word := b.AllocState(2)
		stepped := b.Andn(b.Load(word+1, program.M), reset)
		first := b.Sel(stepped, b.Load(word, program.I), b.Time())
		b.Store(word, first)
		stepped = b.Or(stepped, step)
		b.Store(word+1, stepped)
		return value{number: b.Sel(stepped, b.I2F(b.Isub(b.Time(), first)), e.undefined())}
	}).number
}

// decayed is what is left of 1 after a time (I) under a half-life.
func (e *emitter) decayed(ns program.Value, halfLifeNs int64) program.Value {
	return exact.BuildDecayFactor(e.b, ns, e.b.ConstF(float64(halfLifeNs)))
}

// ewma is the mean of the samples so far, each with a weight that halves with age: in samples or in time. It keeps the
// mean and the sum of the weights, which does not change the mean between steps.
func (e *emitter) ewma(x value, w expr.Setting) value {
	key := partKey{kind: "ewma", number: x.number, fresh: x.fresh, count: w.Count - w.DurationNs}
	return e.partOf(key, func() value {
		b, step := e.b, e.step(x)
		word := e.words(2)
		mean, weight := b.Load(word, program.F), b.Load(word+1, program.F)
		var left, warm program.Value
		if w.DurationNs > 0 {
			since, _ := e.sinceStep(step, e.never())
			left = e.decayed(since, w.DurationNs)
			warm = b.Fle(b.ConstF(float64(w.DurationNs)), e.sinceFirst(step, e.never()))
		} else {
			left = b.ConstF(exact.DecayFactor(1, float64(w.Count)))
			counted := e.after(x, w.Count-1)
			seen := b.AllocState(1)
			warm = b.Or(b.Load(seen, program.M), counted.fresh)
			b.Store(seen, warm)
		}
		grown := b.Add(b.Mul(weight, left), b.ConstF(1))
		moved := b.Canon(b.Add(mean, b.Div(b.Sub(x.number, mean), grown)))
		good := b.And(b.Defined(mean), b.Defined(moved))
		mean = b.Sel(step, b.Sel(good, moved, x.number), mean)
		weight = b.Sel(step, b.Sel(good, grown, b.ConstF(1)), weight)
		b.Store(word, mean)
		b.Store(word+1, weight)
		return value{number: e.whileWarm(warm, mean), fresh: step}
	})
}

func ewmaOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "ewma", Params: []expr.Param{series("x"), window("h", 1)}, Stateful: true},
		Doc: Doc{
			Summary: "mean with weights that halve every h, by samples or by time",
			Formula: "sum(weight * x) / sum(weight) with weight = 2^(-age / h)",
			Source:  "Brown (1956), Exponential Smoothing for Predicting Demand; normalised as in pandas' ewm(halflife)",
			Convention: "normalised, so there is no seed; by time the true ages count, and samples at one time weigh alike; ema by samples has " +
				"another weight and a seed, ema by time is this",
			WarmUp: "sample h, or h after the first sample; a gap changes nothing, as ages tell it",
			Flat:   "x",
			Empty:  "holds while x is undefined; starts again if a step overflows",
		},
		emit: func(e *emitter, c call) value { return e.ewma(c.args[0], c.settings[0]) },
	}
}

func twapOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "twap", Params: []expr.Param{series("x"), anchored(window("w", 1))}, Stateful: true},
		Doc: Doc{
			Summary: "mean of x weighted by how long it stood",
			Formula: "sum(x * time it stood) / sum(time it stood)",
			Source:  "-",
			Convention: "a value stands until the next update and counts where it ends; by time the one that stands now counts too, up to the " +
				"engine time; a window of n samples holds the last n that have ended",
			WarmUp: "n + 1 samples, or the whole duration since the second one; starts again after a gap",
			Flat:   "x, within rounding",
			Empty:  "the standing value while no other is in a window of time; undefined while no time has passed",
		},
		emit: emitTWAP,
	}
}

func emitTWAP(e *emitter, c call) value {
	c = e.anchor(c)
	b, x, w := e.b, c.args[0], c.settings[0]
	step := e.step(x)
	since, known := e.sinceStep(step, c.reset)
	stood, before := b.I2F(since), e.previous(x, c.reset)
	push := b.And(step, known)
	area := e.advance(program.AggSum, w, push, c.reset, b.Mul(before, stood))
	time := e.advance(program.AggSum, w, push, c.reset, stood)
	above, below := area[0], time[0]
	if w.Count == 0 {
		open := b.Sel(step, b.ConstF(0), stood)
		above, below = b.Add(above, b.Mul(e.latest(x), open)), b.Add(below, open)
		above = b.Sel(b.Feq(below, b.ConstF(0)), e.undefined(), above)
	}
	return value{number: e.whileWarm(time[2], b.Div(above, below)), fresh: step}
}

const decayWarmUp = "4 half-lives after the first step, when older weights would come to a sixteenth; starts again after a gap"

// decayedTotal is the sum of x over pushes, each with a weight that halves every half-life, as of now.
func (e *emitter) decayedTotal(push, x program.Value, halfLifeNs int64, reset program.Value) program.Value {
	b := e.b
	since, known := e.sinceStep(push, reset)
	word := b.AllocState(1)
	left := b.Mul(b.Load(word, program.F), e.decayed(since, halfLifeNs))
	left = b.Sel(b.And(known, b.Defined(left)), left, b.ConstF(0))
	total := b.Canon(b.Add(left, x))
	b.Store(word, b.Sel(push, total, b.Sel(reset, b.ConstF(0), b.Load(word, program.F))))
	return b.Sel(push, total, left)
}

func decayedSumOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "decayed_sum", Params: []expr.Param{series("x"), duration("h")}, Stateful: true},
		Doc: Doc{
			Summary:    "sum of x with weights that halve every h",
			Formula:    "sum(x * 2^(-age / h))",
			Source:     "-",
			Convention: "ages are true time differences; it falls with the engine time between steps",
			WarmUp:     decayWarmUp,
			Flat:       "-",
			Empty:      "falls towards 0; undefined samples are left out",
		},
		emit: func(e *emitter, c call) value {
			x, h := c.args[0], c.settings[0].DurationNs
			step := e.step(x)
			total := e.decayedTotal(step, x.number, h, c.reset)
			warm := e.b.Fle(e.b.ConstF(4*float64(h)), e.sinceFirst(step, c.reset))
			return value{number: e.whileWarm(warm, total), fresh: step}
		},
	}
}

func decayedIntensityOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "decayed_intensity", Params: []expr.Param{condition("c"), duration("h")}, Stateful: true},
		Doc: Doc{
			Summary: "events a second with weights that halve every h: updates on which c is true",
			Formula: "ln 2 / h * sum(2^(-age / h)) over the events",
			Source:  "Hawkes (1971), Spectra of Some Self-Exciting and Mutually Exciting Point Processes: the exponential kernel",
			Convention: "the kernel alone, without base rate or branching ratio: its mean is the rate of events; ages are true time differences; " +
				"it falls with the engine time between events",
			WarmUp: decayWarmUp + "; a step is an update on which c is defined",
			Flat:   "-",
			Empty:  "falls towards 0",
		},
		emit: func(e *emitter, c call) value {
			b, test, h := e.b, c.args[0], c.settings[0].DurationNs
			known := b.And(test.fresh, b.Or(test.isTrue, test.isFalse))
			total := e.decayedTotal(b.And(test.fresh, test.isTrue), b.ConstF(1), h, c.reset)
			warm := b.Fle(b.ConstF(4*float64(h)), e.sinceFirst(known, c.reset))
			rate := b.Mul(b.ConstF(math.Ln2/(float64(h)/nanosecondsASecond)), total)
			return value{number: e.whileWarm(warm, rate), fresh: known}
		},
	}
}
