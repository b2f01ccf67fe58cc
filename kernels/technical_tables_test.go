package kernels

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/internal/testdata"
)

// flatValues is what each operator gives over bars that never move: open, high, low and close 10, volume 2.
var flatValues = map[string]float64{
	"smma": 10, "ema_first": 10, "dema": 10, "tema": 10, "t3": 10, "trima": 10, "wma": 10, "hma": 10, "kama": 10, "alma": 10,
	"highest": 10, "lowest": 10, "highest_age": 0, "lowest_age": 0,
	"linreg": 10, "linreg_slope": 0, "linreg_intercept": 10, "linreg_r2": undef,
	"roc": 0, "rsi": 50, "cmo": undef, "macd": 0, "macd_signal": 0, "macd_hist": 0, "ppo": 0, "trix": 0, "dpo": 0,
	"stoch_k": undef, "stoch_d": undef, "williams_r": undef, "cci": undef, "aroon_up": 100, "aroon_down": 100, "aroon_osc": 0, "ultimate": undef,
	"tr": 0, "atr": 0, "natr": 0, "di_plus": undef, "di_minus": undef, "dx": undef, "adx": undef, "vortex_plus": undef, "vortex_minus": undef,
	"bb_upper": 10, "bb_lower": 10, "bb_width": 0, "percent_b": undef,
	"donchian_high": 10, "donchian_low": 10, "donchian_mid": 10, "keltner_high": 10, "keltner_low": 10,
	"psar": 10, "supertrend": 10,
	"obv": 0, "adl": 0, "chaikin": 0, "mfi": 50, "force": 0, "vwma": 10,
}

func constantRows(n int, price, volume float64) *refRows {
	prices, volumes := slices.Repeat([]float64{price}, n), slices.Repeat([]float64{volume}, n)
	return &refRows{open: prices, high: prices, low: prices, close: prices, volume: volumes, gaps: make([]bool, n)}
}

// TestFlatBars holds operators to what they say of flat input, once they are warm.
func TestFlatBars(t *testing.T) {
	for _, o := range technicalOperators() {
		want, ok := flatValues[o.Name]
		if !ok {
			t.Errorf("%s: no flat value", o.Name)
		}
		for _, c := range technicalCases[o.Name] {
			rows := constantRows(40, 10, 2)
			out := rows.over(t, tableOver(t, c.text), 7)[0]
			if got := out[len(out)-1]; !near(got, want) {
				t.Errorf("%s of flat bars: %v, want %v", c.text, got, want)
			}
			// Then one bar that moves: what was undefined for want of a range has a value, or soon does.
			rows = constantRows(60, 10, 2)
			for i := 40; i < 60; i++ {
				rows.high[i], rows.low[i], rows.close[i] = 12+float64(i%3), 9-float64(i%4), 10+float64(i%2)
			}
			if out := rows.over(t, tableOver(t, c.text), 7)[0]; !isDefined(out[59]) {
				t.Errorf("%s stays undefined after flat bars", c.text)
			}
		}
	}
}

// TestUndefinedBars holds operators to having no value where there was never a bar, and to coming back after a hole.
func TestUndefinedBars(t *testing.T) {
	for _, o := range technicalOperators() {
		for _, c := range technicalCases[o.Name] {
			table := tableOver(t, c.text)
			for _, x := range constantRows(40, undef, undef).over(t, table, 64)[0] {
				if isDefined(x) || math.Float64bits(x) != 0x7ff8000000000000 {
					t.Fatalf("%s of nothing is %v", c.text, x)
				}
			}
			rows := constantRows(200, 10, 2)
			for i := range rows.close {
				rows.high[i], rows.low[i], rows.close[i] = 12+float64(i%3), 9-float64(i%4), 10+float64(i%2)
			}
			whole := rows.over(t, table, 64)[0]
			for _, hole := range []float64{undef, math.Inf(1), 1.7e308} {
				rows.high[100], rows.low[100], rows.close[100], rows.volume[100] = hole, hole, hole, hole
				out := rows.over(t, table, 64)[0]
				if !isDefined(out[199]) != !isDefined(whole[199]) {
					t.Errorf("%s: %v after %v in one bar, %v without", c.text, out[199], hole, whole[199])
				}
			}
		}
	}
}

