package kernels

import (
	"math"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
)

// Expected values here are worked out by hand from the definitions in the catalogue.

var undef = math.NaN()

const second = int64(1e9)

// operatorCase is one expression over a few ticks; want has undef where it is undefined and notFresh where the
// tick does not update it.
type operatorCase struct {
	name  string
	value string
	hold  bool
	slots []slot
	want  []float64
}

func prices(values ...float64) []slot {
	slots := make([]slot, len(values))
	for i, v := range values {
		slots[i] = tradeTick(v, 1, 0)
	}
	return slots
}

func runCases(t *testing.T, cases []operatorCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			spec := watch(c.value)
			if c.hold {
				spec.OnGap = expr.GapHold
			}
			for _, batch := range []int{1, 7, 64} {
				got := runValue(t, spec, c.slots, batch)
				for i := range c.want {
					if math.IsNaN(got[i]) != math.IsNaN(c.want[i]) || math.Abs(got[i]-c.want[i]) > 1e-12 {
						t.Errorf("%s, batch %d, tick %d: %v, want %v\nall: %v", c.value, batch, i, got[i], c.want[i], got)
					}
				}
			}
		})
	}
}

func TestFields(t *testing.T) {
	slots := []slot{
		tradeTick(100, 5, -1),         // no quote yet
		quoteTick(10, 2, 12, 6),       //
		statusTick(),                  // nothing is fresh
		quoteTick(undef, 0, 12, 6),    // no bid
		quoteTick(10, 2, undef, 0),    // no ask
		quoteTick(13, 1, 12, 3),       // crossed
		tradeTick(101, 7, 1).gap(),    // fields hold over a gap
		quoteTick(10, 0, 12, 0),       // no size on either side
		quoteTick(10, 2, 12, 6).on(1), // another instrument has its own fields
	}
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"bid", "bid", false, slots, []float64{n, 10, n, u, 10, 13, n, 10, 10}},
		{"bid size is undefined without a bid", "bid_size", false, slots, []float64{n, 2, n, u, 2, 1, n, 0, 2}},
		{"ask", "ask", false, slots, []float64{n, 12, n, 12, u, 12, n, 12, 12}},
		{"ask size is undefined without an ask", "ask_size", false, slots, []float64{n, 6, n, 6, u, 3, n, 0, 6}},
		{"mid", "mid", false, slots, []float64{n, 11, n, u, u, 12.5, n, 11, 11}},
		{"spread", "spread", false, slots, []float64{n, 2, n, u, u, -1, n, 2, 2}},
		{"microprice", "microprice", false, slots, []float64{n, (10*6 + 12*2) / 8.0, n, u, u, (13*3 + 12*1) / 4.0, n, u, 10.5}},
		{"price", "price", false, slots, []float64{100, n, n, n, n, n, 101, n, n}},
		{"size", "size", false, slots, []float64{5, n, n, n, n, n, 7, n, n}},
		{"aggressor", "aggressor", false, slots, []float64{-1, n, n, n, n, n, 1, n, n}},
		{"held trade beside a quote", "price + bid - bid", false, slots, []float64{u, 100, n, u, 100, 100, 101, 101, u}},
		{"imbalance", "imbalance", false, slots, []float64{n, (2 - 6) / 8.0, n, u, u, (1 - 3) / 4.0, n, u, -0.5}},
	})
}

func TestArithmetic(t *testing.T) {
	p := prices(-2, 0, 3, undef, math.Inf(1))
	negativeZero := prices(math.Copysign(0, -1))
	runCases(t, []operatorCase{
		{"abs", "abs(price)", false, p, []float64{2, 0, 3, undef, undef}},
		{"sign", "sign(price)", false, p, []float64{-1, 0, 1, undef, undef}},
		{"sign of -0", "1 / (sign(price) + 1)", false, negativeZero, []float64{1}},
		{"negate", "-price", false, p, []float64{2, 0, -3, undef, undef}},
		{"a half", "price * (1/2)", false, p, []float64{-1, 0, 1.5, undef, undef}},
		{"division by zero", "6 / price", false, p, []float64{-3, undef, 2, undef, undef}},
		{"recovers after a bad value", "price + 1", false, prices(undef, 1), []float64{undef, 2}},
		{"overflow is undefined", "price * 1e300", false, prices(1e300, 1), []float64{undef, 1e300}},
		{"an overflow stays undefined", "1 / (price * 1e300)", false, prices(1e300, 1), []float64{undef, 1e-300}},
		{"where", "where(price > 0, price, 7)", false, p, []float64{7, 7, 3, undef, undef}},
		{"where needs only what it chooses", "where(price > 0, price, 1 / price)", false, prices(2, 0, -2), []float64{2, undef, -0.5}},
		{
			"where is fresh with any operand", "where(price > 0, mid, 0)", false,
			[]slot{quoteTick(1, 1, 3, 1), tradeTick(1, 1, 0), tradeTick(-1, 1, 0), quoteTick(1, 1, 5, 1)},
			[]float64{undef, 2, 0, 0},
		},
	})
}

