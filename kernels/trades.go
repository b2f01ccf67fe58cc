package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

func tradeFlow() []Operator {
	return []Operator{
		tradeSignOperator(), signedVolumeOperator(), buyVolumeOperator(), sellVolumeOperator(), tradeImbalanceOperator(),
		vwapOperator(), vpinOperator(), volumeImbalanceOperator(),
	}
}

const (
	signSource     = "Lee, Ready (1991), Inferring Trade Direction from Intraday Data, for the tick test"
	signConvention = "the venue's aggressor where it says one, else the tick test; a trade that neither decides is left out"
	tradesWarmUp   = "n trades whose side is known, or the whole duration since the first one; starts again after a gap"
)

// tradeSign is 1 where the buyer took and -1 where the seller did, on every trade; undefined where neither the
// aggressor nor the tick test says.
func (e *emitter) tradeSign(price, aggressor value, reset program.Value) value {
	b, step := e.b, e.step(price, aggressor)
	key := partKey{kind: "trade_sign", number: price.number, other: aggressor.number, fresh: step, reset: reset}
	return e.partOf(key, func() value {
		one, minus, zero := b.ConstF(1), b.ConstF(-1), b.ConstF(0)
		last := e.previous(price.at(step), reset)
		word := e.words(1)
		before := e.loadReset(word, reset)
		tick := b.Sel(b.Flt(last, price.number), one, b.Sel(b.Flt(price.number, last), minus, before))
		b.Store(word, b.Sel(step, tick, before))
		told := b.Sel(b.Flt(aggressor.number, zero), minus, tick)
		return value{number: b.Sel(b.Flt(zero, aggressor.number), one, told), fresh: step}
	})
}

// signedTrades are the signs and sizes of trades, and the mask of those where both are known.
func (e *emitter) signedTrades(c call) (sign, size, push, step program.Value) {
	s := e.tradeSign(c.args[0], c.args[2], c.reset)
	size = c.args[1].number
	return s.number, size, e.b.And(e.step(s), e.b.Defined(size)), e.step(c.args...)
}

var tradeFields = []string{"price", "size", "aggressor"}

func tradeSignOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "trade_sign", Stateful: true, Reads: []string{"price", "aggressor"}},
		Doc: Doc{
			Summary:    "side that took in the last trade: 1 the buyer, -1 the seller",
			Formula:    "aggressor if it is not 0, else the sign of the last change of price",
			Source:     signSource,
			Convention: "the venue's aggressor comes first, because it is right where quotes and trades arrive out of order",
			WarmUp:     "none where the aggressor is known, else until the price has changed; a gap forgets the price before it",
			Flat:       "the sign of the last change",
			Empty:      "undefined after a trade whose side neither rule tells",
		},
		emit: func(e *emitter, c call) value {
			sign := e.tradeSign(c.args[0], c.args[1], c.reset)
			return e.keep(sign.fresh, sign.number)
		},
	}
}

// volumeOperator sums, over the trades of a window whose side is known, what amount makes of sign and size.
func volumeOperator(name, summary, formula string, amount func(e *emitter, sign, size program.Value) program.Value) Operator {
	return Operator{
		Operator: expr.Operator{Name: name, Params: []expr.Param{anchored(window("w", 1))}, Stateful: true, Reads: tradeFields},
		Doc: Doc{
			Summary: summary, Formula: formula, Source: signSource, Convention: signConvention, WarmUp: tradesWarmUp,
			Flat: "-", Empty: "0 while a window of time holds no trade",
		},
		emit: func(e *emitter, c call) value {
			sign, size, push, step := e.signedTrades(c)
			sum, _ := e.pushed(push, amount(e, sign, size), c.settings[0], c.reset)
			return value{number: sum, fresh: step}
		},
	}
}

func signedVolumeOperator() Operator {
	return volumeOperator("signed_volume", "volume bought less volume sold, over a window", "sum(sign * size)",
		func(e *emitter, sign, size program.Value) program.Value { return e.b.Mul(sign, size) })
}

func buyVolumeOperator() Operator {
	return volumeOperator("buy_volume", "volume in which the buyer took, over a window", "sum(size where sign is 1)",
		func(e *emitter, sign, size program.Value) program.Value {
			return e.b.Sel(e.b.Flt(e.b.ConstF(0), sign), size, e.b.ConstF(0))
		})
}

func sellVolumeOperator() Operator {
	return volumeOperator("sell_volume", "volume in which the seller took, over a window", "sum(size where sign is -1)",
		func(e *emitter, sign, size program.Value) program.Value {
			return e.b.Sel(e.b.Flt(sign, e.b.ConstF(0)), size, e.b.ConstF(0))
		})
}

func tradeImbalanceOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "trade_imbalance", Params: []expr.Param{anchored(window("w", 1))}, Stateful: true, Reads: tradeFields},
		Doc: Doc{
			Summary:    "how one-sided trading is over a window, from -1 to 1",
			Formula:    "sum(sign * size) / sum(size)",
			Source:     "Chordia, Roll, Subrahmanyam (2002), Order Imbalance, Liquidity, and Market Returns; " + signSource,
			Convention: signConvention + ", of both sums",
			WarmUp:     tradesWarmUp,
			Flat:       "-",
			Empty:      "undefined while the window holds no volume",
		},
		emit: func(e *emitter, c call) value {
			sign, size, push, step := e.signedTrades(c)
			return value{number: e.ratioOfSums(push, e.b.Mul(sign, size), size, c.settings[0], c.reset), fresh: step}
		},
	}
}

func vwapOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "vwap", Params: []expr.Param{anchored(window("w", 1))}, Stateful: true, Reads: []string{"price", "size"}},
		Doc: Doc{
			Summary:    "volume-weighted average price of the trades of a window",
			Formula:    "sum(price * size) / sum(size)",
			Source:     "Berkowitz, Logue, Noser (1988), The Total Cost of Transactions on the NYSE",
			Convention: "every trade counts, whichever its side",
			WarmUp:     windowWarmUp,
			Flat:       "the price, within rounding",
			Empty:      "undefined while the window holds no volume",
		},
		emit: func(e *emitter, c call) value {
			step := e.step(c.args...)
			paid := e.b.Mul(c.args[0].number, c.args[1].number)
			push := e.b.And(step, e.b.Defined(paid))
			return value{number: e.ratioOfSums(push, paid, c.args[1].number, c.settings[0], c.reset), fresh: step}
		},
	}
}
