package kernels

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/sigengine/sigengine/internal/testdata"
	"pgregory.net/rapid"
)

var relationRules = map[string]plainRule{
	"cov": pairRule(0, 1, func(p plainPairs, c plainCall) float64 { return p.xy / (p.n - float64(c.settings[1].Count)) }),
	"corr": pairRule(0, 1, func(p plainPairs, _ plainCall) float64 {
		return p.xy / (math.Sqrt(p.xx) * math.Sqrt(p.yy))
	}),
	"reg_slope":     pairRule(1, 0, func(p plainPairs, _ plainCall) float64 { return p.xy / p.xx }),
	"reg_intercept": pairRule(1, 0, func(p plainPairs, _ plainCall) float64 { return p.meanY - p.xy/p.xx*p.meanX }),
	"reg_residual":  pairRule(1, 0, func(p plainPairs, _ plainCall) float64 { return p.residual() }),
	"spread_zscore": pairRule(1, 0, func(p plainPairs, _ plainCall) float64 {
		left := p.yy - p.xy*p.xy/p.xx
		if left <= 1e-9*p.yy { // those of the drawn values that fit perfectly
			return math.NaN()
		}
		return p.residual() / math.Sqrt(left/p.n)
	}),
	"beta": {value: func(c plainCall) refValue {
		xs, ys := each(func(s plainStep) float64 { return s.x(1) })(c.steps), each(func(s plainStep) float64 { return s.x(0) })(c.steps)
		if c.settings[1].Count == 1 {
			ys = pairs(plainReturn)(c.steps)
			xs = pairs(func(before, s plainStep) float64 { return (s.x(1) - before.x(1)) / before.x(1) })(c.steps)
		}
		return plainPairsOf(c, 0, xs, ys, func(p plainPairs, _ plainCall) float64 { return p.xy / p.xx })
	}},
	"lag_corr": {value: func(c plainCall) refValue { return plainLagCorr(c, 0, 1) }},
	"autocorr": {value: func(c plainCall) refValue { return plainLagCorr(c, 0, 0) }},
	"variance_ratio": {value: func(c plainCall) refValue {
		variance := func(k int) plainRule {
			return statistic(1, func(steps []plainStep) (pushes []refPush) {
				for i := k; i < len(steps); i++ {
					pushes = append(pushes, refPush{steps[i].timeNs, steps[i].x(0) - steps[i-k].x(0)})
				}
				return pushes
			}, plainVariance)
		}
		k := int(c.settings[0].Count)
		return c.number(variance(k).value(c).number / (float64(k) * variance(1).value(c).number))
	}},
	"roll_spread": {value: func(c plainCall) refValue {
		d := pairs(func(before, s plainStep) float64 { return s.x(0) - before.x(0) })(c.steps)
		if len(d) == 0 {
			return c.number(math.NaN())
		}
		return plainPairsOf(c, 0, d[:len(d)-1], d[1:], func(p plainPairs, _ plainCall) float64 { return 2 * math.Sqrt(-p.xy/p.n) })
	}},
	"kyle_lambda": {value: func(c plainCall) refValue {
		var xs, ys []refPush
		for i, sign := range plainSigns(c.steps, 0, 2) {
			if i > 0 && isDefined(sign) {
				xs = append(xs, refPush{c.steps[i].timeNs, sign * c.steps[i].x(1)})
				ys = append(ys, refPush{c.steps[i].timeNs, c.steps[i].x(0) - c.steps[i-1].x(0)})
			}
		}
		return plainPairsOf(c, 0, xs, ys, func(p plainPairs, _ plainCall) float64 { return p.xy / p.xx })
	}},
}

// plainPairs are two-pass moments of the pairs of a window.
type plainPairs struct {
	n, meanX, meanY, xx, yy, xy float64
	lastX, lastY                float64 // deviations of the newest
}

func (p plainPairs) residual() float64 { return p.lastY - p.xy/p.xx*p.lastX }

func pairRule(x, y int, of func(p plainPairs, c plainCall) float64) plainRule {
	return plainRule{value: func(c plainCall) refValue {
		xs, ys := each(func(s plainStep) float64 { return s.x(x) })(c.steps), each(func(s plainStep) float64 { return s.x(y) })(c.steps)
		return plainPairsOf(c, 0, xs, ys, of)
	}}
}

