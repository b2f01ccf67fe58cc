package kernels

import (
	"math"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// slot is one tick as a lane holds it.
type slot struct {
	instrument uint32
	ctl        uint32
	f          [4]float64
	timeNs     int64
	clocks     uint32         // whose boundary it is
	refs       [2]remoteValue // from the first quarter after the base on
}

// remoteValue is what a slot brings from another instrument.
type remoteValue struct {
	value float64
	aux   uint32
}

func quoteTick(bid, bidSize, ask, askSize float64) slot {
	return slot{ctl: 1 | program.CtlFreshQuote, f: [4]float64{bid, bidSize, ask, askSize}}
}

func tradeTick(price, size, aggressor float64) slot {
	return slot{ctl: 2 | program.CtlFreshTrade, f: [4]float64{price, size, aggressor, 0}}
}

// statusTick makes nothing fresh.
func statusTick() slot { return slot{ctl: 4, f: [4]float64{1, 0, 0, 0}} }

// at sets the engine time.
func (s slot) at(ns int64) slot { s.timeNs = ns; return s }

// gap marks the first tick after missing data.
func (s slot) gap() slot { s.ctl |= program.CtlGap; return s }

// on sets the instrument.
func (s slot) on(instrument uint32) slot { s.instrument = instrument; return s }

// clockTick is a boundary of the clocks given by their bits.
func clockTick(clocks uint32, ns int64) slot {
	return slot{ctl: program.CtlClockEvaluation, timeNs: ns, clocks: clocks, f: [4]float64{7e7, 7e7, 7e7, 7e7}}
}

// with sets what the slot brings from other instruments.
func (s slot) with(refs ...remoteValue) slot { copy(s.refs[:], refs); return s }

// session marks the first slot after a session reset.
func (s slot) session() slot { s.ctl |= program.CtlSessionReset; return s }

// row is the outcome of one tick: the masks and the quarters after them.
type row struct {
	when, exit, suppressed uint64
	out                    []float64
}

// unwritten fills rows before a run, so that a test sees what was written.
const unwritten = 0xdeadbeefdeadbeef

// failer is what run needs of a test or of a rapid property.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// run executes the slots in batches with every signal enabled for every instrument.
func run(t failer, p *program.Program, slots []slot, batch int) []row {
	t.Helper()
	instruments := 1
	for _, s := range slots {
		instruments = max(instruments, int(s.instrument)+1)
	}
	ex, err := program.NewExecutor(p, instruments)
	if err != nil {
		t.Fatal(err)
	}
	for i := range instruments {
		ex.SetWord(i, 0, ^uint64(0))
	}
	capacity := uint64(128)
	lane := &program.Lane{
		In:       make([]program.Quarter, uint64(p.SlotQuarters)*capacity),
		Out:      make([]program.Quarter, uint64(p.RowQuarters)*capacity),
		Capacity: capacity,
	}
	rows := make([]row, 0, len(slots))
	for from := 0; from < len(slots); from += batch {
		to := min(from+batch, len(slots))
		for n := from; n < to; n++ {
			stage(lane, uint64(n), slots[n])
			for q := range p.RowQuarters {
				lane.Out[uint64(q)*capacity+uint64(n)%capacity].Value = unwritten
			}
		}
		ex.Run(lane, uint64(from), uint64(to))
		for n := from; n < to; n++ {
			rows = append(rows, readRow(p, lane, uint64(n)))
		}
	}
	return rows
}

func stage(lane *program.Lane, n uint64, s slot) {
	at := n % lane.Capacity
	for q, f := range s.f {
		lane.In[uint64(q)*lane.Capacity+at].Value = math.Float64bits(f)
	}
	lane.In[at].Aux = s.instrument
	lane.In[lane.Capacity+at].Aux = s.ctl
	lane.In[uint64(program.SlotTime)*lane.Capacity+at].Value = uint64(s.timeNs)
	lane.In[ClockAuxQuarter*lane.Capacity+at].Aux = s.clocks
	for i, r := range s.refs {
		if q := uint64(program.SlotQuartersBase + i); q < uint64(len(lane.In))/lane.Capacity {
			lane.In[q*lane.Capacity+at].Value, lane.In[q*lane.Capacity+at].Aux = math.Float64bits(r.value), r.aux
		}
	}
}

func readRow(p *program.Program, lane *program.Lane, n uint64) row {
	at := func(quarter int) uint64 { return lane.Out[uint64(quarter)*lane.Capacity+n%lane.Capacity].Value }
	r := row{when: at(program.RowWhen), exit: at(program.RowExit), suppressed: at(program.RowSuppressed)}
	for q := program.RowFirst; q < p.RowQuarters; q++ {
		r.out = append(r.out, math.Float64frombits(at(q)))
	}
	return r
}

// mustCompile compiles or fails with the rendered mistakes.
func mustCompile(t testing.TB, specs ...SignalSpec) *Compiled {
	t.Helper()
	c, errs := Compile(specs, Options{})
	for _, e := range errs {
		t.Errorf("signal %d %s: %s", e.Signal, e.Part, expr.Render(e.Text, e.Mistake))
	}
	if c == nil {
		t.FailNow()
	}
	return c
}

// watch is a signal that fires whenever its value is evaluated and defined, so that rows show the value.
func watch(value string) SignalSpec { return SignalSpec{Name: "watched", Value: value, When: "true"} }

// series runs one expression over the slots and returns its value after each: NaN where it is undefined, and
// notFresh where the tick did not update it.
func runValue(t testing.TB, spec SignalSpec, slots []slot, batch int) []float64 {
	t.Helper()
	c := mustCompile(t, spec)
	values := make([]float64, len(slots))
	for i, r := range run(t, c.Program, slots, batch) {
		switch {
		case r.when&1 != 0 && r.suppressed&1 == 0:
			values[i] = r.out[c.Signals[0].ValueQuarter-program.RowFirst]
		case r.suppressed&1 != 0 && r.when&1 == 0:
			values[i] = math.NaN()
		case r.when|r.exit|r.suppressed == 0:
			values[i] = notFresh
		default:
			t.Fatalf("tick %d: both fired and suppressed: %+v", i, r)
		}
	}
	return values
}

// notFresh stands for "not updated on this tick" in expectations.
const notFresh = -1e308
