package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

func liquidity() []Operator {
	return []Operator{
		amihudOperator(), effectiveSpreadOperator(), realisedSpreadOperator(), priceImpactOperator(),
	}
}

func amihudOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "amihud", Params: []expr.Param{anchored(window("w", 1))}, Stateful: true, Reads: []string{"price", "size"}},
		Doc: Doc{
			Summary:    "illiquidity: mean move for a unit of money traded, over the trades of a window",
			Formula:    "sum(abs(r) / (price * size)) / count with r = (price - price') / price', ' being the trade before",
			Source:     "Amihud (2002), Illiquidity and Stock Returns; daily there, a trade at a time here",
			Convention: "a trade of no size is left out; for bars of a day divide by bar_volume instead",
			WarmUp:     "n + 1 trades, or the whole duration since the second one; starts again after a gap",
			Flat:       "0",
			Empty:      "undefined while a window of time holds no trade",
		},
		emit: func(e *emitter, c call) value {
			c = e.anchor(c)
			price, size, step := c.args[0], c.args[1].number, e.step(c.args...)
			r := e.returnOf(price.at(step), c.reset)
			each := value{number: e.b.Div(e.b.Abs(r.number), e.b.Mul(price.number, size)), fresh: step}
			return e.mean(each, c.settings[0], c.reset).at(step)
		},
	}
}

// quotedTrades are trades whose side is known, against the mid held at that time.
type quotedTrades struct {
	sign, price, mid, push, step program.Value
}

var spreadFields = []string{"price", "aggressor", "mid"}

func (e *emitter) quotedTrades(c call) quotedTrades {
	sign := e.tradeSign(c.args[0], c.args[1], c.reset)
	push := e.b.And(e.step(sign), e.b.Defined(c.args[2].number))
	return quotedTrades{sign: sign.number, price: c.args[0].number, mid: c.args[2].number, push: push, step: sign.fresh}
}

// twice is 2 * sign * (a - b).
func (e *emitter) twice(sign, a, b program.Value) program.Value {
	return e.b.Mul(e.b.Mul(e.b.ConstF(2), sign), e.b.Sub(a, b))
}

const (
	spreadConvention = "in units of price; the mid is the one held when the trade arrives, which a venue that sends quotes and trades " +
		"apart may have moved already; a trade without a mid or a side is left out; steps on trades only"
	spreadEmpty = "undefined while a window of time holds no such trade"
)

func effectiveSpreadOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "effective_spread", Params: []expr.Param{anchored(window("w", 1))}, Stateful: true, Reads: spreadFields},
		Doc: Doc{
			Summary:    "mean spread that the takers of a window paid",
			Formula:    "mean of 2 * sign * (price - mid)",
			Source:     "Huang, Stoll (1996), Dealer versus Auction Markets; sides as in trade_sign",
			Convention: spreadConvention,
			WarmUp:     tradesWarmUp,
			Flat:       "-",
			Empty:      spreadEmpty,
		},
		emit: func(e *emitter, c call) value {
			t := e.quotedTrades(c)
			paid := value{number: e.twice(t.sign, t.price, t.mid), fresh: t.push}
			return e.mean(paid, c.settings[0], c.reset).at(t.step)
		},
	}
}

// laterOperator is a mean over trades of what the mid says k trades later.
func laterOperator(name string, doc Doc, measure func(e *emitter, sign, price, mid, midLater program.Value) program.Value) Operator {
	doc.Convention = spreadConvention + "; the window holds trades that are k trades old"
	doc.WarmUp = "n + k trades whose side is known, or the whole duration since trade k + 1; starts again after a gap"
	doc.Flat, doc.Empty = "-", spreadEmpty
	return Operator{
		Operator: expr.Operator{Name: name, Params: []expr.Param{samples("k"), anchored(window("w", 1))}, Stateful: true, Reads: spreadFields},
		Doc:      doc,
		emit: func(e *emitter, c call) value {
			c = e.anchor(c)
			t := e.quotedTrades(c)
			lag := program.SampleWindow(program.AggLag, int(c.settings[0].Count))
			sign := e.b.Window(lag, t.push, c.reset, t.sign)
			price := e.b.Window(lag, t.push, c.reset, t.price)[0]
			mid := e.b.Window(lag, t.push, c.reset, t.mid)[0]
			each := value{number: measure(e, sign[0], price, mid, t.mid), fresh: e.b.And(t.push, sign[1])}
			return e.mean(each, c.settings[1], c.reset).at(t.step)
		},
	}
}

func realisedSpreadOperator() Operator {
	return laterOperator("realised_spread", Doc{
		Summary: "mean spread that the makers of a window kept, after the mid moved for k trades",
		Formula: "mean of 2 * sign * (price - mid_k), mid_k being the mid k trades later",
		Source:  "Huang, Stoll (1996), Dealer versus Auction Markets; there after 5 minutes",
	}, func(e *emitter, sign, price, _, midLater program.Value) program.Value {
		return e.twice(sign, price, midLater)
	})
}

func priceImpactOperator() Operator {
	return laterOperator("price_impact", Doc{
		Summary: "twice the mean move of the mid over k trades in the direction of the taker",
		Formula: "mean of 2 * sign * (mid_k - mid), mid_k being the mid k trades later",
		Source:  "Huang, Stoll (1996): effective less realised spread",
	}, func(e *emitter, sign, _, mid, midLater program.Value) program.Value {
		return e.twice(sign, midLater, mid)
	})
}
