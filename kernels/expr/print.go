package expr

import "strings"

// Binding powers, loosest first. Comparison does not associate, the rest to the left.
const (
	precedenceOr = 1 + iota
	precedenceAnd
	precedenceNot
	precedenceCompare
	precedenceAdd
	precedenceMultiply
	precedenceSign
	precedenceAtom
)

var binaryPrecedence = map[string]int{
	"or": precedenceOr, "||": precedenceOr,
	"and": precedenceAnd, "&&": precedenceAnd,
	"<": precedenceCompare, "<=": precedenceCompare, ">": precedenceCompare, ">=": precedenceCompare,
	"==": precedenceCompare, "!=": precedenceCompare,
	"+": precedenceAdd, "-": precedenceAdd,
	"*": precedenceMultiply, "/": precedenceMultiply,
}

// String writes a tree as text with the fewest parentheses; parsing it gives an equal tree.
func String(e Expr) string {
	var b strings.Builder
	write(&b, e)
	return b.String()
}

func precedenceOf(e Expr) int {
	switch e := e.(type) {
	case *Unary:
		if e.Op == "not" {
			return precedenceNot
		}
		return precedenceSign
	case *Binary:
		return binaryPrecedence[e.Op]
	}
	return precedenceAtom
}

// writeOperand writes e, in parentheses if it binds more loosely than its place needs.
func writeOperand(b *strings.Builder, e Expr, needed int) {
	if precedenceOf(e) >= needed {
		write(b, e)
		return
	}
	b.WriteByte('(')
	write(b, e)
	b.WriteByte(')')
}

func write(b *strings.Builder, e Expr) {
	switch e := e.(type) {
	case *Number:
		b.WriteString(e.Text)
	case *Bool:
		if e.Value {
			b.WriteString("true")
		} else {
			b.WriteString("false")
		}
	case *Text:
		b.WriteString(`"` + e.Value + `"`)
	case *Name:
		b.WriteString(e.Text)
	case *Unary:
		b.WriteString(e.Op)
		if e.Op == "not" {
			b.WriteByte(' ')
		}
		writeOperand(b, e.Operand, precedenceOf(e))
	case *Binary:
		precedence := binaryPrecedence[e.Op]
		left := precedence
		if precedence == precedenceCompare {
			left++
		}
		writeOperand(b, e.Left, left)
		b.WriteString(" " + e.Op + " ")
		writeOperand(b, e.Right, precedence+1)
	case *Call:
		b.WriteString(e.Function)
		b.WriteByte('(')
		for i, argument := range e.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			if argument.Name != "" {
				b.WriteString(argument.Name + "=")
			}
			write(b, argument.Value)
		}
		b.WriteByte(')')
	}
}
