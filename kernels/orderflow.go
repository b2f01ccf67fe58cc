package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// orderFlow is the family of what quotes say of supply and demand.
func orderFlow() []Operator {
	return []Operator{
		imbalanceOperator(),
		ofiOperator(),
	}
}

func imbalanceOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "imbalance", Reads: []string{"bid_size", "ask_size"}},
		Doc: Doc{
			Summary:    "how one-sided the best sizes are, from -1 to 1",
			Formula:    "(bid_size - ask_size) / (bid_size + ask_size)",
			Source:     "Gould, Bonart (2016), Queue Imbalance as a One-Tick-Ahead Price Predictor in a Limit Order Book",
			Convention: "positive where the bid is larger",
			WarmUp:     "none",
			Flat:       "-",
			Empty:      "undefined while a side is absent or both sizes are 0",
		},
		emit: func(e *emitter, c call) value {
			bid, ask := c.args[0].number, c.args[1].number
			return value{number: e.b.Div(e.b.Sub(bid, ask), e.b.Add(bid, ask)), fresh: e.anyFresh(c.args...)}
		},
	}
}

func ofiOperator() Operator {
	return Operator{
		Operator: expr.Operator{
			Name: "ofi", Params: []expr.Param{anchored(window("w", 1))}, Stateful: true,
			Reads: []string{"bid", "bid_size", "ask", "ask_size"},
		},
		Doc: Doc{
			Summary: "order flow imbalance at the best prices, summed over a window",
			Formula: "sum of e over the quotes of the window, where e = bid_size if bid >= bid', - bid_size' if bid <= bid', " +
				"- ask_size if ask <= ask', + ask_size' if ask >= ask'; ' is the quote before",
			Source:     "Cont, Kukanov, Stoikov (2014), The Price Impact of Order Book Events",
			Convention: "a window of n samples is the last n quotes that have a quote before them; positive means buying pressure",
			WarmUp:     "n + 1 quotes, or the whole duration since the second one; starts again after a gap",
			Flat:       "0",
			Empty:      "0 while a window of time holds no quote; a quote with an absent side is passed over",
		},
		emit: emitOFI,
	}
}

// emitOFI keeps the last complete quote in four words beside the window.
func emitOFI(e *emitter, c call) value {
	b := e.b
	step := e.step(c.args...)
	first := e.words(4)
	var now, before [4]program.Value
	for i := range now {
		now[i] = c.args[i].number
		before[i] = e.loadReset(first+i, c.reset)
		b.Store(first+i, b.Sel(step, now[i], before[i]))
	}
	bid, bidSize, ask, askSize := now[0], now[1], now[2], now[3]
	zero := b.ConstF(0)
	flow := b.Sel(b.Fle(before[0], bid), bidSize, zero)
	flow = b.Sub(flow, b.Sel(b.Fle(bid, before[0]), before[1], zero))
	flow = b.Sub(flow, b.Sel(b.Fle(ask, before[2]), askSize, zero))
	flow = b.Add(flow, b.Sel(b.Fle(before[2], ask), before[3], zero))

	push := b.And(step, b.Defined(before[0]))
	out := e.roll(program.AggSum, c.settings[0], push, c.reset, flow)
	return value{number: b.Sel(out[2], out[0], e.undefined()), fresh: step}
}
