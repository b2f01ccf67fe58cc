package kernels

import (
	"math"
	"testing"
)

var tradeRules = map[string]plainRule{
	"trade_sign": {value: func(c plainCall) refValue {
		signs := plainSigns(c.steps, 0, 1)
		if len(signs) == 0 {
			return c.number(math.NaN())
		}
		return c.number(signs[len(signs)-1])
	}},
	"signed_volume": statistic(0, signedPushes(func(sign, size float64) float64 { return sign * size }), plainSum),
	"buy_volume":    statistic(0, signedPushes(func(sign, size float64) float64 { return size * (1 + sign) / 2 }), plainSum),
	"sell_volume":   statistic(0, signedPushes(func(sign, size float64) float64 { return size * (1 - sign) / 2 }), plainSum),
	"trade_imbalance": quotient(
		statistic(0, signedPushes(func(sign, size float64) float64 { return sign * size }), plainSum),
		statistic(0, signedPushes(func(sign, size float64) float64 { return size + 0*sign }), plainSum)),
	"vwap": quotient(
		statistic(0, each(func(s plainStep) float64 { return s.x(0) * s.x(1) }), plainSum),
		statistic(0, each(func(s plainStep) float64 { return s.x(1) }), plainSum)),
	"vpin":             {value: func(c plainCall) refValue { return plainBuckets(c, math.Abs) }, steps: tradeStep(3)},
	"volume_imbalance": {value: func(c plainCall) refValue { return plainBuckets(c, func(x float64) float64 { return x }) }, steps: tradeStep(3)},
}

// quotient is one rule's number divided by another's.
func quotient(a, b plainRule) plainRule {
	return plainRule{value: func(c plainCall) refValue { return c.number(a.value(c).number / b.value(c).number) }}
}

// plainSigns is the side of every step: the aggressor's, or that of the last change of price.
func plainSigns(steps []plainStep, price, aggressor int) []float64 {
	signs := make([]float64, len(steps))
	tick := math.NaN()
	for i, s := range steps {
		if i > 0 && s.x(price) != steps[i-1].x(price) {
			tick = math.Copysign(1, s.x(price)-steps[i-1].x(price))
		}
		signs[i] = tick
		if s.x(aggressor) != 0 {
			signs[i] = math.Copysign(1, s.x(aggressor))
		}
	}
	return signs
}

// signedPushes makes a push of every trade (price, size, aggressor) whose side is known.
func signedPushes(of func(sign, size float64) float64) func([]plainStep) []refPush {
	return func(steps []plainStep) (pushes []refPush) {
		for i, sign := range plainSigns(steps, 0, 2) {
			pushes = append(pushes, refPush{steps[i].timeNs, of(sign, steps[i].x(1))})
		}
		return pushes
	}
}

// tradeStep is the rule of operators that step with the first inputs alone.
func tradeStep(inputs int) func(args []refValue) bool {
	return func(args []refValue) bool { return allDefined(args[:inputs]) }
}

func plainBuckets(c plainCall, part func(net float64) float64) refValue {
	var net, total float64
	var above, below []float64
	full := false
	for i, sign := range plainSigns(c.steps, 0, 2) {
		s := c.steps[i]
		full = false
		if !isDefined(sign) {
			continue
		}
		net, total = net+sign*s.x(1), total+s.x(1)
		if v := s.x(3); v > 0 && total >= v {
			above, below = append(above, part(net)), append(below, total)
			net, total, full = 0, 0, true
		}
	}
	v := refValue{number: math.NaN(), fresh: full && c.stepped}
	if n := len(above) - int(c.settings[0].Count); n >= 0 {
		v.number = plainSum(above[n:], c.settings[0]) / plainSum(below[n:], c.settings[0])
	}
	return v
}

func TestTradeSign(t *testing.T) {
	told := []slot{tradeTick(10, 1, 1), tradeTick(11, 1, -1), tradeTick(11, 1, 0), quoteTick(1, 1, 2, 1), tradeTick(9, 1, 0)}
	untold := prices(10, 10, 11, 11, 10.5, undef, 10.5)
	gapped := prices(10, 11, 11, 11, 10)
	gapped[2] = gapped[2].gap()
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"the aggressor comes first", "trade_sign", false, told, []float64{1, -1, 1, n, -1}},
		{"tick test", "trade_sign", false, untold, []float64{u, u, 1, 1, -1, n, -1}},
		{"a gap forgets", "trade_sign", false, gapped, []float64{u, 1, u, u, -1}},
		{"over a held gap", "trade_sign", true, gapped, []float64{u, 1, 1, 1, -1}},
		{"holds", "trade_sign + mid - mid", false, []slot{quoteTick(1, 1, 2, 1), tradeTick(1, 1, -1), quoteTick(1, 1, 2, 1)}, []float64{u, -1, -1}},
	})
}

