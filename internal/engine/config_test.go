package engine

import "testing"

// TestShrinkLanes: only a fused run on the CPU gets fewer slots, never more than it had, always a shape that is valid.
func TestShrinkLanes(t *testing.T) {
	for _, test := range []struct {
		name  string
		shape Config
		want  int
	}{
		{"fused", Config{Mode: ModeFused, Batch: 64, LaneSlots: 8192}, 1024},
		{"larger turns", Config{Mode: ModeFused, Batch: 500, LaneSlots: 8192}, 2048},
		{"the largest turns", Config{Mode: ModeFused, Batch: BatchMax, LaneSlots: 8192}, 8192},
		{"few already", Config{Mode: ModeFused, Batch: 16, LaneSlots: 64}, 64},
		{"staged", Config{Mode: ModeStaged, Batch: 64, LaneSlots: 8192}, 8192},
		{"on a device", Config{Mode: ModeFused, Batch: 64, LaneSlots: 8192, GPU: &GPU{}}, 8192},
	} {
		c := test.shape
		c.Lanes, c.Instruments = 1, 1
		if err := c.Validate(); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		c.ShrinkLanes()
		if err := c.Validate(); err != nil || c.LaneSlots != test.want {
			t.Errorf("%s: %d slots, want %d; %v", test.name, c.LaneSlots, test.want, err)
		}
	}
}
