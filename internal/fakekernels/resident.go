//go:build !nogpu && linux && (amd64 || arm64)

package fakekernels

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/gpu/mailbox"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

const warp = 32

// unwritten marks a row quarter that the program did not emit: no row's value is such a NaN.
const unwritten = 0x7ff4_dead_beef_dead

// polledLane is one block of lane.cu.
type polledLane struct {
	k       *Kernels
	l       *cufake.Launch
	d       cuda.Lane
	e       *executor
	in, out []program.Quarter // pinned
	local   program.Lane      // this batch, as the block's shared memory holds it
	random  *rand.Rand
}

func pause() { time.Sleep(50 * time.Microsecond) }

// resident is lane.cu.
func (k *Kernels) resident(l *cufake.Launch) {
	var blocks []*polledLane // all memory is looked up here: a failing look-up ends the kernel's own goroutine
	for _, d := range lanes(l) {
		blocks = append(blocks, &polledLane{
			k: k, l: l, d: d, e: k.executor(l, &d), random: k.random(),
			in:  cufake.Memory[program.Quarter](l, d.In, int(d.SlotQuarters*d.Ring)),
			out: cufake.Memory[program.Quarter](l, d.Out, k.Program.RowQuarters*int(d.Ring)),
			local: program.Lane{
				In: make([]program.Quarter, warp*d.SlotQuarters), Out: make([]program.Quarter, warp*k.Program.RowQuarters), Capacity: warp,
			},
		})
	}
	var running sync.WaitGroup
	for _, p := range blocks {
		running.Go(p.run)
	}
	running.Wait()
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
		for n < warp && p.fetch(base, n) {
			n++
		}
		if n > 0 {
			return n, true
		}
		if looks%64 == 0 && p.l.Stopped() {
			return 0, false
		}
		if looks > 2000 {
			pause()
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
		p.local.In[q*warp+uint32(i)] = program.Quarter{Value: atomic.LoadUint64(&from.Value), Aux: aux, Stamp: stamp}
	}
	return true
}

// command returns the first command among n slots, or n.
func (p *polledLane) command(n int) int {
	for i := range n {
		if p.local.In[program.SlotF1*warp+i].Aux&program.CtlKindMask == 0 && p.local.In[program.SlotF3*warp+i].Aux != 0 {
			return i
		}
	}
	return n
}

// obey carries out the command in the first slot, and reports whether it was a stop.
func (p *polledLane) obey(base uint32) (stop bool) {
	command := p.local.In[program.SlotF3*warp].Aux
	if command == cuda.CommandSet {
		first, second := p.local.In[0], p.local.In[program.SlotF1*warp]
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
		for t == hang {
			if p.l.Stopped() {
				return false
			}
			pause()
		}
		if t == die {
			return false
		}
		row := make([]program.Quarter, p.k.Program.RowQuarters)
		for q := range row {
			row[q] = p.local.Out[q*warp+i]
		}
		if p.k.Wrong != nil {
			p.k.Wrong(slot, row)
		}
		p.row(base+uint32(i), row)
	}
	return true
}

// row writes a row's quarters: in any order, each in one piece.
func (p *polledLane) row(slot uint32, row []program.Quarter) {
	order := make([]int, len(row))
	for q := range order {
		order[q] = q
	}
	if p.k.Jitter {
		p.random.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	}
	for _, q := range order {
		if q >= program.RowFirst && row[q].Value == unwritten {
			continue
		}
		if p.k.Jitter {
			switch n := p.random.IntN(64); {
			case n == 0:
				pause()
			case n < 8:
				runtime.Gosched()
			}
		}
		p.put(slot, q, row[q].Value)
	}
}

func (p *polledLane) put(slot uint32, quarter int, value uint64) {
	to := &p.out[uint32(quarter)*p.d.Ring+slot&(p.d.Ring-1)]
	mailbox.Put((*mailbox.Quarter)(unsafe.Pointer(to)), &mailbox.Quarter{Value: value, Stamp: slot + 1})
}
