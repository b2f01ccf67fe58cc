package kernels

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// refTick is a tick of a referenced instrument, as a dependent sees it.
func refTick(ns int64, refs ...remoteValue) slot {
	return slot{ctl: program.CtlRefEvaluation, timeNs: ns, f: [4]float64{7e7, 7e7, 7e7, 7e7}}.with(refs...)
}

func fresh(v float64) remoteValue  { return remoteValue{v, ReferenceFresh} }
func held(v float64) remoteValue   { return remoteValue{v, 0} }
func gapped(v float64) remoteValue { return remoteValue{v, ReferenceGap} }

const (
	onSelf = "self"
	onES   = `ref("cme", "ES")`
)

func TestReferences(t *testing.T) {
	value := `price - of(ref("cme", "ES"), mid)`
	slots := []slot{
		trade(10, 1).with(held(math.NaN())), // nothing known of the other
		refTick(2, fresh(3)),                //
		trade(11, 3).with(held(3)),          //
		quoteTick(1, 1, 1, 1).with(held(3)), // a tick that updates nothing that is read
		refTick(4, fresh(4)),                //
		refTick(5, held(4)),                 // another reference's tick
		clockTick(1, 6).with(held(4)),       //
		trade(9, 7).with(gapped(4)),         // what is held stays
	}
	for _, k := range []struct {
		name string
		on   []string
		want string
	}{
		{"own ticks by default", nil, "? . 8 . . . . 5"},
		{"own ticks", []string{onSelf}, "? . 8 . . . . 5"},
		{"both", []string{onSelf, onES}, "? 7 8 . 7 . . 5"},
		{"in one text", []string{onSelf + ", " + onES}, "? 7 8 . 7 . . 5"},
		{"the other's alone", []string{onES}, ". 7 . . 7 . . ."},
	} {
		t.Run(k.name, func(t *testing.T) {
			checkOutcomes(t, mustCompile(t, SignalSpec{Name: "a", Value: value, When: "true", On: k.on}), slots, k.want)
		})
	}
}

// TestReferenceState: state over a reference steps on its ticks only for signals that name it in on.
func TestReferenceState(t *testing.T) {
	slots := []slot{
		trade(10, 1).with(held(1)), refTick(2, fresh(2)), refTick(3, fresh(4)), trade(11, 4).with(held(4)), refTick(5, fresh(1)), trade(12, 6).with(held(1)),
	}
	for _, k := range []struct {
		value string
		on    []string
		want  string
	}{
		{`diff(of(ref("cme", "ES"), mid) + price)`, []string{onSelf, onES}, "? 1 2 1 -3 1"},
		{`diff(of(ref("cme", "ES"), mid) + price)`, nil, "? . . 4 . -2"},
		{`price + diff(of(ref("cme", "ES"), mid))`, []string{onSelf, onES}, "? ? 12 13 8 9"},
		{`sma(of(ref("cme", "ES"), mid), 2)`, []string{onES}, ". ? 3 . 2.5 ."},
	} {
		t.Run(k.value, func(t *testing.T) {
			checkOutcomes(t, mustCompile(t, SignalSpec{Name: "a", Value: k.value, When: "true", On: k.on}), slots, k.want)
		})
	}
}

// TestReferenceGap: a gap resets what depends on the data that went missing, and nothing else.
func TestReferenceGap(t *testing.T) {
	slots := []slot{
		trade(1, 1).with(held(1)), refTick(2, fresh(2)), refTick(3, fresh(4)),
		trade(2, 4).with(gapped(4)), // the other's gap
		trade(4, 5).with(held(4)), refTick(6, fresh(7)), refTick(7, fresh(9)),
		trade(5, 8).with(held(9)).gap(), // its own
		trade(6, 9).with(held(9)), refTick(10, fresh(8)),
	}
	on := []string{onSelf, onES}
	of := `of(ref("cme", "ES"), mid)`
	for _, k := range []struct {
		name, value string
		policy      expr.GapPolicy
		want        string
	}{
		{"over the other alone", "diff(" + of + ") + price - price", expr.GapRewarm, "? ? 2 ? ? ? 2 2 2 -1"},
		{"over its own alone", "diff(price) + 0 * " + of, expr.GapRewarm, "? ? ? 1 2 2 2 ? 1 1"},
		{"over both", "diff(price + " + of + ")", expr.GapRewarm, "? 1 2 ? 2 3 2 ? 1 -1"},
		{"hold", "diff(price + " + of + ")", expr.GapHold, "? 1 2 1 2 3 2 1 1 -1"},
	} {
		t.Run(k.name, func(t *testing.T) {
			checkOutcomes(t, mustCompile(t, SignalSpec{Name: "a", Value: k.value, When: "true", On: on, OnGap: k.policy}), slots, k.want)
		})
	}
}

