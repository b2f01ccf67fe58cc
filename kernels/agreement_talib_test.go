package kernels

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/internal/testdata"
)

// talibRow is one check of TA-Lib's regression tests: a function over bars startIdx to endIdx of 252, where its output
// begins, and one value of each output.
type talibRow map[string]any

func (r talibRow) text(key string) string { s, _ := r[key].(string); return s }

func (r talibRow) number(key string) float64 {
	n, ok := r[key].(json.Number)
	if !ok {
		return math.NaN()
	}
	x, _ := n.Float64()
	return x
}

func (r talibRow) count(key string) int { return int(r.number(key)) }

func (r talibRow) n() int { return r.count("optInTimePeriod") }

// value is the expected value of output k, where it is, and how much one unit of its last digit is.
func (r talibRow) value(k int) (index int, want, unit float64, ok bool) {
	for _, suffix := range []string{fmt.Sprint(k), ""} {
		n, given := r["oneOfTheExpectedOutReal"+suffix].(json.Number)
		if !given || suffix == "" && k > 0 {
			continue
		}
		want, _ = n.Float64()
		decimals := 0
		if _, fraction, found := strings.Cut(n.String(), "."); found {
			decimals = min(len(fraction), 12)
		}
		return r.count("oneOfTheExpectedOutRealIndex" + suffix), want, math.Pow10(-decimals), true
	}
	return 0, 0, 0, false
}

// talibCase is what a row means in the language: an expression for each of its outputs, or why there is none.
type talibCase struct {
	name  string // the function, as the page groups rows
	texts []string
	why   string // no expressions; or why some values differ

	whole   bool // computed from the first bar, wherever the range starts
	wilder  bool // over Wilder's bars
	rounded bool // whole numbers are rounded, also on the way
}

const whyRounded = "whole numbers are from a mode that rounds on the way as well: ours are within 1 of them"

// evaluateTalib compares one row. The bars given are those that TA-Lib looks at: from as many before the first output as
// the function looks back.
func (c *talibCase) compare(t *testing.T, r talibRow, bars map[string][]float64) (worst float64, why string) {
	if c.wilder {
		bars = wilderBars
	}
	if r.count("expectedNbElement") == 0 && !c.wilder {
		return 0, c.nothing(t, r, bars)
	}
	begin := r.count("expectedBegIdx")
	unstable := 0
	if u := r.number("unstablePeriod"); isDefined(u) {
		unstable = int(u)
	}
	for k, text := range c.texts {
		index, want, unit, ok := r.value(k)
		if !ok {
			return 0, "the row has no value"
		}
		first := firstDefined(evaluateText(t, text, bars))
		from := max(begin-first-unstable, 0)
		if c.whole {
			from = 0
		}
		cut := map[string][]float64{}
		for name := range bars {
			cut[name] = bars[name][min(from, len(bars[name])):]
		}
		got := evaluateText(t, text, cut)[begin-from+index]
		difference := math.Abs(got-want) / max(1, math.Abs(want))
		if !isDefined(got) {
			return math.Inf(1), "undefined here"
		}
		worst = max(worst, difference)
		off := math.Abs(got - want)
		if c.rounded && want == math.Trunc(want) {
			unit = 1.0 / 3
			if off >= 1 {
				t.Errorf("%s at %d+%d: %v, want %v to the next", text, begin, index, got, want)
			}
		}
		if difference > talibTolerance && off > 1.5*unit {
			return worst, fmt.Sprintf("%s at %d+%d: %v, want %v", text, begin, index, got, want)
		}
		if r.count("startIdx") == 0 && k == 0 && c.why == "" && first+unstable > begin {
			return worst, fmt.Sprintf("%s starts at %d, want %d", text, first, begin)
		}
	}
	return worst, ""
}

// nothing checks a row whose range ends before the first output.
func (c *talibCase) nothing(t *testing.T, r talibRow, bars map[string][]float64) (why string) {
	for _, text := range c.texts {
		if first := firstDefined(evaluateText(t, text, bars)); first <= r.count("endIdx") {
			return fmt.Sprintf("%s starts at %d, want nothing up to %d", text, first, r.count("endIdx"))
		}
	}
	return ""
}

// talibTolerance is relative to the value and at least to 1: the expected values are given to a few digits.
const talibTolerance = 5e-5

func firstDefined(xs []float64) int {
	return max(slices.IndexFunc(xs, isDefined), 0)
}

func readTalib(t *testing.T) (files []string, rows map[string][]talibRow) {
	f, err := os.Open(testdata.Shared(t, "talib/expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	decoder := json.NewDecoder(f)
	decoder.UseNumber()
	if err := decoder.Decode(&rows); err != nil {
		t.Fatal(err)
	}
	for name := range rows {
		files = append(files, name)
	}
	slices.Sort(files)
	return files, rows
}

// talibGroup is the rows of one function and what became of them.
type talibGroup struct {
	texts                            []string // most rows'
	uses                             map[string]int
	rows, matched, differ, uncovered int
	worst                            float64 // of the matched
	why                              []string
}

// count makes the expressions that most rows have those of the group, the first of equals.
func (g *talibGroup) count(texts []string) {
	g.uses[strings.Join(texts, ";")]++
	if g.uses[strings.Join(texts, ";")] > g.uses[strings.Join(g.texts, ";")] {
		g.texts = texts
	}
}

func talibGroups(t *testing.T) (names []string, groups map[string]*talibGroup) {
	bars := map[string][]float64{}
	for _, name := range barColumns {
		bars[name] = readColumn(t, "talib/ref_daily_252.csv", name)
	}
	files, rows := readTalib(t)
	groups = map[string]*talibGroup{}
	for _, file := range files {
		for _, r := range rows[file] {
			c := talibMeaning(file, r)
			g := groups[c.name]
			if g == nil {
				g = &talibGroup{uses: map[string]int{}}
				groups[c.name] = g
				names = append(names, c.name)
			}
			g.rows++
			note := func(why string) {
				if !slices.Contains(g.why, why) {
					g.why = append(g.why, why)
				}
			}
			if c.texts == nil {
				g.uncovered++
				note(c.why)
				continue
			}
			g.count(c.texts)
			worst, why := c.compare(t, r, bars)
			switch {
			case why == "":
				g.matched++
				g.worst = max(g.worst, worst)
			case c.why != "":
				g.differ++
				note(c.why)
			default:
				t.Errorf("%s: %s\n%v", c.name, why, r)
			}
		}
	}
	return names, groups
}

func TestAgreementTalib(t *testing.T) {
	names, groups := talibGroups(t)
	for _, name := range names {
		t.Logf("%s %+v", name, *groups[name])
	}
}
