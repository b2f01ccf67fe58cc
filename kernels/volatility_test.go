package kernels

import (
	"math"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
)

var volatilityRules = map[string]plainRule{
	"variance": {value: func(c plainCall) refValue {
		xs, warm := windowOfSteps(c, c.settings[0])
		if !warm {
			return c.number(math.NaN())
		}
		return c.number(plainVariance(xs, c.settings[0]) * float64(len(xs)) / float64(len(xs)-int(c.settings[1].Count)))
	}},
	"rms": statistic(0, each(func(s plainStep) float64 { return s.x(0) * s.x(0) }), func(xs []float64, w expr.Setting) float64 {
		return math.Sqrt(plainMean(xs, w))
	}),
	"semivariance": statistic(0, each(func(s plainStep) float64 { return math.Pow(min(s.x(0), 0), 2) }), plainMean),
	"rv": {value: func(c plainCall) refValue {
		return statistic(0, pairs(func(before, s plainStep) float64 { return math.Pow(plainReturns(c, before, s), 2) }), plainSum).value(c)
	}},
	"bipower": {value: func(c plainCall) refValue {
		return statistic(0, func(steps []plainStep) (pushes []refPush) {
			last := math.NaN() // the last return that was one
			for i := 1; i < len(steps); i++ {
				r := math.Abs(plainReturns(c, steps[i-1], steps[i]))
				if isDefined(finite(r)) {
					pushes = append(pushes, refPush{steps[i].timeNs, math.Pi / 2 * r * last})
					last = r
				}
			}
			return pushes
		}, plainSum).value(c)
	}},
	"ewma_vol": {holds: true, value: plainEWMAVolatility},
}

// plainReturns is the simple return, or with log=1 the logarithmic one.
func plainReturns(c plainCall, before, s plainStep) float64 {
	if c.settings[1].Count == 0 {
		return plainReturn(before, s)
	}
	if r := s.x(0) / before.x(0); r > 0 {
		return math.Log(r)
	}
	return math.NaN()
}

// windowOfSteps is what a window over the first input holds.
func windowOfSteps(c plainCall, w expr.Setting) ([]float64, bool) {
	kept := refState{pushes: each(func(s plainStep) float64 { return s.x(0) })(c.steps)}
	return kept.contents(w, c.nowNs)
}

func plainVariance(xs []float64, w expr.Setting) float64 {
	mean, squares := plainMean(xs, w), 0.0
	if flat(xs) {
		return 0 / float64(len(xs))
	}
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
	}
	return squares / float64(len(xs))
}

// plainEWMAVolatility does not know of gaps: its test has none.
func plainEWMAVolatility(c plainCall) refValue {
	variance := math.NaN()
	for i := 1; i < len(c.steps); i++ {
		r := plainReturn(c.steps[i-1], c.steps[i])
		if !isDefined(finite(r)) {
			continue
		}
		if isDefined(variance) {
			lambda := c.settings[0].Number
			variance = lambda*variance + (1-lambda)*r*r
		} else {
			variance = r * r
		}
	}
	return c.number(math.Sqrt(variance))
}

