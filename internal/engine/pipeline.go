package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sigengine/sigengine/ring"
)

// pipeline is what follows the sequencer. kick runs or starts the work on what was published; room does the same
// while the sequencer has no place to write; settle returns when everything published has been decided, or never will be, and
// finish ends the stages then.
type pipeline interface {
	start()
	kick()
	room()
	settle()
	finish()
}

// fused runs lanes and desk on the sequencer's goroutine.
type fused struct {
	e *Engine
}

func (f *fused) start() {}

func (f *fused) kick() {
	e := f.e
	e.sequencer.publish()
	startNs := e.timing.now()
	for i, l := range e.lanes {
		if n := l.computeAll(); n > 0 {
			endNs := e.timing.now()
			e.timing.computed(i, startNs, endNs, n)
			startNs = endNs
		}
	}
	e.desk.drain()
}

func (f *fused) room() {
	f.kick()
	runtime.Gosched() // a follower may be what holds the lane
}

func (f *fused) settle() { f.kick() }

func (f *fused) finish() { f.kick() }

// staged gives each lane and the desk a goroutine.
type staged struct {
	e       *Engine
	wait    ring.Waiter // the sequencer's, for room
	parkers []*ring.Parker
	room0   *ring.Parker
	stop    atomic.Bool
	running sync.WaitGroup
}

const stageLookNs = 5 * time.Millisecond // how long a parked stage sleeps before it looks again, woken or not

func newStaged(e *Engine) *staged {
	s := &staged{e: e, room0: ring.NewParker()}
	s.wait = ring.NewWaiter(e.config.Wait, s.room0)
	for range len(e.lanes) + 1 {
		s.parkers = append(s.parkers, ring.NewParker())
	}
	return s
}

func (s *staged) start() {
	for i, l := range s.e.lanes {
		s.running.Add(1)
		go s.runLane(l, s.parkers[i])
	}
	s.running.Add(1)
	go s.runDesk(s.parkers[len(s.e.lanes)])
}

func (s *staged) kick() {
	s.e.sequencer.publish()
	for _, p := range s.parkers {
		p.Wake()
	}
}

func (s *staged) room() {
	s.kick()
	s.wait.Idle(stageLookNs)
}

// settle waits until the desk has taken everything.
func (s *staged) settle() {
	s.kick()
	for s.e.orders.Len() > 0 {
		s.wait.Idle(time.Millisecond)
	}
	s.wait.Busy()
}

// finish ends the goroutines when the desk has taken everything.
func (s *staged) finish() {
	s.settle()
	s.stop.Store(true)
	for _, p := range s.parkers {
		p.Wake()
	}
	s.running.Wait()
}

func (s *staged) runLane(l *lane, parker *ring.Parker) {
	defer s.running.Done()
	waiter := ring.NewWaiter(s.e.config.Wait, parker)
	desk := s.parkers[len(s.e.lanes)]
	owed := false // rows, since startNs
	for startNs := int64(0); ; {
		if !owed {
			startNs = s.e.timing.now()
		}
		if n := l.compute(uint64(s.e.config.Batch)); n > 0 {
			owed = false
			waiter.Busy()
			desk.Wake()
			s.e.timing.computed(l.number, startNs, s.e.timing.now(), n)
			continue
		}
		s.e.timing.idleLane(l.number)
		if s.stop.Load() {
			waiter.Busy()
			return
		}
		if owed = l.gpu != nil && l.owed() && l.failed.Load() == nil; owed {
			s.awaitRow(l.gpu) // nobody wakes a lane for a row
			continue
		}
		waiter.Idle(stageLookNs)
	}
}

// awaitRow is the pause between two looks for a device's row.
func (s *staged) awaitRow(g *gpuLane) {
	if s.e.config.Wait == ring.Park {
		time.Sleep(rowNap)
		g.looks |= looksPerClock - 1 // time has passed: the next look is at the clock too
		return
	}
	runtime.Gosched()
}

// rowNap is as short as the system's timers are of use.
const rowNap = 50 * time.Microsecond

func (s *staged) runDesk(parker *ring.Parker) {
	defer s.running.Done()
	waiter := ring.NewWaiter(s.e.config.Wait, parker)
	for {
		if s.e.desk.drain() > 0 {
			waiter.Busy()
			s.room0.Wake()
			continue
		}
		s.e.idleDesk()
		s.e.timing.idleDesk()
		if s.stop.Load() {
			waiter.Busy()
			return
		}
		waiter.Idle(stageLookNs)
	}
}
