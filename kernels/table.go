package kernels

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// MaxTableColumns is how many columns a table may have that expressions use: each takes a slot quarter.
const MaxTableColumns = program.MaxSlotQuarters - program.SlotQuartersBase

// TableExpression is one named expression over the columns of a table; it may use the names before it.
type TableExpression struct {
	Name string
	Text string
}

// Table is expressions over the columns of a table, compiled. Every row is a tick on which every column is fresh that has
// a number in it; a cell without a number is undefined. It is immutable.
type Table struct {
	Program *program.Program
	Columns []string      // the columns that the program reads, column i from slot quarter SlotQuartersBase + i
	Outputs []TableOutput // one for each expression
}

// TableOutput is one expression of a table. Its row quarter is written on every row: undefined is the canonical NaN, a
// condition is 1, 0 or undefined.
type TableOutput struct {
	Name    string
	Kind    expr.Kind
	Quarter int
	Text    string // canonical, see expr.Graph.Text
}

// CompileTable compiles expressions whose fields are columns. The session is the whole table. A column whose name is
// not one, is a word of the language or comes again cannot be used; one with the name of an operator hides it. It
// returns every mistake, in the order of the expressions; Signal is the expression's index.
func CompileTable(columns []string, expressions []TableExpression, options Options) (*Table, []Error) {
	options = options.withDefaults()
	t := &tableCompiler{graph: expr.NewGraph(), names: map[string]expr.Ref{}, options: options}
	t.catalogue = newCatalogue(tableFields(columns, &t.used))
	for i := range expressions {
		t.check(i, expressions)
	}
	if len(t.errors) > 0 {
		return nil, t.errors
	}
	return t.emit(expressions)
}

type tableCompiler struct {
	catalogue *Catalogue
	graph     *expr.Graph
	names     map[string]expr.Ref
	roots     []expr.Ref
	used      []string // columns, in the order of their slot quarters
	options   Options
	errors    []Error
}

// tableFields are the columns as fields; the first use of one gives it the next slot quarter.
func tableFields(columns []string, used *[]string) []Field {
	var fields []Field
	named := expr.NewCatalogue(nil, nil)
	for i, name := range columns {
		if slices.Contains(columns[:i], name) || named.CheckName(name) != "" {
			continue
		}
		fields = append(fields, Field{
			Name: name, Source: FromTable, Doc: "column " + name,
			emit: func(e *emitter) emittedNumber {
				*used = append(*used, name)
				input := e.b.Slot(program.SlotQuartersBase + len(*used) - 1)
				return emittedNumber{number: e.b.Canon(input), fresh: e.b.Defined(input)}
			},
		})
	}
	return fields
}

func (t *tableCompiler) fail(i int, part, text string, mistake expr.Error) {
	t.errors = append(t.errors, Error{Signal: i, Part: part, Text: text, Mistake: mistake})
}

// check adds one expression to the graph. One with a mistake may be used without causing more of them.
func (t *tableCompiler) check(i int, expressions []TableExpression) {
	x := &expressions[i]
	t.roots = append(t.roots, expr.None)
	message := t.catalogue.CheckName(x.Name)
	if t.catalogue.field[x.Name] != nil {
		message = fmt.Sprintf("%q is a column", x.Name)
	}
	if _, taken := t.names[x.Name]; taken && message == "" {
		message = fmt.Sprintf("name %s is given twice", x.Name)
	}
	if message != "" {
		t.fail(i, "name", x.Name, expr.Error{Length: len(x.Name), Message: message})
	}
	ref := t.value(i, expressions)
	if t.names[x.Name] = ref; ref == expr.None {
		t.names[x.Name] = expr.Broken
	}
	t.roots[i] = ref
}

// value checks the text of an expression.
func (t *tableCompiler) value(i int, expressions []TableExpression) expr.Ref {
	x := &expressions[i]
	tree, mistake := expr.Parse(x.Text)
	if mistake != nil {
		t.fail(i, "value", x.Text, *mistake)
		return expr.None
	}
	env := expr.Env{
		Part: "value", Want: expr.KindCondition, Value: expr.None, Names: t.names, SampleLimit: t.options.SampleLimit,
		NoRemote: true, Self: x.Name,
	}
	for _, later := range expressions[i+1:] {
		if _, known := t.names[later.Name]; !known {
			env.Later = append(env.Later, later.Name)
		}
	}
	ref, mistakes := expr.Check(t.graph, tree, t.catalogue.names, env)
	if len(mistakes) > 0 { // then it is a number, or wrong as one as well
		env.Want = expr.KindNumber
		ref, mistakes = expr.Check(t.graph, tree, t.catalogue.names, env)
	}
	for _, m := range mistakes {
		if rest, is := strings.CutPrefix(m.Message, "signal "); is { // here they are expressions
			m.Message, m.Hint = "expression "+rest, strings.Replace(m.Hint, "a signal may", "an expression may", 1)
		}
		t.fail(i, "value", x.Text, m)
	}
	return ref
}

func (t *tableCompiler) emit(expressions []TableExpression) (*Table, []Error) {
	e := newEmitter(t.graph, t.catalogue, t.options.SubIntervals)
	out := &Table{}
	always := e.b.ConstM(true)
	for i, x := range expressions {
		v := e.node(t.roots[i])
		kind := t.graph.Nodes[t.roots[i]].Kind
		if kind == expr.KindCondition {
			known := e.b.Sel(v.isFalse, e.b.ConstF(0), e.undefined())
			v.number = e.b.Sel(v.isTrue, e.b.ConstF(1), known)
		}
		quarter := e.b.AllocRow()
		e.b.Emit(quarter, always, v.number)
		out.Outputs = append(out.Outputs, TableOutput{Name: x.Name, Kind: kind, Quarter: quarter, Text: t.graph.Text(t.roots[i])})
	}
	if len(t.used) > MaxTableColumns {
		t.fail(-1, "program", "", expr.Error{
			Message: fmt.Sprintf("expressions use %d columns", len(t.used)), Hint: fmt.Sprintf("a table program reads up to %d", MaxTableColumns),
		})
		return nil, t.errors
	}
	p, err := e.b.Build()
	if err == nil {
		err = t.options.bound(p)
	}
	if err != nil {
		t.fail(-1, "program", "", expr.Error{Message: err.Error()})
		return nil, t.errors
	}
	out.Program, out.Columns = p, t.used
	return out, nil
}
