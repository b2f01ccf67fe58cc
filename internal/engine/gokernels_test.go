//go:build !nogpu && linux && (amd64 || arm64)

package engine

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// GoKernels plays the engine's kernels on the fake driver: Go functions that poll, compute and answer as lane.cu and batch.cu
// do. What they add is trouble, on demand. What they cannot show is the order of memory over a bus: the tests of the protocol
// delay every quarter instead.
//
//	engine ─ gpu ─ cufake ─ launch ─► lane, batch (here) ─ program.Executor
//	   │                                 │
//	   └── slots, quarter by quarter ────┤  in pinned memory, as with a device
//	   ◄── rows, quarter by quarter ─────┘
//
// The fields are set before Register and not changed.
type GoKernels struct {
	Program     *program.Program
	Instruments int    // of a lane
	Seed        uint64 // of the jitter
	Jitter      bool   // row quarters come in any order, with pauses
	Deaf        bool   // the resident kernel does not obey stops

	Trouble Trouble
	At      uint64        // the first slot of the trouble, counted from 1 over all lanes and the whole life; 0: none
	Resume  chan struct{} // closed: what hangs in Late goes on

	// Wrong changes the row of a slot, so counted; nil: none.
	Wrong func(slot uint64, row []program.Quarter)

	ran       atomic.Uint64
	launches  atomic.Uint64
	mu        sync.Mutex
	executors map[uint64]*goExecutor // by the address of the state
}

// Trouble is what happens instead of a row.
type Trouble uint8

// The troubles.
const (
	None  Trouble = iota
	Ends          // the kernel ends by itself, without an error
	Traps         // the device breaks, as by an access where nothing is
	Hangs         // the kernel never answers again
	Late          // it hangs until Resume, and then goes on with rows of its own invention
)

// String names the trouble in the tests' names.
func (t Trouble) String() string { return [...]string{"none", "ends", "traps", "hangs", "late"}[t] }

// goExecutor runs one lane.
type goExecutor struct {
	*program.Executor
	state []uint64 // the device's memory
}

const launchFailed = 719 // CUDA_ERROR_LAUNCH_FAILED

// Register gives the fake the kernels.
func (k *GoKernels) Register(g *cufake.GPU) {
	k.executors = map[uint64]*goExecutor{}
	g.Register(string(cuda.Resident), k.resident)
	g.Register(string(cuda.Batch), k.batch)
}

// Ran returns how many slots with ticks were run.
func (k *GoKernels) Ran() uint64 { return k.ran.Load() }

// goLanes reads the launch's table. In Go one goroutine does the work of all the blocks of a lane.
func goLanes(l *cufake.Launch) []cuda.Lane {
	table := cufake.Parameter[uint64](l, 0)
	first := cufake.Memory[cuda.Lane](l, table, 1)[0]
	return cufake.Memory[cuda.Lane](l, table, int(l.Grid[0]/max(first.Shards, 1)))
}

// executor returns the one that works on a state, with the state as it is in the device's memory now.
func (k *GoKernels) executor(l *cufake.Launch, d *cuda.Lane) *goExecutor {
	state := cufake.Memory[uint64](l, d.State, k.Instruments*k.Program.StateWords)
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.executors[d.State]
	if e == nil {
		made, err := program.NewExecutor(k.Program, k.Instruments)
		if err != nil {
			panic(err) // the engine has verified it
		}
		e = &goExecutor{Executor: made}
		k.executors[d.State] = e
	}
	e.state = state
	if err := e.RestoreState(e.state); err != nil {
		panic(err)
	}
	return e
}

// keep writes the state back to the device's memory.
func (e *goExecutor) keep() { copy(e.state, e.SnapshotState()) }

// random is a kernel's own source.
func (k *GoKernels) random() *rand.Rand {
	return rand.New(rand.NewPCG(k.Seed, k.launches.Add(1)))
}

// next counts a slot and says what happens to its row.
func (k *GoKernels) next() (slot uint64, t Trouble) {
	slot = k.ran.Add(1)
	if k.At == 0 || slot < k.At {
		return slot, None
	}
	return slot, k.Trouble
}