func TestLags(t *testing.T) {
	p := prices(1, 4, 9, undef, 16, 25)
	gapped := prices(1, 4, 9, 16)
	gapped[2] = gapped[2].gap()
	between := []slot{tradeTick(1, 1, 0), statusTick().gap(), tradeTick(4, 1, 0), tradeTick(9, 1, 0)}
	flat := prices(5, 5, 5, 5)
	// An undefined update does not step, so it is not fresh: the value holds.
	n := notFresh
	runCases(t, []operatorCase{
		{"prev", "prev(price)", false, p, []float64{undef, 1, 4, n, 9, 16}},
		{"prev 2", "prev(price, 2)", false, p, []float64{undef, undef, 1, n, 4, 9}},
		{"prev holds", "prev(price) + price - price", false, p, []float64{undef, 1, 4, undef, 9, 16}},
		{
			"prev holds beside a quote", "prev(price) + mid - mid", false,
			[]slot{tradeTick(1, 1, 0), tradeTick(4, 1, 0), quoteTick(1, 1, 2, 1), tradeTick(undef, 1, 0), quoteTick(1, 1, 2, 1)},
			[]float64{undef, undef, 1, n, 1},
		},
		{"diff", "diff(price)", false, p, []float64{undef, 3, 5, n, 7, 9}},
		{"diff 2", "diff(price, 2)", false, p, []float64{undef, undef, 8, n, 12, 16}},
		{
			"diff holds", "diff(price, 2) + mid - mid", false,
			[]slot{quoteTick(1, 1, 2, 1), tradeTick(1, 1, 0), tradeTick(4, 1, 0), tradeTick(9, 1, 0), quoteTick(1, 1, 2, 1)},
			[]float64{undef, undef, undef, 8, 8},
		},
		{"prev rewarms", "prev(price)", false, gapped, []float64{undef, 1, undef, 9}},
		{"prev 2 rewarms", "prev(price, 2)", false, gapped, []float64{undef, undef, undef, undef}},
		{"prev over a held gap", "prev(price)", true, gapped, []float64{undef, 1, 4, 9}},
		{"prev 2 over a held gap", "prev(price, 2)", true, gapped, []float64{undef, undef, 1, 4}},
		{"diff rewarms", "diff(price)", false, gapped, []float64{undef, 3, undef, 7}},
		{"a gap on a tick of nothing", "diff(price)", false, between, []float64{undef, n, undef, 5}},
		{"flat diff", "diff(price, 3)", false, flat, []float64{undef, undef, undef, 0}},
		{"flat prev", "prev(price, 3)", false, flat, []float64{undef, undef, undef, 5}},
		{"an equal value is a step", "prev(price)", false, prices(1, 1, 2), []float64{undef, 1, 1}},
	})
}

func TestEMA(t *testing.T) {
	// n = 3: alpha is 1/2; the seed is the mean of the first three.
	gapped := prices(1, 2, 3, 6)
	gapped[3] = gapped[3].gap()
	early := prices(1, 2, 3, 6)
	early[1] = early[1].gap()
	runCases(t, []operatorCase{
		{"ema", "ema(price, 3)", false, prices(1, 2, 6, 7, 3), []float64{undef, undef, 3, 5, 4}},
		{"n is 1", "ema(price, 1)", false, prices(1, 2, 6), []float64{1, 2, 6}},
		{"flat", "ema(price, 2)", false, prices(7, 7, 7), []float64{undef, 7, 7}},
		{"holds over undefined", "ema(price, 2)", false, prices(1, undef, 3, undef, 5), []float64{undef, notFresh, 2, notFresh, 4}},
		{"holds over a gap", "ema(price, 3)", false, gapped, []float64{undef, undef, 2, 4}},
		{"a gap does not restart the seed", "ema(price, 3)", false, early, []float64{undef, undef, 2, 4}},
		{"starts again after an overflow", "ema(price, 2)", false, prices(-1.5e308, -1.5e308, 1, 3, 5), []float64{undef, undef, undef, 2, 4}},
		{"an overflow when warm", "ema(price, 2)", false, prices(1e308, 0, -1.7e308, 2, 4, 6), []float64{undef, 5e307, undef, undef, 3, 5}},
	})
}

