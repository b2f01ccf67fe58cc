//go:build !nogpu && linux && (amd64 || arm64)

package fakekernels

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// Kernels are the kernels of one program. Set the fields before Register.
type Kernels struct {
	Program     *program.Program
	Instruments int    // of a lane
	Seed        uint64 // of the trouble
	Jitter      bool   // row quarters come in any order, with pauses

	// At a slot of any lane, counted from 1 over the whole life of the Kernels: what happens instead of its row. 0: never.
	DieAt, TrapAt, HangAt uint64

	// Wrong changes the row of a slot, so counted; nil: none.
	Wrong func(slot uint64, row []program.Quarter)

	device    *cufake.GPU
	ran       atomic.Uint64
	launches  atomic.Uint64
	mu        sync.Mutex
	executors map[uint64]*executor // by the address of the state
}

// executor runs one lane.
type executor struct {
	*program.Executor
	state []uint64
}

// trapCode is CUDA_ERROR_LAUNCH_FAILED.
const trapCode = 719

// Register gives the fake the kernels.
func (k *Kernels) Register(g *cufake.GPU) {
	k.device, k.executors = g, map[uint64]*executor{}
	g.Register(string(cuda.Resident), k.resident)
	g.Register(string(cuda.Batch), k.batch)
}

// Ran returns how many slots with ticks were run.
func (k *Kernels) Ran() uint64 { return k.ran.Load() }

// lanes reads the launch's table.
func lanes(l *cufake.Launch) []cuda.Lane {
	return cufake.Memory[cuda.Lane](l, cufake.Parameter[uint64](l, 0), int(l.Grid[0]))
}

// executor returns the one that works on a state, with the state as it is in the device's memory now.
func (k *Kernels) executor(l *cufake.Launch, d *cuda.Lane) *executor {
	state := cufake.Memory[uint64](l, d.State, k.Instruments*k.Program.StateWords)
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.executors[d.State]
	if e == nil {
		made, err := program.NewExecutor(k.Program, k.Instruments)
		if err != nil {
			panic(err) // the engine has verified it
		}
		e = &executor{Executor: made}
		k.executors[d.State] = e
	}
	e.state = state
	if err := e.RestoreState(e.state); err != nil {
		panic(err)
	}
	return e
}

// keep writes the state back to the device's memory.
func (e *executor) keep() { copy(e.state, e.SnapshotState()) }

// random is a kernel's own source.
func (k *Kernels) random() *rand.Rand {
	return rand.New(rand.NewPCG(k.Seed, k.launches.Add(1)))
}

// trouble says what happens instead of a row.
type trouble uint8

const (
	none trouble = iota
	die
	hang
)

// next counts a slot.
func (k *Kernels) next() (slot uint64, t trouble) {
	slot = k.ran.Add(1)
	switch {
	case k.TrapAt != 0 && slot >= k.TrapAt:
		k.device.Break(0, trapCode)
		return slot, die
	case k.DieAt != 0 && slot >= k.DieAt:
		return slot, die
	case k.HangAt != 0 && slot >= k.HangAt:
		return slot, hang
	}
	return slot, none
}

// batch is batch.cu: memory is the device's, and nobody looks before the copy out.
func (k *Kernels) batch(l *cufake.Launch) {
	for _, d := range lanes(l) {
		in := cufake.Memory[program.Quarter](l, d.In, int(d.SlotQuarters*d.Ring))
		out := cufake.Memory[program.Quarter](l, d.Out, k.Program.RowQuarters*int(d.Ring))
		e := k.executor(l, &d)
		e.Run(&program.Lane{In: in, Out: out, Capacity: uint64(d.Ring)}, uint64(d.From), uint64(d.From)+uint64(d.Count))
		e.keep()
		for i := range d.Count {
			slot, t := k.next()
			at := (d.From + i) & (d.Ring - 1)
			row := make([]program.Quarter, k.Program.RowQuarters)
			for q := range row {
				row[q] = out[uint32(q)*d.Ring+at]
				row[q].Stamp = d.From + i + 1
			}
			switch {
			case t == hang:
				for !l.Stopped() {
					pause()
				}
				return
			case t == die:
				return
			case k.Wrong != nil:
				k.Wrong(slot, row)
			}
			for q := range row {
				out[uint32(q)*d.Ring+at] = row[q]
			}
		}
	}
}
