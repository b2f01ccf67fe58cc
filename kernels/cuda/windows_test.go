//go:build !nogpu

package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/sigengine/sigengine/internal/awkward"
	"github.com/sigengine/sigengine/kernels/program"
)

// TestWindowsAgreeWithTheExecutor compiles windows.cu for this processor, where nothing else could hold it without a
// GPU, and advances every kind of window beside the CPU executor: outputs and state words must be the same bits.
func TestWindowsAgreeWithTheExecutor(t *testing.T) {
	library := compileForHost(t)
	const seed = 20260101
	random := rand.New(rand.NewPCG(seed, 1))
	for _, w := range []program.Window{
		program.SampleWindow(program.AggSum, 1), program.SampleWindow(program.AggSum, 7), program.SampleWindow(program.AggMoments, 1),
		program.SampleWindow(program.AggMoments, 9), program.SampleWindow(program.AggLag, 1), program.SampleWindow(program.AggLag, 5),
		program.SampleWindow(program.AggMin, 6), program.SampleWindow(program.AggMax, 1), program.SampleWindow(program.AggMax, 8),
		program.SampleWindow(program.AggMoments2, 1), program.SampleWindow(program.AggMoments2, 7),
		program.SampleWindow(program.AggWeighted, 6), program.SampleWindow(program.AggRank, 9),
		program.SampleWindow(program.AggAbsdev, 1), program.SampleWindow(program.AggAbsdev, 6),
		program.DurationWindow(program.AggSum, 1000, 8), program.DurationWindow(program.AggSum, 70, 7),
		program.DurationWindow(program.AggMoments, 1000, 8), program.DurationWindow(program.AggMoments, 90, 1),
		program.DurationWindow(program.AggMin, 1000, 16), program.DurationWindow(program.AggMax, 500, 5),
		program.DurationWindow(program.AggMoments2, 1000, 8), program.DurationWindow(program.AggMoments2, 90, 3),
	} {
		t.Run(fmt.Sprintf("%s n=%d step=%d sub=%d", windowSymbol(w), w.N, w.StepNs, w.Sub), func(t *testing.T) {
			function, err := purego.Dlsym(library, windowSymbol(w))
			if err != nil {
				t.Fatal(err)
			}
			compareWindow(t, function, w, random, seed)
		})
	}
}

// TestEveryWindowHasAFunction: an aggregate that the executor has and windows.cu has not is found here, not on a GPU.
func TestEveryWindowHasAFunction(t *testing.T) {
	text, checked := Windows.PTX(), 0
	for agg := program.WindowAgg(1); agg.Outputs() != nil; agg++ {
		for _, w := range []program.Window{program.SampleWindow(agg, 4), program.DurationWindow(agg, 100, 4)} {
			b := program.NewBuilder()
			x := []program.Value{b.Canon(b.Slot(0)), b.Canon(b.Slot(1))}
			out := b.Window(w, b.ConstM(true), b.ConstM(false), x[:agg.Inputs()]...)
			b.Emit(b.AllocRow(), b.ConstM(true), out[0])
			if _, err := b.Build(); err != nil {
				continue // not for this kind
			}
			checked++
			if !strings.Contains(text, ".visible .func "+windowSymbol(w)+"(") {
				t.Errorf("windows.cu has no %s", windowSymbol(w))
			}
		}
	}
	if checked < 14 {
		t.Errorf("checked %d windows only", checked)
	}
}

func compileForHost(t *testing.T) uintptr {
	t.Helper()
	for _, compiler := range []string{"clang++-19", "clang++", "g++"} {
		if _, err := exec.LookPath(compiler); err != nil {
			continue
		}
		path := filepath.Join(t.TempDir(), "windows.so")
		command := exec.Command(compiler, "-std=c++20", "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-x", "c++", "windows.cu", "-o", path)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", compiler, err, out)
		}
		library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			t.Fatal(err)
		}
		return library
	}
	t.Skip("no C++ compiler here; install g++ or clang-19")
	return 0
}

