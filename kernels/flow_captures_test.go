package kernels

import (
	"math"
	"sort"
	"testing"

	"github.com/sigengine/sigengine/kernels/program"
)

// Order flow on genuine quotes and trades against plain maps: what happened is put under the number of its part of the
// window, parts that have left are deleted, and everything is added up anew.

// flowMap holds amounts by part of a window of time.
type flowMap struct {
	stepNs int64
	first  int64 // part of the first amount
	began  bool
	parts  map[int64][]float64
}

func newFlowMap(lengthNs int64) *flowMap {
	return &flowMap{stepNs: (lengthNs + 63) / 64, parts: map[int64][]float64{}}
}

func (m *flowMap) put(x float64, nowNs int64) {
	part := nowNs / m.stepNs
	if !m.began {
		m.first, m.began = part, true
	}
	m.parts[part] = append(m.parts[part], x)
}

// sum is what the window holds now, undefined until it is warm.
func (m *flowMap) sum(nowNs int64) (total float64, count int) {
	now := nowNs / m.stepNs
	if !m.began || now-m.first < 64 {
		return math.NaN(), 0
	}
	var held []int64
	for part := range m.parts {
		if part <= now-64 {
			delete(m.parts, part)
			continue
		}
		held = append(held, part)
	}
	sort.Slice(held, func(i, j int) bool { return held[i] < held[j] })
	for _, part := range held {
		for _, x := range m.parts[part] {
			total += x
			count++
		}
	}
	return total, count
}

// plainMarket is what a plain program would remember of an instrument.
type plainMarket struct {
	bid, bidSize, ask, askSize float64
	quoted                     bool
	flow, signed, traded, paid *flowMap
}

const flowWindowNs = int64(2e9)

func newPlainMarket() *plainMarket {
	w := flowWindowNs
	return &plainMarket{flow: newFlowMap(w), signed: newFlowMap(w), traded: newFlowMap(w), paid: newFlowMap(w)}
}

// tick returns what each value must be after a tick; notFresh where it says nothing.
func (m *plainMarket) tick(s slot) map[string]float64 {
	want := map[string]float64{}
	if s.ctl&program.CtlFreshQuote != 0 {
		m.quote(s)
		want["ofi(2s)"], _ = m.flow.sum(s.timeNs)
		return want
	}
	price, size, side := s.f[0], s.f[1], s.f[2]
	m.signed.put(side*size, s.timeNs)
	m.traded.put(size, s.timeNs)
	m.paid.put(price*size, s.timeNs)
	signed, _ := m.signed.sum(s.timeNs)
	traded, trades := m.traded.sum(s.timeNs)
	paid, _ := m.paid.sum(s.timeNs)
	want["signed_volume(2s)"] = signed
	want["trade_imbalance(2s)"] = signed / traded
	want["vwap(2s)"] = paid / traded
	want["trade_intensity(2s)"] = float64(trades) / 2
	if math.IsNaN(signed) {
		want["trade_intensity(2s)"] = math.NaN()
	}
	return want
}

func (m *plainMarket) quote(s slot) {
	bid, bidSize, ask, askSize := s.f[0], s.f[1], s.f[2], s.f[3]
	if m.quoted {
		e := 0.0
		if bid >= m.bid {
			e += bidSize
		}
		if bid <= m.bid {
			e -= m.bidSize
		}
		if ask <= m.ask {
			e -= askSize
		}
		if ask >= m.ask {
			e += m.askSize
		}
		m.flow.put(e, s.timeNs)
	}
	m.bid, m.bidSize, m.ask, m.askSize, m.quoted = bid, bidSize, ask, askSize, true
}

func TestFlowOnCaptures(t *testing.T) {
	for _, name := range []string{"binance_spot_btcusdt_20240808.head6000.jsonl", "binance_usdm_btcusdt_20240808.head5000.jsonl"} {
		t.Run(name, func(t *testing.T) {
			slots := readCapture(t, name)
			for _, value := range []string{"ofi(2s)", "signed_volume(2s)", "trade_imbalance(2s)", "vwap(2s)", "trade_intensity(2s)"} {
				m, defined, worst := newPlainMarket(), 0, 0.0
				for i, got := range runValue(t, watch(value), slots, 64) {
					want, fresh := m.tick(slots[i])[value]
					if !fresh {
						want = notFresh
					}
					if math.IsNaN(want) != math.IsNaN(got) {
						t.Fatalf("%s, tick %d: %v, want %v", value, i, got, want)
					}
					if math.IsNaN(want) {
						continue
					}
					difference := math.Abs(got-want) / max(1, math.Abs(want))
					worst = max(worst, difference)
					if difference > 1e-12 {
						t.Fatalf("%s, tick %d: %v, want %v", value, i, got, want)
					}
					if fresh {
						defined++
					}
				}
				t.Logf("%s: %d values, largest difference %.2g", value, defined, worst)
				if defined < 100 {
					t.Errorf("%s has %d values: the test shows little", value, defined)
				}
			}
		})
	}
}

// TestLiquidityOnCaptures holds the estimates of liquidity to the plain rules on genuine ticks, and to what such a
// market can show.
func TestLiquidityOnCaptures(t *testing.T) {
	slots := readCapture(t, "binance_usdm_btcusdt_20240808.head5000.jsonl")
	const ticks = 2500 // the plain rules look at all that came before at every tick
	slots = slots[:min(len(slots), ticks)]
	for _, c := range []struct {
		value       string
		least, most float64
	}{
		{"effective_spread(50)", -5, 50},
		{"realised_spread(10, 50)", -50, 50},
		{"price_impact(10, 50)", -50, 50},
		{"kyle_lambda(100)", -100, 1000},
		{"amihud(50)", 0, 1e-3},
		{"vpin(0.5, 10)", 0, 1},
		{"volume_imbalance(1, 10)", -1, 1},
		{"intensity_ratio(100)", 0, 1e6},
		{"intensity(aggressor < 0, 50)", 0, 1e12},
		{"bar_vwap(100ms)", 5e4, 7e4},
		{"bar_high(price, 100ms)", 5e4, 7e4},
		{"volume_bar_close(mid, 1)", 5e4, 7e4},
		{"twap(mid, 1s)", 5e4, 7e4},
		{"ewma(mid, 500ms)", 5e4, 7e4},
		{"decayed_intensity(price > 0, 200ms)", 0, 1e5},
		{"rv(mid, 200)", 0, 1e-4},
	} {
		got := runValue(t, watch(c.value), slots, 64)
		want, fresh := referenceValue(t, c.value, slots)
		defined := 0
		for i := range slots {
			if !fresh[i] {
				want[i] = notFresh
			}
			if math.IsNaN(want[i]) && math.IsNaN(got[i]) {
				continue
			}
			if !(math.Abs(got[i]-want[i]) <= 1e-9*math.Abs(want[i])+1e-15) {
				t.Fatalf("%s, tick %d: %v, want %v", c.value, i, got[i], want[i])
			}
			if got[i] == notFresh {
				continue
			}
			defined++
			if got[i] < c.least || got[i] > c.most {
				t.Fatalf("%s, tick %d: %v is not what a market shows", c.value, i, got[i])
			}
		}
		if defined < 20 {
			t.Errorf("%s has %d values: the test shows little", c.value, defined)
		}
	}
}