func TestVolatilityByHand(t *testing.T) {
	p := prices(100, 110, 99, undef, 99, 198)
	gapped := prices(100, 110, 99, 198)
	gapped[2] = gapped[2].gap()
	n, u := notFresh, undef
	// Returns of p: 0.1, -0.1, 0, 1.
	runCases(t, []operatorCase{
		{"variance", "variance(price, 2)", false, p, []float64{u, 25, 30.25, n, 0, 49.5 * 49.5}},
		{"sample variance", "variance(price, 2, ddof=1)", false, p, []float64{u, 50, 60.5, n, 0, 2 * 49.5 * 49.5}},
		{"rms", "rms(price, 2)", false, prices(3, 4, undef, 0), []float64{u, math.Sqrt(12.5), n, math.Sqrt(8)}},
		{"rms of a flat series", "rms(price, 3)", false, prices(-2, -2, -2), []float64{u, u, 2}},
		{"semivariance", "semivariance(price, 2)", false, prices(-3, 4, undef, -1, -1), []float64{u, 4.5, n, 0.5, 1}},
		{"rv", "rv(price, 2)", false, p, []float64{u, u, 0.02, n, 0.01, 1}},
		{"logarithmic rv", "rv(price, 1, log=1)", false, prices(1, 2, -1, -2), []float64{u, math.Ln2 * math.Ln2, math.Ln2 * math.Ln2, math.Ln2 * math.Ln2}},
		{"logarithmic bipower", "bipower(price, 1, log=1)", false, prices(1, 2, 8), []float64{u, u, math.Pi * math.Ln2 * math.Ln2}},
		{"rv of a flat series", "rv(price, 2)", false, prices(5, 5, 5), []float64{u, u, 0}},
		{"rv leaves out a return from zero", "rv(price, 1)", false, prices(1, 0, 2, 4), []float64{u, 1, 1, 1}},
		{"rv rewarms", "rv(price, 1)", false, gapped, []float64{u, 0.01, u, 1}},
		{"rv over a held gap", "rv(price, 1)", true, gapped, []float64{u, 0.01, 0.01, 1}},
		{"bipower", "bipower(price, 2)", false, p, []float64{u, u, u, n, math.Pi / 2 * 0.01, 0}},
		{"bipower rewarms", "bipower(price, 1)", false, gapped, []float64{u, u, u, u}},
		{"ewma_vol", "ewma_vol(price, 0.75)", false, p, []float64{u, 0.1, 0.1, n, math.Sqrt(0.0075), math.Sqrt(0.75*0.0075 + 0.25)}},
		{"ewma_vol keeps its variance over a gap", "ewma_vol(price, 0.75)", false, gapped, []float64{u, 0.1, 0.1, math.Sqrt(0.0075 + 0.25)}},
		{"ewma_vol of RiskMetrics' lambda", "ewma_vol(price)", false, prices(1, 2, 2), []float64{u, 1, math.Sqrt(0.94)}},
		{"ewma_vol without a memory", "ewma_vol(price, lambda=0)", false, prices(1, 2, 3), []float64{u, 1, 0.5}},
		{"a huge return leaves no trace", "rv(price, 1)", false, prices(1e-300, 1e300, 1, 2), []float64{u, u, 1, 1}},
		{"ewma_vol after a huge return", "ewma_vol(price, 0.5)", false, prices(1e-10, 1e190, 1, 2), []float64{u, u, 1, 1}},
	})
}

func TestVolatilityByTime(t *testing.T) {
	slots := []slot{
		tradeTick(100, 1, 0).at(0),
		tradeTick(110, 1, 0).at(1 * second),
		tradeTick(99, 1, 0).at(65 * second), // warm 64 s after the first return; that has left
		tradeTick(99, 1, 0).at(128 * second),
		tradeTick(198, 1, 0).at(129 * second),
		tradeTick(198, 1, 0).at(500 * second),
	}
	u := undef
	runCases(t, []operatorCase{
		{"rv", "rv(price, 64s)", false, slots, []float64{u, u, 0.01, 0.01, 1, 0}},
		{"semivariance", "semivariance(price - 100, 64s)", false, slots, []float64{u, u, 1, 1, 0.5, 0}},
		{"rms empties", "rms(price, 64s) + mid - mid", false, []slot{
			quoteTick(1, 1, 1, 1), slots[0], slots[2], quoteTick(1, 1, 1, 1).at(600 * second),
		}, []float64{u, u, 99, u}},
	})
}

func TestVolatilityAgainstPlain(t *testing.T) {
	checkRules(t, "variance(X, W)", "variance(X, W, ddof=1)", "rms(X, W)", "semivariance(X - 10, W)", "rv(X, W)", "bipower(X, W)", "rv(X, W, log=1)", "bipower(X, W, log=1)")
	checkRulesWithoutGaps(t, "ewma_vol(X, 0.9)", "ewma_vol(X + 1)")
}
