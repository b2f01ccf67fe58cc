package ringbench

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sigengine/sigengine/ring"
)

// Errors of Run.
var (
	ErrConfig = errors.New("ringbench: bad configuration")
	ErrSum    = errors.New("ringbench: the consumer saw other elements than were produced")
)

// Config says what to measure.
type Config struct {
	Elements     int           // handed over in each run
	Capacity     int           // slots of the ring and of the channel; a power of two
	Batch        int           // elements a commit in the batch runs
	ElementBytes int           // 8 or 64
	Pairs        int           // interleaved repetitions; at least 7 for a figure to keep
	Strategy     ring.Strategy // how both sides of the ring wait
}

// Default returns the configuration of the figures that the project keeps: 64-byte elements, as a tick is.
func Default() Config {
	return Config{Elements: 2_000_000, Capacity: 1 << 16, Batch: 16, ElementBytes: 64, Pairs: 9, Strategy: ring.SpinThenPark}
}

// Validate returns an error that wraps ErrConfig and names the field that is wrong.
func (c Config) Validate() error {
	switch {
	case c.Elements < 1:
		return fmt.Errorf("%w: elements must be at least 1, not %d", ErrConfig, c.Elements)
	case c.Capacity < 2 || c.Capacity&(c.Capacity-1) != 0:
		return fmt.Errorf("%w: capacity must be a power of two and at least 2, not %d", ErrConfig, c.Capacity)
	case c.Batch < 1 || c.Batch > c.Capacity:
		return fmt.Errorf("%w: batch must be 1 to the capacity, not %d", ErrConfig, c.Batch)
	case c.ElementBytes != 8 && c.ElementBytes != 64:
		return fmt.Errorf("%w: element bytes must be 8 or 64, not %d", ErrConfig, c.ElementBytes)
	case c.Pairs < 1:
		return fmt.Errorf("%w: pairs must be at least 1, not %d", ErrConfig, c.Pairs)
	case c.Strategy > ring.Park:
		return fmt.Errorf("%w: unknown wait strategy %d", ErrConfig, c.Strategy)
	}
	return nil
}

// Nanoseconds are the nanoseconds an element of one pair, or their medians.
type Nanoseconds struct {
	RingSingle     float64 `json:"ring_single"`     // hand-over, a commit and a release an element
	RingBatch      float64 `json:"ring_batch"`      // hand-over, a commit a batch
	Channel        float64 `json:"channel"`         // hand-over
	PublishSingle  float64 `json:"publish_single"`  // the producer alone, a commit an element
	PublishBatch   float64 `json:"publish_batch"`   // the producer alone, a commit a batch
	PublishChannel float64 `json:"publish_channel"` // the producer alone
}

// Ratios say how many times as long the channel takes: medians of the ratios of each pair.
type Ratios struct {
	Single        float64 `json:"channel_over_ring_single"`
	Batch         float64 `json:"channel_over_ring_batch"`
	PublishSingle float64 `json:"channel_over_ring_publish_single"`
	PublishBatch  float64 `json:"channel_over_ring_publish_batch"`
}

// Result is what Run measured.
type Result struct {
	Elements     int           `json:"elements"`
	Capacity     int           `json:"capacity"`
	Batch        int           `json:"batch"`
	ElementBytes int           `json:"element_bytes"`
	Strategy     string        `json:"strategy"`
	Median       Nanoseconds   `json:"ns_per_element"`
	Ratios       Ratios        `json:"ratios"`
	Pairs        []Nanoseconds `json:"pairs"` // raw, in the order they ran
}

// Run measures this machine. It takes about a quarter of a microsecond for each element and pair, allocates both queues
// anew for each run, and needs two processors that are otherwise idle for its figures to mean anything. The error wraps
// ErrConfig or ErrSum.
func Run(c Config) (Result, error) {
	if err := c.Validate(); err != nil {
		return Result{}, err
	}
	result := Result{
		Elements: c.Elements, Capacity: c.Capacity, Batch: c.Batch, ElementBytes: c.ElementBytes, Strategy: c.Strategy.String(),
	}
	pair := runPair[element8]
	if c.ElementBytes == 64 {
		pair = runPair[element64]
	}
	if _, err := pair(c); err != nil { // warm-up, not kept
		return Result{}, err
	}
	for range c.Pairs {
		ns, err := pair(c)
		if err != nil {
			return Result{}, err
		}
		result.Pairs = append(result.Pairs, ns)
	}
	result.summarise()
	return result, nil
}

func (r *Result) summarise() {
	over := func(value func(Nanoseconds) float64) float64 {
		values := make([]float64, 0, len(r.Pairs))
		for _, ns := range r.Pairs {
			values = append(values, value(ns))
		}
		return median(values)
	}
	r.Median = Nanoseconds{
		RingSingle:     over(func(n Nanoseconds) float64 { return n.RingSingle }),
		RingBatch:      over(func(n Nanoseconds) float64 { return n.RingBatch }),
		Channel:        over(func(n Nanoseconds) float64 { return n.Channel }),
		PublishSingle:  over(func(n Nanoseconds) float64 { return n.PublishSingle }),
		PublishBatch:   over(func(n Nanoseconds) float64 { return n.PublishBatch }),
		PublishChannel: over(func(n Nanoseconds) float64 { return n.PublishChannel }),
	}
	r.Ratios = Ratios{
		Single:        over(func(n Nanoseconds) float64 { return n.Channel / n.RingSingle }),
		Batch:         over(func(n Nanoseconds) float64 { return n.Channel / n.RingBatch }),
		PublishSingle: over(func(n Nanoseconds) float64 { return n.PublishChannel / n.PublishSingle }),
		PublishBatch:  over(func(n Nanoseconds) float64 { return n.PublishChannel / n.PublishBatch }),
	}
}

// median returns the middle of values, the mean of the middle two if their number is even, and orders them.
func median(values []float64) float64 {
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}
