package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
)

// exampleCall writes a call of an operator: prices where it wants prices, small windows.
func exampleCall(o *Operator) string {
	named := map[string]string{
		"open": "mid", "high": "(ask + 5)", "low": "(bid - 5)", "close": "price", "volume": "size", "v": "3", "y": "mid",
		"enter": "11", "leave": "9", "c": "11", "a": "mid", "b": "price", "level": "11",
		"step": "0.02", "most": "0.2",
	}
	var args []string
	for _, p := range o.Params {
		if p.Optional {
			continue
		}
		text := "price"
		switch p.Kind {
		case expr.ParamSeries:
			if t := named[p.Name]; t != "" {
				text = t
			}
		case expr.ParamCondition:
			text = "price > 11"
		case expr.ParamWindow, expr.ParamSamples:
			text = fmt.Sprint(max(4+len(args), int(p.Min)))
		case expr.ParamDuration:
			text = "64ns"
		case expr.ParamInteger:
			text = fmt.Sprint(p.Min)
		case expr.ParamNumber:
			text = fmt.Sprint(max(p.Least, min(p.Most, 0.5)))
		}
		args = append(args, text)
	}
	call := o.Name
	if len(o.Params) > 0 {
		call += "(" + strings.Join(args, ", ") + ")"
	}
	if o.Result == expr.KindCondition {
		return "where(" + call + ", 1, 0)"
	}
	return call
}

// goodTicks are ordinary quotes and trades from a time on.
func goodTicks(r *rand.Rand, n int, fromNs int64) []slot {
	slots := make([]slot, n)
	for i := range slots {
		fromNs += 1 + r.Int64N(9)
		if r.IntN(2) == 0 {
			slots[i] = tradeTick(10+4*r.Float64(), 1+r.Float64(), float64(r.IntN(2)*2-1))
		} else {
			slots[i] = quoteTick(8+2*r.Float64(), 1+r.Float64(), 11+2*r.Float64(), 1+r.Float64())
		}
		slots[i] = slots[i].at(fromNs)
	}
	return slots
}

// badTicks are of numbers that no market has.
func badTicks(r *rand.Rand, n int, fromNs int64) []slot {
	bad := []float64{
		math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, 1e200, -1e200, -7,
		math.SmallestNonzeroFloat64, math.Float64frombits(0xfff8000000000001), 3,
	}
	slots := goodTicks(r, n, fromNs)
	for i := range slots {
		for k := range slots[i].f {
			if r.IntN(3) > 0 {
				slots[i].f[k] = bad[r.IntN(len(bad))]
			}
		}
	}
	return slots
}

// TestNothingBadStays runs every operator of the catalogue over numbers that no market has, and then over ordinary
// ticks: it must come to have values again wherever it has them on ordinary ticks alone.
func TestNothingBadStays(t *testing.T) {
	const before, after, looked = 300, 4000, 500
	c := NewCatalogue()
	for i := range c.Operators {
		o := &c.Operators[i]
		call := exampleCall(o)
		t.Run(o.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, uint64(i)))
			bad := badTicks(r, before, 0)
			good := goodTicks(r, after, bad[len(bad)-1].timeNs)
			alone, fresh := undefinedAtEnd(runValue(t, watch(call), good, 64), looked)
			if fresh == 0 || alone == fresh {
				t.Fatalf("%s has no value on ordinary ticks: the test shows nothing", call)
			}
			undefined, fresh := undefinedAtEnd(runValue(t, watch(call), append(bad, good...), 64), looked)
			if fresh == 0 || undefined > alone {
				t.Errorf("%s is undefined on %d of the last %d updates, without bad numbers before on %d", call, undefined, fresh, alone)
			}
		})
	}
}

func undefinedAtEnd(values []float64, looked int) (undefined, fresh int) {
	for _, v := range values[len(values)-looked:] {
		if v == notFresh {
			continue
		}
		fresh++
		if math.IsNaN(v) {
			undefined++
		}
	}
	return undefined, fresh
}
