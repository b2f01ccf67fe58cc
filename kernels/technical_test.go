package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// technicalCase is an operator over bars and the same the slow way.
type technicalCase struct {
	text string
	want func(r *refRows) refSeries
}

// x is the series that operators of one series are tried on.
func (r *refRows) x() refSeries { return r.stepped(r.close) }

// technicalCases are by operator; an operator may have several.
var technicalCases = map[string][]technicalCase{
	"smma": {{"smma(close, 3)", func(r *refRows) refSeries { return r.wilder(r.x(), 3) }}},
	"ema_first": {{"ema_first(close, 3)", func(r *refRows) refSeries {
		return r.each(r.x(), false, func(x []float64) float64 {
			if len(x) < 3 {
				return math.NaN()
			}
			average := x[0]
			for _, v := range x[1:] {
				average = average/2 + v/2
			}
			return average
		})
	}}},
	"dema": {{"dema(close, 3)", func(r *refRows) refSeries {
		one := r.ema(r.x(), 3)
		return join(func(v []float64) float64 { return 2*v[0] - v[1] }, one, r.ema(one, 3))
	}}},
	"tema": {{"tema(close, 3)", func(r *refRows) refSeries {
		one := r.ema(r.x(), 3)
		two := r.ema(one, 3)
		return join(func(v []float64) float64 { return 3*v[0] - 3*v[1] + v[2] }, one, two, r.ema(two, 3))
	}}},
	"t3": {{"t3(close, 2, 0.7)", func(r *refRows) refSeries {
		// Three times x -> 1.7 * ema(x) - 0.7 * ema(ema(x)), written out in the averages of x.
		var a [7]refSeries
		a[0] = r.x()
		for i := range 6 {
			a[i+1] = r.ema(a[i], 2)
		}
		const v = 0.7
		return join(func(e []float64) float64 {
			return (1+v)*(1+v)*(1+v)*e[3] - 3*(1+v)*(1+v)*v*e[2] + 3*(1+v)*v*v*e[1] - v*v*v*e[0]
		}, a[6], a[5], a[4], a[3])
	}}},
	"trima": {
		{"trima(close, 5)", func(r *refRows) refSeries {
			return r.window(r.x(), 5, func(x []float64) float64 { return (x[0] + 2*x[1] + 3*x[2] + 2*x[3] + x[4]) / 9 })
		}},
		{"trima(close, 4)", func(r *refRows) refSeries {
			return r.window(r.x(), 4, func(x []float64) float64 { return (x[0] + 2*x[1] + 2*x[2] + x[3]) / 6 })
		}},
	},
	"wma": {{"wma(close, 4)", func(r *refRows) refSeries { return r.window(r.x(), 4, weightedOf) }}},
	"hma": {{"hma(close, 5)", func(r *refRows) refSeries {
		raw := join(func(v []float64) float64 { return 2*v[0] - v[1] }, r.window(r.x(), 2, weightedOf), r.window(r.x(), 5, weightedOf))
		return r.window(raw, 2, weightedOf)
	}}},
	"alma": {
		{"alma(close, 4)", func(r *refRows) refSeries { return r.alma(4, 0.85, 6) }},
		{"alma(close, 3, offset=0.5, sigma=2)", func(r *refRows) refSeries { return r.alma(3, 0.5, 2) }},
	},
	"kama": {{"kama(close, 3, 2, 8)", func(r *refRows) refSeries {
		return r.each(r.x(), true, func(x []float64) float64 { return kamaOf(x, 3, 2, 8) })
	}}},
	"highest":       {{"highest(close, 4)", func(r *refRows) refSeries { return r.window(r.x(), 4, highestOf) }}},
	"lowest":        {{"lowest(close, 4)", func(r *refRows) refSeries { return r.window(r.x(), 4, lowestOf) }}},
	"highest_age":   {{"highest_age(close, 4)", func(r *refRows) refSeries { return r.window(r.x(), 4, ageOf(highestOf)) }}},
	"lowest_age":    {{"lowest_age(close, 4)", func(r *refRows) refSeries { return r.window(r.x(), 4, ageOf(lowestOf)) }}},
	"donchian_high": {{"donchian_high(close, 4)", func(r *refRows) refSeries { return r.window(r.x(), 4, highestOf) }}},
	"donchian_low":  {{"donchian_low(close, 4)", func(r *refRows) refSeries { return r.window(r.x(), 4, lowestOf) }}},
	"donchian_mid": {{"donchian_mid(high, low, 4)", func(r *refRows) refSeries {
		high, low := r.stepped(r.high, r.low), r.stepped(r.low, r.high)
		return join(func(v []float64) float64 { return (v[0] + v[1]) / 2 }, r.window(high, 4, highestOf), r.window(low, 4, lowestOf))
	}}},
	"linreg": {{"linreg(close, 4)", func(r *refRows) refSeries {
		return r.window(r.x(), 4, func(x []float64) float64 { s, i, _ := lineOf(x); return i + 3*s })
	}}},
	"linreg_slope": {{"linreg_slope(close, 4)", func(r *refRows) refSeries {
		return r.window(r.x(), 4, func(x []float64) float64 { s, _, _ := lineOf(x); return s })
	}}},
	"linreg_intercept": {{"linreg_intercept(close, 4)", func(r *refRows) refSeries {
		return r.window(r.x(), 4, func(x []float64) float64 { _, i, _ := lineOf(x); return i })
	}}},
	"linreg_r2": {{"linreg_r2(close, 4)", func(r *refRows) refSeries {
		return r.window(r.x(), 4, func(x []float64) float64 { _, _, r2 := lineOf(x); return r2 })
	}}},
	"roc": {{"roc(close, 2)", func(r *refRows) refSeries {
		return r.window(r.x(), 3, func(x []float64) float64 { return 100 * (x[2] - x[0]) / x[0] })
	}}},
	"rsi": {{"rsi(close, 3)", func(r *refRows) refSeries {
		change := r.change(r.x())
		return join(strength, r.wilder(join(rise, change), 3), r.wilder(join(fall, change), 3))
	}}},
	"cmo": {{"cmo(close, 3)", func(r *refRows) refSeries {
		change := r.change(r.x())
		up, down := r.window(join(rise, change), 3, totalOf), r.window(join(fall, change), 3, totalOf)
		return join(func(v []float64) float64 { return 100 * (v[0] - v[1]) / (v[0] + v[1]) }, up, down)
	}}},
	"macd": {
		{"macd(close, 3, 5)", func(r *refRows) refSeries { return r.macd(0) }},
		{"macd(close, 3, 5, together=1)", func(r *refRows) refSeries { return r.macd(2) }},
	},
	"macd_signal": {{"macd_signal(close, 3, 5, 2)", func(r *refRows) refSeries { return r.ema(r.macd(0), 2) }}},
	"macd_hist": {
		{"macd_hist(close, 3, 5, 2)", func(r *refRows) refSeries { return join(difference, r.macd(0), r.ema(r.macd(0), 2)) }},
		{"macd_hist(close, 3, 5, 2, together=1)", func(r *refRows) refSeries { return join(difference, r.macd(2), r.ema(r.macd(2), 2)) }},
	},
	"ppo": {{"ppo(close, 3, 5)", func(r *refRows) refSeries { return join(percentOf, r.macd(0), r.ema(r.x(), 5)) }}},
	"trix": {{"trix(close, 2)", func(r *refRows) refSeries {
		return r.window(r.ema(r.ema(r.ema(r.x(), 2), 2), 2), 2, func(x []float64) float64 { return 100 * (x[1] - x[0]) / x[0] })
	}}},
	"dpo": {{"dpo(close, 5)", func(r *refRows) refSeries { return join(difference, r.prev(r.x(), 3), r.window(r.x(), 5, meanOf)) }}},
	"stoch_k": {
		{"stoch_k(high, low, close, 4)", func(r *refRows) refSeries { return r.stochastic(4) }},
		{"stoch_k(high, low, close, 4, 3)", func(r *refRows) refSeries { return r.window(r.stochastic(4), 3, meanOf) }},
	},
	"stoch_d": {{"stoch_d(high, low, close, 4, 2, 3)", func(r *refRows) refSeries {
		return r.window(r.window(r.stochastic(4), 2, meanOf), 3, meanOf)
	}}},
	"williams_r": {{"williams_r(high, low, close, 4)", func(r *refRows) refSeries {
		return join(func(v []float64) float64 { return v[0] - 100 }, r.stochastic(4))
	}}},
	"cci": {{"cci(high, low, close, 4)", func(r *refRows) refSeries {
		return r.window(r.typical(), 4, func(x []float64) float64 {
			mean, total := meanOf(x), 0.0
			for _, v := range x {
				total += math.Abs(v - mean)
			}
			if flat(x) {
				return math.NaN()
			}
			return (x[3] - mean) / (0.015 * total / 4)
		})
	}}},
	"aroon_up":   {{"aroon_up(close, 4)", func(r *refRows) refSeries { return r.aroon(r.x(), 4, highestOf) }}},
	"aroon_down": {{"aroon_down(close, 4)", func(r *refRows) refSeries { return r.aroon(r.x(), 4, lowestOf) }}},
	"aroon_osc": {{"aroon_osc(high, low, 4)", func(r *refRows) refSeries {
		high, low := r.stepped(r.high, r.low), r.stepped(r.low, r.high)
		return join(difference, r.aroon(high, 4, highestOf), r.aroon(low, 4, lowestOf))
	}}},
	"ultimate": {{"ultimate(high, low, close, 2, 3, 4)", (*refRows).ultimate}},
	"tr":       {{"tr(high, low, close)", func(r *refRows) refSeries { return r.latest(r.trueRange()) }}},
	"atr":      {{"atr(high, low, close, 3)", func(r *refRows) refSeries { return r.wilder(r.trueRange(), 3) }}},
	"natr": {{"natr(high, low, close, 3)", func(r *refRows) refSeries {
		_, _, last := r.bar()
		return join(percentOf, r.wilder(r.trueRange(), 3), r.latest(last.freshWith(r.trueRange())))
	}}},
	"di_plus": {{"di_plus(high, low, close, 3)", func(r *refRows) refSeries { p, _ := r.directional(3, 3); return p }}},
	"di_minus": {
		{"di_minus(high, low, close, 3)", func(r *refRows) refSeries { _, m := r.directional(3, 3); return m }},
		{"di_minus(high, low, close, 4, talib=1)", func(r *refRows) refSeries { _, m := r.directional(4, 3); return m }},
	},
	"dx":           {{"dx(high, low, close, 3)", func(r *refRows) refSeries { return r.dx(3) }}},
	"adx":          {{"adx(high, low, close, 3)", func(r *refRows) refSeries { return r.wilder(r.dx(3), 3) }}},
	"vortex_plus":  {{"vortex_plus(high, low, close, 3)", func(r *refRows) refSeries { return r.vortex(r.high, r.low) }}},
	"vortex_minus": {{"vortex_minus(high, low, close, 3)", func(r *refRows) refSeries { return r.vortex(r.low, r.high) }}},
	"bb_upper": {{"bb_upper(close, 4, 2)", func(r *refRows) refSeries {
		return r.window(r.x(), 4, func(x []float64) float64 { return meanOf(x) + 2*deviationOf(x) })
	}}},
	"bb_lower": {{"bb_lower(close, 4, 1.5, ddof=1)", func(r *refRows) refSeries {
		return r.window(r.x(), 4, func(x []float64) float64 { return meanOf(x) - 1.5*deviationOf(x)*math.Sqrt(4.0/3) })
	}}},
	"bb_width": {{"bb_width(close, 4, 2)", func(r *refRows) refSeries {
		return r.window(r.x(), 4, func(x []float64) float64 { return 4 * deviationOf(x) / meanOf(x) })
	}}},
	"percent_b": {{"percent_b(close, 4, 2)", func(r *refRows) refSeries {
		return r.window(r.x(), 4, func(x []float64) float64 { return (x[3]-meanOf(x))/(4*deviationOf(x)) + 0.5 })
	}}},
	"keltner_high": {{"keltner_high(high, low, close, 4, 2, 3)", func(r *refRows) refSeries { return r.keltner(2) }}},
	"keltner_low":  {{"keltner_low(high, low, close, 4, 2, 3)", func(r *refRows) refSeries { return r.keltner(-2) }}},
	"psar":         {{"psar(high, low, 0.02, 0.2)", (*refRows).psar}, {"psar(high, low, 0.5, 0.9)", (*refRows).quickSAR}},
	"supertrend":   {{"supertrend(high, low, close, 3, 0.5)", (*refRows).supertrend}},
	"obv":          {{"obv(close, volume)", (*refRows).obv}},
	"adl":          {{"adl(high, low, close, volume)", func(r *refRows) refSeries { return r.adl() }}},
	"chaikin": {{"chaikin(high, low, close, volume, 2, 4)", func(r *refRows) refSeries {
		return join(difference, r.ema(r.adl(), 2), r.ema(r.adl(), 4))
	}}},
	"mfi": {{"mfi(high, low, close, volume, 3)", (*refRows).mfi}},
	"force": {{"force(close, volume, 3)", func(r *refRows) refSeries {
		change := r.change(r.stepped(r.close, r.volume))
		volume := r.stepped(r.volume, r.close)
		return r.ema(join(func(v []float64) float64 { return v[0] * v[1] }, change, volume), 3)
	}}},
	"vwma": {{"vwma(close, volume, 3)", func(r *refRows) refSeries {
		last, volume := r.stepped(r.close, r.volume), r.stepped(r.volume, r.close)
		paid := join(func(v []float64) float64 { return v[0] * v[1] }, last, volume)
		return join(ratio, r.window(paid, 3, totalOf), r.window(volume, 3, totalOf))
	}}},
}

