//go:build !nogpu && linux && (amd64 || arm64)

package engine

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/gpu/mailbox"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// The resident protocol alone: the engine's lane on one side, and on the other a kernel that computes nothing but knows, of
// every quarter, the bits that must be in it.
//
//	stage, any order ─► pinned slots ─► bus: each quarter late by itself ─► kernel: all 128 bits as drawn?
//	poll: all bits as drawn? ◄─ pinned rows ◄─ quarters of 32 rows in any order, with pauses ─┘

// protocolRig is a lane on the fake and the kernel that knows.
type protocolRig struct {
	t      *testing.T
	l      *lane
	g      *gpuLane
	k      *knowing
	random *rand.Rand
	laps   int // the kernel or the desk stood still until the other could not go on
	partly int // rows met with some quarters there and some not

	commands int // among the ticks
}

const protocolSlots = 64

// protocolSet is one lane of a program with wide slots and rows, on a fake device. The kernel is the caller's.
func protocolSet(t *testing.T, first uint64, kernel cufake.Kernel) (*gpuSet, *lane) {
	t.Helper()
	if !mailbox.Supported() {
		t.Skip("this processor has no indivisible stores of 16 bytes")
	}
	c := compiledConfig(t, []kernels.SignalSpec{
		{Name: "a", Value: `of(ref("v", "x"), mid) - mid`, When: "value > 0", Side: "-sign(value)", Strength: "abs(value)"},
		{Name: "b", Value: `of(ref("v", "y"), spread)`, On: []string{`ref("v", "y")`}, When: "value > 0", Exit: "value < 0", Strength: "spread"},
		{Name: "c", Value: "mid", When: "value > 0"},
	})
	c.GPU, c.Lanes, c.LaneSlots = &GPU{}, 1, protocolSlots
	fake := cufake.New(cufake.Options{})
	t.Cleanup(fake.Close)
	fake.Register(string(cuda.Resident), kernel)
	driver, err := gpu.NewDriver(fake.Lookup)
	check(t, err)
	d, err := driver.Open(0)
	check(t, err)
	l, err := newLane(c.Program, protocolSlots, 4)
	check(t, err)
	l.begin(first)
	set, err := newGPUSet(&c, d, []*lane{l}, 4)
	check(t, err)
	t.Cleanup(func() {
		check(t, set.close())
		check(t, d.Close())
	})
	if l.gpu.signals != 7 || c.Program.SlotQuarters < 7 || len(l.gpu.quarters[0]) != 3 {
		t.Fatalf("signals %#x, %d slot quarters, signal 0 has %v", l.gpu.signals, c.Program.SlotQuarters, l.gpu.quarters[0])
	}
	return set, l
}

func newProtocolRig(t *testing.T, seed, first uint64, lazy bool) *protocolRig {
	k := &knowing{seed: seed, first: first, lazy: lazy}
	set, l := protocolSet(t, first, k.run)
	k.g = l.gpu
	check(t, set.start())
	return &protocolRig{t: t, l: l, g: l.gpu, k: k, random: rand.New(rand.NewPCG(seed, 2))}
}

// stage writes the quarters of the next slot in any order, or, now and then, a command.
func (r *protocolRig) stage() {
	l := r.l
	slot := l.stagedBy
	if command := uint32(mixed(slot) % 16); command > cuda.CommandStop && command <= cuda.CommandSet && !r.k.lazy {
		first, second := drawn(r.k.seed, slot, 0, false, 0), drawn(r.k.seed, slot, 1, false, 0)
		l.command(command, first.Aux, first.Value, second.Value)
		l.staged.Store(l.stagedBy)
		r.commands++
		return
	}
	quarters := len(l.memory.In) / protocolSlots
	for _, q := range r.random.Perm(quarters) {
		l.put(uint64(q)*protocolSlots+slot&l.mask, drawn(r.k.seed, slot, q, false, 0))
		if r.random.IntN(8) == 0 {
			runtime.Gosched()
		}
	}
	l.stagedBy = slot + 1
	l.staged.Store(l.stagedBy)
}

// take takes what is whole, looks at every bit of it and frees it.
func (r *protocolRig) take() {
	l, g := r.l, r.g
	from := l.computed.Load()
	if from != l.staged.Load() && stampOf(&l.memory.Out[from&l.mask]) == uint32(from)+1 && !g.whole(l, from) {
		r.partly++
	}
	n, err := g.take(l, 1+uint64(r.random.IntN(protocolSlots)))
	r.k.polls.Add(1)
	check(r.t, err)
	for slot := from; slot != from+n; slot++ {
		r.look(slot)
	}
	l.consumed.Store(from + n)
}

func (r *protocolRig) look(slot uint64) {
	r.t.Helper()
	l, fired := r.l, uint64(0)
	if isCommand(l, slot&l.mask) {
		want := program.Quarter{Value: mixed(slot) % 16, Stamp: uint32(slot) + 1}
		if got := l.memory.Out[slot&l.mask]; got != want {
			r.t.Fatalf("seed %d: slot %#x, the command is answered by %+v, want %+v", r.k.seed, slot, got, want)
		}
		return
	}
	see := func(q uint64) {
		if got, want := l.memory.Out[q*protocolSlots+slot&l.mask], drawn(r.k.seed, slot, int(q), true, r.g.signals); got != want {
			r.t.Fatalf("seed %d: slot %#x, row quarter %d is %+v, want %+v", r.k.seed, slot, q, got, want)
		}
	}
	for q := range uint64(program.RowFirst) {
		see(q)
		if q != program.RowSuppressed {
			fired |= drawn(r.k.seed, slot, int(q), true, r.g.signals).Value
		}
	}
	for i, quarters := range r.g.quarters {
		if fired>>i&1 != 0 {
			for _, q := range quarters {
				see(q)
			}
		}
	}
}

