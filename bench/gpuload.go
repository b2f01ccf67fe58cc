package bench

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"unsafe"

	"github.com/sigengine/sigengine/bench/programs"
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// shape returns the engine's configuration for a frozen program.
func gpuShape(name string) (engine.Config, error) {
	text, ok := programs.Named(name)
	if !ok {
		return engine.Config{}, fmt.Errorf("bench: there is no program %s", name)
	}
	c, err := config.Parse(name, []byte("version: 1\nsignals_file: "+name+"\n"), func(string) ([]byte, error) { return []byte(text), nil })
	if err != nil {
		return engine.Config{}, fmt.Errorf("bench: %w", err)
	}
	shape, _, err := setup.Engine(c)
	if err != nil {
		return engine.Config{}, fmt.Errorf("bench: %w", err)
	}
	shape.LaneSlots, shape.HeartbeatNs = gpuLaneSlots, 0
	return shape, nil
}

const (
	gpuLaneSlots = 4096
	tickStepNs   = 5000 // engine time between ticks: 200,000 a second
	loadTicks    = 1 << 14
	quotesOfFive = 4 // of five ticks so many are quotes, the rest trades
)

// load is an endless tape of ticks of given instruments in turn, so that as many in a row as there are instruments are
// distinct. Prices wander about a level. It allocates when made only.
type load struct {
	ticks  []feed.Tick // a whole number of turns through the instruments
	at     int
	nowNs  int64
	stepNs int64
	seq    uint64

	together int // so many ticks in a row have one time; 0 is 1
}

// newLoad is a load over every lanes-th instrument from first on, count of them.
func newLoad(first, lanes, count int) *load {
	random := rand.New(rand.NewPCG(uint64(first), uint64(count)))
	l := &load{ticks: make([]feed.Tick, max(loadTicks/count, 2)*count), nowNs: 1e18, stepNs: tickStepNs}
	walk := make([]float64, count)
	for i := range l.ticks {
		k := i % count
		walk[k] = float64(walk[k]*0.98) + random.NormFloat64()*0.02
		mid := 100 + float64(k%50) + walk[k]
		t := &l.ticks[i]
		*t = feed.Tick{Instrument: uint32(first + lanes*k), Source: 1, Kind: feed.KindQuote}
		t.F = [4]float64{mid - 0.01, float64(1 + random.IntN(20)), mid + 0.01, float64(1 + random.IntN(20))}
		if random.IntN(5) >= quotesOfFive {
			t.Kind = feed.KindTrade
			t.F = [4]float64{mid, float64(1 + random.IntN(9)), float64(1 - 2*random.IntN(2)), 0}
		}
	}
	return l
}

// next returns the next tick; it is valid until as many as the tape has were asked for.
func (l *load) next() *feed.Tick {
	t := &l.ticks[l.at]
	if l.at++; l.at == len(l.ticks) {
		l.at = 0
	}
	l.seq++
	t.Seq, t.ReceiveNs, t.ExchangeNs = l.seq, l.nowNs, l.nowNs
	if l.together <= 1 || l.at%l.together == 0 {
		l.nowNs += l.stepNs
	}
	return t
}

// take returns so many ticks, copied to a buffer.
func (l *load) take(into []feed.Tick) []feed.Tick {
	for i := range into {
		into[i] = *l.next()
	}
	return into
}

// onGPU returns the shape on a device; a nil device leaves the CPU.
func onGPU(shape engine.Config, d *gpu.Device, dispatch engine.Dispatch, lanes int) engine.Config {
	shape.Lanes = lanes
	if d != nil {
		shape.GPU = &engine.GPU{Devices: []*gpu.Device{d}, Dispatch: dispatch}
	}
	return shape
}

// writeStep writes what baselines/program.cu reads: the layout of a lane, an instrument's first state, and ticks as slots.
func writeStep(name string, p *program.Program, instruments int) error {
	_, threads, sharedBytes := engine.BatchPTX(p)
	var lane cuda.Lane
	l := newLoad(0, 1, instruments)
	le := binary.LittleEndian
	b := []byte("SIGP")
	for _, v := range []uintptr{
		unsafe.Sizeof(lane), unsafe.Offsetof(lane.In), unsafe.Offsetof(lane.Out), unsafe.Offsetof(lane.State), unsafe.Offsetof(lane.Ring),
		unsafe.Offsetof(lane.SlotQuarters), unsafe.Offsetof(lane.Words), unsafe.Offsetof(lane.From), unsafe.Offsetof(lane.Count),
		unsafe.Offsetof(lane.Shards), unsafe.Offsetof(lane.InRing), uintptr(threads), uintptr(sharedBytes), engine.ShardSlots, engine.ShardsMax,
		uintptr(p.SlotQuarters), uintptr(p.RowQuarters), uintptr(p.StateWords), uintptr(instruments), uintptr(len(l.ticks)), program.SlotTime,
	} {
		b = le.AppendUint32(b, uint32(v))
	}
	b = le.AppendUint64(b, uint64(len(l.ticks))*tickStepNs)
	for i, word := range p.Init {
		if i == engine.EnableWord {
			word = ^uint64(0)
		}
		b = le.AppendUint64(b, word)
	}
	for range l.ticks {
		for _, q := range engine.Slot(p, l.next()) {
			b = le.AppendUint64(b, q.Value)
			b = le.AppendUint32(b, q.Aux)
			b = le.AppendUint32(b, 0)
		}
	}
	if err := os.WriteFile(name, b, 0o644); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return nil
}
