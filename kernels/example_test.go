package kernels_test

import (
	"fmt"
	"math"

	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// Two signals become one program; the second uses the first.
func ExampleCompile() {
	compiled, errs := kernels.Compile([]kernels.SignalSpec{
		{Name: "stretch", Value: "mid - ema(mid, 20)", When: "abs(value) > 2 * spread", Side: "-sign(value)"},
		{Name: "turning", Value: "diff(stretch)", When: "crosses(value, 0)", OnGap: expr.GapHold},
	}, kernels.Options{})
	if len(errs) > 0 {
		fmt.Println(errs[0].Error())
		return
	}
	for _, s := range compiled.Signals {
		fmt.Printf("%s: value in row quarter %d, side in %d, quotes %t, trades %t\n",
			s.Name, s.ValueQuarter, s.SideQuarter, s.UsesQuote, s.UsesTrade)
		fmt.Printf("  %s\n", s.Value.Text)
	}
	// Output:
	// stretch: value in row quarter 3, side in 4, quotes true, trades false
	//   (mid - ema(mid, 20))
	// turning: value in row quarter 5, side in -1, quotes true, trades false
	//   diff@hold((mid - ema(mid, 20)), 1)
}

// A clock evaluates one signal, another instrument's ticks the other; instruments have thresholds of their own.
func ExampleCompile_on() {
	compiled, errs := kernels.Compile([]kernels.SignalSpec{
		{Name: "flow", Value: "ofi(1s)", When: "crosses(value, 0)", On: []string{"clock(100ms)"}},
		{
			Name: "lead", Value: "of(es, diff(mid)) - diff(mid)", When: "abs(value) > entry", On: []string{"self", "es"},
			Params: []kernels.ParamSpec{{Name: "entry", Text: "2.5", Overridden: true}},
		},
	}, kernels.Options{Lets: []kernels.LetSpec{{Name: "es", Text: `ref("cme", "ES")`}}})
	if len(errs) > 0 {
		fmt.Println(errs[0].Error())
		return
	}
	fmt.Println("clocks:", compiled.Clocks)
	for _, r := range compiled.References {
		fmt.Printf("%s of %s.%s: slot quarter %d, from row quarter %d of the reference program\n", r.Text, r.Venue, r.Symbol, r.Quarter, r.Output)
	}
	for _, p := range compiled.Params {
		fmt.Printf("%s of %s: %v\n", p.Name, compiled.Signals[p.Signal].Name, p.Default)
	}
	fmt.Println(compiled.Signals[0].When.Text)
	// Output:
	// clocks: [100000000]
	// diff(mid, 1) of cme.ES: slot quarter 5, from row quarter 3 of the reference program
	// entry of lead: 2.5
	// crosses(sampled(100ms, ofi(bid, bid_size, ask, ask_size, 1s)), 0)
}

// Every mistake is reported with its place in the text.
func ExampleCompile_mistakes() {
	_, errs := kernels.Compile([]kernels.SignalSpec{
		{Name: "a", Value: "zscore(midd, 30s)", When: "0 < value < 2"},
	}, kernels.Options{})
	for _, e := range errs {
		fmt.Printf("%s:%s", e.Part, expr.Render(e.Text, e.Mistake))
	}
	// Output:
	// value:1:8: unknown name midd
	//     zscore(midd, 30s)
	//            ^~~~
	//     hint: did you mean mid?
	// when:1:11: comparisons do not chain
	//     0 < value < 2
	//               ^
	//     hint: write a < b and b < c
}

// A compiled program runs on slots of a lane and writes rows.
func ExampleCompiled() {
	compiled, _ := kernels.Compile([]kernels.SignalSpec{
		{Name: "jump", Value: "diff(mid)", When: "abs(value) > 1"},
	}, kernels.Options{})
	p := compiled.Program
	executor, err := program.NewExecutor(p, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	executor.SetWord(0, 0, 1) // enable signal 0 for instrument 0
	const capacity = 4
	lane := &program.Lane{
		In:       make([]program.Quarter, p.SlotQuarters*capacity),
		Out:      make([]program.Quarter, p.RowQuarters*capacity),
		Capacity: capacity,
	}
	for n, quote := range [][4]float64{{99, 5, 101, 5}, {102, 5, 104, 5}} { // bid, bid size, ask, ask size
		for q, v := range quote {
			lane.In[q*capacity+n].Value = math.Float64bits(v)
		}
		lane.In[program.SlotF1*capacity+n].Aux = program.CtlFreshQuote
	}
	executor.Run(lane, 0, 2)
	when := lane.Out[program.RowWhen*capacity+1].Value
	value := lane.Out[compiled.Signals[0].ValueQuarter*capacity+1].Value
	fmt.Println("when", when, "value", math.Float64frombits(value))
	// Output: when 1 value 3
}
