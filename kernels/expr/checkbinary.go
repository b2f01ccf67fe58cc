package expr

import "math"

func (c *checker) binary(e *Binary) Ref {
	operands := KindNumber
	if e.Op == "and" || e.Op == "or" {
		operands = KindCondition
	}
	left, right := c.operand(e.Left, operands), c.operand(e.Right, operands)
	if left == None || right == None {
		return None
	}
	switch e.Op {
	case "and":
		return c.logic(OpAnd, left, right)
	case "or":
		return c.logic(OpOr, left, right)
	case "<":
		return c.compare(OpLess, left, right)
	case ">":
		return c.compare(OpLess, right, left)
	case "<=":
		return c.compare(OpLessEqual, left, right)
	case ">=":
		return c.compare(OpLessEqual, right, left)
	case "==":
		return c.compare(OpEqual, left, right)
	case "!=":
		return c.negate(c.compare(OpEqual, left, right))
	}
	return c.arithmetic(e, left, right)
}

var arithmeticOps = map[string]Op{"+": OpAdd, "-": OpSub, "*": OpMul, "/": OpDiv}

func (c *checker) arithmetic(e *Binary, left, right Ref) Ref {
	op := arithmeticOps[e.Op]
	a, aConstant := c.graph.constant(left)
	b, bConstant := c.graph.constant(right)
	if bConstant && b == 0 && op == OpDiv {
		return c.fail(e.Right.Where(), "", "division by zero is always undefined")
	}
	if aConstant && bConstant {
		value := foldArithmetic(op, a, b)
		if math.IsInf(value, 0) || math.IsNaN(value) {
			return c.fail(e.Span, "", "this constant is too large")
		}
		return c.number(value)
	}
	return c.graph.intern(Node{Op: op, Kind: KindNumber, Args: []Ref{left, right}})
}

func foldArithmetic(op Op, a, b float64) float64 {
	switch op {
	case OpAdd:
		return a + b
	case OpSub:
		return a - b
	case OpMul:
		return float64(a * b)
	}
	return a / b
}

func (c *checker) compare(op Op, left, right Ref) Ref {
	a, aConstant := c.graph.constant(left)
	b, bConstant := c.graph.constant(right)
	if aConstant && bConstant {
		switch op {
		case OpLess:
			return c.boolean(a < b)
		case OpLessEqual:
			return c.boolean(a <= b)
		}
		return c.boolean(a == b)
	}
	return c.graph.intern(Node{Op: op, Kind: KindCondition, Args: []Ref{left, right}})
}

func (c *checker) negate(ref Ref) Ref {
	if n := &c.graph.Nodes[ref]; n.Op == OpBool {
		return c.boolean(n.Value == 0)
	}
	return c.graph.intern(Node{Op: OpNot, Kind: KindCondition, Args: []Ref{ref}})
}

// logic folds only where both sides are constant: dropping a side would drop its freshness.
func (c *checker) logic(op Op, left, right Ref) Ref {
	a, b := &c.graph.Nodes[left], &c.graph.Nodes[right]
	if a.Op == OpBool && b.Op == OpBool {
		if op == OpAnd {
			return c.boolean(a.Value != 0 && b.Value != 0)
		}
		return c.boolean(a.Value != 0 || b.Value != 0)
	}
	return c.graph.intern(Node{Op: op, Kind: KindCondition, Args: []Ref{left, right}})
}