// technicalOperators are the operators that this file answers for.
func technicalOperators() []Operator {
	return slices.Concat(
		smoothing(), extremes(), regression(), momentum(), oscillators(), trend(), channels(), stops(), volumes(),
	)
}

func TestEveryTechnicalOperatorHasAReference(t *testing.T) {
	for _, o := range technicalOperators() {
		if len(technicalCases[o.Name]) == 0 {
			t.Errorf("%s has none", o.Name)
		}
	}
}

// genRows draws bars of multiples of a half, so that what is equal in the reference is equal in the program. Some are
// flat, some have a hole, some come after a gap. They stay far above 0, where ratios of prices have all their digits.
func genRows(t *rapid.T) *refRows {
	n := rapid.IntRange(1, 90).Draw(t, "rows")
	r := &refRows{gaps: make([]bool, n)}
	last, hole := 400.0, rapid.SampledFrom([]int{0, 0, 20, 6}).Draw(t, "hole in")
	gap := rapid.SampledFrom([]int{0, 40, 12}).Draw(t, "gap in")
	quiet := rapid.Bool().Draw(t, "quiet")
	for i := range n {
		step := func(name string, most int) float64 {
			if quiet && rapid.IntRange(0, 3).Draw(t, "still") > 0 {
				return 0
			}
			return float64(rapid.IntRange(0, most).Draw(t, name)) / 2
		}
		last += step("up", 6) - step("down", 6)
		above, below := step("above", 4), step("below", 4)
		cells := []float64{last, last + above, last - below, last, step("volume", 8)}
		if hole > 0 && rapid.IntRange(1, hole).Draw(t, "hole") == 1 {
			cells[rapid.IntRange(0, 4).Draw(t, "which")] = math.NaN()
		}
		r.gaps[i] = gap > 0 && rapid.IntRange(1, gap).Draw(t, "gap") == 1
		r.open, r.high, r.low = append(r.open, cells[0]), append(r.high, cells[1]), append(r.low, cells[2])
		r.close, r.volume = append(r.close, cells[3]), append(r.volume, cells[4])
	}
	return r
}

