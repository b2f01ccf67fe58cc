package kernels

import (
	"slices"

	"github.com/sigengine/sigengine/kernels/expr"
)

// Doc is what a user reads about an operator. Every part is filled in; "-" says that it cannot occur.
type Doc struct {
	Summary    string // one line
	Formula    string
	Source     string // where the definition comes from
	Convention string // choices that others make differently
	WarmUp     string // when it first has a value
	Flat       string // what a flat input gives
	Empty      string // what an empty window or undefined input gives
}

// Operator is one operator: how it is written, what it means and how it is computed.
type Operator struct {
	expr.Operator
	Doc  Doc
	emit func(e *emitter, c call) value
}

// FieldSource is the kind of tick that updates a field.
type FieldSource uint8

// The sources of fields.
const (
	FromQuote FieldSource = iota
	FromTrade
	FromTable // every row
)

// String names the source in the plural, as documentation does.
func (s FieldSource) String() string {
	switch s {
	case FromTrade:
		return "trades"
	case FromTable:
		return "rows"
	}
	return "quotes"
}

// Field is one named input. It holds its value between ticks of its source.
type Field struct {
	Name   string
	Source FieldSource
	Doc    string
	emit   func(e *emitter) emittedNumber
}

// Catalogue is everything that names in signal text can mean. It is immutable.
type Catalogue struct {
	Fields    []Field
	Operators []Operator
	names     *expr.Catalogue
	operator  map[string]*Operator
	field     map[string]*Field
}

// families lists the operators, a family a line, in the order in which documentation lists them.
func families() [][]Operator {
	return [][]Operator{
		arithmetic(),
		lags(),
		averages(),
		smoothing(),
		dispersion(),
		extremes(),
		regression(),
		momentum(),
		oscillators(),
		trend(),
		channels(),
		stops(),
		volumes(),
		volatility(),
		rangeVolatility(),
		decays(),
		windowed(),
		relations(),
		orderFlow(),
		tradeFlow(),
		liquidity(),
		intensities(),
		events(),
		sampling(),
		bars(),
	}
}

// NewCatalogue returns the catalogue, in the order in which documentation lists it.
func NewCatalogue() *Catalogue { return newCatalogue(fields()) }

// newCatalogue is the catalogue over some fields. Operators that need other fields, or have the name of one, are left
// out.
func newCatalogue(fields []Field) *Catalogue {
	c := &Catalogue{Fields: fields, operator: map[string]*Operator{}, field: map[string]*Field{}}
	names := make([]string, len(c.Fields))
	for i := range c.Fields {
		names[i] = c.Fields[i].Name
		c.field[names[i]] = &c.Fields[i]
	}
	unknown := func(name string) bool { return c.field[name] == nil }
	for _, family := range families() {
		for _, o := range family {
			if unknown(o.Name) && !slices.ContainsFunc(o.Reads, unknown) {
				c.Operators = append(c.Operators, o)
			}
		}
	}
	signatures := make([]expr.Operator, len(c.Operators))
	for i := range c.Operators {
		signatures[i] = c.Operators[i].Operator
		c.operator[signatures[i].Name] = &c.Operators[i]
	}
	c.names = expr.NewCatalogue(names, signatures)
	return c
}

// CheckName returns what is wrong with a name for a signal, or "".
func (c *Catalogue) CheckName(name string) string { return c.names.CheckName(name) }

func series(name string) expr.Param    { return expr.Param{Name: name, Kind: expr.ParamSeries} }
func condition(name string) expr.Param { return expr.Param{Name: name, Kind: expr.ParamCondition} }
func samples(name string) expr.Param   { return expr.Param{Name: name, Kind: expr.ParamSamples} }
func duration(name string) expr.Param  { return expr.Param{Name: name, Kind: expr.ParamDuration} }

func window(name string, fewest int64) expr.Param {
	return expr.Param{Name: name, Kind: expr.ParamWindow, Min: fewest}
}
