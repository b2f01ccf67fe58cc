package kernels

import "math"

// The plain rules that take more than a line.

func kamaOf(x []float64, n int, fast, slow float64) float64 {
	if len(x) <= n {
		return math.NaN()
	}
	average := x[n-1]
	for i := n; i < len(x); i++ {
		path := 0.0
		for j := i - n + 1; j <= i; j++ {
			path += math.Abs(x[j] - x[j-1])
		}
		efficiency := 0.0
		if path > 0 {
			efficiency = math.Abs(x[i]-x[i-n]) / path
		}
		constant := efficiency*(2/(fast+1)-2/(slow+1)) + 2/(slow+1)
		average += constant * constant * (x[i] - average)
	}
	return average
}

func (r *refRows) alma(n int, offset, sigma float64) refSeries {
	return r.window(r.x(), n, func(x []float64) float64 {
		total, weights := 0.0, 0.0
		for i, v := range x {
			w := math.Exp(-math.Pow(float64(i)-offset*float64(n-1), 2) / (2 * math.Pow(float64(n)/sigma, 2)))
			total, weights = total+w*v, weights+w
		}
		return total / weights
	})
}

// macd has fast 3 and slow 5; the fast average does not see the first updates.
func (r *refRows) macd(unseen int) refSeries {
	fast := r.each(r.x(), false, func(xs []float64) float64 {
		if len(xs) < 3+unseen {
			return math.NaN()
		}
		average := meanOf(xs[unseen : unseen+3])
		for _, x := range xs[unseen+3:] {
			average += (x - average) / 2
		}
		return average
	})
	return join(difference, fast, r.ema(r.x(), 5))
}

func (r *refRows) stochastic(n int) refSeries {
	high, low, last := r.bar()
	return join(func(v []float64) float64 { return 100 * (v[0] - v[2]) / (v[1] - v[2]) },
		r.latest(last), r.window(high, n, highestOf), r.window(low, n, lowestOf)).freshWith(last)
}

func (r *refRows) aroon(x refSeries, n int, extreme func([]float64) float64) refSeries {
	return join(func(v []float64) float64 { return 100 * (float64(n) - v[0]) / float64(n) }, r.window(x, n+1, ageOf(extreme)))
}

func (r *refRows) ultimate() refSeries {
	_, low, last := r.bar()
	width := r.trueRange()
	pressure := join(func(v []float64) float64 { return v[0] - math.Min(v[1], v[2]) }, last, low, r.prev(last, 1)).freshWith(width)
	share := func(n int) refSeries { return join(ratio, r.window(pressure, n, totalOf), r.window(width, n, totalOf)) }
	return join(func(v []float64) float64 { return 100 * (4*v[0] + 2*v[1] + v[2]) / 7 }, share(2), share(3), share(4))
}

func (r *refRows) directional(n, first int) (plus, minus refSeries) {
	high, low, _ := r.bar()
	width := r.trueRange()
	moves := func(pick func(up, down float64) float64) refSeries {
		return join(func(v []float64) float64 { return pick(v[0]-v[1], v[3]-v[2]) }, high, r.prev(high, 1), low, r.prev(low, 1)).freshWith(width)
	}
	rose := moves(func(up, down float64) float64 {
		if up > down && up > 0 {
			return up
		}
		return 0
	})
	fell := moves(func(up, down float64) float64 {
		if down > up && down > 0 {
			return down
		}
		return 0
	})
	average := r.wilderSum(width, n, first)
	return join(percentOf, r.wilderSum(rose, n, first), average), join(percentOf, r.wilderSum(fell, n, first), average)
}

// wilderSum is Wilder's running sum, which loses its n-th part with each update after the first ones.
func (r *refRows) wilderSum(x refSeries, n, first int) refSeries {
	return r.each(x, false, func(xs []float64) float64 {
		if len(xs) < n {
			return math.NaN()
		}
		sum := totalOf(xs[:first])
		for _, v := range xs[first:] {
			sum += v - sum/float64(n)
		}
		return sum
	})
}

func (r *refRows) dx(n int) refSeries {
	plus, minus := r.directional(n, n)
	return join(func(v []float64) float64 { return 100 * math.Abs(v[0]-v[1]) / (v[0] + v[1]) }, plus, minus)
}

func (r *refRows) vortex(to, from []float64) refSeries {
	width := r.trueRange()
	edge, other := r.stepped(to, r.high, r.low, r.close), r.stepped(from, r.high, r.low, r.close)
	moved := join(func(v []float64) float64 { return math.Abs(v[0] - v[1]) }, edge, r.prev(other, 1)).freshWith(width)
	return join(ratio, r.window(moved, 3, totalOf), r.window(width, 3, totalOf))
}

func (r *refRows) keltner(k float64) refSeries {
	_, _, last := r.bar()
	return join(func(v []float64) float64 { return v[0] + k*v[1] }, r.ema(last, 4), r.wilder(r.trueRange(), 3))
}

