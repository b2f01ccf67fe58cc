package kernels

import (
	"fmt"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

func windowed() []Operator {
	return []Operator{sumOperator(), percentRankOperator()}
}

// advance pushes into the window of a setting and gives the outputs of its aggregate.
func (e *emitter) advance(agg program.WindowAgg, w expr.Setting, push, reset program.Value, x ...program.Value) []program.Value {
	return e.roll(agg, w, push, reset, x...)
}

// anchor makes a session window's operator forget what came before the session, the step before included.
func (e *emitter) anchor(c call) call {
	for _, s := range c.settings {
		if s.Session {
			c.reset = e.b.Or(c.reset, e.ctlBit(program.CtlSessionReset))
		}
	}
	return c
}

func sumOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "sum", Params: []expr.Param{series("x"), anchored(window("w", 1))}, Stateful: true},
		Doc: Doc{
			Summary:    "sum over a window",
			Formula:    "sum(x)",
			Source:     "-",
			Convention: "sum(only(x, c), w) adds up the updates on which c holds",
			WarmUp:     windowWarmUp,
			Flat:       "x times the samples in the window",
			Empty:      "0 while a window of time holds no sample; undefined samples are left out",
		},
		emit: func(e *emitter, c call) value { return e.sum(c.args[0], c.settings[0], c.reset) },
	}
}

func percentRankOperator() Operator {
	return Operator{
		Operator: expr.Operator{
			Name: "percent_rank", Params: []expr.Param{series("x"), samples("n")}, Stateful: true,
			Restrict: func(s []expr.Setting) string {
				if s[0].Count > program.MaxRankSamples {
					return fmt.Sprintf("percent_rank looks at every sample of its window: the limit is %d samples", program.MaxRankSamples)
				}
				return ""
			},
		},
		Doc: Doc{
			Summary:    "where x stands among the last n samples, from 0 to 1",
			Formula:    "(samples below x + half the others that equal it) / n",
			Source:     "-",
			Convention: "the window holds x itself, so it is 0 for a new low and (n - 1) / n for a new high; the midpoint of ties",
			WarmUp:     "first value at sample n; starts again after a gap",
			Flat:       "(n - 1) / (2 n)",
			Empty:      "holds while x is undefined",
		},
		emit: func(e *emitter, c call) value {
			step := e.step(c.args[0])
			out := e.b.Window(program.SampleWindow(program.AggRank, int(c.settings[0].Count)), step, c.reset, c.args[0].number)
			rank := e.b.Div(out[0], e.b.ConstF(float64(c.settings[0].Count)))
			return value{number: e.whileWarm(out[2], rank), fresh: step}
		},
	}
}
