package kernels

import (
	"math"
	"testing"
)

// TestTechnicalByHand holds operators to six bars worked by hand; those that Skender, TA-Lib or LEAN give values for are
// in the agreement tests.
func TestTechnicalByHand(t *testing.T) {
	rows := &refRows{
		high: []float64{12, 13, 15, 14, 16, 17}, low: []float64{8, 9, 11, 10, 12, 9},
		close: []float64{10, 12, 14, 11, 15, 10}, volume: []float64{1, 2, 1, 3, 1, 2}, gaps: make([]bool, 6),
	}
	rows.open = rows.close
	u := undef
	bell := math.Exp(-0.5)
	whole, half, last := 12.0, 82/3.0-13.3, 70/3.0-12.1 // 2 * wma(close, 2) - wma(close, 4)
	for text, want := range map[string][]float64{
		"smma(close, 2)":                          {u, 11, 12.5, 11.75, 13.375, 11.6875},
		"ema_first(close, 2)":                     {u, 34 / 3.0, 118 / 9.0, 316 / 27.0, 1126 / 81.0, 2746 / 243.0},
		"tema(close, 1)":                          rows.close,
		"hma(close, 4)":                           {u, u, u, u, (whole + 2*half) / 3, (half + 2*last) / 3},
		"alma(close, 3, offset=0.5, sigma=3)":     {u, u, 12, (23*bell + 14) / (1 + 2*bell), (29*bell + 11) / (1 + 2*bell), (21*bell + 15) / (1 + 2*bell)},
		"highest_age(high, 3)":                    {u, u, 0, 1, 0, 0},
		"lowest_age(low, 3)":                      {u, u, 2, 2, 1, 0},
		"linreg_slope(close, 3)":                  {u, u, 2, -0.5, 0.5, -0.5},
		"linreg(close, 3)":                        {u, u, 14, 37/3.0 - 0.5, 40/3.0 + 0.5, 11.5},
		"linreg_intercept(close, 3)":              {u, u, 10, 37/3.0 + 0.5, 40/3.0 - 0.5, 12.5},
		"linreg_r2(close, 3)":                     {u, u, 1, 0.5 / (14 / 3.0), 0.5 / (26 / 3.0), 0.5 / 14},
		"ppo(close, 1, 2)":                        {u, 100 / 11.0, 100 / 13.0, 100 * (11 - 35/3.0) / (35 / 3.0), 100 * (15 - 125/9.0) / (125 / 9.0), 100 * (10 - 305/27.0) / (305 / 27.0)},
		"trix(close, 1)":                          {u, 20, 100 / 6.0, -300 / 14.0, 400 / 11.0, -100 / 3.0},
		"dpo(close, 3)":                           {u, u, -2, -1 / 3.0, 2 / 3.0, -1},
		"vortex_plus(high, low, close, 2)":        {u, u, 11 / 8.0, 9 / 8.0, 1, 11 / 13.0},
		"vortex_minus(high, low, close, 2)":       {u, u, 5 / 8.0, 7 / 8.0, 7 / 9.0, 9 / 13.0},
		"keltner_high(high, low, close, 2, 1, 2)": {u, u, 17, 47 / 3.0, 125/9.0 + 4.5, 305/27.0 + 6.25},
		"keltner_low(high, low, close, 2, 2, 2)":  {u, u, 5, 11 / 3.0, 125/9.0 - 9, 305/27.0 - 12.5},
		"supertrend(high, low, close, 2, 1)":      {u, u, 9, 9, 9.5, 9.5},
		"supertrend(high, low, close, 2, 0.5)":    {u, u, 11, 14, 11.75, 16.125},
		"force(close, volume, 2)":                 {u, u, 3, -5, 1, -19 / 3.0},
		"donchian_mid(high, low, 3)":              {u, u, 11.5, 12, 13, 13},
		"chaikin(high, low, close, volume, 1, 2)": {u, 0.5, 1 / 3.0, -7 / 18.0, 1 / 27.0, -79 / 162.0},
	} {
		got := rows.over(t, tableOver(t, text), 1)[0]
		for i := range want {
			if !near(got[i], want[i]) {
				t.Errorf("%s, bar %d: %v, want %v", text, i, got[i], want[i])
			}
		}
	}
}