// pairs runs a rule over the bars since the last gap, at every row.
func (r *refRows) pairs(of func(high, low []float64) float64) refSeries {
	out := refSeries{v: make([]float64, r.count()), fresh: make([]bool, r.count())}
	high, low := r.stepped(r.high, r.low), r.stepped(r.low, r.high)
	for i := range out.v {
		out.v[i] = of(r.updates(high, i, true), r.updates(low, i, true))
	}
	return out
}

func (r *refRows) psar() refSeries {
	return r.pairs(func(high, low []float64) float64 { return sarOf(high, low, 0.02, 0.2) })
}

func (r *refRows) quickSAR() refSeries {
	return r.pairs(func(high, low []float64) float64 { return sarOf(high, low, 0.5, 0.9) })
}

// sarOf goes through the bars as Wilder's worksheet does.
func sarOf(high, low []float64, step, most float64) float64 {
	if len(high) < 2 {
		return math.NaN()
	}
	up, down := high[1]-high[0], low[0]-low[1]
	long := !(down > 0 && down > up)
	sar, extreme, pace := low[0], high[1], step
	if !long {
		sar, extreme = high[0], low[1]
	}
	given := math.NaN()
	for i := 1; i < len(high); i++ {
		last := max(i-1, 1) // the second bar has only itself
		floor, ceiling := math.Min(low[last], low[i]), math.Max(high[last], high[i])
		switch {
		case long && low[i] <= sar:
			long, given, extreme, pace = false, math.Max(extreme, ceiling), low[i], step
		case !long && high[i] >= sar:
			long, given, extreme, pace = true, math.Min(extreme, floor), high[i], step
		default:
			given = sar
			if long && high[i] > extreme {
				extreme, pace = high[i], math.Min(pace+step, most)
			} else if !long && low[i] < extreme {
				extreme, pace = low[i], math.Min(pace+step, most)
			}
		}
		sar = given + pace*(extreme-given)
		if long {
			sar = math.Min(sar, floor)
		} else {
			sar = math.Max(sar, ceiling)
		}
	}
	return given
}

// supertrend is over 3 bars with half the range.
func (r *refRows) supertrend() refSeries {
	width := r.wilder(r.trueRange(), 3)
	tr := r.trueRange()
	out := refSeries{v: make([]float64, r.count()), fresh: make([]bool, r.count())}
	given, begun, rising := math.NaN(), false, false
	var upper, lower, before float64
	for i := range out.v {
		if r.gaps[i] {
			given, begun = math.NaN(), false
		}
		if tr.fresh[i] && isDefined(width.v[i]) {
			middle := (r.high[i] + r.low[i]) / 2
			up, down := middle+width.v[i]/2, middle-width.v[i]/2
			if !begun {
				begun, rising, upper, lower = true, r.close[i] >= middle, up, down
			}
			if up < upper || before > upper {
				upper = up
			}
			if down > lower || before < lower {
				lower = down
			}
			if rising && r.close[i] <= lower || !rising && r.close[i] <= upper {
				rising, given = false, upper
			} else {
				rising, given = true, lower
			}
		}
		if isDefined(r.high[i]) && isDefined(r.low[i]) && isDefined(r.close[i]) {
			before = r.close[i]
		}
		out.v[i] = given
	}
	return out
}

func (r *refRows) obv() refSeries {
	out := refSeries{v: make([]float64, r.count()), fresh: make([]bool, r.count())}
	total, before := math.NaN(), math.NaN()
	for i := range out.v {
		if r.gaps[i] {
			before = math.NaN()
		}
		if isDefined(r.close[i]) && isDefined(r.volume[i]) {
			if !isDefined(total) {
				total = 0
			}
			if r.close[i] > before {
				total += r.volume[i]
			} else if r.close[i] < before {
				total -= r.volume[i]
			}
			before = r.close[i]
		}
		out.v[i] = total
	}
	return out
}

func (r *refRows) adl() refSeries {
	out := refSeries{v: make([]float64, r.count()), fresh: make([]bool, r.count())}
	total := math.NaN()
	for i := range out.v {
		h, l, c, v := r.high[i], r.low[i], r.close[i], r.volume[i]
		if isDefined(h) && isDefined(l) && isDefined(c) && isDefined(v) {
			out.fresh[i] = true
			if !isDefined(total) {
				total = 0
			}
			if h != l {
				total += v * ((c - l) - (h - c)) / (h - l)
			}
		}
		out.v[i] = total
	}
	return out
}

// typical is the mean of high, low and close, added in this order.
func (r *refRows) typical() refSeries {
	typical := make([]float64, r.count())
	for i := range typical {
		typical[i] = (r.high[i] + r.low[i] + r.close[i]) / 3
	}
	return r.stepped(typical)
}

func (r *refRows) mfi() refSeries {
	typical, flow := r.typical().v, make([]float64, r.count())
	for i := range typical {
		flow[i] = typical[i] * r.volume[i]
	}
	change := r.change(r.stepped(typical, r.volume))
	signed := func(sign float64) refSeries {
		return join(func(v []float64) float64 {
			if v[0]*sign > 0 {
				return v[1]
			}
			return 0
		}, change, r.stepped(flow, flow))
	}
	return join(strength, r.window(signed(1), 3, totalOf), r.window(signed(-1), 3, totalOf))
}
