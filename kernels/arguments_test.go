package kernels

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
)

// sampleArgument is a text that fits a parameter; later counts are larger, as fast and slow must be.
func sampleArgument(i int, p *expr.Param) string {
	switch p.Kind {
	case expr.ParamSeries:
		return "(price + size)"
	case expr.ParamCondition:
		return "(price > size)"
	case expr.ParamInteger:
		return fmt.Sprint(max(p.Min, p.Default))
	case expr.ParamDuration:
		return "5s"
	case expr.ParamNumber:
		return fmt.Sprint(max(p.Least, p.DefaultNumber))
	case expr.ParamSamples, expr.ParamWindow:
		return fmt.Sprint(max(p.Min, int64(4+i)))
	}
	return ""
}

// sampleCall writes a use of an operator; change may replace an argument's text.
func sampleCall(o *Operator, named bool, change func(p *expr.Param, text string) string) string {
	var args []string
	for i := range o.Params {
		p := &o.Params[i]
		text := change(p, sampleArgument(i, p))
		if named {
			text = p.Name + "=" + text
		}
		args = append(args, text)
	}
	if len(args) == 0 {
		return o.Name
	}
	if named { // in any order
		args[0], args[len(args)-1] = args[len(args)-1], args[0]
	}
	return o.Name + "(" + strings.Join(args, ", ") + ")"
}

func watchResult(o *Operator, call string) SignalSpec {
	if o.Result == expr.KindCondition {
		call = "where(" + call + ", 1, 0)"
	}
	return watch(call + " + 0 * price")
}

// TestNamedArgumentsEverywhere: every argument of every operator may be named, in any order.
func TestNamedArgumentsEverywhere(t *testing.T) {
	same := func(_ *expr.Param, text string) string { return text }
	for i := range NewCatalogue().Operators {
		o := &NewCatalogue().Operators[i]
		positional := mustCompile(t, watchResult(o, sampleCall(o, false, same)))
		named := mustCompile(t, watchResult(o, sampleCall(o, true, same)))
		if positional.Program.String() != named.Program.String() {
			t.Errorf("%s: named arguments give another program", o.Name)
		}
	}
}

// TestEverySessionWindow compiles every operator that takes a session over one, and refuses it elsewhere.
func TestEverySessionWindow(t *testing.T) {
	for i := range NewCatalogue().Operators {
		o := &NewCatalogue().Operators[i]
		anchored := 0
		call := sampleCall(o, false, func(p *expr.Param, text string) string {
			if p.Kind == expr.ParamWindow && p.Anchored {
				anchored++
				return "session"
			}
			return text
		})
		if anchored > 0 && !mustCompile(t, watchResult(o, call)).UsesSession {
			t.Errorf("%s: session is not noticed", call)
		}
		call = sampleCall(o, false, func(p *expr.Param, text string) string {
			if p.Kind.IsSetting() && !p.Anchored {
				return "session"
			}
			return text
		})
		if _, errs := Compile([]SignalSpec{watchResult(o, call)}, Options{}); strings.Contains(call, "session") && len(errs) == 0 {
			t.Errorf("%s is accepted", call)
		}
	}
}

// TestEveryOperatorOnAClock: every operator can be sampled, and over another instrument.
func TestEveryOperatorOnAClock(t *testing.T) {
	same := func(_ *expr.Param, text string) string { return text }
	for i := range NewCatalogue().Operators {
		o := &NewCatalogue().Operators[i]
		spec := watchResult(o, sampleCall(o, true, same))
		spec.On, spec.When, spec.Value = []string{"clock(1s)"}, spec.Value+" > 0", "price"
		c := mustCompile(t, spec)
		for _, n := range c.Nodes {
			if n.Stateful && !strings.Contains(n.Text, "sampled(1s, ") {
				t.Errorf("%s: %s is not sampled", o.Name, n.Text)
			}
		}
		remote := watchResult(o, sampleCall(o, true, same))
		remote.Value = `price + of(ref("cme", "ES"), ` + remote.Value + ")"
		if c := mustCompile(t, remote); len(c.References) != 1 || c.ReferenceProgram == nil {
			t.Errorf("%s: %+v", o.Name, c.References)
		}
	}
}
