package kernels

import "testing"

// TestSessionsOfFlow runs windows over the session: they begin with it, and changes do not reach back over its start.
func TestSessionsOfFlow(t *testing.T) {
	ticks := []slot{
		tradeTick(100, 1, 1).at(0),
		tradeTick(110, 3, 1).at(2 * second),
		tradeTick(99, 1, -1).at(3 * second),
		tradeTick(200, 2, -1).at(1000 * second).session(),
		tradeTick(210, 2, 1).at(1001 * second),
		tradeTick(189, 2, 1).at(1002 * second).gap(),
	}
	pairsOf := []slot{both(1, 1), both(2, 3), both(4, 7), both(9, 2).session(), both(8, 4), both(6, 8)}
	u := undef
	runCases(t, []operatorCase{
		{"vwap", "vwap(session)", false, ticks, []float64{100, 107.5, (100 + 330 + 99) / 5.0, 200, 205, 189}},
		{"vwap over a held gap", "vwap(session)", true, ticks, []float64{100, 107.5, (100 + 330 + 99) / 5.0, 200, 205, 1198 / 6.0}},
		{"signed_volume", "signed_volume(session)", false, ticks, []float64{1, 4, 3, -2, 0, 2}},
		{"trade_imbalance", "trade_imbalance(session)", false, ticks, []float64{1, 1, 0.6, -1, 0, 1}},
		{"sum", "sum(size, session)", false, ticks, []float64{1, 4, 5, 2, 4, 2}},
		{"rv", "rv(price, session)", false, ticks, []float64{u, 0.01, 0.02, u, 0.0025, u}},
		{"rv over a held gap", "rv(price, session)", true, ticks, []float64{u, 0.01, 0.02, u, 0.0025, 0.0125}},
		{"twap", "twap(price, session)", false, ticks, []float64{u, 100, 310 / 3.0, u, 200, u}},
		{"intensity_ratio", "intensity_ratio(session)", false, ticks, []float64{u, u, 2, 0, 1, u}},
		{"kyle_lambda", "kyle_lambda(session)", false, ticks, []float64{u, u, 21 / 4.0, u, u, u}},
		{"reg_slope", "reg_slope(ask, bid, session)", false, pairsOf, []float64{u, 2, 2, u, -2, -14.0 / 7}},
		{"corr", "corr(ask, bid, session)", false, pairsOf[:5], []float64{u, 1, 1, u, -1}},
		{"beta", "beta(bid, ask, session)", false, pairsOf[:5], []float64{u, u, 0, u, u}},
	})
}
