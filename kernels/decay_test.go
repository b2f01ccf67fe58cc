package kernels

import (
	"math"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
)

var decayRules = map[string]plainRule{
	"ewma": {holds: true, value: plainEWMA},
	"twap": {value: plainTWAP},
	"decayed_sum": {value: func(c plainCall) refValue {
		return plainDecayed(c, func(s plainStep) float64 { return s.x(0) })
	}},
	"decayed_intensity": {
		steps: func(args []refValue) bool { return args[0].fresh && (args[0].isTrue || args[0].isFalse) },
		value: func(c plainCall) refValue {
			v := plainDecayed(c, func(s plainStep) float64 {
				if s.args[0].isTrue {
					return 1
				}
				return 0
			})
			v.number *= math.Ln2 / (float64(c.settings[0].DurationNs) / 1e9)
			return v
		},
	},
}

func plainEWMA(c plainCall) refValue {
	w, last := c.settings[0], len(c.steps)-1
	if last < 0 || w.DurationNs > 0 && c.nowNs-c.steps[0].timeNs < w.DurationNs || last+1 < int(w.Count) {
		return c.number(math.NaN())
	}
	above, below := 0.0, 0.0
	for i, s := range c.steps {
		lives := float64(last-i) / float64(w.Count)
		if w.DurationNs > 0 {
			lives = float64(c.steps[last].timeNs-s.timeNs) / float64(w.DurationNs)
		}
		weight := math.Exp2(-lives)
		above, below = above+weight*s.x(0), below+weight
	}
	return c.number(above / below)
}

func plainTWAP(c plainCall) refValue {
	var areas, times refState
	for i := 1; i < len(c.steps); i++ {
		stood := float64(c.steps[i].timeNs - c.steps[i-1].timeNs)
		areas.pushes = append(areas.pushes, refPush{c.steps[i].timeNs, c.steps[i-1].x(0) * stood})
		times.pushes = append(times.pushes, refPush{c.steps[i].timeNs, stood})
	}
	w := c.settings[0]
	area, warm := areas.contents(w, c.nowNs)
	time, _ := times.contents(w, c.nowNs)
	if !warm {
		return c.number(math.NaN())
	}
	above, below := plainSum(area, w), plainSum(time, w)
	if w.DurationNs > 0 {
		last := c.steps[len(c.steps)-1]
		open := float64(c.nowNs - last.timeNs)
		above, below = above+last.x(0)*open, below+open
	}
	return c.number(above / below)
}

func plainDecayed(c plainCall, of func(s plainStep) float64) refValue {
	h := float64(c.settings[0].DurationNs)
	if len(c.steps) == 0 || float64(c.nowNs-c.steps[0].timeNs) < 4*h {
		return c.number(math.NaN())
	}
	total := 0.0
	for _, s := range c.steps {
		total += of(s) * math.Exp2(-float64(c.nowNs-s.timeNs)/h)
	}
	return c.number(total)
}

var windowedRules = map[string]plainRule{
	"sum": statistic(0, each(func(s plainStep) float64 { return s.x(0) }), plainSum),
	"percent_rank": statistic(0, each(func(s plainStep) float64 { return s.x(0) }), func(xs []float64, _ expr.Setting) float64 {
		rank := -0.5 // the newest equals itself
		for _, x := range xs {
			switch newest := xs[len(xs)-1]; {
			case x < newest:
				rank++
			case x == newest:
				rank += 0.5
			}
		}
		return rank / float64(len(xs))
	}),
	"log_return": {value: func(c plainCall) refValue {
		last := len(c.steps) - 1
		before := last - int(c.settings[0].Count)
		if before < 0 {
			return c.number(math.NaN())
		}
		ratio := c.steps[last].x(0) / c.steps[before].x(0)
		if !(ratio > 0) {
			return c.number(math.NaN())
		}
		return c.number(math.Log(ratio))
	}},
	"parkinson": barVolatility(func(p [4]float64) float64 { return math.Pow(math.Log(p[0]/p[1]), 2) / (4 * math.Ln2) }),
	"garman_klass": barVolatility(func(p [4]float64) float64 {
		return math.Pow(math.Log(p[1]/p[2]), 2)/2 - (2*math.Ln2-1)*math.Pow(math.Log(p[3]/p[0]), 2)
	}),
	"rogers_satchell": barVolatility(plainRogersSatchell),
	"yang_zhang":      {value: plainYangZhang},
}

func barVolatility(of func(p [4]float64) float64) plainRule {
	return statistic(0, each(func(s plainStep) float64 { return of(s.prices()) }), func(xs []float64, w expr.Setting) float64 {
		return math.Sqrt(plainMean(xs, w))
	})
}

func (s plainStep) prices() (p [4]float64) {
	for i := range s.args {
		p[i] = s.x(i)
	}
	return p
}