func TestMeanAndDispersionBySamples(t *testing.T) {
	p := prices(2, 4, 6, undef, 11, 11, 11)
	gapped := prices(2, 4, 6, 11)
	gapped[2] = gapped[2].gap()
	n := notFresh
	runCases(t, []operatorCase{
		{"sma", "sma(price, 3)", false, p, []float64{undef, undef, 4, n, 7, 28 / 3.0, 11}},
		{"sma of 1", "sma(price, 1)", false, p, []float64{2, 4, 6, n, 11, 11, 11}},
		{"sma rewarms", "sma(price, 2)", false, gapped, []float64{undef, 3, undef, 8.5}},
		{"sma over a held gap", "sma(price, 2)", true, gapped, []float64{undef, 3, 5, 8.5}},
		{"std", "std(price, 3)", false, p, []float64{undef, undef, math.Sqrt(8 / 3.0), n, math.Sqrt(26 / 3.0), math.Sqrt(50.0 / 9), 0}},
		{"sample std", "std(price, 3, ddof=1)", false, p, []float64{undef, undef, 2, n, math.Sqrt(13), math.Sqrt(25.0 / 3), 0}},
		{"std of 1", "std(price, 1)", false, p, []float64{0, 0, 0, n, 0, 0, 0}},
		{"std rewarms", "std(price, 2)", false, gapped, []float64{undef, 1, undef, 2.5}},
		{"zscore", "zscore(price, 3)", false, p, []float64{undef, undef, 2 / math.Sqrt(8/3.0), n, 4 / math.Sqrt(26/3.0), (11 - 28/3.0) / math.Sqrt(50.0/9), undef}},
		{"zscore rewarms", "zscore(price, 2)", false, gapped, []float64{undef, 1, undef, 1}},
		{"zscore over a held gap", "zscore(price, 2)", true, gapped, []float64{undef, 1, 1, 1}},
		{
			"zscore holds", "zscore(price, 2) + mid - mid", false,
			[]slot{quoteTick(1, 1, 2, 1), tradeTick(2, 1, 0), tradeTick(4, 1, 0), quoteTick(1, 1, 2, 1)},
			[]float64{undef, undef, 1, 1},
		},
		{"an undefined sample leaves no trace", "sma(price, 2)", false, prices(1, 3, undef, 5), []float64{undef, 2, n, 4}},
		{"a huge sample leaves no trace", "sma(price, 2)", false, prices(1, 1e308, 3, 5), []float64{undef, 5e307, 5e307, 4}},
	})
}

func TestMeanAndDispersionByTime(t *testing.T) {
	// 64 s in 64 parts of 1 s: warm 64 s after the first sample, a sample leaves when 64 s old.
	slots := []slot{
		tradeTick(2, 1, 0).at(0),
		tradeTick(4, 1, 0).at(63 * second),  // not warm yet
		tradeTick(6, 1, 0).at(64 * second),  // warm; the first has just left
		tradeTick(8, 1, 0).at(126 * second), // 4 is 63 s old: still in
		tradeTick(8, 1, 0).at(127 * second), // 4 has left
		statusTick().at(128 * second),       // updates nothing
		tradeTick(undef, 1, 0).at(129 * second),
		tradeTick(1, 1, 0).at(500 * second), // all older samples have left
	}
	// Seen through a quote, so that the window is looked at without being stepped.
	watched := []slot{
		tradeTick(2, 1, 0).at(0),
		tradeTick(4, 1, 0).at(70 * second),
		quoteTick(1, 1, 2, 1).at(100 * second),
		quoteTick(1, 1, 2, 1).at(133 * second),
		quoteTick(1, 1, 2, 1).at(134 * second), // empty
	}
	gapped := []slot{
		tradeTick(2, 1, 0).at(0),
		tradeTick(4, 1, 0).at(64 * second),
		tradeTick(6, 1, 0).at(65 * second).gap(),
		tradeTick(8, 1, 0).at(128 * second),
		tradeTick(10, 1, 0).at(129 * second),
	}
	n, u := notFresh, undef
	runCases(t, []operatorCase{
		{"sma", "sma(price, 64s)", false, slots, []float64{u, u, 5, 6, 22 / 3.0, n, n, 1}},
		{"std", "std(price, 64s)", false, slots, []float64{u, u, 1, math.Sqrt(8 / 3.0), math.Sqrt(8.0 / 9), n, n, 0}},
		{"sample std", "std(price, 64s, ddof=1)", false, slots, []float64{u, u, math.Sqrt2, 2, math.Sqrt(4 / 3.0), n, n, u}},
		{"zscore", "zscore(price, 64s)", false, slots, []float64{u, u, 1, 2 / math.Sqrt(8/3.0), (8 - 22/3.0) / math.Sqrt(8.0/9), n, n, u}},
		{"sma empties with time alone", "sma(price, 64s) + mid - mid", false, watched, []float64{u, u, 4, 4, u}},
		{"std empties with time alone", "std(price, 64s) + mid - mid", false, watched, []float64{u, u, 0, 0, u}},
		{"sma rewarms", "sma(price, 64s)", false, gapped, []float64{u, 4, u, u, 9}},
		{"sma over a held gap", "sma(price, 64s)", true, gapped, []float64{u, 4, 5, 7, 9}},
	})
}
