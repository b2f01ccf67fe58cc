package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// Mistakes are what is wrong with expressions over a table, in their order.
type Mistakes struct {
	Expressions []kernels.TableExpression
	List        []kernels.Error
	Columns     []Column
}

// Error says how many there are; Render shows them.
func (m *Mistakes) Error() string {
	if len(m.List) == 1 {
		return "1 mistake in the expressions"
	}
	return fmt.Sprintf("%d mistakes in the expressions", len(m.List))
}

// Render draws every mistake under its text, and lists the columns by the names that expressions use.
func (m *Mistakes) Render() string {
	var b strings.Builder
	for i := range m.List {
		e := &m.List[i]
		switch {
		case e.Signal < 0:
			fmt.Fprintf(&b, "expressions: %s\n", e.Mistake.Error())
		case e.Part == "name":
			fmt.Fprintf(&b, "name of expression %d:%s", e.Signal+1, expr.Render(e.Text, e.Mistake))
		default:
			fmt.Fprintf(&b, "%s:%s", m.Expressions[e.Signal].Name, expr.Render(e.Text, e.Mistake))
		}
	}
	var columns []string
	for _, c := range m.Columns {
		switch {
		case c.Name == "":
		case c.Renamed():
			columns = append(columns, c.Name+" ("+shown(c.Header)+")")
		default:
			columns = append(columns, c.Name)
		}
	}
	if more := len(columns) - columnsShown; more > 0 {
		columns = append(columns[:columnsShown], fmt.Sprintf("and %d more", more))
	}
	fmt.Fprintf(&b, "columns: %s\n", strings.Join(columns, ", "))
	return b.String()
}

const columnsShown = 12

// Compile compiles expressions over the columns of a table. timed says that rows have times. An error is a *Mistakes.
func Compile(columns []Column, expressions []kernels.TableExpression, timed bool) (*kernels.Table, error) {
	var names []string
	for _, c := range columns {
		if c.Name != "" {
			names = append(names, c.Name)
		}
	}
	t, mistakes := kernels.CompileTable(names, expressions, kernels.Options{})
	if len(mistakes) == 0 && !timed && readsTime(t.Program) {
		mistakes = []kernels.Error{needsTime(names, expressions)}
	}
	if len(mistakes) > 0 {
		return nil, &Mistakes{Expressions: expressions, List: mistakes, Columns: columns}
	}
	return t, nil
}

// readsTime reports whether a program depends on the time of its rows.
func readsTime(p *program.Program) bool {
	for _, w := range p.Windows {
		if w.Kind == program.WindowDuration {
			return true
		}
	}
	for _, part := range [][]program.Instr{p.Before, p.Recur, p.After} {
		if slices.ContainsFunc(part, func(in program.Instr) bool { return in.Op == program.OpSlot && in.Imm == program.SlotTime }) {
			return true
		}
	}
	return false
}

// needsTime finds the first expression that depends on time.
func needsTime(names []string, expressions []kernels.TableExpression) kernels.Error {
	last := len(expressions) - 1
	for i := range expressions {
		if t, _ := kernels.CompileTable(names, expressions[:i+1], kernels.Options{}); t != nil && readsTime(t.Program) {
			last = i
			break
		}
	}
	text := expressions[last].Text
	mistake := expr.Error{Length: len(text), Message: "this depends on time, and the rows have none"}
	mistake.Hint = "name their column with --time COLUMN and --time-unit s, ms, us, ns or rfc3339, or give windows in rows: 20 instead of 20s"
	if tree, err := expr.Parse(text); err == nil {
		if span, found := duration(tree); found {
			mistake.Offset, mistake.Length = span.Offset, span.Length
		}
	}
	return kernels.Error{Signal: last, Part: "value", Text: text, Mistake: mistake}
}

// duration finds the first duration in an expression.
func duration(tree expr.Expr) (span expr.Span, found bool) {
	switch n := tree.(type) {
	case *expr.Number:
		return n.Span, n.DurationNs > 0
	case *expr.Unary:
		return duration(n.Operand)
	case *expr.Binary:
		if span, found = duration(n.Left); found {
			return span, true
		}
		return duration(n.Right)
	case *expr.Call:
		for _, arg := range n.Args {
			if span, found = duration(arg.Value); found {
				return span, true
			}
		}
	}
	return expr.Span{}, false
}
