package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// callAddress calls a window function with the parameters that the PTX stored.
func callAddress(function uintptr, state unsafe.Pointer, p *[8]uint64, out *[maxWindowOutputs]uint64) {
	purego.SyscallN(function, uintptr(state), uintptr(p[1]), uintptr(p[2]), uintptr(p[3]), uintptr(uint32(p[4])),
		uintptr(p[5]), uintptr(p[6]), uintptr(unsafe.Pointer(out)))
}

// operatorExpressions are one or more expressions for every operator of the catalogue, made from their signatures.
func operatorExpressions(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, op := range kernels.NewCatalogue().Operators {
		out = append(out, exampleOf(op.Operator))
	}
	return out
}

// exampleOf writes a call with plausible arguments.
func exampleOf(op expr.Operator) string {
	series := []string{"mid", "price", "spread", "size", "bid_size"}
	var args []string
	for _, p := range op.Params {
		if p.Optional {
			continue
		}
		switch p.Kind {
		case expr.ParamCondition:
			args = append(args, "bid_size > ask_size")
		case expr.ParamSeries:
			args = append(args, series[len(args)%len(series)])
		case expr.ParamDuration:
			args = append(args, "2s")
		case expr.ParamNumber:
			args = append(args, fmt.Sprint(p.Least+0.5))
		default:
			args = append(args, fmt.Sprint(max(p.Min, 4+int64(len(args)))))
		}
	}
	if len(op.Params) == 0 {
		return op.Name
	}
	return fmt.Sprintf("%s(%s)", op.Name, strings.Join(args, ", "))
}

// TestParityOfOperators runs every operator by the CPU executor and by its PTX, over awkward ticks of a few instruments:
// the same rows and the same state, bit for bit.
func TestParityOfOperators(t *testing.T) {
	windows := windowFunctions(t)
	const seed = 4
	checked := 0
	for _, text := range operatorExpressions(t) {
		compiled, errs := kernels.Compile([]kernels.SignalSpec{
			{Name: "probe", Value: text, When: "value > -1e300"},
		}, kernels.Options{})
		if len(errs) > 0 {
			compiled, errs = kernels.Compile([]kernels.SignalSpec{{Name: "probe", Value: "where(" + text + ", 1, 2)", When: "value > -1e300"}}, kernels.Options{})
		}
		if len(errs) > 0 {
			t.Logf("no example for %s: %v", text, &errs[0])
			continue
		}
		checked++
		t.Run(text, func(t *testing.T) { parity(t, compiled.Program, windows, seed, 256) })
	}
	if checked < 12 {
		t.Errorf("only %d operators were compared", checked)
	}
	t.Logf("%d operators compared", checked)
}

// TestParityOfSignals does it for programs of several signals.
func TestParityOfSignals(t *testing.T) {
	windows := windowFunctions(t)
	for seed := range uint64(3) {
		parity(t, six(t).Program, windows, seed, 2000)
	}
}

func windowFunctions(t *testing.T) func(string) uintptr {
	t.Helper()
	library := compileForHost(t)
	return func(symbol string) uintptr {
		function, err := purego.Dlsym(library, symbol)
		if err != nil {
			t.Fatal(err)
		}
		return function
	}
}

