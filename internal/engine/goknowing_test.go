//go:build !nogpu && linux && (amd64 || arm64)

package engine

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/gpu/mailbox"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// drawn returns the bits of a quarter: all of them are a hash's, but for what makes a slot a tick and a mask one of signals
// that there are.
func drawn(seed, slot uint64, quarter int, row bool, signals uint64) program.Quarter {
	x := mixed(seed ^ mixed(slot)<<1 ^ uint64(quarter)<<8)
	if row {
		x = mixed(x + 1)
	}
	q := program.Quarter{Value: mixed(x), Aux: uint32(mixed(x + 2)), Stamp: uint32(slot) + 1}
	if !row && quarter == program.SlotF1 {
		q.Aux |= 1
	}
	if row && quarter < program.RowFirst {
		q.Value &= mixed(x+3) & signals
	}
	return q
}

// mixed is the finaliser of splitmix64.
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// knowing is the kernel that knows.
type knowing struct {
	seed    uint64
	first   uint64 // the number of its first slot, whole
	g       *gpuLane
	lazy    bool // looks at the stamps of two quarters only
	torn    atomic.Uint64
	taken   atomic.Uint64
	hold    atomic.Bool   // it looks at nothing
	polls   atomic.Uint64 // of the host: half written rows wait for one
	stopped atomic.Bool

	in, out, seen []program.Quarter // seen: what has come over the bus
	ring          uint64
	random        *rand.Rand
}

func (k *knowing) run(l *cufake.Launch) {
	d := goLanes(l)[0]
	quarters := int(d.SlotQuarters)
	rows := k.g.set.config.Program.RowQuarters
	k.ring = uint64(d.Ring)
	k.in = cufake.Memory[program.Quarter](l, d.In, quarters*int(d.Ring))
	k.out = cufake.Memory[program.Quarter](l, d.Out, rows*int(d.Ring))
	k.seen = make([]program.Quarter, len(k.in))
	k.random = rand.New(rand.NewPCG(k.seed, 1))
	for base := k.first; !l.Stopped(); {
		if k.hold.Load() {
			runtime.Gosched()
			continue
		}
		n := k.look(base, quarters)
		if command := k.command(base); n > 0 && command != 0 {
			n = 1
			k.obey(base, command)
			if command == cuda.CommandStop {
				k.stopped.Store(true)
				return
			}
		} else {
			n = k.compare(base, n, quarters)
			k.answer(base, n, rows)
		}
		base += n
		k.taken.Add(n)
		runtime.Gosched()
	}
}

// compare looks at every bit of ticks, up to a command, and returns how many there were.
func (k *knowing) compare(base, n uint64, quarters int) uint64 {
	for i := range n {
		if k.command(base+i) != 0 {
			return i
		}
		for q := range quarters {
			if k.seen[k.at(base+i, q)] != drawn(k.seed, base+i, q, false, 0) {
				k.torn.Add(1)
			}
		}
	}
	return n
}

// obey looks at what a command says, and answers.
func (k *knowing) obey(slot uint64, command uint32) {
	first, second := drawn(k.seed, slot, 0, false, 0), drawn(k.seed, slot, 1, false, 0)
	if got := k.seen[k.at(slot, 0)]; command != cuda.CommandStop && (got != first || k.seen[k.at(slot, 1)].Value != second.Value) {
		k.torn.Add(1)
	}
	k.put(slot, 0, program.Quarter{Value: uint64(command), Stamp: uint32(slot) + 1})
}

func (k *knowing) at(slot uint64, quarter int) uint64 { return uint64(quarter)*k.ring + slot%k.ring }

// look lets a quarter of the next quarters arrive, whichever, and returns how many slots are ready.
func (k *knowing) look(base uint64, quarters int) (n uint64) {
	for i := range uint64(32) {
		for q := range quarters {
			if k.random.IntN(4) > 0 {
				continue
			}
			from := &k.in[k.at(base+i, q)]
			stamp, aux := mailbox.Stamp((*mailbox.Quarter)(unsafe.Pointer(from)))
			k.seen[k.at(base+i, q)] = program.Quarter{Value: atomic.LoadUint64(&from.Value), Aux: aux, Stamp: stamp}
		}
	}
	for n < 32 && k.ready(base+n, quarters) {
		n++
	}
	return n
}

func (k *knowing) ready(slot uint64, quarters int) bool {
	for q := range quarters {
		if k.lazy && q != 0 && q != quarters-1 {
			continue
		}
		if k.seen[k.at(slot, q)].Stamp != uint32(slot)+1 {
			return false
		}
	}
	return true
}

// command returns the command in a slot, or 0.
func (k *knowing) command(slot uint64) uint32 {
	from := k.seen
	if k.lazy {
		from = k.in // it must end all the same
	}
	if from[k.at(slot, 1)].Aux&program.CtlKindMask != 0 {
		return 0
	}
	return from[k.at(slot, 3)].Aux
}

// answer writes the quarters of n rows in any order.
func (k *knowing) answer(base, n uint64, rows int) {
	var todo [][2]uint64
	for i := range n {
		fired := drawn(k.seed, base+i, program.RowWhen, true, k.g.signals).Value | drawn(k.seed, base+i, program.RowExit, true, k.g.signals).Value
		for q := range program.RowFirst {
			todo = append(todo, [2]uint64{base + i, uint64(q)})
		}
		for s, quarters := range k.g.quarters {
			if fired>>s&1 != 0 {
				for _, q := range quarters {
					todo = append(todo, [2]uint64{base + i, q})
				}
			}
		}
	}
	k.random.Shuffle(len(todo), func(a, b int) { todo[a], todo[b] = todo[b], todo[a] })
	for _, w := range todo {
		k.put(w[0], int(w[1]), drawn(k.seed, w[0], int(w[1]), true, k.g.signals))
		if k.random.IntN(32) == 0 {
			was := k.polls.Load()
			for deadline := time.Now().Add(time.Second); k.polls.Load() == was && time.Now().Before(deadline); {
				runtime.Gosched()
			}
		}
	}
}

func (k *knowing) put(slot uint64, quarter int, q program.Quarter) {
	putQuarter(&k.out[k.at(slot, quarter)], q)
}
