package kernels

import (
	"fmt"
	"math"
	"testing"
)

// leanCase is one column of the third-party values that QuantConnect/Lean tests against. Values are compared from the
// row on which the expression is first defined; before it LEAN works with windows that are not full.
type leanCase struct {
	file, column string
	text         string
	digits       float64 // what the values are good to, relative and at least to 1: they are rounded, and Var drifts as it rolls
	pairs        string  // the column that tells two symbols in alternate rows apart: rows of the second hold the values
}

var leanCases = []leanCase{
	{file: "spy_bollinger_bands.txt", column: "Moving Average 20", text: "sma(close, 20)", digits: 5e-5},
	{file: "spy_bollinger_bands.txt", column: "Bollinger Bands® 20 2 Top", text: "bb_upper(close, 20, 2)", digits: 5e-5},
	{file: "spy_bollinger_bands.txt", column: "Bollinger Bands® 20 2 Bottom", text: "bb_lower(close, 20, 2)", digits: 5e-5},
	{file: "spy_bollinger_bands.txt", column: "BandWidth", text: "100 * bb_width(close, 20, 2)", digits: 1e-4},
	{file: "spy_bollinger_bands.txt", column: "%B", text: "percent_b(close, 20, 2)", digits: 1e-4},
	{file: "spy_max.txt", column: "MAX_5", text: "highest(close, 5)"},
	{file: "spy_min.txt", column: "MIN_5", text: "lowest(close, 5)"},
	{file: "spy_var.txt", column: "Var", text: "variance(close, 10)", digits: 2e-10},
	{file: "spy_with_macd.txt", column: "MACD", text: "macd(close, 12, 26)", digits: 5e-6},
	{file: "spy_with_macd.txt", column: "Signal", text: "macd_signal(close, 12, 26, 9)", digits: 5e-6},
	{file: "spy_with_macd.txt", column: "Histogram", text: "macd_hist(close, 12, 26, 9)", digits: 5e-6},
	{file: "spy_qqq_corr.head2001.csv", column: "Correlation_Pearson", text: "corr(close, other_close, 252)", digits: 1e-12, pairs: "Symbol"},
	{file: "bi_datatest.csv", column: "Beta", text: "beta(other_close, close, 5)", digits: 5e-10, pairs: "Symbol"},
}

// everySecond is the rows of one symbol.
func everySecond(xs []float64, from int) []float64 {
	var out []float64
	for i := from; i < len(xs); i += 2 {
		out = append(out, xs[i])
	}
	return out
}

func leanRows(t *testing.T) []agreementRow {
	var rows []agreementRow
	for _, c := range leanCases {
		closes, want := readColumn(t, "lean/"+c.file, "Close"), readColumn(t, "lean/"+c.file, c.column)
		columns := map[string][]float64{"close": closes}
		if c.pairs != "" {
			columns["other_close"], columns["close"] = everySecond(closes, 0), everySecond(closes, 1)
			want = everySecond(want, 1)
		}
		rows = append(rows, c.row(t, columns, want))
	}
	rows = append(rows, agreementRow{
		line:      "| spy_qqq_corr.head2001.csv, Correlation_Spearman | - | not covered: the language has no rank correlation | |",
		uncovered: 1,
	})
	return rows
}

func (c *leanCase) row(t *testing.T, columns map[string][]float64, want []float64) agreementRow {
	got := evaluateText(t, c.text, columns)
	first, values, worst := firstDefined(got), 0, 0.0
	for i, w := range want {
		if i < first || !isDefined(w) {
			continue
		}
		values++
		if !isDefined(got[i]) {
			t.Errorf("%s, %s: row %d is undefined, want %v", c.file, c.column, i, w)
			continue
		}
		difference := math.Abs(got[i]-w) / max(1, math.Abs(w))
		worst = max(worst, difference)
		if difference > c.digits {
			t.Fatalf("%s, %s: row %d: %v, want %v", c.file, c.column, i, got[i], w)
		}
	}
	if values == 0 {
		t.Errorf("%s, %s: nothing to compare", c.file, c.column)
	}
	return agreementRow{
		line: fmt.Sprintf("| %s, %s | `%s` | matched, %d values | %.1e |", c.file, c.column, c.text, values, worst), matched: 1,
	}
}

func TestAgreementLean(t *testing.T) {
	for _, r := range leanRows(t) {
		t.Log(r.line)
	}
}
