package bench

import "time"

// pairs is how many interleaved pairs a ratio is the median of.
const pairs = 9

// perCall returns the nanoseconds that one call of do takes, over about length.
func perCall(length time.Duration, do func(calls int)) float64 {
	calls := 1
	for {
		started := time.Now()
		do(calls)
		elapsed := time.Since(started)
		if elapsed >= length/4 || calls > 1<<30 {
			return float64(elapsed.Nanoseconds()) / float64(calls)
		}
		calls = max(calls*2, int(float64(calls)*float64(length)/float64(elapsed+1)/2))
	}
}

// interleave measures contenders in turn, several rounds, and returns what each took by round.
func interleave(length time.Duration, contenders ...func(calls int)) [][]float64 {
	out := make([][]float64, len(contenders))
	for range pairs {
		for i, do := range contenders {
			out[i] = append(out[i], perCall(length, do))
		}
	}
	return out
}