// play runs so many slots through, with stalls of either side for a whole lap.
func (r *protocolRig) play(slots int) {
	l := r.l
	for end := l.computed.Load() + uint64(slots); l.computed.Load() < end; {
		switch r.random.IntN(32) {
		case 0: // the kernel stands still until nothing can be staged
			r.k.hold.Store(true)
			for !l.full() && l.stagedBy < end {
				r.stage()
			}
			r.k.hold.Store(false)
			r.laps++
		case 1: // the desk stands still until the kernel has nothing left to read
			for !l.full() && l.stagedBy < end {
				r.stage()
			}
			for deadline := time.Now().Add(10 * time.Second); r.k.first+r.k.taken.Load() != l.stagedBy && time.Now().Before(deadline); {
				r.k.polls.Add(1)
				runtime.Gosched()
			}
			r.laps++
		default:
			for range r.random.IntN(24) {
				if !l.full() && l.stagedBy < end {
					r.stage()
				}
			}
		}
		r.take()
		runtime.Gosched()
	}
}

// TestGPUProtocolChecksums looks at every bit that crosses, both ways, across the end of the stamps: quarters late in any order,
// either side stalled a lap.
func TestGPUProtocolChecksums(t *testing.T) {
	for _, first := range []uint64{0, 1<<32 - 100, 1<<33 - 1000} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("first=%#x/seed=%d", first, seed), func(t *testing.T) {
				r := newProtocolRig(t, seed, first, false)
				r.play(2000)
				if torn := r.k.torn.Load(); torn != 0 {
					t.Errorf("seed %d: %d quarters of slots were not what was staged", seed, torn)
				}
				if r.laps < 3 || r.partly == 0 || r.commands == 0 {
					t.Errorf("seed %d: %d stalls of a lap, %d rows met half there, %d commands: the test shows too little", seed, r.laps, r.partly, r.commands)
				}
			})
		}
	}
}

// TestGPUProtocolNeedsEveryStamp: a kernel that looks at two stamps of a slot, as the first sketch did, takes torn slots from
// this bus. So the test above would see one.
func TestGPUProtocolNeedsEveryStamp(t *testing.T) {
	r := newProtocolRig(t, 1, 1<<32-100, true)
	r.play(2000)
	if r.k.torn.Load() == 0 {
		t.Error("nothing torn was taken: the bus delays nothing")
	}
}

// TestGPUProtocolStops: a lane ends with what was staged, answers the stop, and another starts in memory of its own.
func TestGPUProtocolStops(t *testing.T) {
	for round := range uint64(4) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			r := newProtocolRig(t, round, round*1000, false)
			r.play(int(round) * 40)
			set := r.g.set
			check(t, set.close())
			if !r.k.stopped.Load() {
				t.Error("the kernel did not end by the stop")
			}
			set.stream, set.lanes, set.table, set.module = nil, nil, nil, nil // closed
		})
	}
}

// TestGPUStampsComeRound: stamps repeat after 2^32 slots. The value of a signal that fired once, that long ago, in the same place
// must not be taken for that of its next firing while this is on its way; nor may zeroed memory be taken for stamp 0.
func TestGPUStampsComeRound(t *testing.T) {
	for _, first := range []uint64{0, 1000, 1<<32 - 100} {
		t.Run(fmt.Sprintf("first=%#x", first), func(t *testing.T) {
			_, l := protocolSet(t, first, func(*cufake.Launch) {})
			g := l.gpu
			value := g.quarters[2][0]
			mask := func(slot, when uint64) {
				for q := range uint64(program.RowFirst) {
					putQuarter(&l.memory.Out[q*protocolSlots+slot&l.mask], program.Quarter{Stamp: uint32(slot) + 1, Value: when * (1 - min(q, 1))})
				}
			}
			fire := func(slot, bits uint64) {
				putQuarter(&l.memory.Out[value*protocolSlots+slot&l.mask], program.Quarter{Stamp: uint32(slot) + 1, Value: bits})
			}
			lap := func(from uint64) { // nothing fires in it
				l.begin(from)
				l.staged.Store(from + protocolSlots)
				for slot := from; slot != from+protocolSlots; slot++ {
					mask(slot, 0)
				}
				if n, err := g.poll(l, protocolSlots); n != protocolSlots || err != nil {
					t.Fatalf("%d rows, %v", n, err)
				}
			}
			once := first + 5
			fire(once, 111) // beside the mask: as good as fired
			lap(first)
			lap(first + staleSlots)
			for _, slot := range []uint64{once + 1<<32, first | (1<<32 - 1) + 1<<32} { // the same stamp; stamp 0
				l.begin(slot)
				l.staged.Store(slot + 1)
				mask(slot, 1<<2)
				if n, _ := g.poll(l, 1); n != 0 {
					t.Errorf("slot %#x: taken with the value %d, which is 2^32 slots old", slot, l.memory.Out[value*protocolSlots+slot&l.mask].Value)
				}
				fire(slot, 222)
				if n, _ := g.poll(l, 1); n != 1 || l.memory.Out[value*protocolSlots+slot&l.mask].Value != 222 {
					t.Errorf("slot %#x: %d rows", slot, n)
				}
			}
			l.begin(first + 1<<33 - 50) // stop is staged here
		})
	}
}
