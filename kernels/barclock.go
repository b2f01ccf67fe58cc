package kernels

import (
	"math"
	"math/bits"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// barClock says when the bars of an input begin and close.
//
//	by time      step ─ step ─┃─ step ─ step ─    the step after a boundary closes the bar before it and begins the next
//	by steps     step ─ step ─ step ┃ step ─ …    the n-th step belongs to the bar it closes; so does the trade that
//	or volume                                     fills a volume
type barClock struct {
	step   program.Value // M: the input steps
	closes program.Value // M: a whole bar closes on this tick
	turns  program.Value // M: what comes after this tick is another bar; by time: this tick's step already is
	early  bool          // by time
	reset  program.Value
}

// shortestBarNs keeps bar numbers within 51 bits for every engine time.
const shortestBarNs = 1_000_000

func restrictBars(s []expr.Setting) string {
	if s[0].DurationNs > 0 && s[0].DurationNs < shortestBarNs {
		return "bars are at least 1ms long"
	}
	return ""
}

// barsOf is the clock of bars of a duration or of a number of steps.
func (e *emitter) barsOf(step program.Value, w expr.Setting, reset program.Value) barClock {
	if w.DurationNs > 0 {
		return e.timeBars(step, w.DurationNs, reset)
	}
	f := e.filling(step, e.b.ConstF(1), e.b.ConstF(float64(w.Count)), reset)
	return barClock{step: step, closes: f.isTrue, turns: f.isTrue, reset: reset}
}

// timeBars closes a bar on the first step in another period. The first bar after a start or gap began before it was
// looked at and is passed over.
func (e *emitter) timeBars(step program.Value, periodNs int64, reset program.Value) barClock {
	key := partKey{kind: "time_bars", number: step, count: periodNs, reset: reset}
	part := e.partOf(key, func() value {
		b := e.b
		period := e.period(periodNs)
		word := b.AllocState(3)
		last, seen := b.Load(word, program.I), b.Andn(b.Load(word+1, program.M), reset)
		whole := b.Andn(b.Load(word+2, program.M), reset)
		turns := b.And(b.And(step, seen), b.Not(b.Ieq(period, last)))
		b.Store(word, b.Sel(step, period, last))
		b.Store(word+1, b.Or(seen, step))
		b.Store(word+2, b.Or(whole, turns))
		return value{isTrue: b.And(turns, whole), isFalse: turns}
	})
	return barClock{step: step, closes: part.isTrue, turns: part.isFalse, early: true, reset: reset}
}

// period is floor(engine time / ns), without an integer division: the float quotient is within one of it, and the
// remainder says on which side.
func (e *emitter) period(ns int64) program.Value {
	b := e.b
	const magic = 3 << 51 // a float64 of this size has no fraction, and its low bits are the integer
	rounded := b.Add(b.Div(b.I2F(b.Time()), b.ConstF(float64(ns))), b.ConstF(magic))
	quotient := b.Isub(b.And(b.ConstI(-1), rounded), b.ConstI(int64(math.Float64bits(magic))))
	remainder := b.Isub(b.Time(), e.times(quotient, ns))
	below := b.Ilt(remainder, b.ConstI(0))
	return b.Sel(below, b.Isub(quotient, b.ConstI(1)), quotient)
}

// times is x * n for a constant n above 0, by shifts and additions.
func (e *emitter) times(x program.Value, n int64) program.Value {
	product := e.b.ConstI(0)
	for rest := uint64(n); rest != 0; rest &= rest - 1 {
		product = e.b.Iadd(product, e.b.Shl(x, bits.TrailingZeros64(rest)))
	}
	return product
}

// barValue gives what the last whole bar says of x, fresh when it closed. fold joins what the bar says so far with
// another x.
func (e *emitter) barValue(k barClock, x program.Value, fold func(sofar, x program.Value) program.Value) value {
	b := e.b
	word := e.words(2)
	sofar := e.loadReset(word, k.reset)
	joined := b.Sel(b.Defined(sofar), fold(sofar, x), x)
	closed := joined
	var next program.Value
	if k.early {
		closed = sofar
		next = b.Sel(k.turns, x, joined)
	} else {
		next = b.Sel(k.turns, e.undefined(), joined)
	}
	b.Store(word, b.Sel(k.step, next, sofar))
	shown := b.Sel(k.closes, closed, e.loadReset(word+1, k.reset))
	b.Store(word+1, shown)
	return value{number: shown, fresh: k.closes}
}
