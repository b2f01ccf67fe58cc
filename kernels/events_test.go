package kernels

import "testing"

func TestOFI(t *testing.T) {
	quotes := []slot{
		quoteTick(10, 5, 12, 7),    // first: nothing before it
		quoteTick(10, 8, 12, 7),    // bid +3, ask 0: 3
		quoteTick(11, 2, 12, 9),    // bid up: +2; ask 7 to 9: -2: 0
		quoteTick(9, 4, 13, 1),     // bid down: -2; ask up: +9: 7
		quoteTick(9, 4, 12, 6),     // bid 0; ask down: -6: -6
		quoteTick(undef, 0, 12, 6), // no bid: passed over
		quoteTick(9, 5, 12, 6),     // against the last whole quote: 1
		tradeTick(1, 1, 1),         //
		quoteTick(9, 5, 12, 6),     // nothing changes: 0
	}
	gapped := append([]slot(nil), quotes[:5]...)
	gapped[3] = gapped[3].gap()
	timed := []slot{
		quotes[0].at(0), quotes[1].at(1 * second), quotes[2].at(2 * second), quotes[3].at(65 * second),
		quotes[4].at(66 * second), quotes[4].at(500 * second),
	}
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"each quote", "ofi(1)", false, quotes, []float64{u, 3, 0, 7, -6, n, 1, n, 0}},
		{"over three", "ofi(3)", false, quotes, []float64{u, u, u, 10, 1, n, 2, n, -5}},
		{"rewarms, and forgets the quote before", "ofi(1)", false, gapped, []float64{u, 3, 0, u, -6}},
		{"over a held gap", "ofi(1)", true, gapped, []float64{u, 3, 0, 7, -6}},
		// Warm 64 s after the first pushed quote, that of 1 s; that has then left, the one of 2 s leaves at 66 s.
		{"by time", "ofi(64s)", false, timed, []float64{u, u, u, 7, 1, 0}},
		{
			"empty by time", "ofi(64s) + price - price", false,
			append([]slot{tradeTick(1, 1, 0).at(0)}, append(append([]slot(nil), timed[:4]...), tradeTick(1, 1, 0).at(600*second))...),
			[]float64{u, u, u, u, 7, 0},
		},
		{"a crossed quote counts", "ofi(1)", false, []slot{quoteTick(10, 1, 12, 1), quoteTick(13, 2, 12, 1)}, []float64{u, 2}},
	})
}

func TestCrosses(t *testing.T) {
	p := prices(5, 5, 9, 10, 11, 10, 12, 10, 9, 11)
	gapped := prices(9, 11, 9, 11)
	gapped[2] = gapped[2].gap()
	u, n := undef, notFresh
	shown := "where(crosses(price, 10), 1, 0)"
	runCases(t, []operatorCase{
		// At 10 it is on neither side: 9, 10, 11 crosses at 11; 11, 10, 12 does not.
		{"crosses", shown, false, p, []float64{u, 0, 0, 0, 1, 0, 0, 0, 1, 1}},
		{"rewarms", shown, false, gapped, []float64{u, 1, u, 1}},
		{"over a held gap", shown, true, gapped, []float64{u, 1, 1, 1}},
		{"starts on the level", shown, false, prices(10, 10, 11, 9), []float64{u, u, u, 1}},
		{"does not step while undefined", "where(crosses(price, 10), 1, 0)", false, prices(9, undef, 11), []float64{u, n, 1}},
		{"flat", shown, false, prices(9, 9, 9), []float64{u, 0, 0}},
		{
			"is true on its own step only", "where(crosses(price, 10), 1, 0) + mid - mid", false,
			[]slot{quoteTick(1, 1, 1, 1), tradeTick(9, 1, 0), tradeTick(11, 1, 0), quoteTick(1, 1, 1, 1)},
			[]float64{u, u, 1, 0},
		},
		{
			"a level that moves", "where(crosses(price, mid), 1, 0)", false,
			[]slot{quoteTick(10, 1, 10, 1), tradeTick(9, 1, 0), quoteTick(8, 1, 8, 1), quoteTick(7, 1, 7, 1)},
			[]float64{n, u, 1, 0},
		},
	})
}

// TestKleene drives every pair of truth values through and, or and not.
func TestKleene(t *testing.T) {
	// price > 0 is true, false or undefined by price; so is size > 0.
	values := map[string]float64{"true": 1, "false": -1, "undefined": undef}
	outcome := map[string]float64{"true": 1, "false": 0, "undefined": undef}
	for _, c := range []struct{ a, b, and, or string }{
		{"true", "true", "true", "true"},
		{"true", "false", "false", "true"},
		{"true", "undefined", "undefined", "true"},
		{"false", "true", "false", "true"},
		{"false", "false", "false", "false"},
		{"false", "undefined", "false", "undefined"},
		{"undefined", "true", "undefined", "true"},
		{"undefined", "false", "false", "undefined"},
		{"undefined", "undefined", "undefined", "undefined"},
	} {
		slots := []slot{tradeTick(values[c.a], values[c.b], 0)}
		not := map[string]string{"true": "false", "false": "true", "undefined": "undefined"}
		runCases(t, []operatorCase{
			{c.a + " and " + c.b, "where(price > 0 and size > 0, 1, 0)", false, slots, []float64{outcome[c.and]}},
			{c.a + " or " + c.b, "where(price > 0 || size > 0, 1, 0)", false, slots, []float64{outcome[c.or]}},
			{"not " + c.a, "where(not price > 0, 1, 0)", false, slots, []float64{outcome[not[c.a]]}},
			{"not (" + c.a + " and " + c.b + ")", "where(!(price > 0 && size > 0), 1, 0)", false, slots, []float64{outcome[not[c.and]]}},
		})
	}
}

func TestComparisons(t *testing.T) {
	slots := prices(1, 2, 3, undef)
	u := undef
	for text, want := range map[string][]float64{
		"price < 2": {1, 0, 0, u}, "price <= 2": {1, 1, 0, u}, "price > 2": {0, 0, 1, u}, "price >= 2": {0, 1, 1, u},
		"price == 2": {0, 1, 0, u}, "price != 2": {1, 0, 1, u}, "not price == 2": {1, 0, 1, u}, "price == price": {1, 1, 1, u},
	} {
		runCases(t, []operatorCase{{text, "where(" + text + ", 1, 0)", false, slots, want}})
	}
}
