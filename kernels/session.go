package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// anchored lets a window parameter be the session. The operator must make its window with roll.
func anchored(p expr.Param) expr.Param {
	p.Anchored = true
	return p
}

// roll advances the window of a setting and returns the outputs of its aggregate. A session window holds what came
// since the last session reset (or the start, or a gap under rewarm) in a few words, and is warm from its first sample.
func (e *emitter) roll(agg program.WindowAgg, s expr.Setting, push, reset program.Value, x ...program.Value) []program.Value {
	if !s.Session {
		return e.b.Window(e.windowOf(agg, s), push, reset, x...)
	}
	reset = e.b.Or(reset, e.ctlBit(program.CtlSessionReset))
	key := sessionKey{agg: agg, push: push, reset: reset, x: x[0], y: x[len(x)-1]}
	out, ok := e.sessions[key]
	if !ok {
		w := &sessionWindow{e: e, push: push, reset: reset}
		switch agg {
		case program.AggSum:
			out = w.sum(x[0])
		case program.AggMoments:
			out = w.moments(x[0])
		case program.AggMoments2:
			out = w.moments2(x[0], x[1])
		case program.AggMin, program.AggMax:
			out = w.extreme(agg, x[0])
		default:
			panic("kernels: no session window of " + agg.String())
		}
		e.sessions[key] = out
	}
	return out
}

// sessionKey names a session window: equal ones are made once.
type sessionKey struct {
	agg         program.WindowAgg
	push, reset program.Value
	x, y        program.Value
}

// sessionWindow makes one session window. A push that would make it overflow empties it: no bad value stays.
type sessionWindow struct {
	e           *emitter
	push, reset program.Value
	words       []int
	now         []program.Value
}

// word adds a state word that is zero where the window is empty, and returns it as of before the push.
func (w *sessionWindow) word() program.Value {
	b := w.e.b
	off := b.AllocState(1, 0)
	v := b.Sel(w.reset, b.ConstF(0), b.Load(off, program.F))
	w.words, w.now = append(w.words, off), append(w.now, v)
	return v
}

// become stores the words after a push, in the order of word, and returns them as they now are.
func (w *sessionWindow) become(next ...program.Value) []program.Value {
	b := w.e.b
	good := b.ConstM(true)
	for i := range next {
		next[i] = b.Canon(next[i])
		good = b.And(good, b.Defined(next[i]))
	}
	for i := range next {
		next[i] = b.Sel(w.push, b.Sel(good, next[i], b.ConstF(0)), w.now[i])
		b.Store(w.words[i], next[i])
	}
	return next
}

// sum adds with the error of each addition kept (Knuth's two-sum), so a day of small trades loses nothing.
func (w *sessionWindow) sum(x program.Value) []program.Value {
	b := w.e.b
	sum, lost, count := w.word(), w.word(), w.word()
	total, slip := w.twoSum(sum, x)
	v := w.become(total, b.Add(lost, slip), b.Add(count, b.ConstF(1)))
	return []program.Value{b.Add(v[0], v[1]), v[2], b.Flt(b.ConstF(0), v[2])}
}

// twoSum is a + b rounded, and exactly what rounding lost.
func (w *sessionWindow) twoSum(x, y program.Value) (sum, lost program.Value) {
	b := w.e.b
	sum = b.Add(x, y)
	part := b.Sub(sum, x)
	return sum, b.Add(b.Sub(x, b.Sub(sum, part)), b.Sub(y, part))
}

// moments is Welford's update of deviations from the first sample.
func (w *sessionWindow) moments(x program.Value) []program.Value {
	b := w.e.b
	base, count, mean, squares := w.word(), w.word(), w.word(), w.word()
	w.word() // the newest deviation from the base
	base = b.Sel(b.Feq(count, b.ConstF(0)), x, base)
	n := b.Add(count, b.ConstF(1))
	d := b.Sub(x, base)
	mean, squares = w.welford(d, n, mean, squares)
	v := w.become(base, n, mean, squares, d)
	return []program.Value{b.Add(v[0], v[2]), v[3], v[1], b.Flt(b.ConstF(0), v[1]), b.Sub(v[4], v[2])}
}

func (w *sessionWindow) welford(d, n, mean, squares program.Value) (newMean, newSquares program.Value) {
	b := w.e.b
	delta := b.Sub(d, mean)
	newMean = b.Add(mean, b.Div(delta, n))
	return newMean, b.Add(squares, b.Mul(delta, b.Sub(d, newMean)))
}

// moments2 is moments of two series and the sum of the products of their deviations.
func (w *sessionWindow) moments2(x, y program.Value) []program.Value {
	b := w.e.b
	baseX, baseY, count := w.word(), w.word(), w.word()
	meanX, meanY, squaresX, squaresY, products := w.word(), w.word(), w.word(), w.word(), w.word()
	first := b.Feq(count, b.ConstF(0))
	baseX, baseY = b.Sel(first, x, baseX), b.Sel(first, y, baseY)
	n := b.Add(count, b.ConstF(1))
	dx, dy := b.Sub(x, baseX), b.Sub(y, baseY)
	deltaX := b.Sub(dx, meanX)
	meanX, squaresX = w.welford(dx, n, meanX, squaresX)
	meanY, squaresY = w.welford(dy, n, meanY, squaresY)
	products = b.Add(products, b.Mul(deltaX, b.Sub(dy, meanY)))
	v := w.become(baseX, baseY, n, meanX, meanY, squaresX, squaresY, products)
	return []program.Value{
		b.Add(v[0], v[3]), b.Add(v[1], v[4]), v[5], v[6], v[7], v[2], b.Flt(b.ConstF(0), v[2]),
	}
}

// extreme keeps the smallest or largest sample and how many samples came since.
func (w *sessionWindow) extreme(agg program.WindowAgg, x program.Value) []program.Value {
	b := w.e.b
	best, age, count := w.word(), w.word(), w.word()
	beats := b.Fle(x, best)
	if agg == program.AggMax {
		beats = b.Fle(best, x)
	}
	beats = b.Or(beats, b.Feq(count, b.ConstF(0)))
	one := b.ConstF(1)
	v := w.become(b.Sel(beats, x, best), b.Sel(beats, b.ConstF(0), b.Add(age, one)), b.Add(count, one))
	warm := b.Flt(b.ConstF(0), v[2])
	undefined := w.e.undefined()
	return []program.Value{b.Sel(warm, v[0], undefined), b.Sel(warm, v[1], undefined), warm}
}
