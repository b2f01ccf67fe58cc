package kernels

import (
	"github.com/sigengine/sigengine/kernels/program"
)

// fields lists the inputs. A quote's four values are bid, bid size, ask, ask size; a trade's are price, size,
// aggressor.
func fields() []Field {
	return []Field{
		{Name: "bid", Source: FromQuote, Doc: "best bid price; undefined while there is no bid", emit: quoteField(program.SlotF0, program.SlotF0)},
		{Name: "bid_size", Source: FromQuote, Doc: "size at the best bid; undefined while there is no bid", emit: quoteField(program.SlotF1, program.SlotF0)},
		{Name: "ask", Source: FromQuote, Doc: "best ask price; undefined while there is no ask", emit: quoteField(program.SlotF2, program.SlotF2)},
		{Name: "ask_size", Source: FromQuote, Doc: "size at the best ask; undefined while there is no ask", emit: quoteField(program.SlotF3, program.SlotF2)},
		{Name: "mid", Source: FromQuote, Doc: "(bid + ask) / 2", emit: emitMid},
		{Name: "spread", Source: FromQuote, Doc: "ask - bid; negative while the market is crossed", emit: emitSpread},
		{Name: "microprice", Source: FromQuote, Doc: "(bid * ask_size + ask * bid_size) / (bid_size + ask_size), also called the weighted mid", emit: emitMicroprice},
		{Name: "price", Source: FromTrade, Doc: "price of the last trade", emit: tradeField(program.SlotF0)},
		{Name: "size", Source: FromTrade, Doc: "size of the last trade", emit: tradeField(program.SlotF1)},
		{Name: "aggressor", Source: FromTrade, Doc: "side that took: 1 the buyer, -1 the seller, 0 unknown", emit: tradeField(program.SlotF2)},
	}
}

// quoteField holds a slot quarter between quotes; it is undefined where the price of its side is.
func quoteField(quarter, price int) func(e *emitter) emittedNumber {
	return func(e *emitter) emittedNumber {
		input := e.b.Slot(quarter)
		if quarter != price {
			input = e.b.Sel(e.b.Defined(e.b.Slot(price)), input, e.undefined())
		}
		return e.held(e.ctlBit(program.CtlFreshQuote), input, quarter)
	}
}

// tradeField holds a slot quarter between trades.
func tradeField(quarter int) func(e *emitter) emittedNumber {
	return func(e *emitter) emittedNumber {
		return e.held(e.ctlBit(program.CtlFreshTrade), e.b.Slot(quarter), tradeWords+quarter)
	}
}

// tradeWords keeps the keys of trade fields apart from those of quote fields in emitter.fields.
const tradeWords = 8

// held is an input that keeps its value between its ticks. Each key is emitted once.
func (e *emitter) held(fresh, input program.Value, key int) emittedNumber {
	if f, ok := e.fields[key]; ok {
		return f
	}
	word := e.words(1)
	f := emittedNumber{number: e.b.Sel(fresh, e.b.Canon(input), e.b.Load(word, program.F)), fresh: fresh}
	e.b.Store(word, f.number)
	e.fields[key] = f
	return f
}

// quote is the four held values of the quote.
func (e *emitter) quote() (bid, bidSize, ask, askSize, fresh program.Value) {
	values := [4]emittedNumber{
		quoteField(program.SlotF0, program.SlotF0)(e), quoteField(program.SlotF1, program.SlotF0)(e),
		quoteField(program.SlotF2, program.SlotF2)(e), quoteField(program.SlotF3, program.SlotF2)(e),
	}
	return values[0].number, values[1].number, values[2].number, values[3].number, values[0].fresh
}

func emitMid(e *emitter) emittedNumber {
	bid, ask := quoteField(program.SlotF0, program.SlotF0)(e), quoteField(program.SlotF2, program.SlotF2)(e)
	return emittedNumber{e.b.Div(e.b.Add(bid.number, ask.number), e.b.ConstF(2)), bid.fresh}
}

func emitSpread(e *emitter) emittedNumber {
	bid, ask := quoteField(program.SlotF0, program.SlotF0)(e), quoteField(program.SlotF2, program.SlotF2)(e)
	return emittedNumber{e.b.Sub(ask.number, bid.number), bid.fresh}
}

func emitMicroprice(e *emitter) emittedNumber {
	bid, bidSize, ask, askSize, fresh := e.quote()
	weighted := e.b.Add(e.b.Mul(bid, askSize), e.b.Mul(ask, bidSize))
	return emittedNumber{e.b.Div(weighted, e.b.Add(bidSize, askSize)), fresh}
}
