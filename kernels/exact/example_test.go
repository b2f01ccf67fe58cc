package exact_test

import (
	"fmt"
	"math"

	"github.com/sigengine/sigengine/kernels/exact"
	"github.com/sigengine/sigengine/kernels/program"
)

// The function and the program give the same bits.
func Example() {
	b := program.NewBuilder()
	bid, ask := b.Slot(program.SlotF0), b.Slot(program.SlotF2)
	output := b.AllocRow()
	b.Emit(output, b.ConstM(true), exact.BuildLog(b, b.Div(ask, bid)))
	p, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	ex, err := program.NewExecutor(p, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	lane := &program.Lane{
		In:       make([]program.Quarter, p.SlotQuarters),
		Out:      make([]program.Quarter, p.RowQuarters),
		Capacity: 1,
	}
	lane.In[program.SlotF0].Value = math.Float64bits(100)
	lane.In[program.SlotF2].Value = math.Float64bits(101)
	ex.Run(lane, 0, 1)
	fmt.Println(math.Float64frombits(lane.Out[output].Value) == exact.Log(101./100))
	fmt.Println(exact.Log(101. / 100))
	// Output:
	// true
	// 0.009950330853168092
}

func ExampleDecayFactor() {
	const second = 1_000_000_000
	fmt.Println(exact.DecayFactor(0, 2*second), exact.DecayFactor(2*second, 2*second), exact.DecayFactor(5*second, 2*second))
	// Output: 1 0.5 0.1767766952966369
}
