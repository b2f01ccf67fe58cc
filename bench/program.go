package bench

import (
	"fmt"
	"time"

	"github.com/sigengine/sigengine/bench/programs"
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/sim"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/program"
)

// operators are one expression an operator, for figures by operator.
var operators = []struct{ name, expression string }{
	{"field", "mid"},
	{"abs", "abs(mid)"},
	{"sign", "sign(spread)"},
	{"where", "where(bid_size > ask_size, 1, 2)"},
	{"prev", "prev(mid, 8)"},
	{"diff", "diff(mid)"},
	{"ema", "ema(mid, 50)"},
	{"sma samples", "sma(mid, 64)"},
	{"sma duration", "sma(mid, 10s)"},
	{"std samples", "std(mid, 64)"},
	{"std duration", "std(mid, 10s)"},
	{"zscore samples", "zscore(mid, 64)"},
	{"ofi duration", "ofi(1s)"},
	{"imbalance", "imbalance"},
}

// Program measures the CPU executor on a simulated market.
func Program(length time.Duration) (*Report, error) {
	r := newReport("program")
	for _, set := range []struct{ name, text string }{{"six.yaml", programs.Six}, {"twenty.yaml", programs.Twenty}} {
		if err := measureProgram(r, length, set.name, set.text); err != nil {
			return nil, err
		}
	}
	for _, op := range operators {
		compiled, errs := kernels.Compile([]kernels.SignalSpec{{Name: "bench", Value: op.expression, When: "value > 1e300"}}, kernels.Options{})
		if len(errs) > 0 {
			return nil, fmt.Errorf("bench: %w", &errs[0])
		}
		loop, err := programLoop(compiled.Program, 64)
		if err != nil {
			return nil, err
		}
		r.add(op.name, median(interleave(length/4, loop)[0]), "ns", op.expression+", batches of 64, fields and row included")
	}
	return r, nil
}

// measureProgram adds the figures of a frozen set of signals.
func measureProgram(r *Report, length time.Duration, name, text string) error {
	compiled, err := compileFrozen(name, text)
	if err != nil {
		return err
	}
	p := compiled.Program
	instructions := len(p.Before) + len(p.Recur) + len(p.After)
	r.add(name+", instructions", float64(instructions), "", "")
	r.add(name+", state", float64(p.StateWords*8), "bytes", "an instrument")
	for _, batch := range []uint64{1, 16, 64, 256} {
		loop, err := programLoop(p, batch)
		if err != nil {
			return err
		}
		t := interleave(length, loop)
		r.add(fmt.Sprintf("%s, batches of %d, a tick", name, batch), median(t[0]), "ns", "64 instruments")
	}
	return nil
}

func compileFrozen(name, text string) (*kernels.Compiled, error) {
	c, err := config.Parse(name, []byte("version: 1\nsignals_file: "+name+"\n"), func(string) ([]byte, error) {
		return []byte(text), nil
	})
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	return c.Compile()
}

// programLoop returns a loop that runs the program over staged ticks, batch ticks a call of the executor. Its calls are
// ticks.
func programLoop(p *program.Program, batch uint64) (func(int), error) {
	const slots = 4096
	market, err := sim.New(sim.Default())
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	executor, err := program.NewExecutor(p, market.Len())
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	for i := range market.Len() {
		executor.SetWord(i, 0, ^uint64(0))
	}
	lane := program.Lane{
		In: make([]program.Quarter, slots*p.SlotQuarters), Out: make([]program.Quarter, slots*p.RowQuarters), Capacity: slots,
	}
	stage := func(n uint64) {
		var tick feed.Tick
		for at := range n {
			market.Next(&tick)
			Stage(&lane, at, &tick)
		}
	}
	stage(slots)
	executor.Run(&lane, 0, slots)
	stage(slots)
	slot, shift := uint64(0), int64(0)
	return func(calls int) {
		for done := 0; done < calls; done += int(batch) {
			executor.Run(&lane, slot, slot+batch)
			if slot += batch; slot%slots == 0 {
				shift = advance(&lane, shift)
			}
		}
	}, nil
}

// advance moves the staged ticks on in time, so that time never goes back when they are run again.
func advance(lane *program.Lane, shift int64) int64 {
	at := program.SlotTime * lane.Capacity
	length := int64(lane.In[at+lane.Capacity-1].Value-lane.In[at].Value) + 1
	for i := range lane.Capacity {
		lane.In[at+i].Value += uint64(length)
	}
	return shift + length
}

// Stage writes a tick into a slot as the engine does for a tick that is an event of its own.
func Stage(lane *program.Lane, slot uint64, tick *feed.Tick) {
	fresh := map[feed.Kind]uint32{
		feed.KindQuote: program.CtlFreshQuote, feed.KindTrade: program.CtlFreshTrade, feed.KindDepth: program.CtlFreshBook,
	}[tick.Kind]
	at := slot & (lane.Capacity - 1)
	for i, v := range tick.F {
		lane.In[uint64(i)*lane.Capacity+at] = program.Quarter{Value: floatBits(v)}
	}
	lane.In[at].Aux = tick.Instrument
	lane.In[lane.Capacity+at].Aux = uint32(tick.Kind) | fresh
	lane.In[program.SlotTime*lane.Capacity+at] = program.Quarter{Value: uint64(tick.ExchangeNs)}
}
