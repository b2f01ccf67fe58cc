package simulate

import (
	"flag"
	"fmt"
	"testing"
)

var (
	seeds = flag.Int("seeds", 50, "how many seeds TestSeeds runs; 10 with -short")
	first = flag.Uint64("first", 1, "the first of them")
)

// TestSeeds simulates seeds and judges each. To run one again: the command it prints.
func TestSeeds(t *testing.T) {
	count := *seeds
	if testing.Short() && count == 50 {
		count = 10
	}
	for seed := *first; seed < *first+uint64(count); seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			runSeed(t, seed)
		})
	}
}

// runSeed runs a seed three times: twice the same, once with a connection that never refuses.
func runSeed(t *testing.T, seed uint64) *Result {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("seed=%d; again: go test ./internal/simulate -run 'TestSeeds$' -seeds 1 -first %d -v", seed, seed)
			t.Logf("plan: %+v", NewPlan(seed))
		}
	}()
	result := simulate(t, seed, Options{})
	violations := Check(result)
	violations = append(violations, CheckSame(result, simulate(t, seed, Options{}), true)...)
	if result.Refused() > 0 {
		violations = append(violations, CheckSame(result, simulate(t, seed, Options{PerfectConn: true}), false)...)
	}
	for _, v := range violations {
		t.Error(v)
	}
	t.Log(describe(result))
	return result
}

func simulate(t *testing.T, seed uint64, options Options) *Result {
	t.Helper()
	result, err := Simulate(NewPlan(seed), options)
	if err != nil {
		t.Fatalf("seed=%d: %v", seed, err)
	}
	return result
}

func describe(r *Result) string {
	var ticks, gaps, signals, refused, rejected uint64
	for _, run := range r.Runs {
		ticks, gaps, signals, refused = ticks+run.Engine.Sequenced, gaps+run.Engine.Gaps, signals+run.Engine.Signals, refused+run.Engine.SinkErrors
		for i := range run.Sources {
			rejected += run.Sources[i].Decode.RejectedTotal()
		}
	}
	return fmt.Sprintf("%d runs, %d ticks, %d gaps, %d clock steps, %d messages lost, %d rejected, %d signals, %d not published",
		len(r.Runs), ticks, gaps, r.Steps, r.Lost[0]+r.Lost[1]+r.Lost[2], rejected, signals, refused)
}
