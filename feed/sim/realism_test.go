package sim

import (
	"math"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

// sample is a stretch of the default market without faults, kept by instrument.
type sample struct {
	ticks  [][]feed.Tick
	gapsNs []float64 // between successive ticks, all instruments
	spanNs float64
}

func takeSample(t *testing.T, config Config, count int) sample {
	t.Helper()
	m := mustNew(t, config)
	s := sample{ticks: make([][]feed.Tick, m.Len())}
	lastNs := config.StartNs
	for range count {
		var tick feed.Tick
		m.Next(&tick)
		s.gapsNs = append(s.gapsNs, float64(tick.ExchangeNs-lastNs))
		lastNs = tick.ExchangeNs
		s.ticks[tick.Instrument] = append(s.ticks[tick.Instrument], tick)
	}
	s.spanNs = float64(lastNs - config.StartNs)
	return s
}

func calm() Config {
	config := Default()
	config.Faults = Faults{}
	return config
}

func correlation(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, sxx, syy, sxy float64
	for i := range x {
		sx, sy = sx+x[i], sy+y[i]
		sxx, syy, sxy = sxx+x[i]*x[i], syy+y[i]*y[i], sxy+x[i]*y[i]
	}
	return (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy))
}

// lagged is the correlation of x with itself lag places on.
func lagged(x []float64, lag int) float64 { return correlation(x[:len(x)-lag], x[lag:]) }

func TestRateHolds(t *testing.T) {
	for _, rate := range []float64{200, 20_000, 5e6} {
		config := Default()
		config.RatePerSecond = rate
		s := takeSample(t, config, 400_000)
		if got := 400_000 / s.spanNs * 1e9; math.Abs(got/rate-1) > 0.05 {
			t.Errorf("rate %g: %g ticks a second", rate, got)
		}
	}
}

func TestArrivalsBunch(t *testing.T) {
	s := takeSample(t, calm(), 400_000)
	var mean, square float64
	for _, gap := range s.gapsNs {
		mean += gap / float64(len(s.gapsNs))
		square += gap * gap / float64(len(s.gapsNs))
	}
	if cv2 := square/(mean*mean) - 1; cv2 < 1.2 { // Poisson has 1
		t.Errorf("squared variation of gaps %.2f", cv2)
	}
	if c := lagged(s.gapsNs, 1); c < 0.05 {
		t.Errorf("gaps do not cluster: correlation %.3f", c)
	}
}

func TestActivityIsUneven(t *testing.T) {
	s := takeSample(t, calm(), 400_000)
	first, tenth, last := len(s.ticks[0]), len(s.ticks[9]), len(s.ticks[63])
	if first < 6*tenth || first > 16*tenth || last < first/130 || last > first/35 {
		t.Errorf("ticks of instruments 0, 9 and 63: %d, %d, %d; want about 64 : 6.4 : 1", first, tenth, last)
	}
}

// busiest returns the undisturbed quotes of instrument 0 as mids and imbalances, and its spreads in price steps.
func busiest(t *testing.T, rate float64) (mids, imbalances, spreads []float64) {
	t.Helper()
	config := calm()
	config.RatePerSecond = rate
	m := mustNew(t, config)
	steps := grids[m.instruments[0].grid].stepsPerUnit
	for _, tick := range takeSample(t, config, 1_000_000).ticks[0] {
		if tick.Kind == feed.KindQuote {
			mids = append(mids, (tick.F[0]+tick.F[2])/2*steps)
			imbalances = append(imbalances, (tick.F[1]-tick.F[3])/(tick.F[1]+tick.F[3]))
			spreads = append(spreads, (tick.F[2]-tick.F[0])*steps)
		}
	}
	return mids, imbalances, spreads
}

func TestImbalanceLeadsTheMid(t *testing.T) {
	const ahead = 200 // quotes
	mids, imbalances, _ := busiest(t, 20_000)
	moves := make([]float64, len(mids)-ahead)
	for i := range moves {
		moves[i] = mids[i+ahead] - mids[i]
	}
	if c := correlation(imbalances[:len(moves)], moves); c < 0.03 || c > 0.5 {
		t.Errorf("correlation of imbalance with the move after it: %.3f", c)
	}
}

