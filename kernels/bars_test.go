package kernels

import (
	"fmt"
	"math"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
	"pgregory.net/rapid"
)

var barRules = func() map[string]plainRule {
	rules := map[string]plainRule{
		"sample": {holds: true, value: func(c plainCall) refValue {
			return plainKept(c, func(taken []int, i int) bool {
				return len(taken) == 0 || c.steps[i].timeNs-c.steps[taken[len(taken)-1]].timeNs >= c.settings[0].DurationNs
			})
		}},
		"every": {holds: true, value: func(c plainCall) refValue {
			return plainKept(c, func(_ []int, i int) bool { return (i+1)%int(c.settings[0].Count) == 0 })
		}},
	}
	for name, of := range plainBarParts {
		rules["bar_"+name] = plainRule{value: func(c plainCall) refValue { return plainBar(c, of, plainBarEnds(c)) }}
		rules["volume_bar_"+name] = plainRule{
			steps: func(args []refValue) bool { return allDefined(args[:len(args)-1]) },
			value: func(c plainCall) refValue { return plainBar(volumeInputs(c, name), of, plainVolumeEnds(c, name)) },
		}
	}
	return rules
}()

// plainKept is x of the last step taken.
func plainKept(c plainCall, takes func(taken []int, i int) bool) refValue {
	var taken []int
	for i := range c.steps {
		if takes(taken, i) {
			taken = append(taken, i)
		}
	}
	if len(taken) == 0 {
		return refValue{number: math.NaN()}
	}
	last := taken[len(taken)-1]
	return refValue{number: c.steps[last].x(0), fresh: c.stepped && last == len(c.steps)-1}
}

var plainBarParts = map[string]func(bar []plainStep) float64{
	"open":   func(bar []plainStep) float64 { return bar[0].x(0) },
	"close":  func(bar []plainStep) float64 { return bar[len(bar)-1].x(0) },
	"high":   func(bar []plainStep) float64 { return extremeOf(bar, math.Max) },
	"low":    func(bar []plainStep) float64 { return extremeOf(bar, math.Min) },
	"volume": func(bar []plainStep) float64 { return sumOf(bar, func(s plainStep) float64 { return s.x(0) }) },
	"vwap": func(bar []plainStep) float64 {
		paid := sumOf(bar, func(s plainStep) float64 { return s.x(0) * s.x(1) })
		return paid / sumOf(bar, func(s plainStep) float64 { return s.x(1) })
	},
}

func extremeOf(bar []plainStep, of func(a, b float64) float64) float64 {
	x := bar[0].x(0)
	for _, s := range bar {
		x = of(x, s.x(0))
	}
	return x
}

func sumOf(bar []plainStep, of func(s plainStep) float64) float64 {
	total := 0.0
	for _, s := range bar {
		total += of(s)
	}
	return total
}

// plainSpan is a whole bar, steps [from, to), and the step that shows it.
type plainSpan struct{ from, to, shown int }

