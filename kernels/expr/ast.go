package expr

// Span is a piece of the text, in bytes.
type Span struct {
	Offset int
	Length int
}

// End is the first byte after the span.
func (s Span) End() int { return s.Offset + s.Length }

// Where returns the span; the node types inherit it.
func (s Span) Where() Span { return s }

// cover is the smallest span that holds both.
func (s Span) cover(t Span) Span {
	start, end := min(s.Offset, t.Offset), max(s.End(), t.End())
	return Span{start, end - start}
}

// Expr is a node of the tree: *Number, *Bool, *Text, *Name, *Unary, *Binary or *Call.
type Expr interface {
	Where() Span
}

// Number is a literal, with or without a unit.
type Number struct {
	Span
	Text       string  // as written, unit included
	Value      float64 // without a duration unit
	Unit       Unit
	DurationNs int64 // with a duration unit
}

// Bool is true or false.
type Bool struct {
	Span
	Value bool
}

// Text is a piece of text in double quotes: a venue or a symbol.
type Text struct {
	Span
	Value string // without the quotes
}

// Name is a field, a let, a parameter, an earlier signal, value, session, or an operator without arguments.
type Name struct {
	Span
	Text string
}

// Unary is - + or not before an operand.
type Unary struct {
	Span
	Op      string // "-", "+", "not"
	Operand Expr
}

// Binary is an operator between two operands.
type Binary struct {
	Span
	Op       string // "or" "and" "<" "<=" ">" ">=" "==" "!=" "+" "-" "*" "/"
	OpOffset int
	Left     Expr
	Right    Expr
}

// Call is an operator of the catalogue with its arguments.
type Call struct {
	Span
	Function     string
	FunctionSpan Span
	Args         []Argument
}

// Argument is one argument of a call; Name is empty for a positional one.
type Argument struct {
	Name     string
	NameSpan Span
	Value    Expr
}

// Equal says whether two trees are the same apart from where they were written.
func Equal(a, b Expr) bool {
	switch a := a.(type) {
	case *Number:
		b, ok := b.(*Number)
		return ok && a.Text == b.Text
	case *Bool:
		b, ok := b.(*Bool)
		return ok && a.Value == b.Value
	case *Text:
		b, ok := b.(*Text)
		return ok && a.Value == b.Value
	case *Name:
		b, ok := b.(*Name)
		return ok && a.Text == b.Text
	case *Unary:
		b, ok := b.(*Unary)
		return ok && a.Op == b.Op && Equal(a.Operand, b.Operand)
	case *Binary:
		b, ok := b.(*Binary)
		return ok && a.Op == b.Op && Equal(a.Left, b.Left) && Equal(a.Right, b.Right)
	case *Call:
		b, ok := b.(*Call)
		if !ok || a.Function != b.Function || len(a.Args) != len(b.Args) {
			return false
		}
		for i := range a.Args {
			if a.Args[i].Name != b.Args[i].Name || !Equal(a.Args[i].Value, b.Args[i].Value) {
				return false
			}
		}
		return true
	}
	return a == nil && b == nil
}
