package expr

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what an expression gives.
type Kind uint8

// The kinds. A number may be undefined, a condition may be true, false or undefined.
const (
	KindNumber Kind = iota
	KindCondition
)

// String names the kind as messages do.
func (k Kind) String() string {
	if k == KindCondition {
		return "condition"
	}
	return "number"
}

// ParamKind is what an operator accepts in one place.
type ParamKind uint8

// The kinds of parameter. The last three are settings: fixed when the expression is checked.
const (
	ParamSeries    ParamKind = iota // any number expression
	ParamCondition                  // any condition
	ParamWindow                     // a count of samples or a duration of engine time
	ParamSamples                    // a count of samples
	ParamInteger                    // a whole number from Min to Max
)

// IsSetting says whether the parameter is fixed when the expression is checked.
func (k ParamKind) IsSetting() bool { return k >= ParamWindow }

// Param is one parameter of an operator.
type Param struct {
	Name     string
	Kind     ParamKind
	Min, Max int64 // ParamInteger: the range; ParamWindow and ParamSamples: Min is the fewest samples, 1 if 0
	Optional bool  // settings only: may be left out, then it is Default
	Default  int64
}

// Setting is the value of a setting: DurationNs of engine time if that is positive, else Count (samples, or the
// whole number itself).
type Setting struct {
	Count      int64
	DurationNs int64
}

// String writes the setting as an expression would.
func (s Setting) String() string {
	if s.DurationNs > 0 {
		return durationText(s.DurationNs)
	}
	return fmt.Sprint(s.Count)
}

// durationText writes a duration with the largest unit that keeps it whole.
func durationText(ns int64) string {
	for unit := UnitHour; unit > UnitNanosecond; unit-- {
		if ns%units[unit].ns == 0 {
			return fmt.Sprint(ns/units[unit].ns) + units[unit].name
		}
	}
	return fmt.Sprint(ns) + "ns"
}

// Operator is the signature of one operator.
type Operator struct {
	Name     string
	Params   []Param
	Result   Kind
	Stateful bool     // steps with ticks, so a gap policy is part of it
	Reads    []string // fields it reads by itself; they become its first arguments
	// Restrict, if there is one, checks settings against each other; it returns a message or "".
	Restrict func(settings []Setting) string
}

// Usage shows how the operator is written: ema(x, n) or std(x, w, ddof=0).
func (o *Operator) Usage() string {
	if len(o.Params) == 0 {
		return o.Name
	}
	parts := make([]string, len(o.Params))
	for i, p := range o.Params {
		parts[i] = p.Name
		if p.Optional {
			parts[i] += fmt.Sprintf("=%d", p.Default)
		}
	}
	return o.Name + "(" + strings.Join(parts, ", ") + ")"
}

func (o *Operator) required() int {
	n := 0
	for _, p := range o.Params {
		if !p.Optional {
			n++
		}
	}
	return n
}

// Catalogue is what names mean. It is fixed once built and may be shared.
type Catalogue struct {
	fields    map[string]bool
	operators map[string]*Operator
	names     []string // fields and operators without parameters, sorted
	functions []string // operators with parameters, sorted
}

// NewCatalogue builds a catalogue. It panics on a name given twice or a malformed signature: the lists are code.
func NewCatalogue(fields []string, operators []Operator) *Catalogue {
	c := &Catalogue{fields: map[string]bool{}, operators: map[string]*Operator{}}
	for _, f := range fields {
		if c.fields[f] || Reserved(f) {
			panic("expr: field named twice or reserved: " + f)
		}
		c.fields[f] = true
		c.names = append(c.names, f)
	}
	for i := range operators {
		o := &operators[i]
		if c.operators[o.Name] != nil || c.fields[o.Name] || Reserved(o.Name) {
			panic("expr: operator named twice or reserved: " + o.Name)
		}
		for j, p := range o.Params {
			if p.Optional && !p.Kind.IsSetting() || j > 0 && !p.Optional && o.Params[j-1].Optional {
				panic("expr: optional parameters are settings and come last: " + o.Name)
			}
		}
		c.operators[o.Name] = o
		if len(o.Params) == 0 {
			c.names = append(c.names, o.Name)
		} else {
			c.functions = append(c.functions, o.Name)
		}
	}
	slices.Sort(c.names)
	slices.Sort(c.functions)
	return c
}

// Operator returns the operator of that name, or nil.
func (c *Catalogue) Operator(name string) *Operator { return c.operators[name] }

// reserved words may name nothing of the user's: they have a meaning now or are kept for one.
var reserved = map[string]bool{
	"and": true, "or": true, "not": true, "true": true, "false": true, "value": true,
	"of": true, "ref": true, "let": true, "params": true, "clock": true, "session": true, "self": true,
}

// Reserved says whether a name is a word of the language.
func Reserved(name string) bool { return reserved[name] }

// CheckName returns what is wrong with a name that a user wants to give a signal, or "".
func (c *Catalogue) CheckName(name string) string {
	switch {
	case name == "":
		return "a signal needs a name"
	case len(name) > maxSuggestBytes:
		return fmt.Sprintf("name is too long: %d bytes, the limit is %d", len(name), maxSuggestBytes)
	case !isNameStart(name[0]) || scanName(name, 0) != len(name):
		return fmt.Sprintf("%q is not a name: use a-z, 0-9 and _, not starting with a digit", name)
	case Reserved(name):
		return fmt.Sprintf("%q is a word of the language", name)
	case c.fields[name]:
		return fmt.Sprintf("%q is a field", name)
	case c.operators[name] != nil:
		return fmt.Sprintf("%q is an operator", name)
	}
	return ""
}
