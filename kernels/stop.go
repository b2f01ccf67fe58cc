package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// stops is the family of trailing stops.
func stops() []Operator {
	return []Operator{
		psarOperator(),
		supertrendOperator(),
	}
}

func psarOperator() Operator {
	return Operator{
		Operator: expr.Operator{
			Name: "psar", Params: []expr.Param{series("high"), series("low"), series("step"), series("most")}, Stateful: true,
		},
		Doc: Doc{
			Summary: "Wilder's parabolic stop and reverse; below the bars while long, above them while short",
			Formula: "s + a * (p - s), kept outside the last two bars; p is the extreme since the turn, a grows by step with each new p up to most; " +
				"where a bar reaches s it turns, and s is p",
			Source:     wilderSource,
			Convention: "step is usually 0.02, most 0.2; starts long unless low fell more than high rose from bar 1 to bar 2, as TA-Lib",
			WarmUp:     "first value at bar 2; " + gapRestarts,
			Flat:       "the high: each bar reaches the stop",
			Empty:      "holds while high or low is undefined; starts again if a step overflows",
		},
		emit: emitPSAR,
	}
}

// sarState is where the stop stands before a bar.
type sarState struct {
	long                                program.Value // M
	stop, extreme, pace, highest, least program.Value // highest and least of the bar before
}

// startSAR is the state in which a bar finds the stop: the stored one, or on the second bar the first.
func startSAR(b *program.Builder, stored sarState, high, low, step program.Value) sarState {
	begun := b.Defined(stored.stop)
	rose, fell := b.Sub(high, stored.highest), b.Sub(stored.least, low)
	falling := b.And(b.Flt(b.ConstF(0), fell), b.Flt(rose, fell))
	long := b.Sel(begun, stored.long, b.Not(falling))
	return sarState{
		long:    long,
		stop:    b.Sel(begun, stored.stop, b.Sel(long, stored.least, stored.highest)),
		extreme: b.Sel(begun, stored.extreme, b.Sel(long, high, low)),
		pace:    b.Sel(begun, stored.pace, step),
		highest: b.Sel(begun, stored.highest, high),
		least:   b.Sel(begun, stored.least, low),
	}
}

// emitPSAR keeps seven words: the stop for the next bar (undefined before the second), the extreme, the pace, the
// side (1 long, -1 short), the last bar's high and low, and what was given out.
func emitPSAR(e *emitter, c call) value {
	b := e.b
	in := e.together(c.args)
	high, low, step, most := in[0].number, in[1].number, in[2].number, in[3].number
	word := e.words(7)
	load := func(i int) program.Value { return e.loadReset(word+i, c.reset) }
	stored := sarState{
		stop: load(0), extreme: load(1), pace: load(2), long: b.Flt(b.ConstF(0), load(3)), highest: load(4), least: load(5),
	}
	s := startSAR(b, stored, high, low, step)

	turned := b.Or(b.And(s.long, b.Fle(low, s.stop)), b.Andn(b.Fle(s.stop, high), s.long))
	long := b.Xor(s.long, turned)
	outside := func(x program.Value) program.Value {
		below := e.smaller(e.smaller(x, s.least), low)
		return b.Sel(long, below, e.larger(e.larger(x, s.highest), high))
	}
	out := b.Sel(turned, outside(s.extreme), s.stop)
	edge := b.Sel(long, high, low)
	further := b.Or(turned, b.Sel(long, b.Flt(s.extreme, high), b.Flt(low, s.extreme)))
	extreme := b.Sel(further, edge, s.extreme)
	quicker := b.Sel(further, e.smaller(b.Add(s.pace, step), most), s.pace)
	pace := b.Sel(turned, step, quicker)
	next := outside(b.Add(out, b.Mul(pace, b.Sub(extreme, out))))

	moves := b.And(in[0].fresh, b.And(b.Defined(next), b.Defined(pace)))
	side := b.Sel(long, b.ConstF(1), b.ConstF(-1))
	given := b.Sel(moves, out, load(6))
	for i, now := range []program.Value{extreme, pace, side} {
		b.Store(word+1+i, b.Sel(moves, now, load(1+i)))
	}
	b.Store(word, b.Sel(in[0].fresh, b.Sel(moves, next, e.undefined()), load(0))) // starts again after an overflow
	b.Store(word+4, b.Sel(in[0].fresh, high, load(4)))
	b.Store(word+5, b.Sel(in[0].fresh, low, load(5)))
	b.Store(word+6, given)
	return value{number: given, fresh: moves}
}

func supertrendOperator() Operator {
	o := barSignature("supertrend", "high", "low", "close")
	o.Params = append(o.Params, series("k"))
	return Operator{
		Operator: o,
		Doc: Doc{
			Summary: "trailing stop at k average true ranges from the middle of the bar; below the close in a rise, above it in a fall",
			Formula: "upper = m + k * atr and lower = m - k * atr with m = (high + low) / 2; upper only falls and lower only rises until the close " +
				"passes it, and gives out the one that the close has not passed",
			Source:     "Seban (2009), SuperTrend; as in Skender's Stock.Indicators",
			Convention: "k is usually 3; Wilder's average; starts in a rise if the close is at or above m",
			WarmUp:     "first value at bar n + 1; after a gap the bands start again, the average goes on",
			Flat:       "close",
			Empty:      holdsUndefined3,
		},
		emit: emitSupertrend,
	}
}

// emitSupertrend keeps four words: upper, lower, the side (1 rise, -1 fall), and what was given out.
func emitSupertrend(e *emitter, c call) value {
	b := e.b
	in := e.together(c.args[:3])
	high, low, last := in[0].number, in[1].number, in[2].number
	width := e.wilder(e.trueRange(in[0], in[1], in[2], c.reset), c.settings[0].Count)
	before := e.previous(in[2], c.reset)
	middle := b.Div(b.Add(high, low), b.ConstF(2))
	reach := b.Mul(c.args[3].number, width.number)

	word := e.words(4)
	load := func(i int) program.Value { return e.loadReset(word+i, c.reset) }
	oldUpper, oldLower := load(0), load(1)
	begun := b.Defined(oldUpper)
	upper, lower := b.Canon(b.Add(middle, reach)), b.Canon(b.Sub(middle, reach))
	rising := b.Sel(begun, b.Flt(b.ConstF(0), load(2)), b.Fle(middle, last))
	upperMoves := b.Or(b.Flt(upper, oldUpper), b.Flt(oldUpper, before))
	upper = b.Sel(b.Andn(begun, upperMoves), oldUpper, upper)
	lowerMoves := b.Or(b.Flt(oldLower, lower), b.Flt(before, oldLower))
	lower = b.Sel(b.Andn(begun, lowerMoves), oldLower, lower)
	falls := b.Fle(last, b.Sel(rising, lower, upper))

	moves := b.And(e.step(width), b.And(b.Defined(upper), b.Defined(lower)))
	given := b.Sel(moves, b.Sel(falls, upper, lower), load(3))
	b.Store(word, b.Sel(moves, upper, oldUpper))
	b.Store(word+1, b.Sel(moves, lower, oldLower))
	b.Store(word+2, b.Sel(moves, b.Sel(falls, b.ConstF(-1), b.ConstF(1)), load(2)))
	b.Store(word+3, given)
	return value{number: given, fresh: moves}
}