func plainRogersSatchell(p [4]float64) float64 {
	return math.Log(p[1]/p[3])*math.Log(p[1]/p[0]) + math.Log(p[2]/p[3])*math.Log(p[2]/p[0])
}

func plainYangZhang(c plainCall) refValue {
	over := func(of func(before, s plainStep) float64, stat func([]float64, expr.Setting) float64) float64 {
		return statistic(0, pairs(of), stat).value(c).number
	}
	sample := func(xs []float64, w expr.Setting) float64 {
		return plainVariance(xs, w) * float64(len(xs)) / float64(len(xs)-1)
	}
	jumps := over(func(before, s plainStep) float64 { return math.Log(s.x(0) / before.x(3)) }, sample)
	moves := over(func(_, s plainStep) float64 { return math.Log(s.x(3) / s.x(0)) }, sample)
	within := over(func(_, s plainStep) float64 { return plainRogersSatchell(s.prices()) }, plainMean)
	n := over(func(_, _ plainStep) float64 { return 1 }, plainSum)
	k := 0.34 / (1.34 + (n+1)/(n-1))
	return c.number(math.Sqrt(jumps + k*moves + (1-k)*within))
}

func TestDecaysByHand(t *testing.T) {
	timed := []slot{
		tradeTick(8, 1, 1).at(0),
		tradeTick(2, 1, -1).at(2 * second), // the first weighs a quarter
		tradeTick(undef, 1, 1).at(3 * second),
		tradeTick(4, 1, 1).at(4 * second), // a sixteenth, a quarter, one
		quoteTick(1, 1, 1, 1).at(5 * second),
		tradeTick(4, 1, 1).at(4004 * second), // all else has gone
	}
	gapped := append([]slot(nil), timed...)
	gapped[3] = gapped[3].gap()
	weighed := (8/16.0 + 2/4.0 + 4) / (1/16.0 + 1/4.0 + 1)
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"by time", "ewma(price, 1s)", false, timed, []float64{u, (8/4.0 + 2) / 1.25, n, weighed, n, 4}},
		{"a gap changes nothing", "ewma(price, 1s)", false, gapped, []float64{u, (8/4.0 + 2) / 1.25, n, weighed, n, 4}},
		{"ema by time", "ema(price, 1s)", false, timed, []float64{u, (8/4.0 + 2) / 1.25, n, weighed, n, 4}},
		{"by samples", "ewma(price, 1)", false, prices(8, 2, undef, 4), []float64{8, (4 + 2) / 1.5, n, (2 + 1 + 4) / 1.75}},
		{"warm with sample h", "ewma(price, 3)", false, prices(5, 5, 5, 5), []float64{u, u, 5, 5}},
		{"warms with time alone", "ewma(price, 1s) + mid - mid", false, []slot{
			quoteTick(1, 1, 1, 1).at(0), tradeTick(8, 1, 1).at(0), quoteTick(1, 1, 1, 1).at(second - 1), quoteTick(1, 1, 1, 1).at(second),
		}, []float64{u, u, u, 8}},
		{"starts again after an overflow", "ewma(price, 1)", false, prices(-1.7e308, 1.7e308), []float64{-1.7e308, 1.7e308}},
		{"decayed_sum", "decayed_sum(price, 1s)", false, timed, []float64{u, u, n, 8/16.0 + 2/4.0 + 4, n, 4}},
		{"decayed_sum falls", "decayed_sum(price, 1s) + mid - mid", false, timed, []float64{u, u, n, u, (8/16.0 + 2/4.0 + 4) / 2, 4}},
		{"decayed_sum rewarms", "decayed_sum(price, 1s)", false, gapped, []float64{u, u, n, u, n, 4}},
		{"decayed_intensity", "decayed_intensity(aggressor > 0, 1s)", false, timed, []float64{u, u, u, math.Ln2 * (1/16.0 + 1/2.0 + 1), n, math.Ln2}},
	})
}