func TestTradeFlowByHand(t *testing.T) {
	trades := []slot{
		tradeTick(10, 4, 0), // no side yet
		tradeTick(10, 2, 1),
		tradeTick(11, 6, -1),
		quoteTick(1, 1, 2, 1),
		tradeTick(12, 3, 0), // up: a buy
		tradeTick(12, 0, 1),
	}
	gapped := append([]slot(nil), trades[1:]...)
	gapped[1] = gapped[1].gap()
	timed := []slot{
		trades[1].at(0), trades[2].at(1 * second), trades[4].at(64 * second), trades[4].at(65 * second), trades[5].at(400 * second),
	}
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"signed_volume", "signed_volume(2)", false, trades, []float64{u, u, -4, n, -3, 3}},
		{"buy_volume", "buy_volume(2)", false, trades, []float64{u, u, 2, n, 3, 3}},
		{"sell_volume", "sell_volume(2)", false, trades, []float64{u, u, 6, n, 6, 0}},
		{"trade_imbalance", "trade_imbalance(2)", false, trades, []float64{u, u, -0.5, n, -3 / 9.0, 1}},
		{"trade_imbalance without volume", "trade_imbalance(1)", false, trades, []float64{u, 1, -1, n, 1, u}},
		{"rewarms", "trade_imbalance(2)", false, gapped, []float64{u, u, n, -3 / 9.0, 1}},
		{"over a held gap", "trade_imbalance(2)", true, gapped, []float64{u, -0.5, n, -3 / 9.0, 1}},
		{"by time", "trade_imbalance(64s)", false, timed, []float64{u, u, -3 / 9.0, 1, u}},
		{"volume by time", "signed_volume(64s)", false, timed, []float64{u, u, -3, 6, 0}},
		{"vwap", "vwap(2)", false, trades, []float64{u, 10, 86 / 8.0, n, 102 / 9.0, 12}},
		{"vwap without volume", "vwap(1)", false, trades, []float64{10, 10, 11, n, 12, u}},
		{"vwap of a flat price", "vwap(2)", false, prices(7, 7, 7), []float64{u, 7, 7}},
	})
}

func TestBuckets(t *testing.T) {
	trades := []slot{
		tradeTick(10, 3, 1),
		tradeTick(10, 4, -1), // 3 bought, 4 sold: full at 7
		quoteTick(1, 1, 2, 1),
		tradeTick(10, 20, 1), // one bucket, however large
		tradeTick(10, 1, 1),
		tradeTick(10, 4, 1), // full at 5, all bought
	}
	gapped := append([]slot(nil), trades...)
	gapped[4] = gapped[4].gap()
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"vpin", "vpin(5, 2)", false, trades, []float64{n, u, n, 21 / 27.0, n, 1}},
		{"volume_imbalance", "volume_imbalance(5, 2)", false, trades, []float64{n, u, n, 19 / 27.0, n, 1}},
		{"of one bucket", "volume_imbalance(5, 1)", false, trades, []float64{n, -1 / 7.0, n, 1, n, 1}},
		{"rewarms", "vpin(5, 2)", false, gapped, []float64{n, u, n, 21 / 27.0, n, u}},
		{"over a held gap", "vpin(5, 2)", true, gapped, []float64{n, u, n, 21 / 27.0, n, 1}},
		{"no volume to fill", "vpin(0, 1)", false, trades, []float64{n, n, n, n, n, n}},
		{"holds", "vpin(5, 1) + mid - mid", false, []slot{quoteTick(1, 1, 2, 1), trades[3], quoteTick(1, 1, 2, 1)}, []float64{u, 1, 1}},
	})
}

func TestTradeFlowAgainstPlain(t *testing.T) {
	checkRules(t, "trade_sign", "signed_volume(W)", "buy_volume(W)", "sell_volume(W)", "trade_imbalance(W)", "vwap(W)", "vpin(N, N)", "volume_imbalance(N, N)")
}
