package bench

import (
	"encoding/json"
	"fmt"

	"github.com/sigengine/sigengine/ring"
	"github.com/sigengine/sigengine/ring/ringbench"
)

// Ring measures hand-overs of elements between two goroutines, beside a buffered channel. 0 takes ringbench's default.
func Ring(elements int) (*Report, error) {
	r := newReport("ring")
	var raw []ringbench.Result
	for _, strategy := range []ring.Strategy{ring.Spin, ring.SpinThenPark, ring.Park} {
		for _, size := range []int{8, 64} {
			c := ringbench.Default()
			c.Strategy, c.ElementBytes = strategy, size
			if elements > 0 {
				c.Elements = elements
			}
			result, err := ringbench.Run(c)
			if err != nil {
				return nil, fmt.Errorf("bench: %w", err)
			}
			raw = append(raw, result)
			name := fmt.Sprintf("%s, %d bytes", strategy, size)
			n := result.Median
			r.add(name+", one at a time", n.RingSingle, "ns", "")
			r.add(name+", batches of 16", n.RingBatch, "ns", "")
			r.add(name+", channel", n.Channel, "ns", "")
			key := fmt.Sprintf("%s_%db_", underscored(strategy), size)
			r.Ratios = append(r.Ratios,
				Ratio{"channel_over_ring_single_" + key[:len(key)-1], round(result.Ratios.Single)},
				Ratio{"channel_over_ring_batch16_" + key[:len(key)-1], round(result.Ratios.Batch)},
			)
		}
	}
	text, err := json.Marshal(raw)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	r.Raw = text
	return r, nil
}

func underscored(s ring.Strategy) string {
	return map[ring.Strategy]string{ring.Spin: "spin", ring.SpinThenPark: "spin_then_park", ring.Park: "park"}[s]
}
