package program_test

import (
	"fmt"
	"math"

	"github.com/sigengine/sigengine/kernels/program"
)

// A program that says when the mid is above 100, and what it is, run over three quotes of one instrument.
func Example() {
	b := program.NewBuilder()
	mid := b.Mul(b.Add(b.Slot(program.SlotF0), b.Slot(program.SlotF2)), b.ConstF(0.5))
	high := b.Flt(b.ConstF(100), mid)
	output := b.AllocRow()
	b.Emit(output, high, mid)
	b.EmitMask(program.RowWhen, b.And(b.ConstI(1), high))
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
	const capacity = 4
	lane := &program.Lane{
		In:       make([]program.Quarter, p.SlotQuarters*capacity),
		Out:      make([]program.Quarter, p.RowQuarters*capacity),
		Capacity: capacity,
	}
	for n, quote := range [][2]float64{{99, 100}, {100, 101}, {math.NaN(), 101}} {
		lane.In[program.SlotF0*capacity+n].Value = math.Float64bits(quote[0])
		lane.In[program.SlotF2*capacity+n].Value = math.Float64bits(quote[1])
	}
	ex.Run(lane, 0, 3)
	for n := range 3 {
		if lane.Out[program.RowWhen*capacity+n].Value != 0 {
			fmt.Println(n, math.Float64frombits(lane.Out[output*capacity+n].Value))
		}
	}
	// Output: 1 100.5
}
