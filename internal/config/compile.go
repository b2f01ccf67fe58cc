package config

import (
	"strconv"

	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
)

// Specs returns the signals as package kernels takes them, in their order.
func (c *Config) Specs() []kernels.SignalSpec {
	specs := make([]kernels.SignalSpec, len(c.Signals))
	for i := range c.Signals {
		s := &c.Signals[i]
		specs[i] = kernels.SignalSpec{
			Name: s.Name, Value: s.Value, When: s.When, Exit: s.Exit, Side: s.Side, Strength: s.Strength,
			OnGap: expr.GapRewarm,
		}
		if s.OnGap == OnGapHold {
			specs[i].OnGap = expr.GapHold
		}
	}
	return specs
}

// Compile makes the program of the signals. For a Config from Load it fails only if there are no signals. An error is of type
// Errors.
func (c *Config) Compile() (*kernels.Compiled, error) {
	if len(c.Signals) == 0 {
		return nil, Errors{{Path: "signals", Message: "there are no signals", Hint: "add signals or signals_file"}}
	}
	r := newReport(c.origins)
	compiled := c.compile(r)
	if len(r.errors) > 0 {
		r.errors.sort()
		return nil, r.errors
	}
	return compiled, nil
}

// compile reports what is wrong with the expressions, except with those that the report knows of already.
func (c *Config) compile(r *report) *kernels.Compiled {
	compiled, mistakes := kernels.Compile(c.Specs(), kernels.Options{})
	failed := make(map[string]bool, len(r.failed))
	for path := range r.failed {
		failed[path] = true
	}
	for i := range mistakes {
		m := &mistakes[i]
		if m.Signal < 0 {
			r.add("signals", "cannot be one program: "+m.Mistake.Message, m.Mistake.Hint)
			continue
		}
		path := signalPath(m.Signal, m.Part)
		if !failed[path] { // one expression may have several mistakes
			r.at(c.ErrorIn(m.Signal, m.Part, m.Mistake.Offset, m.Mistake.Length, m.Mistake.Message, m.Mistake.Hint), path)
		}
	}
	return compiled
}

// ErrorIn makes an error about part of an expression: the signal by its place in Signals, the key that holds the expression
// (value, when, exit, side, strength), and bytes of its text. The error has the place in the file if the Config was loaded.
func (c *Config) ErrorIn(signal int, key string, offset, length int, message, hint string) *Error {
	path := signalPath(signal, key)
	o, ok := c.origins[path]
	if !ok {
		return &Error{Path: path, Message: message, Hint: hint}
	}
	e := o.src.errorInScalar(o.node, offset, length, message, hint)
	e.Path = path
	return e
}

func signalPath(signal int, key string) string { return "signals[" + strconv.Itoa(signal) + "]." + key }
