package kernels

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sigengine/sigengine/kernels/program"
)

var long = flag.Bool("long", false, "prove rolling windows over ten times as many updates")

// Rolling windows against math/big. Samples are whole numbers of a grid, so exact sums of them, of their squares and of
// their products are integers, kept by adding what enters and taking away what leaves.

// exactSums are those of the pairs in a window.
type exactSums struct {
	n                 int64
	x, y, xx, yy, xy  big.Int
	product, a, b, cx big.Int
}

// add adds a pair, or takes it away if sign is -1.
func (s *exactSums) add(x, y, sign int64) {
	s.n += sign
	for _, term := range []struct {
		sum  *big.Int
		p, q int64
	}{{&s.x, x, 1}, {&s.y, y, 1}, {&s.xx, x, x}, {&s.yy, y, y}, {&s.xy, x, y}} {
		s.a.SetInt64(term.p * sign)
		s.product.Mul(&s.a, s.b.SetInt64(term.q))
		term.sum.Add(term.sum, &s.product)
	}
}

// spread is n * sum(pq) - sum(p) * sum(q): n^2 times the covariance.
func (s *exactSums) spread(pq, p, q *big.Int) float64 {
	s.cx.Mul(s.a.SetInt64(s.n), pq)
	s.cx.Sub(&s.cx, s.product.Mul(p, q))
	v, _ := s.cx.Float64()
	return v
}

func rounded(x *big.Int) float64 {
	v, _ := x.Float64()
	return v
}

// numericCase is a world of pairs: whole numbers of a grid.
type numericCase struct {
	name    string
	grid    float64
	updates int
	next    func(r *rand.Rand, i int, x, y int64) (int64, int64)
}

var numericCases = []numericCase{
	{"prices of 1e13", 1.0 / 512, 300_000, randomWalk(512e13, 2000)},
	{"moves of 1e-6 on 1e7", 1.0 / (1 << 29), 500_000, randomWalk(1e7*(1<<29), 537)},
	{"spikes of 1e12 among ones", 1.0 / 1024, 200_000, func(r *rand.Rand, i int, _, _ int64) (int64, int64) {
		if i%250 == 17 {
			return 1024e12, -1024e12
		}
		return 1024 + r.Int64N(1024), 1024 + r.Int64N(1024)
	}},
}

// randomWalk goes up to most grid steps at a time, both series with a common part, and is drawn back to where it began.
func randomWalk(start, most int64) func(r *rand.Rand, i int, x, y int64) (int64, int64) {
	return func(r *rand.Rand, i int, x, y int64) (int64, int64) {
		if i == 0 {
			return start, start
		}
		step := func() int64 { return r.Int64N(2*most+1) - most }
		common := step()
		x += (common+step())/2 - (x-start)/1000
		y += (common+step())/2 - (y-start)/1000
		return x, y
	}
}

// numericWindow is one kind of window: what it is called and how many of the oldest pairs leave with a tick.
type numericWindow struct {
	text  string
	keeps func(age, timeNs, nowNs int64) bool
}

var numericWindows = []numericWindow{
	{"100", func(age, _, _ int64) bool { return age < 100 }},
	{"640ns", func(_, timeNs, nowNs int64) bool { return timeNs/10 > nowNs/10-64 }},
}

var numericValues = []string{"sum(bid, W)", "sma(bid, W)", "variance(bid, W)", "zscore(bid, W)", "cov(bid, ask, W)", "reg_slope(ask, bid, W)"}

// errors compares what rows say with what is exact, each relative to what it may be measured by.
func (s *exactSums) errors(grid float64, newest int64, got []float64) [6]float64 {
	n := float64(s.n)
	vx, vy, c := s.spread(&s.xx, &s.x, &s.x), s.spread(&s.yy, &s.y, &s.y), s.spread(&s.xy, &s.x, &s.y)
	s.product.Sub(s.cx.Mul(s.a.SetInt64(s.n), s.b.SetInt64(newest)), &s.x)
	apart := rounded(&s.product)
	scale := grid * grid / (n * n)
	want := [6]float64{rounded(&s.x) * grid, rounded(&s.x) * grid / n, vx * scale, apart / math.Sqrt(vx), c * scale, c / vx}
	measure := [6]float64{want[0], want[1], want[2], max(1, math.Abs(want[3])), math.Sqrt(vx) * math.Sqrt(vy) * scale, math.Sqrt(vy / vx)}
	var errs [6]float64
	for i := range errs {
		errs[i] = math.Abs(got[i]-want[i]) / math.Abs(measure[i])
		if math.IsNaN(got[i]) {
			errs[i] = math.Inf(1)
		}
	}
	return errs
}

// TestRollingWindowsAreExact checks every update of a million (ten with -long) against math/big.
func TestRollingWindowsAreExact(t *testing.T) {
	for _, c := range numericCases {
		for _, w := range numericWindows {
			t.Run(c.name+" in "+w.text, func(t *testing.T) {
				updates := c.updates / len(numericWindows)
				if *long {
					updates *= 10
				}
				worst, checked := c.prove(t, w, updates)
				for i, value := range numericValues {
					t.Logf("%-24s worst %.2g over %d updates", value, worst[i], checked)
					if worst[i] > 1e-14 {
						t.Errorf("%s is off by %.2g", value, worst[i])
					}
				}
				if checked < updates*9/10 {
					t.Errorf("only %d updates were checked", checked)
				}
			})
		}
	}
}

type exactPair struct{ x, y, timeNs int64 }

// prove runs the program over random pairs and returns the worst error of each value.
func (c *numericCase) prove(t *testing.T, w numericWindow, updates int) (worst [6]float64, checked int) {
	var specs []SignalSpec
	for i, value := range numericValues {
		spec := watch(replaceWindow(value, w.text))
		spec.Name += string(rune('a' + i))
		specs = append(specs, spec)
	}
	compiled := mustCompile(t, specs...)
	p := compiled.Program
	ex, err := program.NewExecutor(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	ex.SetWord(0, 0, ^uint64(0))
	lane := &program.Lane{In: make([]program.Quarter, p.SlotQuarters*64), Out: make([]program.Quarter, p.RowQuarters*64), Capacity: 64}

	r := rand.New(rand.NewPCG(1, 2))
	var sums exactSums
	var held []exactPair
	batch := make([]exactPair, 64)
	var x, y, now int64
	for from := 0; from < updates; from += 64 {
		for i := range batch {
			x, y = c.next(r, from+i, x, y)
			now += 1 + r.Int64N(12)
			batch[i] = exactPair{x, y, now}
			stage(lane, uint64(from+i), both(float64(x)*c.grid, float64(y)*c.grid).at(now))
		}
		ex.Run(lane, uint64(from), uint64(from+64))
		for i, pair := range batch {
			sums.add(pair.x, pair.y, 1)
			held = append(held, pair)
			for !w.keeps(int64(len(held)-1), held[0].timeNs, pair.timeNs) {
				sums.add(held[0].x, held[0].y, -1)
				held = held[1:]
			}
			row := readRow(p, lane, uint64(from+i))
			if row.when != 1<<len(specs)-1 {
				continue // not warm yet
			}
			var got []float64
			for _, s := range compiled.Signals {
				got = append(got, row.out[s.ValueQuarter-program.RowFirst])
			}
			checked++
			for k, e := range sums.errors(c.grid, pair.x, got) {
				worst[k] = max(worst[k], e)
			}
		}
	}
	return worst, checked
}

func replaceWindow(text, window string) string {
	out := ""
	for _, r := range text {
		if r == 'W' {
			out += window
		} else {
			out += string(r)
		}
	}
	return out
}
