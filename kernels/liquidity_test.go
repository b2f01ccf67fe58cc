package kernels

import (
	"math"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
)

var liquidityRules = map[string]plainRule{
	"amihud": statistic(0, pairs(func(before, s plainStep) float64 {
		return math.Abs(plainReturn(before, s)) / (s.x(0) * s.x(1))
	}), plainMean),
	"effective_spread": onTrades(statistic(0, later(0, func(sign, price, mid, _ float64) float64 { return 2 * sign * (price - mid) }), plainMean)),
	"realised_spread":  laterRule(func(sign, price, _, then float64) float64 { return 2 * sign * (price - then) }),
	"price_impact":     laterRule(func(sign, _, mid, then float64) float64 { return 2 * sign * (then - mid) }),
	"intensity":        {steps: func(args []refValue) bool { return args[0].fresh && (args[0].isTrue || args[0].isFalse) }, value: plainRate(func(s plainStep) bool { return s.args[0].isTrue })},
	"trade_intensity":  {value: plainRate(func(plainStep) bool { return true })},
	"intensity_ratio": {value: func(c plainCall) refValue {
		buys := statistic(0, func(steps []plainStep) (pushes []refPush) {
			for i, sign := range plainSigns(steps, 0, 1) {
				pushes = append(pushes, refPush{steps[i].timeNs, (1 + sign) / 2})
			}
			return pushes
		}, func(xs []float64, _ expr.Setting) float64 {
			buys := plainSum(xs, expr.Setting{})
			return buys / (float64(len(xs)) - buys)
		})
		return buys.value(c)
	}},
}

// onTrades steps with price and aggressor, whatever the mid.
func onTrades(r plainRule) plainRule {
	r.steps = tradeStep(2)
	return r
}

// later makes a push of every quoted trade (price, aggressor, mid) with the mid k quoted trades later.
func later(k int, of func(sign, price, mid, then float64) float64) func([]plainStep) []refPush {
	return func(steps []plainStep) (pushes []refPush) {
		var quoted []int
		signs := plainSigns(steps, 0, 1)
		for i, s := range steps {
			if !isDefined(signs[i]) || !isDefined(s.x(2)) {
				continue
			}
			quoted = append(quoted, i)
			if old := len(quoted) - 1 - k; old >= 0 {
				j := quoted[old]
				pushes = append(pushes, refPush{s.timeNs, of(signs[j], steps[j].x(0), steps[j].x(2), s.x(2))})
			}
		}
		return pushes
	}
}

func laterRule(of func(sign, price, mid, then float64) float64) plainRule {
	return onTrades(plainRule{value: func(c plainCall) refValue {
		return statistic(1, later(int(c.settings[0].Count), of), plainMean).value(c)
	}})
}

func plainRate(counts func(plainStep) bool) func(c plainCall) refValue {
	return func(c plainCall) refValue {
		var kept refState
		for _, s := range c.steps {
			if counts(s) {
				kept.pushes = append(kept.pushes, refPush{s.timeNs, 1})
			}
		}
		w := c.settings[0]
		if w.DurationNs > 0 {
			xs, warm := kept.contents(w, c.nowNs)
			if !warm {
				return c.number(math.NaN())
			}
			return c.number(float64(len(xs)) / (float64(w.DurationNs) / 1e9))
		}
		last := len(kept.pushes) - 1
		if last < int(w.Count) {
			return c.number(math.NaN())
		}
		return c.number(float64(w.Count) / (float64(kept.pushes[last].timeNs-kept.pushes[last-int(w.Count)].timeNs) / 1e9))
	}
}

func TestAmihud(t *testing.T) {
	trades := []slot{tradeTick(10, 5, 0), tradeTick(12, 5, 0), tradeTick(12, 0, 0), tradeTick(9, 2, 0), tradeTick(undef, 1, 0), tradeTick(9, 1, 0)}
	gapped := append([]slot(nil), trades...)
	gapped[3] = gapped[3].gap()
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"amihud", "amihud(1)", false, trades, []float64{u, 0.2 / 60, 0.2 / 60, 0.25 / 18, n, 0}},
		{"mean", "amihud(2)", false, trades, []float64{u, u, u, (0.2/60 + 0.25/18) / 2, n, 0.25 / 36}},
		{"rewarms", "amihud(1)", false, gapped, []float64{u, 0.2 / 60, 0.2 / 60, u, n, 0}},
	})
}

