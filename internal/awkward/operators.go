package awkward

import (
	"fmt"
	"strings"

	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
)

// Operator is one operator of the catalogue in a program of its own.
type Operator struct {
	Name       string
	Expression string
	Compiled   *kernels.Compiled
}

// Operators returns a program for every operator of the catalogue, and the names of those that it found no expression
// for.
func Operators() (out []Operator, without []string) {
	for _, op := range kernels.NewCatalogue().Operators {
		compiled, text := compile(op.Operator)
		if compiled == nil {
			without = append(without, op.Name)
			continue
		}
		out = append(out, Operator{Name: op.Name, Expression: text, Compiled: compiled})
	}
	return out, without
}

// compile tries settings as counts, then as durations; a condition is made a number.
func compile(op expr.Operator) (*kernels.Compiled, string) {
	for _, setting := range []string{"4", "2s"} {
		text := example(op, setting)
		for _, value := range []string{text, "where(" + text + ", 1, 2)"} {
			compiled, errs := kernels.Compile([]kernels.SignalSpec{
				{Name: "probe", Value: value, When: "value > -1e300", Exit: "value < 0", Side: "sign(value)"},
			}, kernels.Options{})
			if len(errs) == 0 {
				return compiled, text
			}
		}
	}
	return nil, ""
}

// example writes a call with plausible arguments.
func example(op expr.Operator, setting string) string {
	series := []string{"mid", "price", "spread", "size", "bid_size"}
	var args []string
	for _, p := range op.Params {
		if p.Optional {
			continue
		}
		switch p.Kind {
		case expr.ParamCondition:
			args = append(args, "bid_size > ask_size")
		case expr.ParamSeries:
			args = append(args, series[len(args)%len(series)])
		case expr.ParamDuration:
			args = append(args, "2s")
		case expr.ParamNumber:
			args = append(args, fmt.Sprint(p.Least+0.5))
		case expr.ParamWindow:
			args = append(args, setting)
		default:
			args = append(args, fmt.Sprint(max(p.Min, 4+int64(len(args)))))
		}
	}
	if len(op.Params) == 0 {
		return op.Name
	}
	return fmt.Sprintf("%s(%s)", op.Name, strings.Join(args, ", "))
}
