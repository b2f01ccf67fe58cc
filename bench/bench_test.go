package bench

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// The benchmarks run small here, so that they cannot rot. Nothing is asserted about time.

func TestReports(t *testing.T) {
	for _, test := range []struct {
		name    string
		run     func() (*Report, error)
		figures []string
		ratios  []string
	}{
		{"codec", func() (*Report, error) { return Codec(time.Millisecond / 10) }, []string{"native JSON quote", "native binary, a tick"}, []string{"encoding_json_over_native_json"}},
		{"program", func() (*Report, error) { return Program(time.Millisecond / 10) }, []string{"six.yaml, batches of 64, a tick", "twenty.yaml, batches of 64, a tick", "ema"}, nil},
		{"ring", func() (*Report, error) { return Ring(2000) }, []string{"park, 64 bytes, channel"}, []string{"channel_over_ring_single_park_64b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := test.run()
			if err != nil {
				t.Fatal(err)
			}
			checkReport(t, r, test.figures, test.ratios)
		})
	}
}

func checkReport(t *testing.T, r *Report, figures, ratios []string) {
	t.Helper()
	for _, f := range r.Figures {
		if !(f.Value > 0) {
			t.Errorf("%s is %v", f.Name, f.Value)
		}
	}
	table := r.String()
	for _, name := range append(figures, ratios...) {
		if !strings.Contains(table, name) {
			t.Errorf("no %q in\n%s", name, table)
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Machine struct{ Go string }
		Ratios  map[string]float64
	}
	if err := json.Unmarshal(text, &read); err != nil || read.Machine.Go == "" {
		t.Fatalf("%v in %s", err, text)
	}
	for _, name := range ratios {
		if !(read.Ratios[name] > 0) {
			t.Errorf("ratio %s is %v", name, read.Ratios[name])
		}
	}
}

func TestRatioIsTheMedianOfPairs(t *testing.T) {
	r := newReport("x")
	r.ratio("r", []float64{1, 10, 100, 8, 6}, []float64{1, 2, 10, 2, 2})
	if r.Ratios[0].Value != 4 {
		t.Errorf("median of 1 5 10 4 3 is 4, got %v", r.Ratios[0].Value)
	}
}

func TestRound(t *testing.T) {
	for _, test := range [][2]float64{{123456, 123500}, {0.00012345, 0.0001234}, {9, 9}, {0, 0}} {
		if got := round(test[0]); got != test[1] {
			t.Errorf("round(%v) = %v, want %v", test[0], got, test[1])
		}
	}
}
