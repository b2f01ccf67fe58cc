package kernels

import (
	"fmt"

	"github.com/sigengine/sigengine/kernels/program"
)

// Cost is what a program, or a part of one, takes: instructions and state words an instrument.
type Cost struct {
	Before, Recur, After int
	StateWords           int
}

// CostOf returns the cost of a program.
func CostOf(p *program.Program) Cost {
	if p == nil {
		return Cost{}
	}
	return Cost{Before: len(p.Before), Recur: len(p.Recur), After: len(p.After), StateWords: p.StateWords}
}

// Instructions is their number.
func (c Cost) Instructions() int { return c.Before + c.Recur + c.After }

func (c Cost) less(d Cost) Cost {
	return Cost{c.Before - d.Before, c.Recur - d.Recur, c.After - d.After, c.StateWords - d.StateWords}
}

// MarginalCosts says of each signal how much smaller the program would be without it: what it shares with others is in
// nobody's cost. The signals must be free of mistakes.
func MarginalCosts(specs []SignalSpec, options Options) ([]Cost, error) {
	c := newCompiler(specs, options)
	if !c.check() {
		return nil, &c.errors[0]
	}
	all, errors := c.emit()
	if len(errors) > 0 {
		return nil, &errors[0]
	}
	costs := make([]Cost, len(specs))
	for i := range specs {
		without := Cost{StateWords: 1} // of no signals: the word that says which there are
		if len(specs) > 1 {
			rest := c.without(i)
			compiled, errors := rest.emit()
			if len(errors) > 0 {
				return nil, fmt.Errorf("kernels: without signal %d: %w", i, &errors[0])
			}
			without = CostOf(compiled.Program)
		}
		costs[i] = CostOf(all.Program).less(without)
	}
	return costs, nil
}

// without is the checked compiler with one signal left out of the program; others may still use its value.
func (c *compiler) without(i int) *compiler {
	rest := *c
	rest.errors = nil
	rest.specs = append(append([]SignalSpec{}, c.specs[:i]...), c.specs[i+1:]...)
	rest.checked = append(append([]checkedSignal{}, c.checked[:i]...), c.checked[i+1:]...)
	return &rest
}
