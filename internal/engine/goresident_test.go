//go:build !nogpu && linux && (amd64 || arm64)

package engine

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/gpu/mailbox"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

const goWarp = 32

// unwritten marks a row quarter that the program did not emit: no row's value is such a NaN.
const unwritten = 0x7ff4_dead_beef_dead

// polledLane is one block of lane.cu.
type polledLane struct {
	k       *GoKernels
	l       *cufake.Launch
	d       cuda.Lane
	e       *goExecutor
	in, out []program.Quarter // pinned
	local   program.Lane      // this batch, as the block's shared memory holds it
	row     []program.Quarter
	order   []int
	random  *rand.Rand
}

// resident is lane.cu.
func (k *GoKernels) resident(l *cufake.Launch) {
	var blocks []*polledLane
	for _, d := range goLanes(l) {
		p := &polledLane{
			k: k, l: l, d: d, e: k.executor(l, &d), random: k.random(),
			in:  cufake.Memory[program.Quarter](l, d.In, int(d.SlotQuarters*d.Ring)),
			out: cufake.Memory[program.Quarter](l, d.Out, k.Program.RowQuarters*int(d.Ring)),
			local: program.Lane{
				In: make([]program.Quarter, goWarp*d.SlotQuarters), Out: make([]program.Quarter, goWarp*k.Program.RowQuarters), Capacity: goWarp,
			},
			row: make([]program.Quarter, k.Program.RowQuarters),
		}
		for q := range p.row {
			p.order = append(p.order, q)
		}
		blocks = append(blocks, p)
	}
	var running sync.WaitGroup
	var failed atomic.Value // how a block left that failed: the whole kernel leaves so
	for _, p := range blocks {
		running.Go(func() {
			defer func() {
				if left := recover(); left != nil {
					failed.CompareAndSwap(nil, left)
				}
			}()
			p.run()
		})
	}
	running.Wait()
	if left := failed.Load(); left != nil {
		panic(left)
	}
}

func (p *polledLane) run() {
	base := p.d.Base
	for {
		n, ok := p.poll(base)
		if !ok {
			return
		}
		if first := p.command(n); first == 0 {
			if p.obey(base) {
				p.e.keep()
				return
			}
			base++
			continue
		} else if first < n {
			n = first
		}
		if !p.batch(base, n) {
			return
		}
		base += uint32(n)
	}
}

// poll waits for whole slots and fetches them; false: the kernel was ended from outside.
func (p *polledLane) poll(base uint32) (n int, ok bool) {
	for looks := 1; ; looks++ {
		n = 0
		for n < goWarp && p.fetch(base, n) {
			n++
		}
		if n > 0 {
			return n, true
		}
		if looks%64 == 0 && p.l.Stopped() {
			return 0, false
		}
		if looks > 2000 {
			goPause()
		} else {
			runtime.Gosched()
		}
	}
}

// fetch copies one slot if all its quarters bear its stamp.
func (p *polledLane) fetch(base uint32, i int) bool {
	slot := base + uint32(i)
	at := slot & (p.d.Ring - 1)
	for q := range p.d.SlotQuarters {
		from := &p.in[q*p.d.Ring+at]
		stamp, aux := mailbox.Stamp((*mailbox.Quarter)(unsafe.Pointer(from)))
		if stamp != slot+1 {
			return false
		}
		p.local.In[q*goWarp+uint32(i)] = program.Quarter{Value: atomic.LoadUint64(&from.Value), Aux: aux, Stamp: stamp}
	}
	return true
}

// command returns the first command among n slots, or n.
func (p *polledLane) command(n int) int {
	for i := range n {
		if p.local.In[program.SlotF1*goWarp+i].Aux&program.CtlKindMask == 0 && p.local.In[program.SlotF3*goWarp+i].Aux != 0 {
			return i
		}
	}
	return n
}

// obey carries out the command in the first slot, and reports whether it was a stop.
func (p *polledLane) obey(base uint32) (stop bool) {
	command := p.local.In[program.SlotF3*goWarp].Aux
	if command == cuda.CommandStop && p.k.Deaf {
		return false
	}
	if command == cuda.CommandSet {
		first, second := p.local.In[0], p.local.In[program.SlotF1*goWarp]
		p.e.SetWord(int(first.Aux), int(second.Value), first.Value)
	}
	p.put(base, 0, uint64(command))
	return command == cuda.CommandStop
}

// batch runs n slots and writes their rows.
func (p *polledLane) batch(base uint32, n int) (ok bool) {
	for i := range p.local.Out {
		p.local.Out[i].Value = unwritten
	}
	p.e.Run(&p.local, 0, uint64(n))
	for i := range n {
		slot, t := p.k.next()
		switch t {
		case Ends:
			return false
		case Traps:
			p.l.Fail(launchFailed)
		case Hangs, Late:
			if !p.k.stay(p.l, t) {
				return false
			}
		}
		for q := range p.row {
			p.row[q] = p.local.Out[q*goWarp+i]
		}
		p.k.disturb(slot, t, p.row)
		p.write(base + uint32(i))
	}
	return true
}

// write writes the row's quarters: in any order, each in one piece.
func (p *polledLane) write(slot uint32) {
	if p.k.Jitter {
		p.random.Shuffle(len(p.order), func(a, b int) { p.order[a], p.order[b] = p.order[b], p.order[a] })
	}
	for _, q := range p.order {
		if q >= program.RowFirst && p.row[q].Value == unwritten {
			continue
		}
		if p.k.Jitter {
			switch n := p.random.IntN(256); {
			case n == 0:
				goPause()
			case n < 32:
				runtime.Gosched()
			}
		}
		p.put(slot, q, p.row[q].Value)
	}
}

func (p *polledLane) put(slot uint32, quarter int, value uint64) {
	to := &p.out[uint32(quarter)*p.d.Ring+slot&(p.d.Ring-1)]
	mailbox.Put((*mailbox.Quarter)(unsafe.Pointer(to)), &mailbox.Quarter{Value: value, Stamp: slot + 1})
}