// TestReferenceProgram runs the program of the referenced instruments: values always, freshness in the mask.
func TestReferenceProgram(t *testing.T) {
	c := mustCompile(t, SignalSpec{
		Name:  "a",
		Value: `price - of(ref("cme", "ES"), mid) - of(ref("cme", "NQ"), diff(price)) - of(ref("cme", "NQ"), mid)`, When: `of(instrument=ref(venue="cme", symbol="ES"), x=mid) > 0`,
	})
	want := []Reference{
		{Venue: "cme", Symbol: "ES", Text: "mid", Quarter: 5, Output: 3, Bit: 0},
		{Venue: "cme", Symbol: "NQ", Text: "diff(price, 1)", Quarter: 6, Output: 4, Bit: 1},
		{Venue: "cme", Symbol: "NQ", Text: "mid", Quarter: 7, Output: 3, Bit: 0},
	}
	if !reflect.DeepEqual(c.References, want) || !reflect.DeepEqual(c.Signals[0].References, []int{0, 1, 2}) || len(c.Signals[0].OnReferences) != 0 {
		t.Fatalf("%+v\n%+v", c.References, c.Signals[0])
	}
	if c.Program.SlotQuarters != 8 || c.ReferenceProgram.SlotQuarters != 5 || c.ReferenceProgram.RowQuarters != 5 {
		t.Fatalf("%d, %d, %d", c.Program.SlotQuarters, c.ReferenceProgram.SlotQuarters, c.ReferenceProgram.RowQuarters)
	}
	for _, batch := range []int{1, 7} {
		rows := run(t, c.ReferenceProgram, []slot{
			quoteTick(1, 1, 3, 1), tradeTick(5, 1, 0), tradeTick(7, 1, 0), tradeTick(9, 1, 0).gap(), statusTick(), quoteTick(undef, 0, 3, 1).on(1),
		}, batch)
		u := undef
		for i, k := range []struct {
			mid, diff float64
			fresh     uint64
		}{{2, u, 1}, {2, u, 2}, {2, 2, 2}, {2, u, 2}, {2, u, 0}, {u, u, 1}} {
			r := rows[i]
			same := func(a, b float64) bool { return a == b || math.Float64bits(a) == program.CanonicalNaN && math.IsNaN(b) }
			if !same(r.out[0], k.mid) || !same(r.out[1], k.diff) || r.when != k.fresh || r.exit != 0 || r.suppressed != 0 {
				t.Errorf("tick %d: %+v, want %+v", i, r, k)
			}
		}
	}
}

// TestReferencesShare: equal expressions over equal instruments are one reference, also under different signals' on.
func TestReferencesShare(t *testing.T) {
	of := `of(ref("cme", "ES"), mid)`
	c := mustCompile(t,
		SignalSpec{Name: "a", Value: "price - " + of, When: "true", On: []string{onSelf, onES}},
		SignalSpec{Name: "b", Value: "price + " + of, When: "true"},
		SignalSpec{Name: "c", Value: "price", When: "value > " + of, On: []string{"clock(1s)"}},
	)
	if len(c.References) != 1 || len(c.Signals[0].OnReferences) != 1 || len(c.Signals[1].OnReferences) != 0 || len(c.Signals[2].References) != 1 {
		t.Errorf("%+v", c.References)
	}
	if a, b := c.Signals[0], c.Signals[1]; a.Value.Text != `(price - of@on(ref("cme", "ES"), mid))` || b.Value.Text != `(price + of(ref("cme", "ES"), mid))` {
		t.Errorf("%s\n%s", a.Value.Text, b.Value.Text)
	}
	// b is not evaluated on the reference's ticks, a is.
	rows := run(t, c.Program, []slot{trade(5, 1).with(held(1)), refTick(2, fresh(3))}, 1)
	if rows[0].when != 3 || rows[1].when != 1 {
		t.Errorf("%+v", rows)
	}
	hold := SignalSpec{Name: "d", Value: `price - of(ref("cme", "ES"), sma(mid, 3))`, When: "true", OnGap: expr.GapHold}
	rewarm := SignalSpec{Name: "e", Value: hold.Value, When: "true"}
	if got := mustCompile(t, hold, rewarm).References; len(got) != 2 || got[0].Text != "sma@hold(mid, 3)" || got[1].Text != "sma(mid, 3)" {
		t.Errorf("%+v", got)
	}
}

