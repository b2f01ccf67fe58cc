package kernels

import "math"

// refSeries is a series of the plain reference: its value at every row, and the rows that updated it. Everything is
// computed anew from the updates before a row; nothing slides.
type refSeries struct {
	v     []float64
	fresh []bool
}

// refRows are the rows of a property test: bars with holes and gaps.
type refRows struct {
	open, high, low, close, volume []float64
	gaps                           []bool
}

func (r *refRows) count() int { return len(r.close) }

// stepped is series x on the rows on which all of the others are defined.
func (r *refRows) stepped(x []float64, others ...[]float64) refSeries {
	s := refSeries{v: x, fresh: make([]bool, len(x))}
	for i := range x {
		s.fresh[i] = isDefined(x[i])
		for _, o := range others {
			s.fresh[i] = s.fresh[i] && isDefined(o[i])
		}
	}
	return s
}

func (r *refRows) bar() (high, low, last refSeries) {
	h, l, c := r.high, r.low, r.close
	return r.stepped(h, l, c), r.stepped(l, h, c), r.stepped(c, h, l)
}

// updates are the defined updates of x up to row i, since the last gap if sinceGap.
func (r *refRows) updates(x refSeries, i int, sinceGap bool) []float64 {
	var xs []float64
	for j := 0; j <= i; j++ {
		if sinceGap && r.gaps[j] {
			xs = nil
		}
		if x.fresh[j] && isDefined(x.v[j]) {
			xs = append(xs, x.v[j])
		}
	}
	return xs
}

// each computes a series from the updates of x at every row.
func (r *refRows) each(x refSeries, sinceGap bool, of func(xs []float64) float64) refSeries {
	out := refSeries{v: make([]float64, len(x.v)), fresh: make([]bool, len(x.v))}
	for i := range x.v {
		out.fresh[i] = x.fresh[i] && isDefined(x.v[i])
		out.v[i] = finite(of(r.updates(x, i, sinceGap)))
	}
	return out
}

// window is a function of the last n updates since a gap.
func (r *refRows) window(x refSeries, n int, of func(xs []float64) float64) refSeries {
	return r.each(x, true, func(xs []float64) float64 {
		if len(xs) < n {
			return math.NaN()
		}
		return of(xs[len(xs)-n:])
	})
}

func totalOf(xs []float64) float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}

func meanOf(xs []float64) float64 { return totalOf(xs) / float64(len(xs)) }

func deviationOf(xs []float64) float64 {
	mean, squares := meanOf(xs), 0.0
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
	}
	if flat(xs) {
		return 0
	}
	return math.Sqrt(squares / float64(len(xs)))
}

func highestOf(xs []float64) float64 {
	m := xs[0]
	for _, x := range xs {
		m = math.Max(m, x)
	}
	return m
}

func lowestOf(xs []float64) float64 {
	m := xs[0]
	for _, x := range xs {
		m = math.Min(m, x)
	}
	return m
}

// ageOf is how many updates ago the last of the extreme ones was.
func ageOf(extreme func([]float64) float64) func(xs []float64) float64 {
	return func(xs []float64) float64 {
		m := extreme(xs)
		for age := 0; ; age++ {
			if xs[len(xs)-1-age] == m {
				return float64(age)
			}
		}
	}
}

func weightedOf(xs []float64) float64 {
	total, weights := 0.0, 0.0
	for i, x := range xs {
		total += float64(i+1) * x
		weights += float64(i + 1)
	}
	return total / weights
}

// lineOf is the least-squares line: slope, its value at the oldest, and the squared correlation.
func lineOf(xs []float64) (slope, intercept, r2 float64) {
	middle, mean := float64(len(xs)-1)/2, meanOf(xs)
	var xy, xx, yy float64
	for i, x := range xs {
		d := float64(i) - middle
		xy, xx, yy = xy+d*(x-mean), xx+d*d, yy+(x-mean)*(x-mean)
	}
	if flat(xs) {
		return 0, xs[0], math.NaN()
	}
	return xy / xx, mean - xy/xx*middle, xy * xy / (xx * yy)
}

// average is seeded with the mean of the first n updates and moves with weight w.
func (r *refRows) average(x refSeries, n int, w float64) refSeries {
	return r.each(x, false, func(xs []float64) float64 {
		if len(xs) < n {
			return math.NaN()
		}
		a := meanOf(xs[:n])
		for _, x := range xs[n:] {
			a += w * (x - a)
		}
		return a
	})
}

func (r *refRows) ema(x refSeries, n int) refSeries    { return r.average(x, n, 2/float64(n+1)) }
func (r *refRows) wilder(x refSeries, n int) refSeries { return r.average(x, n, 1/float64(n)) }

// prev is x n updates before the last one.
func (r *refRows) prev(x refSeries, n int) refSeries {
	return r.window(x, n+1, func(xs []float64) float64 { return xs[0] })
}

// latest is x at its last update.
func (r *refRows) latest(x refSeries) refSeries {
	return r.each(x, false, func(xs []float64) float64 {
		if len(xs) == 0 {
			return math.NaN()
		}
		return xs[len(xs)-1]
	})
}

// join is a function of the values of some series, fresh with the first.
func join(of func(v []float64) float64, s ...refSeries) refSeries {
	out := refSeries{v: make([]float64, len(s[0].v)), fresh: s[0].fresh}
	v := make([]float64, len(s))
	for i := range out.v {
		for k := range s {
			v[k] = s[k].v[i]
		}
		out.v[i] = finite(of(v))
	}
	return out
}

// change is x less the update before it, where there is one since the gap.
func (r *refRows) change(x refSeries) refSeries {
	before := r.prev(x, 1)
	out := join(func(v []float64) float64 { return v[0] - v[1] }, x, before)
	out.fresh = make([]bool, len(x.v))
	for i := range x.v {
		out.fresh[i] = x.fresh[i] && isDefined(before.v[i])
	}
	return out
}

// trueRange is fresh where there is a close before.
func (r *refRows) trueRange() refSeries {
	high, low, last := r.bar()
	before := r.prev(last, 1)
	out := join(func(v []float64) float64 {
		return math.Max(v[0]-v[1], math.Max(math.Abs(v[0]-v[2]), math.Abs(v[1]-v[2])))
	}, high, low, before)
	out.fresh = make([]bool, r.count())
	for i := range out.v {
		out.fresh[i] = high.fresh[i] && isDefined(before.v[i])
	}
	return out
}

// freshWith is x updated on the rows of another.
func (x refSeries) freshWith(other refSeries) refSeries { return refSeries{v: x.v, fresh: other.fresh} }

func ratio(v []float64) float64      { return v[0] / v[1] }
func difference(v []float64) float64 { return v[0] - v[1] }
func percentOf(v []float64) float64  { return 100 * v[0] / v[1] }

func rise(v []float64) float64 { return math.Max(v[0], 0) }
func fall(v []float64) float64 { return math.Max(-v[0], 0) }

// strength is 100 - 100 / (1 + up / down) without division by zero.
func strength(v []float64) float64 {
	switch up, down := v[0], v[1]; {
	case !isDefined(up) || !isDefined(down):
		return math.NaN()
	case down == 0 && up == 0:
		return 50
	case down == 0:
		return 100
	default:
		return 100 * up / (up + down)
	}
}
