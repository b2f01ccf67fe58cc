package kernels

import (
	"fmt"
	"math"
	"testing"
)

// agreementCase is one column that others computed, and the expression that should give it.
type agreementCase struct {
	file, column string
	text         string // "" where the language does not have it
	why          string // no expression, or a difference
	exact        bool   // must agree to the bit
	loose        bool   // they lose digits: agreement to looseTolerance, and why says so
}

// skenderCases are the columns of DaveSkender/Stock.Indicators. Column bar is the bar's number from 1, other_close
// the close of the second symbol.
var skenderCases = []agreementCase{
	{file: "atr", column: "tr", text: "tr(high, low, close)", exact: true},
	{file: "atr", column: "atr", text: "atr(high, low, close, 14)", exact: true},
	{file: "atr", column: "atrp", text: "natr(high, low, close, 14)"},
	{file: "bb", column: "sma", text: "sma(close, 20)"},
	{file: "bb", column: "upperBand", text: "bb_upper(close, 20, 2)"},
	{file: "bb", column: "lowerBand", text: "bb_lower(close, 20, 2)"},
	{file: "bb", column: "percentB", text: "percent_b(close, 20, 2)"},
	{file: "bb", column: "zScore", text: "zscore(close, 20)"},
	{file: "bb", column: "width", text: "bb_width(close, 20, 2)"},
	{file: "beta", column: "beta", text: "beta(other_close, close, 50)"},
	{file: "beta", column: "betaUp", why: "empty in the file"},
	{file: "beta", column: "betaDown", why: "empty in the file"},
	{file: "beta", column: "ratio", why: "empty in the file"},
	{file: "beta", column: "convexity", why: "empty in the file"},
	{file: "beta", column: "returnsEval", text: "other_close / prev(other_close) - 1", why: "0 on the first bar there, undefined here"},
	{file: "beta", column: "returnsMrkt", text: "close / prev(close) - 1", why: "0 on the first bar there, undefined here"},
	{file: "cmo", column: "cmo", text: "cmo(close, 14)"},
	{file: "corr", column: "varianceA", loose: true, why: lostDigits, text: "variance(other_close, 20)"},
	{file: "corr", column: "varianceB", loose: true, why: lostDigits, text: "variance(close, 20)"},
	{file: "corr", column: "covariance", loose: true, why: lostDigits, text: "cov(other_close, close, 20)"},
	{file: "corr", column: "correlation", loose: true, why: lostDigits, text: "corr(other_close, close, 20)"},
	{file: "corr", column: "rSquared", loose: true, why: lostDigits, text: "corr(other_close, close, 20) * corr(other_close, close, 20)"},
	{file: "dema", column: "dema", text: "dema(close, 14)", why: "the second average is seeded there with the first value of the first, here with the mean of its own first n"},
	{file: "donchian", column: "upperBand", text: "prev(donchian_high(high, 20))", exact: true},
	{file: "donchian", column: "centerline", text: "prev(donchian_mid(high, low, 20))", exact: true},
	{file: "donchian", column: "lowerBand", text: "prev(donchian_low(low, 20))", exact: true},
	{file: "donchian", column: "width", text: "prev((donchian_high(high, 20) - donchian_low(low, 20)) / donchian_mid(high, low, 20))", exact: true},
	{file: "ema", column: "ema", text: "ema(close, 20)", exact: true},
	{file: "macd", column: "macd", text: "macd(close, 12, 26)", exact: true},
	{file: "macd", column: "signal", text: "macd_signal(close, 12, 26, 9)", exact: true},
	{file: "macd", column: "histogram", text: "macd_hist(close, 12, 26, 9)", exact: true},
	{file: "macd", column: "fastEma", text: "ema(close, 12)", exact: true},
	{file: "macd", column: "slowEma", text: "ema(close, 26)", exact: true},
	{file: "mfi", column: "mfi", text: "mfi(high, low, close, volume, 14)"},
	{file: "obv", column: "obv", text: "obv(close, volume)", exact: true},
	{file: "roc", column: "momentum", text: "diff(close, 14)", exact: true},
	{file: "roc", column: "roc", text: "roc(close, 14)", exact: true},
	{file: "rsi", column: "rsi", text: "rsi(close, 14)", exact: true},
	{file: "slope", column: "slope", text: "linreg_slope(close, 14)"},
	{file: "slope", column: "intercept", text: "linreg(close, 14) - linreg_slope(close, 14) * bar"},
	{file: "slope", column: "stdDev", text: "std(close, 14)"},
	{file: "slope", column: "rSquared", text: "linreg_r2(close, 14)"},
	{file: "slope", column: "line", why: "the last bar's line drawn back over the bars before it, so it uses later bars"},
	{file: "sma", column: "sma", text: "sma(close, 20)"},
	{file: "stdev", column: "stdDev", text: "std(close, 14)"},
	{file: "stdev", column: "mean", text: "sma(close, 14)"},
	{file: "stdev", column: "zScore", text: "zscore(close, 14)"},
	{file: "stoch", column: "oscillator", text: "stoch_k(high, low, close, 14, 3)"},
	{file: "stoch", column: "signal", text: "stoch_d(high, low, close, 14, 3, 3)"},
	{file: "stoch", column: "percentJ", text: "3 * stoch_k(high, low, close, 14, 3) - 2 * stoch_d(high, low, close, 14, 3, 3)"},
	{file: "stoch", column: "k", text: "stoch_k(high, low, close, 14, 3)"},
	{file: "stoch", column: "d", text: "stoch_d(high, low, close, 14, 3, 3)"},
	{file: "stoch", column: "j", text: "3 * stoch_k(high, low, close, 14, 3) - 2 * stoch_d(high, low, close, 14, 3, 3)"},
	{file: "tr", column: "tr", text: "tr(high, low, close)", exact: true},
	{file: "vwap", column: "vwap", text: "vwma((high + low + close) / 3, volume, session)"},
	{file: "wma", column: "wma", text: "wma(close, 14)"},
}

