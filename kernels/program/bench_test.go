package program

import (
	"fmt"
	"math"
	"testing"
)

// sixSignals is a program of the size of six ordinary signals: held fields, two emas, zscore over 30 s, order flow over
// 1 s, std and sma over samples, an imbalance.
func sixSignals(tb testing.TB) *Program {
	b := NewBuilder()
	k := &kit{b: b, gap: bit(b, CtlGap), quote: bit(b, CtlFreshQuote), enable: b.Load(0, I)}
	for i := range 4 {
		k.field[i] = k.held(k.quote, b.Slot(i))
	}
	bid, bidSize, ask, askSize := k.field[0], k.field[1], k.field[2], k.field[3]
	mid := b.Mul(b.Add(bid, ask), b.ConstF(0.5))
	spread := b.Sub(ask, bid)
	sizes := b.Add(bidSize, askSize)
	micro := b.Div(b.Add(b.Mul(bid, askSize), b.Mul(ask, bidSize)), sizes)
	imbalance := b.Div(b.Sub(bidSize, askSize), sizes)
	fast, slow := k.ema(mid, 10), k.ema(mid, 50)
	signals := []Value{
		k.zscore(b.Sub(micro, slow), DurationWindow(AggMoments, 30_000_000_000, 64)),
		k.flow(DurationWindow(AggSum, 1_000_000_000, 64)),
		b.Sub(fast, slow),
		imbalance,
		k.zscore(mid, SampleWindow(AggMoments, 100)),
		b.Div(b.Sub(mid, k.mean(mid, SampleWindow(AggSum, 20))), spread),
	}
	when, exit := b.ConstI(0), b.ConstI(0)
	for i, v := range signals {
		live := b.And(bitOf(b, k.enable, i), b.And(k.quote, b.Defined(v)))
		fire := b.And(live, b.And(b.Flt(b.ConstF(2.5+float64(i)), b.Abs(v)), b.Flt(spread, b.Mul(mid, b.ConstF(5e-4)))))
		stop := b.And(live, b.Flt(b.Abs(v), b.ConstF(0.01)))
		when = b.Or(when, b.And(b.ConstI(1<<i), fire))
		exit = b.Or(exit, b.And(b.ConstI(1<<i), stop))
		b.Emit(b.AllocRow(), b.Or(fire, stop), v)
		b.Emit(b.AllocRow(), b.Or(fire, stop), b.Neg(k.sign(v)))
	}
	b.EmitMask(RowWhen, when)
	b.EmitMask(RowExit, exit)
	p, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

type kit struct {
	b                  *Builder
	gap, quote, enable Value
	field              [4]Value
}

func bit(b *Builder, mask int64) Value {
	return b.Ieq(b.And(b.Ctl(), b.ConstI(mask)), b.ConstI(mask))
}

func bitOf(b *Builder, v Value, i int) Value {
	return b.Ieq(b.And(v, b.ConstI(1<<i)), b.ConstI(1<<i))
}

func (k *kit) held(fresh, v Value) Value {
	off := k.b.AllocState(1, CanonicalNaN)
	now := k.b.Sel(fresh, v, k.b.Load(off, F))
	k.b.Store(off, now)
	return now
}

func (k *kit) previous(fresh, v Value) Value {
	off := k.b.AllocState(1, CanonicalNaN)
	old := k.b.Load(off, F)
	k.b.Store(off, k.b.Sel(fresh, v, old))
	return old
}

func (k *kit) ema(x Value, n int) Value {
	b := k.b
	step := b.And(k.quote, b.Defined(x))
	sumOff, countOff, emaOff := b.AllocState(1), b.AllocState(1), b.AllocState(1, CanonicalNaN)
	sum, count, ema := b.Load(sumOff, F), b.Load(countOff, F), b.Load(emaOff, F)
	count2 := b.Sel(step, b.Add(count, b.ConstF(1)), count)
	sum2 := b.Sel(step, b.Add(sum, x), sum)
	seed := b.Sel(b.Feq(count2, b.ConstF(float64(n))), b.Div(sum2, b.ConstF(float64(n))), b.ConstF(math.NaN()))
	next := b.Add(ema, b.Mul(b.ConstF(2/float64(n+1)), b.Sub(x, ema)))
	ema2 := b.Sel(step, b.Sel(b.Defined(ema), next, seed), ema)
	b.Store(sumOff, sum2)
	b.Store(countOff, count2)
	b.Store(emaOff, ema2)
	return ema2
}

func (k *kit) zscore(x Value, w Window) Value {
	b := k.b
	out := b.Window(w, b.And(k.quote, b.Defined(x)), k.gap, x)
	z := b.Div(b.Sub(x, out[0]), b.Sqrt(b.Div(out[1], out[2])))
	return b.Sel(out[3], z, b.ConstF(math.NaN()))
}

func (k *kit) mean(x Value, w Window) Value {
	out := k.b.Window(w, k.b.And(k.quote, k.b.Defined(x)), k.gap, x)
	return k.b.Sel(out[2], k.b.Div(out[0], out[1]), k.b.ConstF(math.NaN()))
}

func (k *kit) flow(w Window) Value {
	b := k.b
	var old [4]Value
	for i, v := range k.field {
		old[i] = k.previous(k.quote, v)
	}
	zero := b.ConstF(0)
	pick := func(m, v Value) Value { return b.Sel(m, v, zero) }
	e := b.Sub(pick(b.Fle(old[0], k.field[0]), k.field[1]), pick(b.Fle(k.field[0], old[0]), old[1]))
	e = b.Add(b.Sub(e, pick(b.Fle(k.field[2], old[2]), k.field[3])), pick(b.Fle(old[2], k.field[2]), old[3]))
	out := b.Window(w, b.And(k.quote, b.And(b.Defined(old[0]), b.Defined(e))), k.gap, e)
	return b.Sel(out[2], out[0], b.ConstF(math.NaN()))
}

func (k *kit) sign(v Value) Value {
	b := k.b
	one := b.ConstF(1)
	return b.Sel(b.Flt(b.ConstF(0), v), one, b.Sel(b.Flt(v, b.ConstF(0)), b.Neg(one), b.Add(v, b.ConstF(0))))
}

// quotes fills a lane with a market: every slot a quote, the given share of them of instrument 0.
func quotes(p *Program, capacity uint64, instruments int) *Lane {
	lane := newLane(p, capacity)
	seed := uint64(1)
	next := func() uint64 { seed = seed*6364136223846793005 + 1442695040888963407; return seed >> 33 }
	price := make([]float64, instruments)
	for n := range capacity {
		i := int(next()) % instruments
		price[i] += float64(float64(int(next()%5)-2) * 0.01)
		lane.In[n] = Quarter{Value: math.Float64bits(100 + price[i]), Aux: uint32(i)}
		lane.In[capacity+n] = Quarter{Value: math.Float64bits(float64(1 + next()%100)), Aux: CtlFreshQuote | 1}
		lane.In[2*capacity+n].Value = math.Float64bits(100.01 + price[i] + float64(0.01*float64(next()%3)))
		lane.In[3*capacity+n].Value = math.Float64bits(float64(1 + next()%100))
		lane.In[4*capacity+n].Value = uint64(1_700_000_000_000_000_000 + n*50_000)
	}
	return lane
}

func BenchmarkSixSignals(b *testing.B) {
	p := sixSignals(b)
	for _, instruments := range []int{64, 1000, 1} {
		for _, batch := range []uint64{64, 16, 1} {
			b.Run(fmt.Sprintf("instruments=%d/batch=%d", instruments, batch), func(b *testing.B) {
				runBench(b, p, batch, instruments)
				b.ReportMetric(float64(p.values()), "values")
			})
		}
	}
}

func runBench(b *testing.B, p *Program, batch uint64, instruments int) {
	ex, err := NewExecutor(p, instruments)
	if err != nil {
		b.Fatal(err)
	}
	for i := range instruments {
		ex.SetWord(i, 0, 63)
	}
	const capacity = 1 << 14
	lane := quotes(p, capacity, instruments)
	advance := uint64(capacity * 50_000)
	at := uint64(0)
	for b.Loop() {
		ex.Run(lane, at, at+batch)
		at += batch
		if at&(capacity-1) < batch {
			for n := range uint64(capacity) { // the next lap is later
				lane.In[4*capacity+n].Value += advance
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(uint64(b.N)*batch), "ns/tick")
	b.ReportMetric(0, "ns/op")
}
