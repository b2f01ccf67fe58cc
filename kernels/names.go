package kernels

import (
	"fmt"
	"slices"

	"github.com/sigengine/sigengine/kernels/expr"
)

// defineLets checks the shared names and their texts.
func (c *compiler) defineLets() {
	specs := c.options.Lets
	if len(specs) > expr.MaxLets {
		c.fail(-1, "program", "", expr.Error{Message: fmt.Sprintf("%d lets", len(specs)), Hint: fmt.Sprintf("the limit is %d", expr.MaxLets)})
		return
	}
	names := make([]string, len(specs))
	for i, let := range specs {
		names[i] = let.Name
	}
	c.lets = expr.NewLets(names)
	env := expr.Env{SampleLimit: c.options.SampleLimit, NoSession: c.options.NoSession}
	for i, let := range specs {
		part := "let." + let.Name
		message := c.catalogue.CheckName(let.Name)
		if message == "" && slices.Contains(names[:i], let.Name) {
			message = fmt.Sprintf("let %s is given twice", let.Name)
		}
		if message != "" {
			c.fail(-1, part, let.Name, expr.Error{Length: len(let.Name), Message: message})
		}
		for _, err := range c.lets.Define(c.graph, c.catalogue.names, let.Text, env) {
			c.fail(-1, part, let.Text, err)
		}
	}
}

// params reads the parameters of a signal. One with a mistake is known but broken.
func (c *compiler) params(i int) map[string]*expr.Constant {
	params := map[string]*expr.Constant{}
	for _, p := range c.specs[i].Params {
		part := "params." + p.Name
		message := c.catalogue.CheckName(p.Name)
		switch _, taken := params[p.Name]; {
		case message != "":
		case taken:
			message = fmt.Sprintf("parameter %s is given twice", p.Name)
		case c.isLet(p.Name):
			message = fmt.Sprintf("name %s is already that of a let", p.Name)
		case c.signalNamed(p.Name) >= 0:
			message = fmt.Sprintf("name %s is already that of signal %d", p.Name, c.signalNamed(p.Name)+1)
		}
		if message != "" {
			c.fail(i, part, p.Name, expr.Error{Length: len(p.Name), Message: message})
		}
		constant, err := expr.ParseConstant(p.Text)
		if err != nil {
			c.fail(i, part, p.Text, *err)
		} else if p.Overridden && constant.DurationNs > 0 {
			c.fail(i, part, p.Text, expr.Error{
				Length: len(p.Text), Message: fmt.Sprintf("parameter %s is a duration, and has overrides", p.Name),
				Hint: "durations are for windows, which are the same for all instruments",
			})
			constant.Broken = true
		}
		constant.Overridden = p.Overridden
		params[p.Name] = &constant
	}
	return params
}

func (c *compiler) isLet(name string) bool {
	return slices.ContainsFunc(c.options.Lets, func(l LetSpec) bool { return l.Name == name })
}

func (c *compiler) signalNamed(name string) int {
	return slices.IndexFunc(c.specs, func(s SignalSpec) bool { return s.Name == name })
}

// on reads what evaluates a signal.
func (c *compiler) on(i int, env expr.Env) expr.On {
	var on expr.On
	for k, text := range c.specs[i].On {
		for _, err := range on.Item(c.catalogue.names, text, env) {
			c.fail(i, fmt.Sprintf("on[%d]", k), text, err)
		}
	}
	if on.ClockNs == 0 && len(on.Live) == 0 {
		on.Self = true
	}
	return on
}

// unused reports parameters that no text of the signal uses, and references in on that its value does not depend on.
func (c *compiler) unused(i int, env expr.Env, s *checkedSignal) {
	for _, p := range c.specs[i].Params {
		if !env.Params[p.Name].Used {
			c.fail(i, "params."+p.Name, p.Text, expr.Error{
				Length: len(p.Text), Message: fmt.Sprintf("parameter %s is not used by the signal", p.Name), Hint: "remove it",
			})
		}
	}
	read := c.instrumentsOf(s.value)
	for k, text := range c.specs[i].On {
		var item expr.On
		item.Item(c.catalogue.names, text, env)
		for _, live := range item.Live {
			if !slices.Contains(read, live) {
				c.fail(i, fmt.Sprintf("on[%d]", k), text, expr.Error{
					Length: len(text), Message: fmt.Sprintf("value does not depend on %s", live),
					Hint: "ticks that change nothing of value cannot evaluate the signal; use of(" + live.String() + ", …) in it",
				})
			}
		}
	}
}

// instrumentsOf are the other instruments that a node depends on.
func (c *compiler) instrumentsOf(ref expr.Ref) []expr.Instrument {
	var found []expr.Instrument
	for r := range reachable(c.graph, ref) {
		if n := &c.graph.Nodes[r]; n.Op == expr.OpReference {
			found = append(found, n.Remote.Instrument)
		}
	}
	return found
}