func TestTWAPByHand(t *testing.T) {
	ticks := []slot{
		tradeTick(10, 1, 0).at(0),
		tradeTick(20, 1, 0).at(1 * second), // 10 stood 1 s
		tradeTick(30, 1, 0).at(4 * second), // 20 stood 3 s
		tradeTick(undef, 1, 0).at(5 * second),
		tradeTick(40, 1, 0).at(6 * second),    // 30 stood 2 s
		tradeTick(50, 1, 0).at(6 * second),    // 40 stood no time
		quoteTick(1, 1, 1, 1).at(65 * second), // by time: what ended at 1 s has left
		tradeTick(60, 1, 0).at(66 * second),
	}
	gapped := append([]slot(nil), ticks...)
	gapped[4] = gapped[4].gap()
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"by samples", "twap(price, 2)", false, ticks, []float64{u, u, 70 / 4.0, n, 120 / 5.0, 30, n, 50}},
		{"rewarms", "twap(price, 1)", false, gapped, []float64{u, 10, 20, n, u, u, n, 50}},
		{"over a held gap", "twap(price, 1)", true, gapped, []float64{u, 10, 20, n, 30, u, n, 50}},
		{"by time", "twap(price, 64s)", false, ticks, []float64{u, u, u, n, u, u, n, (60 + 60 + 3000) / 65.0}},
		{"with what stands", "twap(price, 64s) + mid - mid", false, ticks, []float64{u, u, u, n, u, u, (60 + 60 + 50*59) / 64.0, (60 + 60 + 3000) / 65.0}},
		{"alone", "twap(price, 64s) + mid - mid", false, []slot{
			ticks[0], ticks[1], quoteTick(1, 1, 1, 1).at(500 * second),
		}, []float64{u, u, 20}},
	})
}

func TestWindowedByHand(t *testing.T) {
	n, u := notFresh, undef
	p := prices(3, 1, undef, 3, 5, 0)
	gapped := prices(1, 2, 4, 8)
	gapped[2] = gapped[2].gap()
	runCases(t, []operatorCase{
		{"sum", "sum(price, 2)", false, p, []float64{u, 4, n, 4, 8, 5}},
		{"sum rewarms", "sum(price, 2)", false, gapped, []float64{u, 3, u, 12}},
		{"percent_rank", "percent_rank(price, 3)", false, p, []float64{u, u, n, 1.5 / 3, 2 / 3.0, 0}},
		{"percent_rank of a flat series", "percent_rank(price, 4)", false, prices(2, 2, 2, 2), []float64{u, u, u, 3 / 8.0}},
		{"log_return", "log_return(price, 1)", false, prices(2, 4, 0, 1, -1, -2), []float64{u, math.Ln2, u, u, u, math.Ln2}},
		{"log_return rewarms", "log_return(price, 2)", false, gapped, []float64{u, u, u, u}},
	})
}

func TestBarVolatilityByHand(t *testing.T) {
	bar := func(open, high, low, closing float64) slot { return quoteTick(open, high, low, closing) }
	bars := []slot{bar(2, 4, 1, 2), bar(1, 4, 1, 2), bar(2, 2, 2, 2), bar(2, 4, 0, 2)}
	call := "(bid, bid_size, ask, ask_size, "
	l, u := math.Ln2, undef
	runCases(t, []operatorCase{
		{"parkinson", "parkinson(bid_size, ask, 1)", false, bars, []float64{math.Sqrt(l), math.Sqrt(l), 0, 0}},
		{"garman_klass", "garman_klass" + call + "1)", false, bars, []float64{math.Sqrt2 * l, math.Sqrt(2*l*l - (2*l-1)*l*l), 0, 0}},
		{"rogers_satchell", "rogers_satchell" + call + "1)", false, bars, []float64{math.Sqrt2 * l, math.Sqrt2 * l, 0, 0}},
		{"a bar that cannot be is left out", "rogers_satchell" + call + "2)", false, bars, []float64{u, math.Sqrt2 * l, l, l}},
		// Bars 2 and 3: jumps -ln 2 and 0, moves ln 2 and 0, ranges 2 ln 2^2 and 0; k of n = 2 is 0.34 / 4.34.
		{"yang_zhang", "yang_zhang" + call + "2)", false, bars[:3], []float64{u, u, l * math.Sqrt(0.5+0.34/4.34*0.5+4/4.34)}},
		{"yang_zhang leaves out a bar that cannot be", "yang_zhang" + call + "2)", false, bars, []float64{
			u, u, l * math.Sqrt(0.5+0.34/4.34*0.5+4/4.34), l * math.Sqrt(0.5+0.34/4.34*0.5+4/4.34),
		}},
		{"yang_zhang of flat bars", "yang_zhang" + call + "2)", false, []slot{bars[2], bars[2], bars[2]}, []float64{u, u, 0}},
	})
}

func TestDecaysAgainstPlain(t *testing.T) {
	checkRules(t, "ewma(X, N)", "ewma(X, D)", "ema(X, D)", "decayed_sum(X, D)", "decayed_intensity(X > 10, D) * 1e-9", "twap(X, W)",
		"sum(X, W)", "percent_rank(X, N)", "log_return(X + 1)", "log_return(price, N)")
}

func TestBarVolatilityAgainstPlain(t *testing.T) {
	checkRules(t, "parkinson(ask + 5, bid - 5, W)", "garman_klass(mid, ask + 5, bid - 5, price, W)",
		"rogers_satchell(mid, ask + 5, bid - 5, price, W)", "yang_zhang(mid, ask + 5, bid - 5, price, W)")
}