var barColumns = []string{"open", "high", "low", "close", "volume"}

// column is a column by its name.
func (r *refRows) column(name string) []float64 {
	return map[string][]float64{"open": r.open, "high": r.high, "low": r.low, "close": r.close, "volume": r.volume}[name]
}

// tableOver compiles one expression over bars.
func tableOver(t testing.TB, texts ...string) *Table {
	t.Helper()
	var expressions []TableExpression
	for i, text := range texts {
		expressions = append(expressions, TableExpression{Name: fmt.Sprintf("out%d", i), Text: text})
	}
	table, errs := CompileTable(barColumns, expressions, Options{})
	if len(errs) > 0 {
		t.Fatalf("%s: %v", texts[errs[0].Signal], errs[0].Error())
	}
	return table
}

// over runs a table over the bars.
func (r *refRows) over(t failer, table *Table, batch int) [][]float64 {
	t.Helper()
	rows := tableRows{count: r.count(), gaps: r.gaps, batch: batch}
	for _, name := range table.Columns {
		rows.columns = append(rows.columns, r.column(name))
	}
	out, err := table.evaluate(rows)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTechnicalOperatorsAgainstReference holds every operator to the plain reference, over holes and gaps, and
// batches of 1, 7 and 64 to each other bit by bit.
func TestTechnicalOperatorsAgainstReference(t *testing.T) {
	for _, o := range technicalOperators() {
		for _, c := range technicalCases[o.Name] {
			t.Run(c.text, func(t *testing.T) {
				table := tableOver(t, c.text)
				rapid.Check(t, func(t *rapid.T) {
					r := genRows(t)
					got := r.over(t, table, 1)[0]
					for _, batch := range []int{7, 64} {
						for i, x := range r.over(t, table, batch)[0] {
							if math.Float64bits(x) != math.Float64bits(got[i]) {
								t.Fatalf("row %d: %v in a batch of %d, %v alone", i, x, batch, got[i])
							}
						}
					}
					want := c.want(r)
					for i := range got {
						if !near(got[i], finite(want.v[i])) {
							t.Fatalf("row %d: %v, want %v\nbars %+v\nall %v\nwant %v", i, got[i], want.v[i], *r, got, want.v)
						}
					}
				})
			})
		}
	}
}