// plainPairsOf is a number of the pairs in a window; the time of a pair is that of its y.
func plainPairsOf(c plainCall, setting int, xs, ys []refPush, of func(p plainPairs, c plainCall) float64) refValue {
	var keptX, keptY refState
	for i := range xs {
		if isDefined(finite(xs[i].x)) && isDefined(finite(ys[i].x)) {
			keptX.pushes = append(keptX.pushes, refPush{ys[i].timeNs, xs[i].x})
			keptY.pushes = append(keptY.pushes, ys[i])
		}
	}
	x, warm := keptX.contents(c.settings[setting], c.nowNs)
	y, _ := keptY.contents(c.settings[setting], c.nowNs)
	if !warm || len(x) == 0 {
		return c.number(math.NaN())
	}
	p := plainPairs{n: float64(len(x)), meanX: plainMean(x, c.settings[setting]), meanY: plainMean(y, c.settings[setting])}
	if flat(x) {
		p.meanX = x[0]
	}
	if flat(y) {
		p.meanY = y[0]
	}
	for i := range x {
		p.lastX, p.lastY = x[i]-p.meanX, y[i]-p.meanY
		p.xx, p.yy, p.xy = p.xx+p.lastX*p.lastX, p.yy+p.lastY*p.lastY, p.xy+p.lastX*p.lastY
	}
	return c.number(of(p, c))
}

func plainLagCorr(c plainCall, x, y int) refValue {
	k := int(c.settings[0].Count)
	var xs, ys []refPush
	for i := k; i < len(c.steps); i++ {
		at := c.steps[i].timeNs
		xs, ys = append(xs, refPush{at, c.steps[i].x(x)}), append(ys, refPush{at, c.steps[i-k].x(y)})
	}
	return plainPairsOf(c, 1, xs, ys, func(p plainPairs, _ plainCall) float64 { return p.xy / (math.Sqrt(p.xx) * math.Sqrt(p.yy)) })
}

// both is a quote that carries two series.
func both(x, y float64) slot { return quoteTick(x, 1, y, 1) }

func TestRelationsByHand(t *testing.T) {
	p := []slot{both(1, 2), both(2, 6), both(3, 4), both(undef, 4), both(5, 4)}
	flatX := []slot{both(3, 1), both(3, 2), both(3, 4)}
	line := []slot{both(1, 5), both(2, 7), both(4, 11), both(5, 13)} // y = 2 x + 3
	gapped := append([]slot(nil), line...)
	gapped[2] = gapped[2].gap()
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		// Of the first three: means 2 and 4, xx 2, yy 8, xy 2; of the last: means 10/3 and 14/3, xx 14/3, yy 8/3, xy -8/3.
		{"cov", "cov(bid, ask, 3)", false, p, []float64{u, u, 2 / 3.0, n, -8 / 9.0}},
		{"sample cov", "cov(bid, ask, 3, ddof=1)", false, p, []float64{u, u, 1, n, -4 / 3.0}},
		{"cov of a flat series", "cov(bid, ask, 3)", false, flatX, []float64{u, u, 0}},
		{"corr", "corr(bid, ask, 3)", false, p, []float64{u, u, 0.5, n, -8 / 3.0 / math.Sqrt(14/3.0*8/3)}},
		{"corr of a flat series", "corr(bid, ask, 3)", false, flatX, []float64{u, u, u}},
		{"corr of a line", "corr(bid, ask, 3)", false, line, []float64{u, u, 1, 1}},
		{"corr against", "corr(bid, -ask, 3)", false, line, []float64{u, u, -1, -1}},
		{"corr rewarms", "corr(bid, ask, 2)", false, gapped, []float64{u, 1, u, 1}},
		{"corr over a held gap", "corr(bid, ask, 2)", true, gapped, []float64{u, 1, 1, 1}},
		{"reg_slope", "reg_slope(ask, bid, 3)", false, p, []float64{u, u, 1, n, -4 / 7.0}},
		{"reg_slope of a line", "reg_slope(ask, bid, 3)", false, line, []float64{u, u, 2, 2}},
		{"reg_intercept", "reg_intercept(ask, bid, 3)", false, p, []float64{u, u, 2, n, 138 / 21.0}},
		{"reg_intercept of a line", "reg_intercept(ask, bid, 3)", false, line, []float64{u, u, 3, 3}},
		{"reg_residual", "reg_residual(ask, bid, 3)", false, p, []float64{u, u, -1, n, 6 / 21.0}},
		{"reg_residual of a flat x", "reg_residual(ask, bid, 3)", false, flatX, []float64{u, u, u}},
		// Squared residuals of the first three: 8 - 2*2/2 = 6, so the deviation is sqrt(2).
		{"spread_zscore", "spread_zscore(ask, bid, 3)", false, p[:3], []float64{u, u, -1 / math.Sqrt2}},
		{"spread_zscore of a line", "spread_zscore(ask, bid, 3)", false, line, []float64{u, u, u, u}},
		// Returns of bid 1, 0.5, of ask 2, -1/3.
		{"beta", "beta(ask, bid, 2)", false, p[:3], []float64{u, u, 14 / 3.0}},
		// The return from 0 is left out: (1, 1), (-1, 1), then (-1, 1), (1, 1).
		{
			"beta leaves out a return from zero", "beta(ask, bid, 2)", false,
			[]slot{both(1, 1), both(2, 2), both(0, 4), both(3, 8), both(6, 16)},
			[]float64{u, u, 0, 0, 0},
		},
		{
			"spread_zscore of a line within rounding", "spread_zscore(ask, bid, 3)", false,
			[]slot{both(0.1, 0.1*3.3), both(0.2, 0.2*3.3), both(0.4, 0.4*3.3), both(0.7, 0.7*3.3), both(1.1, 1.1*3.3)},
			[]float64{u, u, u, u, u},
		},
		{"beta of levels", "beta(ask, bid, 3, returns=0)", false, p[:3], []float64{u, u, 1}},
		{"lag_corr", "lag_corr(bid, ask, 1, 3)", false, []slot{both(9, 1), both(1, 5), both(5, 2), both(2, 8)}, []float64{u, u, u, 1}},
		{"autocorr", "autocorr(bid, 1, 3)", false, []slot{both(1, 1), both(2, 1), both(1, 1), both(2, 1)}, []float64{u, u, u, -1}},
		// Changes 1, 1, 1: over two 2, 2: nothing varies.
		{"variance_ratio of a line", "variance_ratio(bid, 2, 2)", false, []slot{both(1, 1), both(2, 1), both(3, 1), both(4, 1)}, []float64{u, u, u, u}},
		{"variance_ratio of a bounce", "variance_ratio(bid, 2, 2)", false, []slot{both(1, 1), both(2, 1), both(1, 1), both(2, 1)}, []float64{u, u, u, 0}},
		{"variance_ratio", "variance_ratio(bid, 2, 2)", false, []slot{both(1, 1), both(2, 1), both(4, 1), both(5, 1)}, []float64{u, u, u, 0}},
	})
}