func TestSpreadsPaidAndKept(t *testing.T) {
	ticks := []slot{
		tradeTick(10, 1, 1), // no quote yet
		quoteTick(9, 1, 11, 1),
		tradeTick(11, 1, 1), // pays 1 over the mid
		quoteTick(10, 1, 12, 1),
		tradeTick(10.5, 1, -1), // sells 0.5 under the mid
		quoteTick(undef, 0, 12, 1),
		tradeTick(12, 1, 1), // no mid
		quoteTick(8, 1, 10, 1),
		tradeTick(9, 1, 1), // at the mid
	}
	gapped := append([]slot(nil), ticks...)
	gapped[4] = gapped[4].gap()
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"effective_spread", "effective_spread(1)", false, ticks, []float64{u, n, 2, n, 1, n, 1, n, 0}},
		{"mean", "effective_spread(2)", false, ticks, []float64{u, n, u, n, 1.5, n, 1.5, n, 0.5}},
		{"rewarms", "effective_spread(2)", false, gapped, []float64{u, n, u, n, u, n, u, n, 0.5}},
		{"realised_spread", "realised_spread(1, 1)", false, ticks, []float64{u, n, u, n, 0, n, 0, n, -3}},
		{"price_impact", "price_impact(1, 1)", false, ticks, []float64{u, n, u, n, 2, n, 2, n, 4}},
		{"two trades later", "price_impact(2, 1)", false, ticks, []float64{u, n, u, n, u, n, u, n, -2}},
	})
}

func TestIntensities(t *testing.T) {
	trades := []slot{
		tradeTick(10, 1, 1).at(0),
		tradeTick(10, 1, 1).at(1 * second),
		tradeTick(10, 1, -1).at(3 * second),
		statusTick().at(4 * second),
		tradeTick(10, 1, 1).at(64 * second),
		tradeTick(10, 1, 1).at(64 * second),
		tradeTick(10, 1, 1).at(64 * second),
	}
	quiet := []slot{quoteTick(1, 1, 1, 1).at(0), trades[0].at(1), trades[2].at(2), quoteTick(1, 1, 1, 1).at(65 * second), quoteTick(1, 1, 1, 1).at(300 * second)}
	gapped := append([]slot(nil), trades...)
	gapped[2] = gapped[2].gap()
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"by trades", "trade_intensity(2)", false, trades, []float64{u, u, 2 / 3.0, n, 2 / 63.0, 2 / 61.0, u}},
		{"by time", "trade_intensity(64s)", false, trades, []float64{u, u, u, n, 3 / 64.0, 4 / 64.0, 5 / 64.0}},
		{"of buys", "intensity(aggressor > 0, 1)", false, trades, []float64{u, 1, 1, n, 1 / 63.0, u, u}},
		{"of buys by time", "intensity(aggressor > 0, 64s)", false, trades, []float64{u, u, u, n, 2 / 64.0, 3 / 64.0, 4 / 64.0}},
		{"rewarms", "trade_intensity(1)", false, gapped, []float64{u, 1, u, n, 1 / 61.0, u, u}},
		{"over a held gap", "trade_intensity(1)", true, gapped, []float64{u, 1, 0.5, n, 1 / 61.0, u, u}},
		{"silence lowers it", "trade_intensity(64s) + mid - mid", false, quiet, []float64{u, u, u, 0, 0}},
		{"undefined condition", "intensity(price / size > 0, 1)", false, []slot{tradeTick(1, 1, 0).at(0), tradeTick(1, 0, 0).at(5), tradeTick(1, 1, 0).at(second)}, []float64{u, n, 1}},
		{"ratio", "intensity_ratio(3)", false, trades, []float64{u, u, 2, n, 2, 2, u}},
		{"ratio by time", "intensity_ratio(64s)", false, trades, []float64{u, u, u, n, 2, 3, 4}},
	})
}

func TestLiquidityAgainstPlain(t *testing.T) {
	checkRules(t, "amihud(W)", "effective_spread(W)", "realised_spread(N, W)", "price_impact(N, W)",
		"intensity(X > 10, W) * 64e-9", "trade_intensity(W) * 64e-9", "intensity_ratio(W)")
}
