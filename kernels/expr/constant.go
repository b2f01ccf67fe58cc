package expr

import "math"

// Constant is the value of a parameter: a number, or a duration of engine time if DurationNs is positive.
type Constant struct {
	Value      float64
	DurationNs int64
	Overridden bool // instruments may have values of their own, so it is a number in state and no setting
	Broken     bool // its text has a mistake, which is reported once
	Used       bool // by some text of the signal
	tree       Expr
}

// ParseConstant reads a text that uses no names: a number, a duration above 0, or arithmetic of numbers.
func ParseConstant(text string) (Constant, *Error) {
	tree, parseError := Parse(text)
	if parseError != nil {
		return Constant{Broken: true}, parseError
	}
	if n, ok := unsigned(tree).(*Number); ok && n.Unit.IsDuration() {
		if tree != Expr(n) || n.DurationNs <= 0 || n.DurationNs > MaxDurationNs {
			return Constant{Broken: true}, &Error{
				Length: len(text), Message: "duration must be above 0 and at most " + durationText(MaxDurationNs),
			}
		}
		return Constant{DurationNs: n.DurationNs, tree: tree}, nil
	}
	c := checker{graph: NewGraph(), catalogue: constants, env: Env{Value: None, SampleLimit: DefaultSampleLimit}}
	ref := c.operand(tree, KindNumber)
	if len(c.errors) > 0 {
		err := c.errors[0]
		return Constant{Broken: true}, &err
	}
	value, ok := c.graph.constant(ref)
	if !ok || math.IsInf(value, 0) || math.IsNaN(value) {
		return Constant{Broken: true}, &Error{Length: len(text), Message: "this is not a constant number"}
	}
	return Constant{Value: value, tree: tree}, nil
}

// constants is what the texts of constants may use: nothing.
var constants = NewCatalogue(nil, nil)
