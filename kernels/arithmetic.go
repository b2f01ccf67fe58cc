package kernels

import "github.com/sigengine/sigengine/kernels/expr"

// arithmetic is the family of operators without state.
func arithmetic() []Operator {
	return []Operator{
		absOperator(),
		signOperator(),
		whereOperator(),
	}
}

func absOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "abs", Params: []expr.Param{series("x")}},
		Doc: Doc{
			Summary:    "magnitude",
			Formula:    "x without its sign",
			Source:     "-",
			Convention: "clears the sign bit, so abs(-0) is 0",
			WarmUp:     "none",
			Flat:       "-",
			Empty:      "undefined where x is",
		},
		emit: func(e *emitter, c call) value {
			return value{number: e.b.Abs(c.args[0].number), fresh: c.args[0].fresh}
		},
	}
}

func signOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "sign", Params: []expr.Param{series("x")}},
		Doc: Doc{
			Summary:    "which side of zero",
			Formula:    "1 where x > 0, -1 where x < 0, 0 where x is 0",
			Source:     "-",
			Convention: "sign(0) and sign(-0) are 0",
			WarmUp:     "none",
			Flat:       "-",
			Empty:      "undefined where x is",
		},
		emit: func(e *emitter, c call) value {
			x, zero := c.args[0].number, e.b.ConstF(0)
			neither := e.b.Canon(e.b.Sub(x, x)) // 0, or undefined where x is
			below := e.b.Sel(e.b.Flt(x, zero), e.b.ConstF(-1), neither)
			return value{number: e.b.Sel(e.b.Flt(zero, x), e.b.ConstF(1), below), fresh: c.args[0].fresh}
		},
	}
}

func whereOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "where", Params: []expr.Param{condition("c"), series("a"), series("b")}},
		Doc: Doc{
			Summary:    "one of two numbers",
			Formula:    "a where c is true, b where c is false",
			Source:     "-",
			Convention: "only the chosen number needs a value; both are computed on every tick, so their state steps regardless of c",
			WarmUp:     "none",
			Flat:       "-",
			Empty:      "undefined where c is, or where the chosen number is",
		},
		emit: func(e *emitter, c call) value {
			test, a, b := c.args[0], c.args[1], c.args[2]
			otherwise := e.b.Sel(test.isFalse, b.number, e.undefined())
			return value{number: e.b.Sel(test.isTrue, a.number, otherwise), fresh: e.anyFresh(test, a, b)}
		},
	}
}
