package engine

import (
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// Commands to a device travel in band, as slots among the ticks, so each takes effect at its place and nowhere else. A resident
// kernel carries them out itself; in stream dispatch the host does, when nothing is in flight.
const (
	commandStop = cuda.CommandStop
	commandPing = cuda.CommandPing
	commandSet  = cuda.CommandSet
)

// isCommand reports whether a slot is a command to the device and no tick.
func isCommand(l *lane, at uint64) bool {
	capacity := l.mask + 1
	return l.memory.In[at+program.SlotF3*capacity].Aux != 0 && l.memory.In[at+program.SlotF1*capacity].Aux&program.CtlKindMask == 0
}

// command stages a command; its slot must be free.
func (l *lane) command(command, index uint32, f0, f1 uint64) uint64 {
	slot := l.stagedBy
	at, capacity, stamp := slot&l.mask, l.mask+1, uint32(slot)+1
	in := l.memory.In
	putQuarter(&in[at], program.Quarter{Value: f0, Aux: index, Stamp: stamp})
	putQuarter(&in[at+capacity], program.Quarter{Value: f1, Stamp: stamp})
	putQuarter(&in[at+2*capacity], program.Quarter{Stamp: stamp})
	putQuarter(&in[at+3*capacity], program.Quarter{Aux: command, Stamp: stamp})
	for q := uint64(program.SlotTime); q < uint64(len(in))/capacity; q++ {
		putQuarter(&in[at+q*capacity], program.Quarter{Stamp: stamp})
	}
	l.stagedBy = slot + 1
	l.commands.Store(l.stagedBy)
	return slot
}

// beforeCommand returns the first command's slot among those from a slot on, or to. Mostly there is none to look for.
func (l *lane) beforeCommand(from, to uint64) uint64 {
	if l.commands.Load() <= from {
		return to
	}
	for from != to && !isCommand(l, from&l.mask) {
		from++
	}
	return from
}

// commandSlot is what a command of the kind set says.
func (l *lane) commandSlot(slot uint64) (command, index uint32, word int, value uint64) {
	at, capacity := slot&l.mask, l.mask+1
	first, second := &l.memory.In[at], &l.memory.In[at+capacity]
	return l.memory.In[at+program.SlotF3*capacity].Aux, first.Aux, int(second.Value), first.Value
}

// obey carries out a command in stream dispatch. Nothing is in flight.
func (b *batcher) obey(l *lane, slot uint64) (uint64, error) {
	command, index, word, value := l.commandSlot(slot)
	if command == commandSet {
		at := int(index)*int(b.g.words) + word
		if err := gpu.Write(b.g.state.Span(at, at+1), []uint64{value}); err != nil {
			return 0, err
		}
	}
	b.sent.Store(slot + 1)
	l.computed.Store(slot + 1)
	return 1, nil
}

// command stages a command in a lane, with an order of its own, so that the desk frees the slot.
func (s *sequencer) command(l *lane, command, index uint32, f0, f1 uint64) {
	o := s.claim()
	for l.full() {
		s.counts.LaneFull.Add(1)
		s.room()
	}
	*o = order{lane: l, command: true}
	o.slot = l.command(command, index, f0, f1)
	s.pending++
}

// ping asks every resident lane that owes nothing for a sign of life: a device that died in silence is noticed before the
// next tick needs it.
func (s *sequencer) ping() {
	for _, l := range s.lanes {
		if l.gpu != nil && l.gpu.batcher == nil && l.computed.Load() == l.stagedBy && l.consumed.Load() == l.stagedBy {
			s.command(l, commandPing, 0, 0, 0)
		}
	}
}
