package kernels

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/sigengine/sigengine/internal/testdata"
)

// readColumn returns one column of a CSV with a header; empty cells are undefined.
func readColumn(t testing.TB, path, name string) []float64 {
	t.Helper()
	f, err := os.Open(testdata.Shared(t, path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for i, header := range records[0] {
		if header == name {
			at = i
		}
	}
	if at < 0 {
		t.Fatalf("%s has no column %s", path, name)
	}
	var column []float64
	for _, record := range records[1:] {
		value := math.NaN()
		if record[at] != "" {
			if value, err = strconv.ParseFloat(record[at], 64); err != nil {
				t.Fatal(err)
			}
		}
		column = append(column, value)
	}
	return column
}

// TestAgainstSkender feeds 502 daily closes as trades and compares with DaveSkender/Stock.Indicators.
func TestAgainstSkender(t *testing.T) {
	closes := readColumn(t, "skender/quotes/default.csv", "close")
	slots := make([]slot, len(closes))
	for i, price := range closes {
		slots[i] = tradeTick(price, 1, 0)
	}
	for _, c := range []struct {
		value, file, column string
		tolerance           float64 // of the difference relative to the value; 0 is to the bit
		least               float64 // smaller values count as this: a score near 0 is a difference of near equals
	}{
		{"ema(price, 20)", "skender/results/ema.csv", "ema", 0, 0},
		{"sma(price, 20)", "skender/results/sma.csv", "sma", 1e-12, 0},
		{"std(price, 14)", "skender/results/stdev.csv", "stdDev", 1e-12, 0},
		{"sma(price, 14)", "skender/results/stdev.csv", "mean", 1e-12, 0},
		{"zscore(price, 14)", "skender/results/stdev.csv", "zScore", 1e-12, 1},
	} {
		t.Run(c.value, func(t *testing.T) {
			want := readColumn(t, c.file, c.column)
			got := runValue(t, watch(c.value), slots, 64)
			if len(got) != len(want) {
				t.Fatalf("%d values, want %d", len(got), len(want))
			}
			worst := 0.0
			for i := range want {
				if math.IsNaN(got[i]) != math.IsNaN(want[i]) {
					t.Fatalf("bar %d: %v, want %v", i, got[i], want[i])
				}
				if math.IsNaN(want[i]) {
					continue
				}
				difference := math.Abs(got[i]-want[i]) / max(math.Abs(want[i]), c.least, math.SmallestNonzeroFloat64)
				worst = max(worst, difference)
				if difference > c.tolerance {
					t.Errorf("bar %d: %v, want %v", i, got[i], want[i])
				}
			}
			t.Logf("largest relative difference %.2g", worst)
		})
	}
}
