//go:build !nogpu

package cuda

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/sigengine/sigengine/internal/awkward"
	"github.com/sigengine/sigengine/kernels/program"
)

// callAddress calls a window function with the parameters that the PTX stored.
func callAddress(function uintptr, state unsafe.Pointer, p *[8]uint64, out *[maxWindowOutputs]uint64) {
	purego.SyscallN(function, uintptr(state), uintptr(p[1]), uintptr(p[2]), uintptr(p[3]), uintptr(uint32(p[4])),
		uintptr(p[5]), uintptr(p[6]), uintptr(unsafe.Pointer(out)))
}

// TestParityOfOperators runs every operator by the CPU executor and by its PTX, over awkward ticks of a few instruments:
// the same rows and the same state, bit for bit.
func TestParityOfOperators(t *testing.T) {
	windows := windowFunctions(t)
	operators, _ := awkward.Operators()
	for _, op := range operators {
		t.Run(op.Name, func(t *testing.T) {
			for _, warps := range []int{1, 3} {
				parity(t, op.Compiled.Program, warps, windows, 4, 256)
			}
		})
	}
	t.Logf("%d operators compared", len(operators))
}

// TestParityOfRandomPrograms does it for programs that nobody would write.
func TestParityOfRandomPrograms(t *testing.T) {
	windows := windowFunctions(t)
	count := uint64(300)
	if testing.Short() {
		count = 50
	}
	for seed := range count {
		build := []func(*rand.Rand) *program.Program{awkward.Program, awkward.Signals}[seed%2]
		parity(t, build(rand.New(rand.NewPCG(seed, 99))), 1+int(seed/2)%WarpsMax, windows, seed, 120)
	}
}

// TestParityOfSignals does it for programs of several signals.
func TestParityOfSignals(t *testing.T) {
	windows := windowFunctions(t)
	for seed := range uint64(3) {
		p := six(t).Program
		parity(t, p, ShapeOf(p).Warps+int(seed), windows, seed, 2000)
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

func parity(t *testing.T, p *program.Program, warps int, windows func(string) uintptr, seed uint64, ticks int) {
	t.Helper()
	const instruments, capacity = 5, 64
	f, err := parsePTX(Emit(p, ProgramName, warps), ProgramName)
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
	market := awkward.NewMarket(random, instruments)
	slot := uint64(0)
	for slot < uint64(ticks) {
		n := uint64(1 + random.IntN(40))
		for k := range n {
			market.Stage(&cpu, p, slot+k)
		}
		executor.Run(&cpu, slot, slot+n)
		interpretLane(t, f, p, &gpu, state, slot, slot+n, warps, windows)
		for k := range n {
			compareRows(t, p, &cpu, &gpu, (slot+k)&(capacity-1), seed, slot+k)
		}
		slot += n
	}
	for i, want := range executor.SnapshotState() {
		if got := binary.LittleEndian.Uint64(state[i*8:]); got != want {
			t.Fatalf("seed %d, %d warps: state word %d of instrument %d is %#x, want %#x", seed, warps, i%p.StateWords, i/p.StateWords, got, want)
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
