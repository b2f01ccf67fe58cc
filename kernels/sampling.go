package kernels

import (
	"math"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

func sampling() []Operator { return []Operator{sampleOperator(), everyOperator()} }

func sampleOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "sample", Params: []expr.Param{series("x"), duration("w")}, Stateful: true},
		Doc: Doc{
			Summary:    "x, at most once in a duration",
			Formula:    "x of the first step, then of each first step at least w after the one taken before",
			Source:     "-",
			Convention: "counts from the step taken, not from multiples of w; fresh on the steps taken and holds between them",
			WarmUp:     "first value at step 1; a gap changes nothing",
			Flat:       "x",
			Empty:      "holds while x is undefined",
		},
		emit: func(e *emitter, c call) value {
			b := e.b
			word := b.AllocState(1, uint64(math.MaxInt64)+1) // the earliest engine time
			due := b.Load(word, program.I)
			taken := b.Andn(e.step(c.args[0]), b.Ilt(b.Time(), due))
			b.Store(word, b.Sel(taken, b.Iadd(b.Time(), b.ConstI(c.settings[0].DurationNs)), due))
			return e.keep(taken, c.args[0].number)
		},
	}
}

func everyOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "every", Params: []expr.Param{series("x"), samples("n")}, Stateful: true},
		Doc: Doc{
			Summary:    "every n-th x",
			Formula:    "x of steps n, 2n, 3n, …",
			Source:     "-",
			Convention: "fresh on the steps taken and holds between them",
			WarmUp:     "first value at step n; a gap does not restart the count",
			Flat:       "x",
			Empty:      "holds while x is undefined",
		},
		emit: func(e *emitter, c call) value {
			one, n := e.b.ConstF(1), e.b.ConstF(float64(c.settings[0].Count))
			taken := e.filling(e.step(c.args[0]), one, n, e.never()).isTrue
			return e.keep(taken, c.args[0].number)
		},
	}
}

// keep is x as of the last tick on which it was taken, fresh on those.
func (e *emitter) keep(taken, x program.Value) value {
	word := e.words(1)
	kept := e.b.Sel(taken, x, e.b.Load(word, program.F))
	e.b.Store(word, kept)
	return value{number: kept, fresh: taken}
}