// TestWindowsOfTimeAndSession tries the operators whose window need not be samples.
func TestWindowsOfTimeAndSession(t *testing.T) {
	second := int64(1e9)
	times := []int64{0, 40 * second, 64 * second, 100 * second, 200 * second}
	closes, volumes := []float64{5, 9, 7, 6, 4}, []float64{1, 1, 3, 1, 2}
	for text, want := range map[string][]float64{
		"highest(close, 64s)":            {undef, undef, 9, 9, 4},
		"lowest(close, 64s)":             {undef, undef, 7, 6, 4},
		"highest(close, session)":        {5, 9, 9, 9, 9},
		"lowest(close, session)":         {5, 5, 5, 5, 4},
		"donchian_mid(close, open, 64s)": {undef, undef, 8, 7.5, 4},
		"vwma(close, volume, 64s)":       {undef, undef, 30.0 / 4, 36.0 / 5, 4},
		"vwma(close, volume, session)":   {5, 7, 7, 41.0 / 6, 49.0 / 8},
		"bb_upper(close, 64s, 1)":        {undef, undef, 9, 22.0/3 + math.Sqrt(14.0/9), 4},
		"bb_width(close, session, 1)":    {0, 4.0 / 7, 2 * math.Sqrt(8.0/3) / 7, 2 * math.Sqrt(35.0/16) / 6.75, 2 * math.Sqrt(74.0/25) / 6.2},
		"percent_b(close, 64s, 1)":       {undef, undef, 0, (6-22.0/3)/(2*math.Sqrt(14.0/9)) + 0.5, undef},
	} {
		table, errs := CompileTable(barColumns, []TableExpression{{Name: "result", Text: text}}, Options{})
		if len(errs) > 0 {
			t.Fatal(errs[0].Error())
		}
		columns := make([][]float64, len(table.Columns))
		for i, name := range table.Columns {
			columns[i] = map[string][]float64{"close": closes, "open": closes, "volume": volumes}[name]
		}
		out, err := table.Evaluate(times, columns)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !near(out[0][i], want[i]) {
				t.Errorf("%s, row %d: %v, want %v", text, i, out[0][i], want[i])
			}
		}
	}
}

// readBars reads quotes whatever the case of their header; a cell that is no number is undefined.
func readBars(t *testing.T, path string) *refRows {
	f, err := os.Open(testdata.Shared(t, path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	reader := csv.NewReader(f)
	reader.FieldsPerRecord = -1
	records, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	r := &refRows{}
	for _, column := range []struct {
		name string
		to   *[]float64
	}{{"open", &r.open}, {"high", &r.high}, {"low", &r.low}, {"close", &r.close}, {"volume", &r.volume}} {
		at := slices.IndexFunc(records[0], func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), column.name) })
		for _, record := range records[1:] {
			x := math.NaN()
			if at >= 0 && at < len(record) {
				if v, err := strconv.ParseFloat(record[at], 64); err == nil {
					x = v
				}
			}
			*column.to = append(*column.to, x)
		}
	}
	r.gaps = make([]bool, len(r.close))
	return r
}

// TestEdgeQuotes runs every operator over quotes with zeros, huge and tiny prices, missing and mixed-up bars: what
// was bad leaves no trace once good bars have come.
func TestEdgeQuotes(t *testing.T) {
	good := readBars(t, "skender/quotes/default.csv")
	for _, name := range []string{"bad", "zeros", "toobig", "penny", "mismatch", "intraday"} {
		rows := readBars(t, "skender/quotes/"+name+".csv")
		from := rows.count()
		rows.open, rows.high, rows.low = append(rows.open, good.open...), append(rows.high, good.high...), append(rows.low, good.low...)
		rows.close, rows.volume = append(rows.close, good.close...), append(rows.volume, good.volume...)
		rows.gaps = make([]bool, rows.count())
		if from < 50 {
			t.Errorf("%s: %d bars", name, from)
		}
		for _, o := range technicalOperators() {
			for _, c := range technicalCases[o.Name] {
				out := rows.over(t, tableOver(t, c.text), 64)[0]
				undefined := 0
				for i, x := range out {
					if !isDefined(x) && i >= from+50 {
						undefined++
					}
				}
				if undefined > 0 {
					t.Errorf("%s over %s: %d undefined among good bars", c.text, name, undefined)
				}
			}
		}
	}
}

