package hazard

import (
	"fmt"
	"sync"
)

// StreamID names a stream. Host is the processor's side.
type StreamID int

// Host is the processor.
const Host StreamID = 0

// findingsMax bounds what a Tracker keeps; later findings are counted only.
const findingsMax = 100

// clock holds, for every stream, the number of its last operation that is known to be done.
type clock []uint64

func (c clock) at(s StreamID) uint64 {
	if int(s) < len(c) {
		return c[s]
	}
	return 0
}

func (c *clock) join(o clock) {
	for len(*c) < len(o) {
		*c = append(*c, 0)
	}
	for i, v := range o {
		if v > (*c)[i] {
			(*c)[i] = v
		}
	}
}

func (c *clock) tick(s StreamID) uint64 {
	for len(*c) <= int(s) {
		*c = append(*c, 0)
	}
	(*c)[s]++
	return (*c)[s]
}

type access struct {
	by StreamID
	at uint64 // 0: never
	op string
}

// Memory is what a Tracker knows of one piece of memory.
type Memory struct {
	name  string
	write access
	reads []access // the last read of each stream since the write
	freed string   // by what operation
}

// Event is a moment of a stream.
type Event struct{ clock clock }

// Finding is an access that nothing orders after an earlier one.
type Finding struct {
	Memory  string // what memory
	Op      string // the operation that was refused
	Earlier string // the operation that it is not ordered after
	Kind    string // "read after write", "write after read", "write after write", "use after free"
}

func (f *Finding) Error() string {
	return fmt.Sprintf("hazard: %s of %s: nothing orders it after %s (%s)", f.Op, f.Memory, f.Earlier, f.Kind)
}

// Tracker is the checker.
type Tracker struct {
	mu       sync.Mutex
	clocks   []clock // by StreamID
	findings []*Finding
	count    int
}

// New returns a tracker that knows the host.
func New() *Tracker {
	t := &Tracker{clocks: make([]clock, 1)}
	t.clocks[Host].tick(Host)
	return t
}

// Stream makes a stream. What the host did before is before everything on it.
func (t *Tracker) Stream() StreamID {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := StreamID(len(t.clocks))
	var c clock
	c.tick(id)
	t.clocks = append(t.clocks, c)
	return id
}

// NewMemory names a piece of memory.
func (t *Tracker) NewMemory(name string) *Memory { return &Memory{name: name} }

// step enters an operation of a stream: the host enqueues it, so what the host knows to be done is done before it.
func (t *Tracker) step(s StreamID) uint64 {
	if s != Host {
		t.clocks[s].join(t.clocks[Host])
	}
	return t.clocks[s].tick(s)
}

// Record returns the present moment of a stream.
func (t *Tracker) Record(s StreamID) Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.step(s)
	var c clock
	c.join(t.clocks[s])
	return Event{c}
}

// Wait makes what comes later on a stream come after the event.
func (t *Tracker) Wait(s StreamID, e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.step(s)
	t.clocks[s].join(e.clock)
}

// HostSync says that the host has seen everything on a stream done.
func (t *Tracker) HostSync(s StreamID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.step(s)
	t.clocks[Host].join(t.clocks[s])
}

// HostSyncEvent says that the host has seen an event done.
func (t *Tracker) HostSyncEvent(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clocks[Host].join(e.clock)
	t.clocks[Host].tick(Host)
}

// Read enters a read of m by s, or returns what it races with.
func (t *Tracker) Read(s StreamID, m *Memory, op string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f := t.check(s, m, op, false); f != nil {
		return f
	}
	now := access{s, t.step(s), op}
	for i := range m.reads {
		if m.reads[i].by == s {
			m.reads[i] = now
			return nil
		}
	}
	m.reads = append(m.reads, now)
	return nil
}

// Write enters a write of m by s, or returns what it races with.
func (t *Tracker) Write(s StreamID, m *Memory, op string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.change(s, m, op)
}

// Free enters the end of m's life, by the host or in the order of a stream.
func (t *Tracker) Free(s StreamID, m *Memory, op string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.change(s, m, op); err != nil {
		return err
	}
	m.freed = op
	return nil
}

func (t *Tracker) change(s StreamID, m *Memory, op string) error {
	if f := t.check(s, m, op, true); f != nil {
		return f
	}
	m.write = access{s, t.step(s), op}
	m.reads = m.reads[:0]
	return nil
}

// check returns nil for an access that is ordered after everything it must be ordered after.
func (t *Tracker) check(s StreamID, m *Memory, op string, writes bool) *Finding {
	if m.freed != "" {
		return t.found(&Finding{m.name, op, m.freed, "use after free"})
	}
	known := func(a access) bool { return a.at <= max(t.clocks[s].at(a.by), t.clocks[Host].at(a.by)) }
	switch {
	case !known(m.write) && writes:
		return t.found(&Finding{m.name, op, m.write.op, "write after write"})
	case !known(m.write):
		return t.found(&Finding{m.name, op, m.write.op, "read after write"})
	case !writes:
		return nil
	}
	for _, r := range m.reads {
		if !known(r) {
			return t.found(&Finding{m.name, op, r.op, "write after read"})
		}
	}
	return nil
}

func (t *Tracker) found(f *Finding) *Finding {
	t.count++
	if len(t.findings) < findingsMax {
		t.findings = append(t.findings, f)
	}
	return f
}

// Take returns what was found since the last Take, and how many there were in all.
func (t *Tracker) Take() (findings []*Finding, count int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	findings, count = t.findings, t.count
	t.findings, t.count = nil, 0
	return findings, count
}
