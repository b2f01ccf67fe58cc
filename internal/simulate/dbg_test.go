package simulate

import (
	"fmt"
	"testing"
)

func TestDbg(t *testing.T) {
	r := simulate(t, *first, Options{})
	for _, run := range r.Runs {
		fmt.Printf("run %d good=%v failed=%v quiet=%d emitted=%d eng=%+v\n", run.Number, run.Good, run.Failed, run.Quiet, len(run.Emitted), run.Engine)
		for i := range run.Sources {
			s := run.Sources[i]
			fmt.Printf("  %d handled=%d decoded=%d stale=%d full=%d inlet=%+v ticks=%d rej=%v rejt=%v\n", i+1, s.Handled, s.Decoded, s.Stale, s.Full, s.Inlet, s.Decode.Ticks, s.Decode.Rejected, s.Decode.RejectedTicks)
		}
		c := map[string]int{}
		q := max(run.Quiet, 0)
		for _, e := range run.Emitted[q:] {
			b, _ := decodeEmission(e)
			c[fmt.Sprint(b.Venue, " ", b.Action, " ", b.Signal, " ", b.Reason, " res", e.Result)]++
		}
		fmt.Println(c)
		fmt.Println(run.Gates)
	}
}
