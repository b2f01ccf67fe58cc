package kernels

import (
	"fmt"
	"math"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
	"pgregory.net/rapid"
)

// The generator draws texts whose exact parts hold multiples of a half: sums of them are exact in any order, so
// comparisons cannot fall on different sides in the reference. Only approximate parts are compared within a tolerance.

func genExact(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 9).Draw(t, "exact")
	if depth == 0 {
		kind %= 2
	}
	sub := func() string { return genExact(t, depth-1) }
	n := rapid.IntRange(1, 5).Draw(t, "n")
	switch kind {
	case 0:
		return rapid.SampledFrom([]string{"bid", "ask", "bid_size", "ask_size", "mid", "spread", "price", "size", "aggressor"}).Draw(t, "field")
	case 1:
		return fmt.Sprint(rapid.IntRange(-3, 3).Draw(t, "constant"))
	case 2:
		return fmt.Sprintf("(%s + %s)", sub(), sub())
	case 3:
		return fmt.Sprintf("(%s - %s)", sub(), sub())
	case 4:
		return fmt.Sprintf("-%s * %d", sub(), n)
	case 5:
		return rapid.SampledFrom([]string{"abs", "sign"}).Draw(t, "function") + "(" + sub() + ")"
	case 6:
		return fmt.Sprintf("where(%s, %s, %s)", genCondition(t, depth-1), sub(), sub())
	case 7:
		return fmt.Sprintf("%s(%s + price - price, %d)", rapid.SampledFrom([]string{"prev", "diff"}).Draw(t, "lag"), sub(), n)
	case 8:
		return fmt.Sprintf("%s(%s + bid - bid)", rapid.SampledFrom([]string{"prev", "diff"}).Draw(t, "lag"), sub())
	}
	return "ofi(" + genWindow(t) + ")"
}

func genWindow(t *rapid.T) string {
	return rapid.SampledFrom([]string{"2", "3", "8", "17", "64ns", "640ns", "1000ns"}).Draw(t, "window")
}

func genCondition(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 5).Draw(t, "condition")
	if depth <= 0 {
		kind = 0
	}
	depth = max(depth-1, 0)
	switch kind {
	case 0, 1:
		op := rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "compare")
		return fmt.Sprintf("(%s %s %s)", genExact(t, depth), op, genExact(t, depth))
	case 2:
		return fmt.Sprintf("(%s and %s)", genCondition(t, depth), genCondition(t, depth))
	case 3:
		return fmt.Sprintf("(%s or %s)", genCondition(t, depth), genCondition(t, depth))
	case 4:
		return fmt.Sprintf("(not %s)", genCondition(t, depth))
	}
	return fmt.Sprintf("crosses(%s + mid, %s)", genExact(t, depth), genExact(t, depth))
}

func genNumber(t *rapid.T) string {
	x := func() string { return genExact(t, 2) }
	switch rapid.IntRange(0, 6).Draw(t, "number") {
	case 0:
		return fmt.Sprintf("%s / %s + size - size", x(), x())
	case 1:
		return fmt.Sprintf("ema(%s + mid, %d)", x(), rapid.IntRange(1, 6).Draw(t, "n"))
	case 2:
		return fmt.Sprintf("sma(%s + mid, %s)", x(), genWindow(t))
	case 3:
		return fmt.Sprintf("std(%s + price, %s, ddof=%d)", x(), genWindow(t), rapid.IntRange(0, 1).Draw(t, "ddof"))
	case 4:
		return fmt.Sprintf("zscore(%s + mid, %s) - sma(%s + mid, 2)", x(), genWindow(t), x())
	case 5:
		return "imbalance + microprice"
	}
	return x() + " + mid"
}

func genSlots(t *rapid.T) []slot {
	now := int64(rapid.IntRange(0, 5000).Draw(t, "start"))
	slots := make([]slot, rapid.IntRange(1, 150).Draw(t, "ticks"))
	small := func(name string) float64 { return float64(rapid.IntRange(0, 4).Draw(t, name)) }
	for i := range slots {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			slots[i] = statusTick()
		case 1, 2, 3:
			slots[i] = tradeTick(10+small("price"), small("size"), small("aggressor")-1)
		default:
			slots[i] = quoteTick(8+small("bid"), small("bid size"), 10+small("ask"), small("ask size"))
			switch rapid.IntRange(0, 15).Draw(t, "absent") {
			case 0:
				slots[i].f[0], slots[i].f[1] = math.NaN(), 0
			case 1:
				slots[i].f[2], slots[i].f[3] = math.NaN(), 0
			}
		}
		if rapid.IntRange(0, 30).Draw(t, "gap") == 0 {
			slots[i] = slots[i].gap()
		}
		now += int64(rapid.SampledFrom([]int{0, 0, 1, 3, 10, 40, 700}).Draw(t, "dt"))
		slots[i] = slots[i].at(now).on(uint32(rapid.IntRange(0, 2).Draw(t, "instrument")))
	}
	return slots
}

