package exact

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

var long = flag.Bool("long", false, "the sweeps behind docs/numerics.md: half a million points a function, minutes")

const (
	pointsShort = 24_000
	pointsLong  = 500_000
)

// ulps is how far got is from want, in units in the last place of want. An undefined result is right where want is nil,
// or so large that it rounds to none; within one unit of that both are.
func ulps(got float64, want *big.Float) float64 {
	if want == nil {
		if math.IsNaN(got) {
			return 0
		}
		return math.Inf(1)
	}
	if math.IsNaN(got) {
		size, largest := fresh().Abs(want), number(math.MaxFloat64)
		if size.Cmp(largest) > 0 {
			return 0
		}
		return math.Inf(1)
	}
	exponent := max(want.MantExp(nil)-53, -1074)
	if want.Sign() == 0 {
		exponent = -1074
	}
	exponent = min(exponent, 971)
	difference := minus(number(got), want)
	return math.Abs(double(difference.SetMantExp(difference, -exponent)))
}

// sweep returns the largest error over count points and where it is. The first points do not depend on count.
func sweep(s *subject, count int) (worst float64, at [2]float64) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range count {
		a := s.draw[i%len(s.draw)](r)
		e := ulps(s.call(a), s.reference(a))
		if e > worst || math.IsNaN(e) {
			worst, at = e, a
		}
	}
	return worst, at
}

// TestAccuracy sweeps every function. What it finds may not be above the bound, nor above what testdata/worst.txt says
// was found by the long sweep, which begins with the same points.
func TestAccuracy(t *testing.T) {
	count := pointsShort
	if *long {
		count = pointsLong
	}
	list := subjects()
	found := make([]finding, len(list))
	for i, s := range list {
		t.Run(s.name, func(t *testing.T) {
			worst, at := sweep(&s, count)
			found[i] = finding{s.name, count, worst, at}
			t.Logf("%d points: worst %.4f ulp at %v", count, worst, at[:s.arity])
			if !(worst <= s.bound) {
				t.Errorf("%v is off by %v ulp, want %v at most: %x", at[:s.arity], worst, s.bound, s.call(at))
			}
		})
	}
	if *long && *update {
		writeFindings(t, found)
	}
	for i, known := range readFindings(t) {
		if found[i].name != known.name && found[i].name != "" || found[i].worst > known.worst {
			t.Errorf("%+v was found, %+v is written; go test -long -update rewrites it", found[i], known)
		}
	}
}

// finding is the result of a sweep.
type finding struct {
	name   string
	points int
	worst  float64
	at     [2]float64
}

const findingsFile = "testdata/worst.txt"

func writeFindings(t *testing.T, found []finding) {
	t.Helper()
	var w bytes.Buffer
	for _, f := range found {
		fmt.Fprintf(&w, "%s %d %v %v %v\n", f.name, f.points, f.worst, f.at[0], f.at[1])
	}
	if err := os.WriteFile(findingsFile, w.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFindings(t *testing.T) []finding {
	t.Helper()
	text, err := os.ReadFile(findingsFile)
	if err != nil {
		t.Fatal(err)
	}
	var found []finding
	for line := range strings.Lines(string(text)) {
		var f finding
		if _, err := fmt.Sscan(line, &f.name, &f.points, &f.worst, &f.at[0], &f.at[1]); err != nil {
			t.Fatalf("%s: %q: %v", findingsFile, line, err)
		}
		found = append(found, f)
	}
	if len(found) != len(subjects()) {
		t.Fatalf("%s has %d functions, want %d", findingsFile, len(found), len(subjects()))
	}
	return found
}
