package explain

import (
	"math"
	"math/rand/v2"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/program"
)

// market is a made-up market of one instrument, the same in every process: quotes, trades and ticks of references in
// turn, at an even pace, and a slot for every boundary of a clock.
type market struct {
	compiled       *kernels.Compiled
	executor       *program.Executor
	lane           program.Lane
	random         *rand.Rand
	slot           uint64
	price          float64
	quotes, trades int
	nowNs, stepNs  int64
}

const marketSlots = 4

func newMarket(c *kernels.Compiled, stepNs int64) (*market, error) {
	executor, err := program.NewExecutor(c.Program, 1)
	if err != nil {
		return nil, err
	}
	executor.SetWord(0, 0, ^uint64(0))
	m := &market{compiled: c, executor: executor, random: rand.New(rand.NewPCG(1, 2)), price: 100, stepNs: stepNs}
	m.lane = program.Lane{
		In:       make([]program.Quarter, marketSlots*c.Program.SlotQuarters),
		Out:      make([]program.Quarter, marketSlots*c.Program.RowQuarters),
		Capacity: marketSlots,
	}
	for i := range c.References {
		m.at(c.References[i].Quarter, math.Float64bits(m.price), 0)
	}
	return m, nil
}

// at writes a quarter of every slot: what is not written again stays.
func (m *market) at(quarter int, value uint64, aux uint32) {
	for i := range marketSlots {
		m.lane.In[quarter*marketSlots+i] = program.Quarter{Value: value, Aux: aux}
	}
}

// row gives the value of a quarter of the last row.
func (m *market) row(quarter int) uint64 {
	return m.lane.Out[quarter*marketSlots+int(m.slot-1)%marketSlots].Value
}

// tick makes the next tick of turn n, with the boundaries before it, and calls see after every slot.
func (m *market) tick(n int, see func()) {
	before := m.nowNs
	m.nowNs += m.stepNs
	for k, period := range m.compiled.Clocks {
		if boundary := m.nowNs / period * period; boundary > before {
			m.run([4]float64{}, program.CtlClockEvaluation, 1<<k, boundary)
			see()
		}
	}
	m.price += float64(m.random.IntN(17)-8) / 8
	kinds := 2 + len(m.compiled.References)
	switch turn := n % kinds; turn {
	case 0:
		m.quotes++
		spread := float64(1+m.random.IntN(3)) / 8
		m.run([4]float64{m.price, float64(1 + m.random.IntN(9)), m.price + spread, float64(1 + m.random.IntN(9))},
			uint32(feed.KindQuote)|program.CtlFreshQuote, 0, m.nowNs)
	case 1:
		m.trades++
		m.run([4]float64{m.price, float64(1 + m.random.IntN(9)), float64(2*m.random.IntN(2) - 1), 0},
			uint32(feed.KindTrade)|program.CtlFreshTrade, 0, m.nowNs)
	default:
		r := &m.compiled.References[turn-2]
		m.at(r.Quarter, math.Float64bits(m.price+float64(m.random.IntN(9))), kernels.ReferenceFresh)
		m.run([4]float64{}, program.CtlRefEvaluation, 0, m.nowNs)
		m.at(r.Quarter, m.lane.In[r.Quarter*marketSlots].Value, 0)
	}
	see()
}

// run computes one slot.
func (m *market) run(values [4]float64, control, clocks uint32, atNs int64) {
	i := int(m.slot) % marketSlots
	for q, v := range values {
		m.lane.In[q*marketSlots+i] = program.Quarter{Value: math.Float64bits(v)}
	}
	m.lane.In[program.SlotF1*marketSlots+i].Aux = control
	m.lane.In[kernels.ClockAuxQuarter*marketSlots+i].Aux = clocks
	m.lane.In[program.SlotTime*marketSlots+i].Value = uint64(atNs)
	m.executor.Run(&m.lane, m.slot, m.slot+1)
	m.slot++
}