func TestRollAndKyle(t *testing.T) {
	n, u := notFresh, undef
	trades := []slot{
		tradeTick(10, 2, 1), tradeTick(11, 2, 1), tradeTick(10, 1, -1), quoteTick(1, 1, 2, 1), tradeTick(12, 4, 1), tradeTick(12, 4, 1),
	}
	gapped := append([]slot(nil), trades...)
	gapped[2] = gapped[2].gap()
	runCases(t, []operatorCase{
		// Changes 1, -1, 1, -1: pairs (1, -1), (-1, 1): covariance -1.
		{"roll_spread", "roll_spread(price, 2)", false, prices(1, 2, 1, 2, 1, 5), []float64{u, u, u, 2, 2, 2 * math.Sqrt(2.5)}},
		{"roll_spread of a flat price", "roll_spread(price, 2)", false, prices(7, 7, 7, 7), []float64{u, u, u, 0}},
		{"roll_spread of a trend", "roll_spread(price, 2)", false, prices(0, 1, 3, 6, 10), []float64{u, u, u, u, u}},
		// Pairs of signed size and change: (2, 1), (-1, -1), (4, 2), (4, 0).
		{"kyle_lambda", "kyle_lambda(2)", false, trades, []float64{u, u, 2 / 3.0, n, 3 / 5.0, u}},
		{"kyle_lambda rewarms", "kyle_lambda(2)", false, gapped, []float64{u, u, u, n, u, u}},
		{"kyle_lambda over a held gap", "kyle_lambda(2)", true, gapped, []float64{u, u, 2 / 3.0, n, 3 / 5.0, u}},
	})
}

// TestFarFromZero shows that prices large beside their moves lose nothing.
func TestFarFromZero(t *testing.T) {
	const far = 1 << 33
	var slots []slot
	for _, p := range [][2]float64{{0, 0}, {1, 2}, {2, 1}, {3, 5}, {5, 5}, {4, 7}} {
		slots = append(slots, both(far+p[0]/1024, far+p[1]/1024))
	}
	for _, value := range []string{"cov(bid, ask, 4)", "corr(bid, ask, 4)", "reg_slope(ask, bid, 4)", "reg_residual(ask, bid, 4)", "spread_zscore(ask, bid, 4)", "zscore(bid, 4)", "std(ask, 4)"} {
		near := make([]slot, len(slots))
		for i, s := range slots {
			near[i] = both(s.f[0]-far, s.f[2]-far)
		}
		want, got := runValue(t, watch(value), near, 7), runValue(t, watch(value), slots, 7)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-14*math.Abs(want[i]) || math.IsNaN(got[i]) != math.IsNaN(want[i]) {
				t.Errorf("%s, tick %d: %v, want %v", value, i, got[i], want[i])
			}
		}
	}
}