func genSpec(t *rapid.T, name string) SignalSpec {
	s := SignalSpec{Name: name, Value: genNumber(t), When: genCondition(t, 2), OnGap: expr.GapPolicy(rapid.IntRange(0, 1).Draw(t, "on gap"))}
	if rapid.Bool().Draw(t, "has exit") {
		s.Exit = genCondition(t, 2)
	}
	if rapid.Bool().Draw(t, "has side") {
		s.Side = genNumber(t)
	}
	return s
}

// TestProgramsAgainstReference holds programs of random signals to the plain evaluator, and batches of 1, 7 and
// 64 to each other bit by bit.
func TestProgramsAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		specs := []SignalSpec{genSpec(t, "first"), genSpec(t, "second")}
		c := compiler{specs: specs, options: Options{}.withDefaults(), catalogue: NewCatalogue(), graph: expr.NewGraph(), values: map[string]expr.Ref{}}
		for i := range specs {
			c.signal(i)
		}
		if len(c.errors) > 0 {
			if c.errors[0].Mistake.Message == "division by zero is always undefined" {
				return
			}
			t.Skip(c.errors[0].Mistake.Message)
		}
		compiled, errs := c.emit()
		if len(errs) > 0 {
			t.Fatal(errs[0].Error())
		}
		slots := genSlots(t)
		rows := run(t, compiled.Program, slots, 1)
		for _, batch := range []int{7, 64} {
			other := run(t, compiled.Program, slots, batch)
			for i := range rows {
				if !sameRow(rows[i], other[i]) {
					t.Fatalf("tick %d: batch 1 gives %+v, batch %d %+v\n%+v", i, rows[i], batch, other[i], specs)
				}
			}
		}
		r := newReference(c.graph)
		for i, s := range slots {
			values := r.tick(s)
			for k := range specs {
				checkSignal(t, compiled, &c.checked[k], k, values, rows[i], fmt.Sprintf("tick %d %+v of %+v", i, s, specs[k]))
			}
		}
	})
}

func sameRow(a, b row) bool {
	if a.when != b.when || a.exit != b.exit || a.suppressed != b.suppressed {
		return false
	}
	for i := range a.out {
		if math.Float64bits(a.out[i]) != math.Float64bits(b.out[i]) {
			return false
		}
	}
	return true
}

// checkSignal derives what the row must say of one signal from the reference's values.
func checkSignal(t *rapid.T, c *Compiled, s *checkedSignal, k int, values []refValue, got row, where string) {
	value, when := values[s.value], values[s.when]
	var exit refValue
	if s.exit != expr.None {
		exit = values[s.exit]
	}
	defined := isDefined(value.number)
	wantWhen := value.fresh && defined && when.isTrue
	wantExit := value.fresh && defined && exit.isTrue
	unknown := !when.isTrue && !when.isFalse
	wantSuppressed := value.fresh && (unknown || !defined && (when.isTrue || exit.isTrue))
	if got.when>>k&1 == 1 != wantWhen || got.exit>>k&1 == 1 != wantExit || got.suppressed>>k&1 == 1 != wantSuppressed {
		t.Fatalf("%s: when %t exit %t suppressed %t, got %+v", where, wantWhen, wantExit, wantSuppressed, got)
	}
	quarters := map[int]expr.Ref{c.Signals[k].ValueQuarter: s.value, c.Signals[k].SideQuarter: s.side}
	for quarter, ref := range quarters {
		if quarter < 0 {
			continue
		}
		out := got.out[quarter-program.RowFirst]
		if !wantWhen && !wantExit {
			if math.Float64bits(out) != unwritten {
				t.Fatalf("%s: output written without firing: %v", where, out)
			}
			continue
		}
		if want := values[ref].number; !near(out, want) {
			t.Fatalf("%s: quarter %d is %v, want %v", where, quarter, out, want)
		}
	}
}

func near(a, b float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && math.IsNaN(b) && math.Float64bits(a) == program.CanonicalNaN
	}
	return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b))
}