// TestTableBounds holds tables to their columns and rows.
func TestTableBounds(t *testing.T) {
	table := tableOver(t, "close + open")
	if fmt.Sprint(table.Columns) != "[close open]" {
		t.Errorf("reads %v", table.Columns)
	}
	for _, columns := range [][][]float64{nil, {{1}}, {{1}, {1, 2}}} {
		if _, err := table.Evaluate(nil, columns); err == nil {
			t.Errorf("%v was accepted", columns)
		}
	}
	if _, err := table.Evaluate([]int64{1}, [][]float64{{1, 2}, {1, 2}}); err == nil {
		t.Error("fewer times than rows were accepted")
	}
	var columns []string
	var sum []string
	for i := range MaxTableColumns + 1 {
		columns = append(columns, fmt.Sprintf("c%d", i))
		sum = append(sum, columns[i])
	}
	if _, errs := CompileTable(columns, []TableExpression{{"all", strings.Join(sum, " + ")}}, Options{}); len(errs) != 1 {
		t.Errorf("too many columns: %v", errs)
	}
	if _, errs := CompileTable(columns, []TableExpression{{"most", strings.Join(sum[1:], " + ")}}, Options{}); len(errs) != 0 {
		t.Errorf("%d columns: %v", MaxTableColumns, errs[0].Error())
	}
}

// TestTableNames holds tables to names: earlier expressions can be used, columns hide operators, mistakes are all told.
func TestTableNames(t *testing.T) {
	table, errs := CompileTable([]string{"price", "rsi", "Not A Name", "and", "price"}, []TableExpression{
		{"double", "price * 2"}, {"more", "double + rsi"}, {"high", "price > 3"},
	}, Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0].Error())
	}
	out, err := table.Evaluate(nil, [][]float64{{1, 4, undef}, {10, 20, 30}})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{2, 8, undef}, {12, 28, undef}, {0, 1, undef}}
	for k := range want {
		for i := range want[k] {
			if !near(out[k][i], want[k][i]) {
				t.Errorf("%s, row %d: %v, want %v", table.Outputs[k].Name, i, out[k][i], want[k][i])
			}
		}
	}
	_, errs = CompileTable([]string{"price"}, []TableExpression{
		{"a", "pirce"}, {"a", "price"}, {"ema", "price"}, {"b", "a + bid"}, {"c", "imbalance"}, {"d", "price >"},
	}, Options{})
	var got []string
	for _, e := range errs {
		got = append(got, fmt.Sprintf("%d %s: %s", e.Signal, e.Part, e.Mistake.Message))
	}
	if len(got) != 6 || !strings.HasPrefix(got[0], "0 value: unknown name pirce") || !strings.HasPrefix(got[1], "1 name: ") {
		t.Errorf("%d mistakes:\n%s", len(got), strings.Join(got, "\n"))
	}
}

// TestTechnicalSettings holds operators to the settings that they take.
func TestTechnicalSettings(t *testing.T) {
	for text, want := range map[string]string{
		"alma(close, 64)":                   "",
		"alma(close, 65)":                   "it takes up to 64",
		"alma(close, 2, sigma=1000)":        "weighs no sample",
		"alma(close, 9, offset=2)":          "offset",
		"cci(high, low, close, 1024)":       "",
		"cci(high, low, close, 1025)":       "it takes up to 1024",
		"macd(close, 12, 26)":               "",
		"macd(close, 26, 12)":               "fast below slow",
		"macd_hist(close, 12, 12, 9)":       "fast below slow",
		"linreg_slope(close, 1)":            "at least 2",
		"kama(close, 1)":                    "at least 2",
		"adx(high, low, close, 1)":          "",
		"adx(high, low, close, 1, talib=1)": "",
		"adx(high, low, close, 3, talib=2)": "talib",
		"atr(high, low, 14)":                "needs its argument",
	} {
		_, errs := CompileTable(barColumns, []TableExpression{{"result", text}}, Options{})
		got := ""
		if len(errs) > 0 {
			got = errs[0].Error()
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", text, got, want)
		}
	}
}
