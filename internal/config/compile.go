package config

import (
	"slices"
	"strconv"

	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
	"go.yaml.in/yaml/v3"
)

// Specs returns the signals as package kernels takes them, in their order.
func (c *Config) Specs() []kernels.SignalSpec {
	specs := make([]kernels.SignalSpec, len(c.Signals))
	for i := range c.Signals {
		s := &c.Signals[i]
		specs[i] = kernels.SignalSpec{
			Name: s.Name, Value: s.Value, When: s.When, Exit: s.Exit, Side: s.Side, Strength: s.Strength,
			On: s.On, OnGap: expr.GapRewarm,
		}
		for _, p := range s.Params {
			specs[i].Params = append(specs[i].Params, kernels.ParamSpec{Name: p.Name, Text: p.Text, Overridden: s.overrides(p.Name)})
		}
		if s.OnGap == OnGapHold {
			specs[i].OnGap = expr.GapHold
		}
	}
	return specs
}

// overrides reports whether some instruments have values of their own for a parameter.
func (s *Signal) overrides(name string) bool {
	for _, o := range s.Overrides {
		if slices.ContainsFunc(o.Params, func(p Named) bool { return p.Name == name }) {
			return true
		}
	}
	return false
}

// options are what package kernels needs besides the signals.
func (c *Config) options() kernels.Options {
	o := kernels.Options{NoSession: !c.Session.Configured()}
	for _, let := range c.Let {
		o.Lets = append(o.Lets, kernels.LetSpec{Name: let.Name, Text: let.Text})
	}
	return o
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
	compiled, mistakes := kernels.Compile(c.Specs(), c.options())
	failed := make(map[string]bool, len(r.failed))
	for path := range r.failed {
		failed[path] = true
	}
	for i := range mistakes {
		m := &mistakes[i]
		path := m.Part
		switch {
		case m.Signal >= 0:
			path = r.itemPath(signalPath(m.Signal, m.Part))
		case m.Part == "program":
			r.add("signals", "cannot be one program: "+m.Mistake.Message, m.Mistake.Hint)
			continue
		}
		if failed[path] {
			continue
		}
		delete(r.failed, path) // one expression may have several mistakes
		if o, ok := r.origins[path]; ok && o.node.Kind == yaml.ScalarNode && o.node.Value != m.Text {
			r.at(o.src.errorAtNode(o.node, m.Mistake.Message, m.Mistake.Hint), path) // it is the name that is wrong
			continue
		}
		r.inText(path, &m.Mistake)
	}
	c.referenceRelations(r, compiled)
	return compiled
}

func signalPath(signal int, key string) string { return "signals[" + strconv.Itoa(signal) + "]." + key }
