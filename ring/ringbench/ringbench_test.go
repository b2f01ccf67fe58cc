package ringbench

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/sigengine/sigengine/ring"
)

// Small runs of every kind, so that the measurement cannot rot. Speed is not asserted.
func TestRun(t *testing.T) {
	for _, strategy := range []ring.Strategy{ring.Spin, ring.SpinThenPark, ring.Park} {
		for _, c := range []Config{
			{Elements: 1, Capacity: 2, Batch: 1, ElementBytes: 8, Pairs: 1, Strategy: strategy},
			{Elements: 5_000, Capacity: 64, Batch: 16, ElementBytes: 8, Pairs: 2, Strategy: strategy},
			{Elements: 5_003, Capacity: 16, Batch: 16, ElementBytes: 64, Pairs: 3, Strategy: strategy},
		} {
			result, err := Run(c)
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			if len(result.Pairs) != c.Pairs || result.Strategy != strategy.String() {
				t.Fatalf("%+v: %d pairs, strategy %q", c, len(result.Pairs), result.Strategy)
			}
			for _, ns := range append(result.Pairs, result.Median) {
				for _, value := range []float64{
					ns.RingSingle, ns.RingBatch, ns.Channel, ns.PublishSingle, ns.PublishBatch, ns.PublishChannel,
				} {
					if !(value > 0) || math.IsInf(value, 0) {
						t.Fatalf("%+v: %+v", c, ns)
					}
				}
			}
		}
	}
}

func TestValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Config){
		"elements":      func(c *Config) { c.Elements = 0 },
		"capacity":      func(c *Config) { c.Capacity = 3 },
		"capacity one":  func(c *Config) { c.Capacity, c.Batch = 1, 1 },
		"batch":         func(c *Config) { c.Batch = 0 },
		"batch too big": func(c *Config) { c.Batch = c.Capacity + 1 },
		"element":       func(c *Config) { c.ElementBytes = 16 },
		"pairs":         func(c *Config) { c.Pairs = 0 },
		"strategy":      func(c *Config) { c.Strategy = ring.Park + 1 },
	} {
		c := Default()
		spoil(&c)
		if _, err := Run(c); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSummary(t *testing.T) {
	r := Result{Pairs: []Nanoseconds{
		{RingSingle: 1, RingBatch: 2, Channel: 10, PublishSingle: 1, PublishBatch: 1, PublishChannel: 3},
		{RingSingle: 2, RingBatch: 2, Channel: 60, PublishSingle: 1, PublishBatch: 2, PublishChannel: 5},
		{RingSingle: 4, RingBatch: 1, Channel: 40, PublishSingle: 1, PublishBatch: 1, PublishChannel: 4},
	}}
	r.summarise()
	wantMedian := Nanoseconds{RingSingle: 2, RingBatch: 2, Channel: 40, PublishSingle: 1, PublishBatch: 1, PublishChannel: 4}
	wantRatios := Ratios{Single: 10, Batch: 30, PublishSingle: 4, PublishBatch: 3}
	if r.Median != wantMedian || r.Ratios != wantRatios {
		t.Fatalf("median %+v, ratios %+v", r.Median, r.Ratios)
	}
	if got := median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Fatalf("median of an even number is %v", got)
	}
}

func TestJSONNames(t *testing.T) {
	text, err := json.Marshal(Result{Pairs: []Nanoseconds{}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"elements":0,"capacity":0,"batch":0,"element_bytes":0,"strategy":"",` +
		`"ns_per_element":{"ring_single":0,"ring_batch":0,"channel":0,"publish_single":0,"publish_batch":0,"publish_channel":0},` +
		`"ratios":{"channel_over_ring_single":0,"channel_over_ring_batch":0,` +
		`"channel_over_ring_publish_single":0,"channel_over_ring_publish_batch":0},"pairs":[]}`
	if string(text) != want {
		t.Fatalf("got  %s\nwant %s", text, want)
	}
}