// windowProgram advances one window: F0 and F1 are its inputs, the signs of F2 and F3 say push and reset. Each output has
// a row quarter.
func windowProgram(t *testing.T, w program.Window) (*program.Program, int) {
	t.Helper()
	b := program.NewBuilder()
	push, reset := b.Flt(b.ConstF(0), b.Canon(b.Slot(2))), b.Flt(b.ConstF(0), b.Canon(b.Slot(3)))
	inputs := []program.Value{b.Canon(b.Slot(0))}
	if w.Agg.Inputs() == 2 {
		inputs = append(inputs, b.Canon(b.Slot(1)))
	}
	outputs := b.Window(w, push, reset, inputs...)
	for i, typ := range w.Agg.Outputs() {
		v := outputs[i]
		if typ == program.M {
			v = b.Sel(v, b.ConstF(1), b.ConstF(0)) // a row holds numbers
		}
		b.Emit(b.AllocRow(), b.ConstM(true), v)
	}
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return p, len(w.Agg.Outputs())
}

func compareWindow(t *testing.T, function uintptr, w program.Window, random *rand.Rand, seed uint64) {
	t.Helper()
	p, count := windowProgram(t, w)
	executor, err := program.NewExecutor(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	lane := program.Lane{In: make([]program.Quarter, 2*p.SlotQuarters), Out: make([]program.Quarter, 2*p.RowQuarters), Capacity: 2}
	desc := p.Windows[0]
	state := make([]uint64, desc.Words())
	time, level := int64(-500), 100.0
	for step := range 3000 {
		time += []int64{0, 1, 3, 40, 400, 5000}[random.IntN(6)]
		if random.IntN(200) == 0 {
			level = []float64{1e13, 1e-3, 1e8, 10, 0}[random.IntN(5)]
		}
		x, y := awkward.Number(random, level), awkward.Number(random, 3*level)
		push, reset := random.IntN(4) > 0, random.IntN(60) == 0
		slot := uint64(step) & 1
		for q, v := range []float64{x, y, sign(push), sign(reset)} {
			lane.In[uint64(q)*2+slot] = program.Quarter{Value: math.Float64bits(v)}
		}
		lane.In[program.SlotTime*2+slot].Value = uint64(time)
		executor.Run(&lane, uint64(step), uint64(step)+1)
		got := callWindow(function, state, desc, time, push, reset, program.Canonical(x), program.Canonical(y))
		for i := range count {
			if w.Agg.Outputs()[i] == program.M {
				got[i] &= math.Float64bits(1) // all ones or zero, so 1 or 0
			}
			if want := lane.Out[uint64(program.RowFirst+i)*2+slot].Value; got[i] != want {
				t.Fatalf("seed %d, step %d (push %v, reset %v, x %v, time %d): output %d is %#x, want %#x", seed, step, push, reset, x, time, i, got[i], want)
			}
		}
		for i, word := range state {
			if want := executor.Word(0, desc.State+i); word != want {
				t.Fatalf("seed %d, step %d: state word %d is %#x, want %#x", seed, step, i, word, want)
			}
		}
	}
}

func sign(b bool) float64 {
	if b {
		return 1
	}
	return -1
}

func callWindow(function uintptr, state []uint64, w program.Window, time int64, push, reset bool, x, y uint64) [maxWindowOutputs]uint64 {
	var out [maxWindowOutputs]uint64
	size, flags := uint64(w.N), uintptr(0)
	if w.Kind == program.WindowDuration {
		size = uint64(w.StepNs)
	}
	if push {
		flags |= 1
	}
	if reset {
		flags |= 2
	}
	purego.SyscallN(function, uintptr(unsafe.Pointer(&state[0])), uintptr(size), uintptr(w.Sub), uintptr(time), flags,
		uintptr(x), uintptr(y), uintptr(unsafe.Pointer(&out[0])))
	return out
}
