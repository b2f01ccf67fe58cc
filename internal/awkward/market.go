package awkward

import (
	"math"
	"math/rand/v2"

	"github.com/sigengine/sigengine/kernels/program"
)

// Number is a number near a level, or one that finds mistakes.
func Number(random *rand.Rand, level float64) float64 {
	switch random.IntN(25) {
	case 0:
		return math.Float64frombits(program.CanonicalNaN)
	case 1:
		return math.Copysign(0, -1)
	case 2:
		return math.Inf(1 - 2*random.IntN(2))
	case 3:
		return 5e-324
	case 4:
		return 1e300
	case 5:
		return level
	}
	return level + float64(random.IntN(2001)-1000)*1e-6
}

// Market makes slots of a few instruments.
type Market struct {
	random *rand.Rand
	time   int64
	levels []float64
}

// NewMarket returns a market of so many instruments.
func NewMarket(random *rand.Rand, instruments int) *Market {
	m := &Market{random: random, time: 1_750_000_000_000_000_000}
	for range instruments {
		m.levels = append(m.levels, 50+100*random.Float64())
	}
	return m
}

// Slot is one slot's content: values, instrument, control word, clocks, time, and the references' quarters.
type Slot struct {
	Values     [4]float64
	Instrument uint32
	Control    uint32
	Clocks     uint32
	TimeNs     int64
	References []program.Quarter
}

// Next makes the next slot, with so many quarters of references.
func (m *Market) Next(references int) Slot {
	r := m.random
	i := r.IntN(len(m.levels))
	m.time += []int64{0, 1000, 1e6, 2e8, 3e9}[r.IntN(5)]
	m.levels[i] += float64(r.IntN(21)-10) * 0.01
	level := m.levels[i]
	s := Slot{
		Values:     [4]float64{level, float64(r.IntN(9)), level + 0.01*float64(r.IntN(4)), float64(r.IntN(9))},
		Instrument: uint32(i), Control: 1 | program.CtlFreshQuote, TimeNs: m.time,
	}
	if r.IntN(3) == 0 {
		s.Values, s.Control = [4]float64{level, float64(r.IntN(20)), float64(r.IntN(3) - 1)}, 2|program.CtlFreshTrade
	}
	if r.IntN(12) == 0 {
		s.Values[r.IntN(4)] = Number(r, level)
	}
	if r.IntN(40) == 0 {
		s.Control |= program.CtlGap
	}
	if r.IntN(50) == 0 {
		s.Control |= program.CtlSessionReset
	}
	if r.IntN(30) == 0 {
		s.Control, s.Clocks = program.CtlClockEvaluation, 1
	}
	for q := range references {
		s.References = append(s.References, program.Quarter{Value: math.Float64bits(level * float64(q+1)), Aux: uint32(r.IntN(4))})
	}
	return s
}

// Stage makes the next slot and writes it to a lane.
func (m *Market) Stage(lane *program.Lane, p *program.Program, slot uint64) {
	s := m.Next(p.SlotQuarters - program.SlotQuartersBase)
	at := slot & (lane.Capacity - 1)
	for q, v := range s.Values {
		lane.In[uint64(q)*lane.Capacity+at] = program.Quarter{Value: math.Float64bits(v)}
	}
	lane.In[at].Aux = s.Instrument
	lane.In[program.SlotF1*lane.Capacity+at].Aux = s.Control
	lane.In[program.SlotF2*lane.Capacity+at].Aux = s.Clocks
	lane.In[program.SlotTime*lane.Capacity+at] = program.Quarter{Value: uint64(s.TimeNs)}
	for q, quarter := range s.References {
		lane.In[uint64(program.SlotQuartersBase+q)*lane.Capacity+at] = quarter
	}
}