func TestUsesOfReferences(t *testing.T) {
	c := mustCompile(t, SignalSpec{Name: "a", Value: `price - of(ref("cme", "ES"), mid)`, When: "true"})
	if s := c.Signals[0]; s.UsesQuote || !s.UsesTrade {
		t.Errorf("another instrument's quotes are not its own: %+v", s)
	}
	if n := c.ReferenceNodes; len(n) != 1 || n[0].Text != "mid" || !n[0].UsesQuote {
		t.Errorf("%+v", n)
	}
}

func TestReferenceMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`of(mid, 2)`:                                             "this is not an instrument",
		`of("cme", mid)`:                                         "this is not an instrument",
		`of(ref("cme", "ES"))`:                                   "of needs its argument x",
		`of(ref("cme", "ES"), mid, 3)`:                           "of takes 2 arguments, not 3",
		`of(ref("cme"), mid)`:                                    "ref needs its argument symbol",
		`of(ref("cme", 5), mid)`:                                 "argument symbol of ref is a text",
		`of(ref("cme", "ES"), mid > 1)`:                          "argument x of of is a number, and this is a condition",
		`of(ref("cme", "ES"), 2)`:                                "this is the same for every instrument",
		`of(ref("cme", "ES"), 2s)`:                               "a duration does not fit here: argument x of of is a number",
		`of(ref("cme", "ES"), of(ref("a", "b"), mid))`:           "of cannot be used inside of",
		`of(ref("cme", "ES"), earlier)`:                          `signal earlier cannot be used inside of: it is not computed on ticks of ref("cme", "ES")`,
		`of(ref("cme", "ES"), mide)`:                             "unknown name mide",
		`of(ref("cme", "ES"), p)`:                                "parameter p has overrides, so it cannot be used inside of",
		`of(ref("cme", "ES"), sma(mid, 0))`:                      "window must be positive",
		`ref("cme", "ES")`:                                       "ref names an instrument, not a number",
		`clock(1s)`:                                              "clock is not part of an expression",
		`"cme"`:                                                  "a text does not fit here",
		`sma(of(ref("cme", "ES"), mid), 3)`:                      `sma never steps: ticks of ref("cme", "ES") do not evaluate this signal`,
		`of(ref("cme", "ES"), mid)`:                              "value reads only another instrument, whose ticks do not evaluate the signal",
		`of(ref("` + strings.Repeat("x", 33) + `", "ES"), mid)`:  "the venue is longer than 32 bytes",
		`of(ref("cme", "` + strings.Repeat("x", 97) + `"), mid)`: "the symbol is longer than 96 bytes",
	} {
		specs := []SignalSpec{
			{Name: "earlier", Value: "mid", When: "true"},
			{Name: "a", Value: text, When: "value > p", Params: []ParamSpec{{Name: "p", Text: "1", Overridden: true}}},
		}
		_, errs := Compile(specs, Options{})
		if len(errs) != 1 || errs[0].Mistake.Message != want {
			t.Errorf("%s: %+v, want %q", text, errs, want)
		}
		for _, e := range errs {
			if e.Mistake.Offset+e.Mistake.Length > len(e.Text) {
				t.Errorf("%s: outside the text: %+v", text, e)
			}
		}
	}
	var sum []string
	for range MaxReferences + 1 {
		sum = append(sum, `of(ref("v`+strings.Repeat("x", len(sum))+`", "s"), mid)`)
	}
	spec := SignalSpec{Name: "a", Value: "mid + " + strings.Join(sum, " + "), When: "true"}
	if got := compileErrors(t, Options{}, spec); len(got) != 1 || got[0] != "-1 program: 17 expressions over other instruments" {
		t.Error(got)
	}
	spec.Value = "mid + " + strings.Join(sum[1:], " + ")
	if c := mustCompile(t, spec); c.Program.SlotQuarters != 5+MaxReferences {
		t.Error(c.Program.SlotQuarters)
	}
}
