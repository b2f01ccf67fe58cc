package expr

import (
	"fmt"
	"math"
	"slices"
	"strconv"
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

// The kinds of parameter. From ParamWindow on they are settings: fixed when the expression is checked.
const (
	ParamSeries    ParamKind = iota // any number expression
	ParamCondition                  // any condition
	ParamText                       // a venue or a symbol, for the words of the language only
	ParamWindow                     // a count of samples, a duration of engine time, or, where Anchored, the session
	ParamSamples                    // a count of samples
	ParamInteger                    // a whole number from Min to Max
	ParamDuration                   // a duration of engine time
	ParamNumber                     // a number from Least to Most
)

// IsSetting says whether the parameter is fixed when the expression is checked.
func (k ParamKind) IsSetting() bool { return k >= ParamWindow }

// Param is one parameter of an operator.
type Param struct {
	Name     string
	Kind     ParamKind
	Min, Max int64 // ParamInteger: the range; ParamWindow and ParamSamples: Min is the fewest samples, 1 if 0
	Optional bool  // settings only: may be left out, then it is Default, or DefaultNumber
	Default  int64 // samples, the whole number, or nanoseconds of a ParamDuration
	Anchored bool  // ParamWindow: session may be given

	Least, Most   float64 // ParamNumber: the range, none if both are 0
	DefaultNumber float64 // ParamNumber
}

// Setting is the value of a setting. A window is the session if Session, else DurationNs of engine time if that is
// positive, else Count samples. A whole number is Count, a duration DurationNs, a number Number.
type Setting struct {
	Count      int64
	DurationNs int64
	Session    bool
	Number     float64
}

// String writes the setting as an expression would.
func (s Setting) String() string {
	switch {
	case s.Session:
		return "session"
	case s.DurationNs > 0:
		return durationText(s.DurationNs)
	case s.Number != 0:
		return numberText(s.Number)
	}
	return fmt.Sprint(s.Count)
}

// words encode the setting for hashes, differently for different settings.
func (s Setting) words() [2]uint64 {
	switch {
	case s.Session:
		return [2]uint64{0, math.MaxUint64}
	case s.Number != 0:
		return [2]uint64{math.Float64bits(s.Number), math.MaxUint64 - 1}
	}
	return [2]uint64{uint64(s.Count), uint64(s.DurationNs)}
}

func numberText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// defaultSetting is what an optional parameter is when it is left out.
func (p *Param) defaultSetting() Setting {
	switch p.Kind {
	case ParamDuration:
		return Setting{DurationNs: p.Default}
	case ParamNumber:
		return Setting{Number: p.DefaultNumber}
	}
	return Setting{Count: p.Default}
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
		if p.Kind == ParamText {
			parts[i] = `"` + p.Name + `"`
		}
		if p.Optional {
			parts[i] += "=" + p.defaultSetting().String()
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