func parity(t *testing.T, p *program.Program, windows func(string) uintptr, seed uint64, ticks int) {
	t.Helper()
	const instruments, capacity = 5, 64
	f, err := parsePTX(Emit(p, ProgramName), ProgramName)
	if err != nil {
		t.Fatal(err)
	}
	executor, err := program.NewExecutor(p, instruments)
	if err != nil {
		t.Fatal(err)
	}
	state := make([]byte, instruments*p.StateWords*8)
	for i := range instruments {
		for k, word := range p.Init {
			binary.LittleEndian.PutUint64(state[(i*p.StateWords+k)*8:], word)
		}
		executor.SetWord(i, 0, ^uint64(0))
		binary.LittleEndian.PutUint64(state[i*p.StateWords*8:], ^uint64(0))
	}
	in := make([]program.Quarter, capacity*p.SlotQuarters)
	cpu := program.Lane{In: in, Out: make([]program.Quarter, capacity*p.RowQuarters), Capacity: capacity}
	gpu := program.Lane{In: in, Out: make([]program.Quarter, capacity*p.RowQuarters), Capacity: capacity}
	random := rand.New(rand.NewPCG(seed, 77))
	market := newAwkwardMarket(random, instruments)
	slot := uint64(0)
	for slot < uint64(ticks) {
		n := uint64(1 + random.IntN(40))
		for k := range n {
			market.stage(&cpu, p, slot+k)
		}
		executor.Run(&cpu, slot, slot+n)
		interpretLane(t, f, p, &gpu, state, slot, slot+n, windows)
		for k := range n {
			compareRows(t, p, &cpu, &gpu, (slot+k)&(capacity-1), seed, slot+k)
		}
		slot += n
	}
	for i, want := range executor.SnapshotState() {
		if got := binary.LittleEndian.Uint64(state[i*8:]); got != want {
			t.Fatalf("seed %d: state word %d of instrument %d is %#x, want %#x", seed, i%p.StateWords, i/p.StateWords, got, want)
		}
	}
}

// compareRows compares what is defined: masks always, values where a signal fired.
func compareRows(t *testing.T, p *program.Program, cpu, gpu *program.Lane, at, seed, slot uint64) {
	t.Helper()
	fired := uint64(0)
	for q := range uint64(p.RowQuarters) {
		a, b := cpu.Out[q*cpu.Capacity+at].Value, gpu.Out[q*cpu.Capacity+at].Value
		if q < program.RowSuppressed {
			fired |= a
		}
		if a != b && (q < program.RowFirst || fired != 0) {
			t.Fatalf("seed %d, slot %d: row quarter %d is %#x (%v), want %#x (%v)", seed, slot, q, b, math.Float64frombits(b), a, math.Float64frombits(a))
		}
	}
}

// awkwardMarket makes ticks that find mistakes: undefined and infinite values, signed zeros, gaps, jumps in time.
type awkwardMarket struct {
	random *rand.Rand
	time   int64
	levels []float64
}

func newAwkwardMarket(random *rand.Rand, instruments int) *awkwardMarket {
	m := &awkwardMarket{random: random, time: 1_750_000_000_000_000_000}
	for range instruments {
		m.levels = append(m.levels, 50+100*random.Float64())
	}
	return m
}

func (m *awkwardMarket) stage(lane *program.Lane, p *program.Program, slot uint64) {
	r := m.random
	at, i := slot&(lane.Capacity-1), r.IntN(len(m.levels))
	m.time += []int64{0, 1000, 1e6, 2e8, 3e9}[r.IntN(5)]
	m.levels[i] += float64(r.IntN(21)-10) * 0.01
	level := m.levels[i]
	values := [4]float64{level, float64(r.IntN(9)), level + 0.01*float64(r.IntN(4)), float64(r.IntN(9))}
	control := uint32(1) | program.CtlFreshQuote
	if r.IntN(3) == 0 {
		values, control = [4]float64{level, float64(r.IntN(20)), float64(r.IntN(3) - 1)}, 2|program.CtlFreshTrade
	}
	if r.IntN(12) == 0 {
		values[r.IntN(4)] = awkward(r, level)
	}
	if r.IntN(40) == 0 {
		control |= program.CtlGap
	}
	if r.IntN(50) == 0 {
		control |= program.CtlSessionReset
	}
	if r.IntN(30) == 0 {
		control = program.CtlClockEvaluation
	}
	for q, v := range values {
		if v != v {
			v = math.Float64frombits(program.CanonicalNaN) // as a decoder makes it
		}
		lane.In[uint64(q)*lane.Capacity+at] = program.Quarter{Value: math.Float64bits(v)}
	}
	lane.In[at].Aux = uint32(i)
	lane.In[lane.Capacity+at].Aux = control
	lane.In[program.SlotTime*lane.Capacity+at] = program.Quarter{Value: uint64(m.time)}
	for q := program.SlotQuartersBase; q < p.SlotQuarters; q++ {
		lane.In[uint64(q)*lane.Capacity+at] = program.Quarter{Value: math.Float64bits(level * float64(q)), Aux: uint32(r.IntN(4))}
	}
}