// agreement is how one column compares.
type agreement struct {
	values, missing int     // that they have; of those, how many are defined on one side only
	worst           float64 // largest difference, relative to the value and at least to 1
	sameBits        bool
}

const (
	lostDigits     = "their sums of squares lose digits (5e-11 from the exact value); ours do not"
	looseTolerance = 1e-10
)

// agreementTolerance is how far sums that are built in another order may be apart.
const agreementTolerance = 1e-12

func compareColumns(got, want []float64) agreement {
	a := agreement{sameBits: true}
	for i, w := range want {
		g := got[i]
		if isDefined(w) {
			a.values++
		}
		if isDefined(w) != isDefined(g) {
			a.missing++
			continue
		}
		if !isDefined(w) {
			continue
		}
		a.sameBits = a.sameBits && g == w
		a.worst = math.Max(a.worst, math.Abs(g-w)/math.Max(1, math.Abs(w)))
	}
	return a
}

// evaluateText runs one expression over named columns.
func evaluateText(t testing.TB, text string, columns map[string][]float64) []float64 {
	t.Helper()
	var names []string
	for _, name := range []string{"open", "high", "low", "close", "volume", "bar", "other_close"} {
		if columns[name] != nil {
			names = append(names, name)
		}
	}
	table, errs := CompileTable(names, []TableExpression{{Name: "result", Text: text}}, Options{})
	if len(errs) > 0 {
		t.Fatalf("%s: %v", text, errs[0].Error())
	}
	var inputs [][]float64
	for _, name := range table.Columns {
		inputs = append(inputs, columns[name])
	}
	out, err := table.Evaluate(nil, inputs)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// skenderBars are the quotes behind the results.
func skenderBars(t testing.TB) map[string][]float64 {
	columns := map[string][]float64{}
	for _, name := range barColumns {
		columns[name] = readColumn(t, "skender/quotes/default.csv", name)
	}
	columns["other_close"] = readColumn(t, "skender/quotes/compare.csv", "close")
	for i := range columns["close"] {
		columns["bar"] = append(columns["bar"], float64(i+1))
	}
	return columns
}

// agreementRow is one line of the page and which total it counts for.
type agreementRow struct {
	line                       string
	matched, differ, uncovered int
}

func skenderRows(t *testing.T) []agreementRow {
	bars := skenderBars(t)
	var rows []agreementRow
	for _, c := range skenderCases {
		head := fmt.Sprintf("| %s.%s | ", c.file, c.column)
		if c.text == "" {
			rows = append(rows, agreementRow{line: head + "- | not covered: " + c.why + " | |", uncovered: 1})
			continue
		}
		want := readColumn(t, "skender/results/"+c.file+".csv", c.column)
		got := evaluateText(t, c.text, bars)
		a := compareColumns(got, want)
		head += "`" + c.text + "` | "
		tolerance := agreementTolerance
		if c.loose {
			tolerance = looseTolerance
			head = fmt.Sprintf("| %s.%s | `%s` (%s) | ", c.file, c.column, c.text, c.why)
		}
		within := a.missing == 0 && (a.sameBits || !c.exact && a.worst <= tolerance)
		switch {
		case within && a.sameBits:
			rows = append(rows, agreementRow{line: fmt.Sprintf("%smatched, %d values | 0, to the bit |", head, a.values), matched: 1})
		case within:
			rows = append(rows, agreementRow{line: fmt.Sprintf("%smatched, %d values | %.1e |", head, a.values, a.worst), matched: 1})
		case c.why != "":
			line := fmt.Sprintf("%sdiffers by convention, %d of %d values on one side only: %s | %.1e |", head, a.missing, a.values, c.why, a.worst)
			rows = append(rows, agreementRow{line: line, differ: 1})
		default:
			t.Errorf("%s.%s: %s: %d values on one side only, largest difference %g", c.file, c.column, c.text, a.missing, a.worst)
		}
	}
	return rows
}

func TestAgreementSkender(t *testing.T) {
	for _, r := range skenderRows(t) {
		t.Log(r.line)
	}
}