// stay is how a kernel hangs. It reports whether it goes on.
func (k *GoKernels) stay(l *cufake.Launch, t Trouble) bool {
	for !l.Stopped() {
		if t == Late {
			select {
			case <-k.Resume:
				return true
			default:
			}
		}
		goPause()
	}
	return false
}

func goPause() { time.Sleep(50 * time.Microsecond) }

// batch is batch.cu: slots are the device's, rows are written where the host looks.
func (k *GoKernels) batch(l *cufake.Launch) {
	for _, d := range goLanes(l) {
		in := cufake.Memory[program.Quarter](l, d.In, int(d.SlotQuarters*d.InRing))
		p := &polledLane{
			k: k, l: l, d: d, random: k.random(), out: cufake.Memory[program.Quarter](l, d.Out, k.Program.RowQuarters*int(d.Ring)),
			row: make([]program.Quarter, k.Program.RowQuarters),
		}
		local := make([]program.Quarter, k.Program.RowQuarters*int(d.InRing))
		for i := range local {
			local[i].Value = unwritten
		}
		for q := range p.row {
			p.order = append(p.order, q)
		}
		e := k.executor(l, &d)
		e.Run(&program.Lane{In: in, Out: local, Capacity: uint64(d.InRing)}, uint64(d.From), uint64(d.From)+uint64(d.Count))
		e.keep()
		for i := range d.Count {
			slot, t := k.next()
			switch t {
			case Ends:
				return
			case Traps:
				l.Fail(launchFailed)
			case Hangs, Late:
				if !k.stay(l, t) {
					return
				}
			}
			for q := range p.row {
				p.row[q] = local[uint32(q)*d.InRing+(d.From+i)&(d.InRing-1)]
			}
			k.disturb(slot, t, p.row)
			p.write(d.From + i)
		}
	}
}

// disturb changes a row as asked.
func (k *GoKernels) disturb(slot uint64, t Trouble, row []program.Quarter) {
	if t == Late {
		for q := range row {
			row[q].Value = ^uint64(0)
		}
	}
	if k.Wrong != nil {
		k.Wrong(slot, row)
	}
}

// SetLaneStart numbers the lanes' first slots. Stamps are the low half of the number plus one, and memory is zeroed: a start
// just below 2^32 needs lanes of fewer slots than are left before the wrap.
func (c *Config) SetLaneStart(slot uint64) { c.laneStart = slot }

// EndKernel stages a stop that the engine does not know of: to it the kernel dies. On the sequencer's goroutine, resident dispatch.
func (e *Engine) EndKernel(lane int) {
	l := e.lanes[lane]
	for l.full() {
		e.pipeline.room()
	}
	l.command(cuda.CommandStop, 0, 0, 0)
}

// StopClock lets no device be late, before the engine runs.
func (e *Engine) StopClock() {
	for _, set := range e.gpus {
		set.clock = feed.NewManualClock(1)
	}
}

// AnswerStreams stamps the rows of what stream dispatch has sent, all of them without a signal, in place of kernels, until told
// to stop. It allocates nothing. Batches are over before their rows are there, so time must stand still: see StopClock.
func (e *Engine) AnswerStreams(stop *atomic.Bool) {
	answered := make([]uint64, len(e.lanes))
	for i, l := range e.lanes {
		answered[i] = l.computed.Load()
	}
	for !stop.Load() {
		for i, l := range e.lanes {
			for ; answered[i] != l.gpu.batcher.sent.Load(); answered[i]++ {
				at, stamp := answered[i]&l.mask, uint32(answered[i])+1
				for q := range uint64(program.RowFirst) {
					putQuarter(&l.memory.Out[at+q*(l.mask+1)], program.Quarter{Stamp: stamp})
				}
			}
		}
		runtime.Gosched()
	}
}

// GPULanes returns how many lanes each device has.
func (e *Engine) GPULanes() (lanes []int) {
	for _, set := range e.gpus {
		lanes = append(lanes, len(set.lanes))
	}
	return lanes
}

// TestTroubles: every trouble has a name of its own.
func TestTroubles(t *testing.T) {
	names := map[string]bool{}
	for k := None; k <= Late; k++ {
		names[k.String()] = true
	}
	if len(names) != int(Late)+1 {
		t.Errorf("%v", names)
	}
}