func TestSpreadsAreWholeStepsAndVary(t *testing.T) {
	_, _, spreads := busiest(t, 20_000)
	seen := map[float64]int{}
	for _, s := range spreads {
		whole := math.Round(s)
		if math.Abs(s-whole) > 1e-6 || whole < 1 {
			t.Fatalf("spread of %v steps", s)
		}
		seen[whole]++
	}
	if len(seen) < 2 || lagged(spreads, 1) < 0.05 {
		t.Errorf("spreads %v, correlation %.3f", seen, lagged(spreads, 1))
	}
}

func TestVolatilityClusters(t *testing.T) {
	mids, _, _ := busiest(t, 1000) // so that the sample spans many rises and falls of volatility
	const block = 50               // quotes, about a third of a second
	var moves []float64
	for i := block; i < len(mids); i += block {
		moves = append(moves, math.Abs(mids[i]-mids[i-block]))
	}
	if c := lagged(moves, 1); c < 0.05 {
		t.Errorf("sizes of successive moves: correlation %.3f", c)
	}
}

func TestTradesComeInRuns(t *testing.T) {
	var sides []float64
	for _, tick := range takeSample(t, calm(), 400_000).ticks[0] {
		if tick.Kind == feed.KindTrade {
			sides = append(sides, tick.F[2])
		}
	}
	if c := lagged(sides, 1); c < 0.1 || c > 0.9 {
		t.Errorf("aggressors: correlation %.3f", c)
	}
}

// TestInstrumentsMoveTogether compares the moves of the two busiest instruments over the same seconds.
func TestInstrumentsMoveTogether(t *testing.T) {
	config := calm()
	config.RatePerSecond = 500
	s := takeSample(t, config, 400_000) // 800 s
	moves := func(i int) []float64 {
		var out []float64
		var mid, last float64
		end := config.StartNs + 1e9
		for _, tick := range s.ticks[i] {
			for tick.ExchangeNs >= end {
				out = append(out, mid-last)
				last = mid
				end += 1e9
			}
			if tick.Kind == feed.KindQuote {
				mid = (tick.F[0] + tick.F[2]) / 2
			}
		}
		return out[1:700]
	}
	if c := correlation(moves(0), moves(1)); c < 0.1 {
		t.Errorf("correlation of moves %.3f", c)
	}
}

func TestChooserKeepsWeights(t *testing.T) {
	weights := []float64{1, 0.5, 0.25, 3, 0.001}
	total := 4.751
	c := newChooser(weights)
	var r random
	r.seed(7, 7)
	counts := make([]float64, len(weights))
	const draws = 2_000_000
	for range draws {
		counts[c.choose(r.bits64())]++
	}
	for i, w := range weights {
		want := w / total * draws
		if math.Abs(counts[i]-want) > 5*math.Sqrt(want)+1 {
			t.Errorf("weight %v drawn %v times, want %.0f", w, counts[i], want)
		}
	}
}

func TestApproximations(t *testing.T) {
	for x := -30.0; x <= 30; x += 0.037 {
		if got, want := exp2(x), math.Exp2(x); math.Abs(got/want-1) > 0.004 {
			t.Fatalf("exp2(%v) = %v, want %v", x, got, want)
		}
	}
	if exp2(1000) != exp2(30) || exp2(-1000) != exp2(-30) {
		t.Error("exp2 is not clamped")
	}
	var r random
	r.seed(1, 1)
	for range 100_000 {
		word := r.bits64()
		want := -math.Log(float64(word) / (1 << 64))
		if got := negativeLog(word); !(got > 0) || math.Abs(got-want) > 0.009 {
			t.Fatalf("negativeLog(%#x) = %v, want %v", word, got, want)
		}
	}
	if got := negativeLog(^uint64(0)); !(got >= 0) {
		t.Errorf("negativeLog of all ones: %v", got)
	}
}
