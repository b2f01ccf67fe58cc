package expr

import "fmt"

// Bounds of one text.
const (
	MaxSourceBytes = 16 << 10
	MaxDepth       = 200 // nested parentheses, calls and prefix operators
)

// Parse reads one expression. It stops at the first mistake.
func Parse(source string) (Expr, *Error) {
	list, err := parse(source, false)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// parse reads one expression, or several separated by commas.
func parse(source string, several bool) ([]Expr, *Error) {
	if len(source) > MaxSourceBytes {
		return nil, &Error{
			Offset: MaxSourceBytes, Message: fmt.Sprintf("expression is too long: %d bytes", len(source)),
			Hint: fmt.Sprintf("the limit is %d; split it into several signals", MaxSourceBytes),
		}
	}
	tokens, err := lex(source)
	if err != nil {
		return nil, err
	}
	if tokens[0].kind == tokenEnd {
		return nil, &Error{Offset: 0, Length: 0, Message: "expression is empty"}
	}
	p := parser{tokens: tokens}
	var list []Expr
	for {
		e, err := p.expression(precedenceOr)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		t := p.peek()
		if t.kind == tokenEnd {
			return list, nil
		}
		if !several || t.text != "," {
			return nil, p.leftover(t)
		}
		p.next()
	}
}

// parser is a Pratt parser over tokens. depth counts nesting, not chains: a + b + c nests nothing.
type parser struct {
	tokens []token
	at     int
	depth  int
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

// enter counts one level of nesting; the caller undoes it with p.depth--.
func (p *parser) enter(t token) *Error {
	p.depth++
	if p.depth > MaxDepth {
		return errorAt(t, fmt.Sprintf("expression is nested too deeply (limit %d)", MaxDepth), "split it into several signals")
	}
	return nil
}

func errorAt(t token, message, hint string) *Error {
	return &Error{Offset: t.offset, Length: len(t.text), Message: message, Hint: hint}
}

// expression parses operators that bind at least as tightly as least.
func (p *parser) expression(least int) (Expr, *Error) {
	left, err := p.prefix()
	if err != nil {
		return nil, err
	}
	for {
		t := p.peek()
		precedence := 0
		if t.kind == tokenSymbol || t.kind == tokenName {
			precedence = binaryPrecedence[t.text]
		}
		if precedence == 0 || precedence < least {
			return left, nil
		}
		p.next()
		right, err := p.expression(precedence + 1)
		if err != nil {
			return nil, err
		}
		left = &Binary{
			Span: left.Where().cover(right.Where()), Op: canonicalOp(t.text), OpOffset: t.offset, Left: left, Right: right,
		}
		if precedence == precedenceCompare {
			if t := p.peek(); t.kind == tokenSymbol && binaryPrecedence[t.text] == precedenceCompare {
				return nil, errorAt(t, "comparisons do not chain", "write a < b and b < c")
			}
		}
	}
}

func canonicalOp(text string) string {
	switch text {
	case "&&":
		return "and"
	case "||":
		return "or"
	case "!":
		return "not"
	}
	return text
}

// prefix parses an operand: an atom, or a prefix operator and its operand.
func (p *parser) prefix() (Expr, *Error) {
	t := p.next()
	switch t.kind {
	case tokenNumber:
		n, err := parseNumber(t)
		if err != nil {
			return nil, err
		}
		return n, nil
	case tokenText:
		return &Text{Span: Span{t.offset, len(t.text)}, Value: t.text[1 : len(t.text)-1]}, nil
	case tokenName:
		return p.word(t)
	case tokenSymbol:
		switch t.text {
		case "(":
			return p.group(t)
		case "-", "+":
			return p.unary(t, precedenceSign)
		case "!":
			return p.unary(t, precedenceNot)
		}
	}
	return nil, p.noOperand(t)
}

func (p *parser) word(t token) (Expr, *Error) {
	span := Span{t.offset, len(t.text)}
	switch t.text {
	case "true", "false":
		return &Bool{Span: span, Value: t.text == "true"}, nil
	case "not":
		return p.unary(t, precedenceNot)
	case "and", "or":
		return nil, p.noOperand(t)
	}
	if p.peek().text == "(" {
		return p.call(t)
	}
	return &Name{Span: span, Text: t.text}, nil
}

func (p *parser) unary(t token, precedence int) (Expr, *Error) {
	if err := p.enter(t); err != nil {
		return nil, err
	}
	operand, err := p.expression(precedence)
	if err != nil {
		return nil, err
	}
	p.depth--
	span := Span{t.offset, len(t.text)}.cover(operand.Where())
	return &Unary{Span: span, Op: canonicalOp(t.text), Operand: operand}, nil
}

func (p *parser) group(open token) (Expr, *Error) {
	if err := p.enter(open); err != nil {
		return nil, err
	}
	e, err := p.expression(precedenceOr)
	if err != nil {
		return nil, err
	}
	if p.peek().text != ")" {
		return nil, p.unclosed(open)
	}
	p.next()
	p.depth--
	return e, nil
}

func (p *parser) call(name token) (Expr, *Error) {
	open := p.next()
	if err := p.enter(open); err != nil {
		return nil, err
	}
	c := &Call{Function: name.text, FunctionSpan: Span{name.offset, len(name.text)}}
	if p.peek().text != ")" {
		for {
			argument, err := p.argument(c.Args)
			if err != nil {
				return nil, err
			}
			c.Args = append(c.Args, argument)
			if p.peek().text != "," {
				break
			}
			p.next()
		}
	}
	if p.peek().text != ")" {
		return nil, p.unclosed(open)
	}
	end := p.next()
	p.depth--
	c.Span = Span{name.offset, end.offset + 1 - name.offset}
	return c, nil
}

func (p *parser) argument(before []Argument) (Argument, *Error) {
	var a Argument
	t := p.peek()
	if t.kind == tokenName && p.tokens[p.at+1].text == "=" {
		a.Name, a.NameSpan = t.text, Span{t.offset, len(t.text)}
		p.next()
		p.next()
	} else if len(before) > 0 && before[len(before)-1].Name != "" {
		return a, errorAt(t, "a positional argument follows a named one", "put named arguments last")
	}
	value, err := p.expression(precedenceOr)
	a.Value = value
	return a, err
}

// noOperand reports t where a number, a name or a parenthesis was due.
func (p *parser) noOperand(t token) *Error {
	switch {
	case t.kind == tokenEnd:
		return errorAt(t, "expression ends too early", "a number, a name or ( is missing")
	case t.text == ")" && p.at >= 2 && p.tokens[p.at-2].text == "(":
		return errorAt(t, "nothing between the parentheses", "")
	case t.text == ")" && p.depth == 0:
		return errorAt(t, "unmatched )", "")
	case t.text == "=":
		return errorAt(t, "unexpected =", "write == to compare")
	}
	return errorAt(t, unexpected(t), "a number, a name or ( is missing before it")
}

// unclosed reports a parenthesis that should close before the next token.
func (p *parser) unclosed(open token) *Error {
	t := p.peek()
	if t.kind == tokenEnd {
		return errorAt(open, "unclosed (", "add )")
	}
	return p.leftover(t)
}

// leftover reports a token that cannot follow a complete operand.
func (p *parser) leftover(t token) *Error {
	switch {
	case t.text == ")":
		return errorAt(t, "unmatched )", "")
	case t.text == "=":
		return errorAt(t, "unexpected =", "write == to compare")
	case t.text == ",":
		return errorAt(t, "unexpected ,", "only arguments of an operator are separated by commas")
	}
	return errorAt(t, unexpected(t), "an operator is missing before it")
}

func unexpected(t token) string {
	if t.kind == tokenText {
		return "unexpected text " + t.text
	}
	return fmt.Sprintf("unexpected %q", t.text)
}
