package kernels

import (
	"fmt"

	"github.com/sigengine/sigengine/kernels/exact"
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// mostTaps bounds a window that costs instructions for each of its samples.
const mostTaps = 64

func almaOperator() Operator {
	o := smoother("alma", 1)
	o.Params = append(
		o.Params,
		expr.Param{Name: "offset", Kind: expr.ParamNumber, Optional: true, Least: 0, Most: 1, DefaultNumber: 0.85},
		expr.Param{Name: "sigma", Kind: expr.ParamNumber, Optional: true, Least: 0.01, Most: 1000, DefaultNumber: 6},
	)
	o.Restrict = func(s []expr.Setting) string {
		if s[0].Count > mostTaps {
			return fmt.Sprintf("alma costs instructions for each sample: it takes up to %d", mostTaps)
		}
		if _, sum := almaWeights(s[0].Count, s[1].Number, s[2].Number); sum < 1e-300 {
			return "alma weighs no sample with this sigma: use a smaller one"
		}
		return ""
	}
	return Operator{
		Operator: o,
		Doc: Doc{
			Summary:    "Arnaud Legoux's moving average: weights of a bell near the newest sample",
			Formula:    "sum(w_i * x_i) / sum(w_i) with w_i = exp(-(i - m)^2 / (2 * s^2)), i from 0 for the oldest, m = offset * (n - 1), s = n / sigma",
			Source:     "Legoux, Kouzis-Loukas (2009)",
			Convention: "offset 1 looks at the newest most, 0 at the oldest; summed oldest first",
			WarmUp:     "first value at sample n; " + gapRestarts,
			Flat:       flatWithin,
			Empty:      leavesOut,
		},
		emit: emitALMA,
	}
}

// almaWeights are the weights, the oldest sample's first, and their sum.
func almaWeights(n int64, offset, sigma float64) (weights []float64, sum float64) {
	m, s := float64(offset*float64(n-1)), float64(n)/sigma
	for i := range n {
		d := float64(i) - m
		w := exact.Exp(-float64(d*d) / float64(2*float64(s*s)))
		weights = append(weights, w)
		sum += w
	}
	return weights, sum
}

func emitALMA(e *emitter, c call) value {
	b, x := e.b, c.args[0]
	weights, total := almaWeights(c.settings[0].Count, c.settings[1].Number, c.settings[2].Number)
	samples := e.taps(x, c.settings[0].Count, c.reset)
	sum := b.Mul(b.ConstF(weights[0]), samples[0])
	for i := 1; i < len(samples); i++ {
		sum = b.Add(sum, b.Mul(b.ConstF(weights[i]), samples[i]))
	}
	return value{number: b.Div(sum, b.ConstF(total)), fresh: e.step(x)}
}

// taps are the last n samples, the oldest first; those that have not been are undefined. They cost a word and three
// instructions each.
func (e *emitter) taps(x value, n int64, reset program.Value) []program.Value {
	step := e.step(x)
	word := e.words(int(n))
	samples := make([]program.Value, n)
	newer := x.number
	for i := n - 1; i >= 0; i-- {
		before := e.loadReset(word+int(i), reset)
		samples[i] = e.b.Sel(step, newer, before)
		e.b.Store(word+int(i), samples[i])
		newer = before
	}
	return samples
}
