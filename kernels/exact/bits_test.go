package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sigengine/sigengine/kernels/program"
	"pgregory.net/rapid"
)

// device runs one function as a program, 64 ticks at a time and one at a time.
type device struct {
	program *program.Program
	lane    program.Lane
	ex      *program.Executor
}

const deviceCapacity = 64

func newDevice(t testing.TB, s *subject) *device {
	t.Helper()
	b := program.NewBuilder()
	args := [2]program.Value{b.Slot(program.SlotF0), b.Slot(program.SlotF1)}
	if s.name == "DecayFactor" {
		args[0] = b.Time()
	}
	b.Emit(b.AllocRow(), b.ConstM(true), s.build(b, args))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	ex, err := program.NewExecutor(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &device{program: p, ex: ex, lane: program.Lane{
		In:       make([]program.Quarter, p.SlotQuarters*deviceCapacity),
		Out:      make([]program.Quarter, p.RowQuarters*deviceCapacity),
		Capacity: deviceCapacity,
	}}
}

// run returns the bits for up to 64 arguments.
func (d *device) run(args [][2]float64, batch uint64) []uint64 {
	for n, a := range args {
		d.lane.In[program.SlotF0*deviceCapacity+n].Value = math.Float64bits(a[0])
		d.lane.In[program.SlotF1*deviceCapacity+n].Value = math.Float64bits(a[1])
		d.lane.In[program.SlotTime*deviceCapacity+n].Value = uint64(whole(a[0]))
	}
	count := uint64(len(args))
	for from := uint64(0); from < count; from += batch {
		d.ex.Run(&d.lane, from, min(from+batch, count))
	}
	bits := make([]uint64, len(args))
	for n := range args {
		bits[n] = d.lane.Out[program.RowFirst*deviceCapacity+n].Value
	}
	return bits
}

func (d *device) compare(t testing.TB, s *subject, args [][2]float64) {
	t.Helper()
	for len(args) > 0 {
		some := args[:min(len(args), deviceCapacity)]
		args = args[len(some):]
		for _, batch := range []uint64{1, 7, 64} {
			for i, got := range d.run(some, batch) {
				if want := math.Float64bits(s.call(some[i])); got != want {
					t.Fatalf("%s(%x): program %#x, function %#x", s.name, some[i][:s.arity], got, want)
				}
			}
		}
	}
}

// TestProgramEqualsFunction compares bits at awkward arguments, in pairs, and at random ones.
func TestProgramEqualsFunction(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			d := newDevice(t, &s)
			var args [][2]float64
			for _, x := range awkward() {
				for _, y := range awkward() {
					args = append(args, [2]float64{x, y})
				}
			}
			r := rand.New(rand.NewPCG(9, 10))
			for range 4000 {
				for _, draw := range s.draw {
					args = append(args, draw(r))
				}
				args = append(args, [2]float64{math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64())})
			}
			d.compare(t, &s, args)
		})
	}
}

// TestProgramEqualsFunctionProperty lets rapid look for arguments, any bits at all.
func TestProgramEqualsFunctionProperty(t *testing.T) {
	list := subjects()
	devices := make([]*device, len(list))
	for i := range list {
		devices[i] = newDevice(t, &list[i])
	}
	argument := rapid.OneOf(rapid.SampledFrom(awkward()), rapid.Float64(), rapid.Map(rapid.Uint64(), math.Float64frombits))
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(list)-1).Draw(t, "function")
		pairs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]float64 {
			return [2]float64{argument.Draw(t, "x"), argument.Draw(t, "y")}
		}), 1, 64).Draw(t, "arguments")
		for n, got := range devices[i].run(pairs, 64) {
			if want := math.Float64bits(list[i].call(pairs[n])); got != want {
				t.Fatalf("%s(%x): program %#x, function %#x", list[i].name, pairs[n], got, want)
			}
		}
	})
}

// TestConstantArguments holds that folding gives the same bits as running.
func TestConstantArguments(t *testing.T) {
	for _, s := range subjects() {
		for i, x := range awkward() {
			y := awkward()[(i*7+3)%len(awkward())]
			constant := s
			constant.build = func(b *program.Builder, _ [2]program.Value) program.Value {
				if s.name == "DecayFactor" {
					return s.build(b, [2]program.Value{b.ConstI(whole(x)), b.ConstF(y)})
				}
				return s.build(b, [2]program.Value{b.ConstF(x), b.ConstF(y)})
			}
			newDevice(t, &constant).compare(t, &s, [][2]float64{{x, y}})
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	for _, s := range subjects() {
		if n := testing.AllocsPerRun(100, func() { s.call([2]float64{1.25, 3.5}) }); n != 0 {
			t.Errorf("%s allocates %v times", s.name, n)
		}
	}
}