func plainBarEnds(c plainCall) (bars []plainSpan) {
	w := c.settings[0]
	if w.DurationNs == 0 {
		n := int(w.Count)
		for end := n; end <= len(c.steps); end += n {
			bars = append(bars, plainSpan{end - n, end, end - 1})
		}
		return bars
	}
	from := -1 // the first bar is not whole
	for i := 1; i < len(c.steps); i++ {
		if floorDiv(c.steps[i].timeNs, w.DurationNs) != floorDiv(c.steps[i-1].timeNs, w.DurationNs) {
			if from >= 0 {
				bars = append(bars, plainSpan{from, i, i})
			}
			from = i
		}
	}
	return bars
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// volumeInputs puts x first, where size comes before it.
func volumeInputs(c plainCall, name string) plainCall {
	if name == "volume" || name == "vwap" {
		return c
	}
	steps := make([]plainStep, len(c.steps))
	for i, s := range c.steps {
		steps[i] = plainStep{s.timeNs, []refValue{s.args[1], s.args[0], s.args[2]}}
	}
	c.steps = steps
	return c
}

func plainVolumeEnds(c plainCall, name string) (bars []plainSpan) {
	size := 0
	if name == "vwap" {
		size = 1
	}
	total, from := 0.0, 0
	for i, s := range c.steps {
		if s.args[size].fresh {
			total += s.x(size)
		}
		if v := s.x(len(s.args) - 1); v > 0 && total >= v {
			bars = append(bars, plainSpan{from, i + 1, i})
			total, from = 0, i+1
		}
	}
	return bars
}

func plainBar(c plainCall, of func(bar []plainStep) float64, bars []plainSpan) refValue {
	if len(bars) == 0 {
		return refValue{number: math.NaN()}
	}
	last := bars[len(bars)-1]
	return refValue{number: of(c.steps[last.from:last.to]), fresh: c.stepped && last.shown == len(c.steps)-1}
}

func TestBarsByTime(t *testing.T) {
	minute := 60 * second
	trades := []slot{
		tradeTick(10, 1, 0).at(50 * second), // its bar had begun
		tradeTick(11, 2, 0).at(minute),
		tradeTick(14, 1, 0).at(minute + 1),
		quoteTick(1, 1, 2, 1).at(2*minute + 1), // not a step of the bars
		tradeTick(12, 5, 0).at(2*minute + 2),   // closes 11, 14
		tradeTick(9, 1, 0).at(3*minute - 1),
		tradeTick(13, 1, 0).at(7 * minute), // closes 12, 9
		tradeTick(15, 0, 0).at(8 * minute).gap(),
		tradeTick(16, 1, 0).at(9 * minute), // closes what began before it was seen
		tradeTick(17, 1, 0).at(10 * minute),
	}
	n := notFresh
	runCases(t, []operatorCase{
		{"open", "bar_open(price, 1m)", false, trades, []float64{n, n, n, n, 11, n, 12, n, n, 16}},
		{"high", "bar_high(price, 1m)", false, trades, []float64{n, n, n, n, 14, n, 12, n, n, 16}},
		{"low", "bar_low(price, 1m)", false, trades, []float64{n, n, n, n, 11, n, 9, n, n, 16}},
		{"close", "bar_close(price, 1m)", false, trades, []float64{n, n, n, n, 14, n, 9, n, n, 16}},
		{"volume", "bar_volume(1m)", false, trades, []float64{n, n, n, n, 3, n, 6, n, n, 1}},
		{"vwap", "bar_vwap(1m)", false, trades, []float64{n, n, n, n, 12, n, 69 / 6.0, n, n, 16}},
		{"over a held gap", "bar_close(price, 1m)", true, trades, []float64{n, n, n, n, 14, n, 9, 13, 15, 16}},
		{
			"holds until the next, not over a gap", "bar_close(price, 1m) + mid - mid", false,
			append(append(append([]slot(nil), trades[3].at(0)), trades[:8]...), trades[3].at(8*minute+1)),
			[]float64{undef, n, n, n, undef, 14, n, 9, n, undef},
		},
	})
}

func TestBarsByStepsAndVolume(t *testing.T) {
	trades := []slot{
		tradeTick(10, 1, 0), tradeTick(12, 2, 0), tradeTick(undef, 9, 0), tradeTick(9, 3, 0), tradeTick(11, 0, 0),
		tradeTick(13, 4, 0), tradeTick(8, 1, 0),
	}
	gapped := append([]slot(nil), trades...)
	gapped[1] = gapped[1].gap()
	n := notFresh
	runCases(t, []operatorCase{
		{"open", "bar_open(price, 3)", false, trades, []float64{n, n, n, 10, n, n, 11}},
		{"high", "bar_high(price, 3)", false, trades, []float64{n, n, n, 12, n, n, 13}},
		{"low", "bar_low(price, 3)", false, trades, []float64{n, n, n, 9, n, n, 8}},
		{"close", "bar_close(price, 3)", false, trades, []float64{n, n, n, 9, n, n, 8}},
		{"volume", "bar_volume(3)", false, trades, []float64{n, n, 12, n, n, 7, n}},
		{"vwap", "bar_vwap(3)", false, trades, []float64{n, n, n, 61 / 6.0, n, n, 12}},
		{"rewarms", "bar_open(price, 3)", false, gapped, []float64{n, n, n, n, 12, n, n}},
		{"one step", "bar_close(price, 1)", false, trades, []float64{10, 12, n, 9, 11, 13, 8}},
		{"by volume", "volume_bar_high(price, 3)", false, trades, []float64{n, 12, n, 9, n, 13, n}},
		{"volume of it", "volume_bar_volume(3)", false, trades, []float64{n, 3, 9, 3, n, 4, n}},
		{"vwap of it", "volume_bar_vwap(3)", false, trades, []float64{n, 34 / 3.0, n, 9, n, 13, n}},
		{"open of it", "volume_bar_open(price, 3)", false, trades, []float64{n, 10, n, 9, n, 11, n}},
		{"no volume", "volume_bar_close(price, 0)", false, trades, []float64{n, n, n, n, n, n, n}},
		{
			"of a quote", "volume_bar_close(mid, 3)", false,
			[]slot{tradeTick(1, 2, 0), quoteTick(4, 1, 4, 1), quoteTick(6, 1, 6, 1), tradeTick(1, 2, 0), tradeTick(1, 1, 0), quoteTick(8, 1, 8, 1)},
			[]float64{n, n, n, n, 6, n},
		},
	})
}

func TestSampling(t *testing.T) {
	ticks := []slot{
		tradeTick(1, 1, 0).at(5), tradeTick(2, 1, 0).at(104), tradeTick(undef, 1, 0).at(110), tradeTick(3, 1, 0).at(111),
		tradeTick(4, 1, 0).at(210), tradeTick(5, 1, 0).at(211).gap(), statusTick().at(400), tradeTick(6, 1, 0).at(900),
	}
	n := notFresh
	runCases(t, []operatorCase{
		{"sample", "sample(price, 100ns)", false, ticks, []float64{1, n, n, 3, n, 5, n, 6}},
		{"every", "every(price, 2)", false, ticks, []float64{n, 2, n, n, 4, n, n, 6}},
		{"every one", "every(price, 1)", false, ticks, []float64{1, 2, n, 3, 4, 5, n, 6}},
		{"holds", "sample(price, 100ns) + size - size", false, ticks, []float64{1, 1, 1, 3, 3, 5, n, 6}},
	})
}

func TestBarSettings(t *testing.T) {
	for value, want := range map[string]string{
		"bar_open(price, 999us)": "bars are at least 1ms long",
	} {
		_, errs := Compile([]SignalSpec{watch(value)}, Options{})
		if len(errs) != 1 || errs[0].Mistake.Message != want {
			t.Errorf("%s: %v, want %s", value, errs, want)
		}
	}
}

func TestBarsAgainstPlain(t *testing.T) {
	checkRules(t, "bar_open(X, N)", "bar_high(X, N)", "bar_low(X, N)", "bar_close(X, N)", "bar_volume(N)", "bar_vwap(N)",
		"volume_bar_open(X, N)", "volume_bar_high(X, N)", "volume_bar_low(X, N)", "volume_bar_close(X, N)", "volume_bar_volume(N)",
		"volume_bar_vwap(N)", "sample(X, D)", "every(X, N)")
	rapid.Check(t, func(t *rapid.T) {
		slots := genSlots(t)
		for i := range slots {
			slots[i].timeNs *= 10_000 // the drawn times are of nanoseconds
		}
		part := rapid.SampledFrom([]string{"open(price, ", "high(mid, ", "low(size, ", "close(bid, ", "volume(", "vwap("}).Draw(t, "part")
		period := rapid.SampledFrom([]string{"1ms", "3ms", "7001us"}).Draw(t, "period")
		checkAgainstPlain(t, "bar_"+part+period+")", expr.GapPolicy(rapid.IntRange(0, 1).Draw(t, "on gap")), slots)
	})
}

// TestPeriod checks the quotient without a division at every size of time and period, around its edges.
func TestPeriod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64Range(shortestBarNs, expr.MaxDurationNs).Draw(t, "period")
		number := rapid.Int64Range(math.MinInt64/ns, math.MaxInt64/ns-1).Draw(t, "number")
		at := number*ns + rapid.SampledFrom([]int64{0, 1, ns / 2, ns - 1}).Draw(t, "offset")
		if number == math.MinInt64/ns {
			at = number * ns
		}
		e := newEmitter(expr.NewGraph(), NewCatalogue(), 64)
		word := e.b.AllocState(1)
		e.b.Store(word, e.period(ns))
		p, err := e.b.Build()
		if err != nil {
			t.Fatal(err)
		}
		ex, err := program.NewExecutor(p, 1)
		if err != nil {
			t.Fatal(err)
		}
		lane := &program.Lane{In: make([]program.Quarter, p.SlotQuarters), Out: make([]program.Quarter, p.RowQuarters), Capacity: 1}
		stage(lane, 0, slot{timeNs: at})
		ex.Run(lane, 0, 1)
		if got := int64(ex.Word(0, word)); got != number {
			t.Fatal(fmt.Sprintf("period %d of time %d is %d, want %d", ns, at, got, number))
		}
	})
}