func TestRelationsAgainstPlain(t *testing.T) {
	checkRules(t, "cov(X, X, W)", "cov(X, X, W, ddof=1)", "corr(bid, X, W)", "corr(price, X, W)", "reg_slope(X, bid, W)", "reg_intercept(ask, X, W)",
		"reg_residual(price, X, W)", "spread_zscore(X, ask, W)", "beta(X + 1, price, W)", "beta(X, mid, W, returns=0)",
		"lag_corr(X, X, N, W)", "autocorr(X, N, W)", "variance_ratio(X, 2, W)", "variance_ratio(X, 3, W)", "kyle_lambda(W)")
}

// TestRollAgainstPlain draws prices whose covariances are not 0 by chance: what is exactly 0 in one order of adding may
// be just above or below it in another, and above it there is no spread.
func TestRollAgainstPlain(t *testing.T) {
	checkRulesOn(t, func(t *rapid.T) []slot {
		slots := genSlots(t)
		for i := range slots {
			slots[i].f[0] += 0.37 * math.Sin(float64(i*i))
		}
		return slots
	}, "roll_spread(price, W)", "roll_spread(bid, W)")
}

// readLean reads rows of two symbols that alternate: the numbers of one column for each, and what was computed.
func readLean(t *testing.T, name, x, y string, price, result int) (xs, ys, results []float64) {
	t.Helper()
	f, err := os.Open(testdata.Shared(t, "lean", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return math.NaN()
		}
		return v
	}
	for _, r := range records[1:] {
		switch r[0] {
		case x:
			xs = append(xs, number(r[price]))
		case y:
			ys = append(ys, number(r[price]))
		}
		if r[0] == y {
			results = append(results, number(r[result]))
		}
	}
	return xs, ys, results
}

// TestRelationsAgainstOthers compares with Skender's Stock.Indicators and QuantConnect's LEAN. Skender's covariances are
// means of products less products of means, which loses the digits that these tolerances allow for.
func TestRelationsAgainstOthers(t *testing.T) {
	spy := readColumn(t, "skender/quotes/default.csv", "close")
	other := readColumn(t, "skender/quotes/compare.csv", "close")
	leanSPY, leanQQQ, leanCorr := readLean(t, "spy_qqq_corr.head2001.csv", "SPY", "QQQ", 5, 7)
	amzn, spx, leanBeta := readLean(t, "bi_datatest.csv", "AMZN", "SPX", 5, 8)
	for _, c := range []struct {
		name, value string
		x, y, want  []float64
		tolerance   float64
		first       int // the first row that counts
	}{
		{"Skender covariance", "cov(bid, ask, 20)", other, spy, readColumn(t, "skender/results/corr.csv", "covariance"), 1e-10, 19},
		{"Skender variance", "variance(bid, 20) + 0 * ask", other, spy, readColumn(t, "skender/results/corr.csv", "varianceA"), 1e-10, 19},
		{"Skender correlation", "corr(bid, ask, 20)", other, spy, readColumn(t, "skender/results/corr.csv", "correlation"), 2e-11, 19},
		{"Skender beta", "beta(bid, ask, 50)", other, spy, readColumn(t, "skender/results/beta.csv", "beta"), 1e-13, 50},
		{"LEAN correlation", "corr(bid, ask, 252)", leanSPY, leanQQQ, leanCorr, 1e-12, 251},
		{"LEAN beta", "beta(bid, ask, 5)", amzn, spx, leanBeta, 5e-10, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			slots := make([]slot, min(len(c.x), len(c.y)))
			for i := range slots {
				slots[i] = both(c.x[i], c.y[i])
			}
			got := runValue(t, watch(c.value), slots, 64)
			worst, compared := 0.0, 0
			for i := c.first; i < len(slots); i++ {
				difference := math.Abs(got[i]-c.want[i]) / max(math.Abs(c.want[i]), 1)
				if !(difference <= c.tolerance) {
					t.Errorf("row %d: %v, want %v", i, got[i], c.want[i])
				}
				worst, compared = max(worst, difference), compared+1
			}
			t.Logf("%d rows, largest difference %.2g", compared, worst)
			if compared < 20 {
				t.Error("the test shows little")
			}
		})
	}
}
