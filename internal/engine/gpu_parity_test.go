package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/awkward"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// These tests need a GPU: they run where there is one, and say why not elsewhere. SIGENGINE_GPU_PROGRAMS sets how many
// random programs are compared.

func openDevice(t testing.TB) *gpu.Device {
	t.Helper()
	if present, err := gpu.Present(); !present {
		t.Skipf("no GPU here: %v", err)
	}
	d, err := gpu.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// TestGPUParityOfOperators: every operator of the catalogue, on the device, is the CPU's to the bit.
func TestGPUParityOfOperators(t *testing.T) {
	d := openDevice(t)
	operators, without := awkward.Operators()
	var programs []*program.Program
	for i := range operators {
		programs = append(programs, operators[i].Compiled.Program)
	}
	rows := 0
	for from := 0; from < len(programs); from += groupMax {
		rows += parityGroup(t, d, programs[from:min(from+groupMax, len(programs))], true, 2, 2, uint64(from), 4000)
	}
	t.Logf("parity operators=%d rows=%d mismatches=0; no expression for %v", len(operators), rows, without)
}

// TestGPUParityOfRandomPrograms: programs that nobody would write, 64 a module.
func TestGPUParityOfRandomPrograms(t *testing.T) {
	d := openDevice(t)
	count := 256
	if text := os.Getenv("SIGENGINE_GPU_PROGRAMS"); text != "" {
		if _, err := fmt.Sscan(text, &count); err != nil {
			t.Fatal(err)
		}
	}
	rows := 0
	for from := 0; from < count; from += groupMax {
		var programs []*program.Program
		for seed := from; seed < min(from+groupMax, count); seed++ {
			build := awkward.Program
			if from/groupMax%2 == 1 {
				build = awkward.Signals
			}
			programs = append(programs, build(rand.New(rand.NewPCG(uint64(seed), 99))))
		}
		rows += parityGroup(t, d, programs, false, []int{1, 4, 2, 3}[from/groupMax%4], 1+from/groupMax%3, uint64(from), 600)
	}
	t.Logf("parity programs=%d rows=%d mismatches=0", count, rows)
}

// TestGPUCompiles compiles every operator's program alone and says what it needs, so that one the driver's compiler cannot
// take is known by name.
func TestGPUCompiles(t *testing.T) {
	d := openDevice(t)
	operators, _ := awkward.Operators()
	for i := range operators {
		p := operators[i].Compiled.Program
		t.Run(operators[i].Name, func(t *testing.T) {
			fmt.Fprintf(os.Stderr, "compiling %s, %d instructions\n", operators[i].Expression, len(p.Before)+len(p.Recur)+len(p.After))
			m, err := d.LoadModule([]byte(cuda.Whole(cuda.Batch, p, cuda.ShapeOf(p).Warps)))
			check(t, err)
			check(t, m.Close())
		})
	}
}

const (
	groupMax  = 64
	groupRing = 64
)

// dispatcher is a device function that calls the program of its block.
func dispatcher(count, shards int) string {
	const each = 5
	var list []string
	for i := range 2 * each {
		list = append(list, fmt.Sprintf(".param .b%d a%d", 64-32*(i/each), i))
	}
	signature := strings.Join(list, ", ")
	var b strings.Builder
	b.WriteString(".version 8.4\n.target sm_80\n.address_size 64\n")
	for i := range count {
		fmt.Fprintf(&b, ".extern .func program_%d(%s);\n", i, signature)
	}
	fmt.Fprintf(&b, ".visible .func program(%s)\n{\n\t.reg .b64 %%d<%d>;\n\t.reg .b32 %%w<%d>, %%block;\n\t.reg .pred %%p;\n\tmov.u32 %%block, %%ctaid.x;\n\tdiv.u32 %%block, %%block, %d;\n", signature, each, each, shards)
	for i := range each {
		fmt.Fprintf(&b, "\tld.param.b64 %%d%d, [a%d];\n\tld.param.b32 %%w%d, [a%d];\n", i, i, i, i+each)
	}
	for i := range count {
		fmt.Fprintf(&b, "\tsetp.ne.u32 %%p, %%block, %d;\n\t@%%p bra NEXT%d;\n\t{\n", i, i)
		for k := range each {
			fmt.Fprintf(&b, "\t.param .b64 c%d;\n\tst.param.b64 [c%d], %%d%d;\n", k, k, k)
		}
		for k := range each {
			fmt.Fprintf(&b, "\t.param .b32 c%d;\n\tst.param.b32 [c%d], %%w%d;\n", k+each, k+each, k)
		}
		fmt.Fprintf(&b, "\tcall.uni program_%d, (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9);\n\t}\n\tret;\nNEXT%d:\n", i, i)
	}
	b.WriteString("\tret;\n}\n")
	return b.String()
}

// groupLane is one program of a group, on both executors.
type groupLane struct {
	p        *program.Program
	executor *program.Executor
	cpu      program.Lane
	in, out  *gpu.HostBuffer[program.Quarter]
	rows     []program.Quarter
	state    *gpu.Buffer[uint64]
	market   *awkward.Market
	always   bool // its guards are always true: every quarter is written
}

// parityGroup runs programs, each over so many blocks of so many warps, over awkward ticks and compares every row and the state at the end.
func parityGroup(t *testing.T, d *gpu.Device, programs []*program.Program, inlined bool, warps, shards int, seed uint64, ticks int) (rows int) {
	t.Helper()
	const instruments = 5
	parts, exchange := []string{cuda.Windows.PTX()}, 0
	emit := cuda.Emit // calls windows: the compiler is quicker
	if inlined {
		emit, parts = cuda.Inlined, nil
	}
	for i, p := range programs {
		parts = append(parts, emit(p, fmt.Sprintf("program_%d", i), warps))
		exchange = max(exchange, cuda.ShapeWith(p, warps).ExchangeBytes)
	}
	parts = append(parts, dispatcher(len(programs), shards), cuda.Batch.PTX())
	module, err := d.LoadModule([]byte(cuda.Merge(parts...)))
	check(t, err)
	defer func() { check(t, module.Close()) }()
	kernel, err := gpu.LoadKernel[laneArguments](module, string(cuda.Batch))
	check(t, err)
	shape, err := launchShape(kernel, cuda.Shape{Warps: warps, ExchangeBytes: exchange}, cuda.Batch, shards*len(programs))
	check(t, err)
	stream, err := d.NewStream(gpu.StreamOptions{})
	check(t, err)
	defer func() { check(t, stream.Close()) }()
	table, err := gpu.AllocHost[cuda.Lane](d, len(programs), gpu.Mailbox)
	check(t, err)
	defer func() { check(t, table.Close()) }()
	lanes := make([]*groupLane, len(programs))
	uses := []gpu.Use{table.In()}
	for i, p := range programs {
		lanes[i] = newGroupLane(t, d, p, instruments, seed+uint64(i))
		lanes[i].always = !inlined && seed/groupMax%2 == 0
		defer lanes[i].close(t)
		uses = append(uses, lanes[i].in.In(), lanes[i].out.Out(), lanes[i].state.Out())
	}
	entries, err := table.Slice()
	check(t, err)
	random := rand.New(rand.NewPCG(seed, 5))
	for slot := uint64(0); slot < uint64(ticks); {
		n := uint64(1 + random.IntN(groupRing))
		for i, l := range lanes {
			for k := range n {
				l.market.Stage(&l.cpu, l.p, slot+k)
			}
			l.executor.Run(&l.cpu, slot, slot+n)
			entries[i] = cuda.Lane{
				In: l.in.Ptr().Address(), Out: l.out.Ptr().Address(), State: l.state.Ptr().Address(), Ring: groupRing,
				SlotQuarters: uint32(l.p.SlotQuarters), Words: uint32(l.p.StateWords), From: uint32(slot), Count: uint32(n), Shards: uint32(shards), InRing: groupRing,
			}
		}
		check(t, gpu.Launch(stream, kernel, shape, &laneArguments{table.Ptr()}, uses...))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		check(t, stream.Sync(ctx))
		cancel()
		for i, l := range lanes {
			for k := range n {
				rows += l.compare(t, i, seed, slot+k)
			}
		}
		slot += n
	}
	for i, l := range lanes {
		l.compareState(t, i, seed)
	}
	return rows
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newGroupLane(t *testing.T, d *gpu.Device, p *program.Program, instruments int, seed uint64) *groupLane {
	t.Helper()
	l := &groupLane{p: p, market: awkward.NewMarket(rand.New(rand.NewPCG(seed, 77)), instruments)}
	var err error
	l.executor, err = program.NewExecutor(p, instruments)
	check(t, err)
	state := initialState(p, instruments)
	for i := range instruments {
		l.executor.SetWord(i, enableWord, ^uint64(0))
		state[i*p.StateWords+enableWord] = ^uint64(0)
	}
	l.in, err = gpu.AllocHost[program.Quarter](d, groupRing*p.SlotQuarters, gpu.Mailbox)
	check(t, err)
	l.out, err = gpu.AllocHost[program.Quarter](d, groupRing*p.RowQuarters, gpu.Mailbox)
	check(t, err)
	l.state, err = gpu.Alloc[uint64](d, len(state))
	check(t, err)
	check(t, gpu.Write(l.state.All(), state))
	in, err := l.in.Slice()
	check(t, err)
	l.rows, err = l.out.Slice()
	check(t, err)
	l.cpu = program.Lane{In: in, Out: make([]program.Quarter, groupRing*p.RowQuarters), Capacity: groupRing}
	return l
}

func (l *groupLane) close(t *testing.T) {
	check(t, l.in.Close())
	check(t, l.out.Close())
	check(t, l.state.Close())
}

// compare compares the quarters that the device wrote for a slot; the masks it must have written.
func (l *groupLane) compare(t *testing.T, lane int, seed, slot uint64) int {
	t.Helper()
	at, stamp := slot&(groupRing-1), uint32(slot)+1
	for q := range uint64(l.p.RowQuarters) {
		got, want := l.rows[q*groupRing+at], l.cpu.Out[q*groupRing+at]
		if got.Stamp != stamp {
			if q < program.RowFirst || l.always {
				t.Fatalf("seed %d, program %d, slot %d: row quarter %d was not written", seed, lane, slot, q)
			}
			continue
		}
		if got.Value != want.Value {
			t.Fatalf("seed %d, program %d, slot %d: row quarter %d is %#x, want %#x\n%s", seed, lane, slot, q, got.Value, want.Value, l.p)
		}
	}
	return 1
}

func (l *groupLane) compareState(t *testing.T, lane int, seed uint64) {
	t.Helper()
	got := make([]uint64, l.state.Len())
	check(t, gpu.Read(got, l.state.All()))
	for i, want := range l.executor.SnapshotState() {
		if got[i] != want {
			t.Fatalf("seed %d, program %d: state word %d of instrument %d is %#x, want %#x\n%s",
				seed, lane, i%l.p.StateWords, i/l.p.StateWords, got[i], want, l.p)
		}
	}
}
