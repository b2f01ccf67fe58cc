package engine

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/kernels/program"
)

// coder writes values of a state, or reads them into their places, in one order. Little-endian.
type coder struct {
	b       []byte
	writing bool
	err     error
}

func (c *coder) fail(why string) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrRestore, why)
	}
}

// end returns what went wrong, or that more follows than was read.
func (c *coder) end() error {
	if c.err == nil && !c.writing && len(c.b) > 0 {
		c.fail(fmt.Sprintf("%d bytes too many", len(c.b)))
	}
	return c.err
}

// take returns the next bytes to read, nil if there are too few.
func (c *coder) take(n int) []byte {
	if c.err != nil || len(c.b) < n {
		c.fail("too few bytes")
		return nil
	}
	b := c.b[:n:n]
	c.b = c.b[n:]
	return b
}

func (c *coder) u64(v *uint64) {
	if c.writing {
		c.b = binary.LittleEndian.AppendUint64(c.b, *v)
	} else if b := c.take(8); b != nil {
		*v = binary.LittleEndian.Uint64(b)
	}
}

func (c *coder) u32(v *uint32) {
	if c.writing {
		c.b = binary.LittleEndian.AppendUint32(c.b, *v)
	} else if b := c.take(4); b != nil {
		*v = binary.LittleEndian.Uint32(b)
	}
}

func (c *coder) u8(v *uint8) {
	if c.writing {
		c.b = append(c.b, *v)
	} else if b := c.take(1); b != nil {
		*v = b[0]
	}
}

func (c *coder) i64(v *int64) {
	u := uint64(*v)
	c.u64(&u)
	*v = int64(u)
}

func (c *coder) flag(v *bool) {
	var u uint8
	if *v {
		u = 1
	}
	c.u8(&u)
	*v = u != 0
}

// text is a name of at most 65,535 bytes.
func (c *coder) text(v *string) {
	if c.writing {
		c.b = binary.LittleEndian.AppendUint16(c.b, uint16(min(len(*v), math.MaxUint16)))
		c.b = append(c.b, *v...)
	} else if b := c.take(2); b != nil {
		*v = string(c.take(int(binary.LittleEndian.Uint16(b))))
	}
}

func (c *coder) words(words []uint64) {
	if c.writing {
		for _, w := range words {
			c.b = binary.LittleEndian.AppendUint64(c.b, w)
		}
	} else if b := c.take(8 * len(words)); b != nil {
		for i := range words {
			words[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
	}
}

// same writes a number that a reader must find.
func (c *coder) same(want int, what string) {
	v := uint32(want)
	c.u32(&v)
	if v != uint32(want) {
		c.fail(fmt.Sprintf("it has %d %s, and not %d", v, what, want))
	}
}

func (c *coder) counter(v *atomic.Uint64) {
	n := v.Load()
	c.u64(&n)
	if !c.writing {
		v.Store(n)
	}
}

// code is the sequencer's state: what is no function of the configuration and the instruments.
func (s *sequencer) code(c *coder, ids []uint32) {
	c.same(len(s.clocks.list), "clocks")
	c.same(len(s.references.list), "references")
	c.same(len(ids), "instruments")
	c.u64(&s.fillSources)
	for i := range s.gapGeneration {
		c.u32(&s.gapGeneration[i])
	}
	c.i64(&s.sessions.nextNs)
	c.u32(&s.sessions.generation)
	c.flag(&s.clocks.started)
	c.i64(&s.clocks.nextNs)
	for i := range s.clocks.list {
		c.i64(&s.clocks.last[i])
	}
	r := &s.references
	for i := range r.list {
		c.u64(&r.values[i])
		c.u32(&r.generation[i])
	}
	for i := range r.symbols {
		c.u32(&r.owed[i])
		c.words(r.lane.executor.Instrument(i))
	}
	for _, id := range ids {
		c.u32(&s.sessions.seen[id])
		for source := range uint16(SourcesMax) {
			if s.from[id]>>source&1 != 0 {
				c.u32(&s.gapSeen[s.key(source, id)])
				c.u8(&s.openEvent[s.key(source, id)])
			}
		}
		for i := range r.list {
			c.u32(&r.seen[i*r.count+int(id)])
		}
	}
}

// cpu returns the executor whose state is the lane's between two ticks, nil if it is on a device only.
func (l *lane) cpu() *program.Executor {
	switch {
	case l.gpu == nil:
		return l.executor
	case l.gpu.follower != nil:
		return l.gpu.follower.executor
	}
	return nil
}

// codeExecutors is the program's state, instrument after instrument, whatever lanes they are in.
func (e *Engine) codeExecutors(c *coder, ids []uint32) {
	c.same(e.config.Program.StateWords, "state words an instrument")
	c.same(len(ids), "instruments")
	if c.writing {
		c.b = append(make([]byte, 0, len(c.b)+8*len(ids)*e.config.Program.StateWords), c.b...)
	}
	count := uint32(len(e.lanes))
	for _, id := range ids {
		l := e.lanes[id%count]
		if executor := l.cpu(); executor != nil {
			c.words(executor.Instrument(int(id / count)))
			continue
		}
		c.words(l.gpu.initial(int(id / count)))
	}
}

// initial returns the words of an instrument that the device is given when the engine starts.
func (g *gpuLane) initial(index int) []uint64 {
	words := int(g.words)
	if g.restored == nil {
		g.restored = initialState(g.set.config.Program, g.state.Len()/words)
	}
	return g.restored[index*words:][:words]
}

// loadDevices writes the restored state to devices, on which nothing runs yet.
func (e *Engine) loadDevices() error {
	for _, l := range e.lanes {
		g := l.gpu
		if g == nil {
			continue
		}
		state := g.restored
		if g.follower != nil {
			state = g.follower.executor.SnapshotState()
		}
		g.restored = nil
		if state == nil {
			continue // of no instrument
		}
		if err := gpu.Write(g.state.All(), state); err != nil {
			return fmt.Errorf("engine: state of lane %d: %w", l.number, err)
		}
	}
	return nil
}

// codeCounters is what the ticks so far have added up to. What depends on timing is left out.
func (e *Engine) codeCounters(c *coder) {
	n, r := &e.counts, e.desk.desk.Counters()
	for _, v := range []*atomic.Uint64{
		&n.Sequenced, &n.Heartbeats, &n.Gaps, &n.Late, &n.LateDropped, &n.Unused, &n.Boundaries, &n.FanOutCut, &n.Signals, &r.Suppressed,
	} {
		c.counter(v)
	}
	c.same(len(r.Decided), "actions")
	for i := range r.Decided {
		c.counter(&r.Decided[i])
	}
	c.same(len(r.Rejected), "gates")
	for i := range r.Rejected {
		c.counter(&r.Rejected[i])
	}
}
