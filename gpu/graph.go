package gpu

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Graph is a sequence of operations that one launch puts on a stream. It takes part in owning all that the operations use,
// so closing a buffer that a graph contains frees it with the graph. One launch of a graph runs at a time: the next waits.
// It is safe for use from any goroutine.
type Graph struct {
	r     *resource
	mu    sync.Mutex // the driver's graphs are not safe even to read at once
	exec  uintptr
	nodes int
	uses  []Use
}

// capture collects what a graph's operations use.
type capture struct {
	uses []Use
	at   map[*resource]int
}

// add takes over the share in owning u.r that admit took.
func (c *capture) add(u Use) {
	if i, ok := c.at[u.r]; ok {
		c.uses[i].writes = c.uses[i].writes || u.writes
		_ = u.r.drop() // the graph has its share already
		return
	}
	c.at[u.r] = len(c.uses)
	c.uses = append(c.uses, u)
}

func (c *capture) drop() {
	for _, u := range c.uses {
		_ = u.r.drop() // failures are found again by Device.Close
	}
}

// Capture makes a graph of the operations that body puts on the stream. They do not run. Nothing that waits, allocates or
// records an event belongs in body; those calls answer ErrCapturing. If body fails there is no graph.
func (s *Stream) Capture(body func(*Stream) error) (*Graph, error) {
	if err := s.d.needs(cu.StreamEndCapture, cu.GraphInstantiate, cu.GraphDestroy, cu.GraphExecDestroy); err != nil {
		return nil, err
	}
	if err := s.d.enter(); err != nil { // a capture ends on the thread on which it began
		return nil, err
	}
	defer s.d.leave()
	if err := s.beginCapture(); err != nil {
		return nil, err
	}
	ended := false
	defer func() {
		if !ended { // body panicked
			source, c, _ := s.endCapture()
			_ = s.discard(source, c)
		}
	}()
	bodyErr := body(s)
	ended = true
	source, c, err := s.endCapture()
	if err == nil && bodyErr == nil {
		return s.d.instantiate(source, c)
	}
	return nil, errors.Join(bodyErr, err, s.discard(source, c))
}

// discard gives up what was captured.
func (s *Stream) discard(source uintptr, c *capture) error {
	c.drop()
	if source == 0 {
		return nil
	}
	return s.d.destroyGraph(source)
}

func (s *Stream) beginCapture() error {
	const threadLocal = 1 // other goroutines may allocate meanwhile
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.capture != nil {
		return ErrCapturing
	}
	s.frame.args[0], s.frame.args[1] = s.handle, threadLocal
	if err := s.issue(cu.StreamBeginCapture, 2); err != nil {
		return err
	}
	s.capture = &capture{at: map[*resource]int{}}
	return nil
}

func (s *Stream) endCapture() (source uintptr, c *capture, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, s.capture = s.capture, nil
	for range 2 { // a stream that stays in capture is of no use to anyone
		if err = s.d.call(cu.StreamEndCapture, s.handle, uintptr(unsafe.Pointer(&source))); err == nil {
			break
		}
	}
	if err == nil && source == 0 {
		err = &Error{
			Op: "cuStreamEndCapture", Code: Code(cu.CaptureInvalidated), Name: "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
			Text: "the capture was broken", Hint: "something in it cannot be part of a graph",
		}
	}
	return source, c, err
}

func (d *Device) destroyGraph(source uintptr) error {
	err := d.call(cu.GraphDestroy, source)
	if err != nil && d.Lost() == nil {
		err = d.call(cu.GraphDestroy, source) // once more, for nobody else can
	}
	return err
}

// instantiate takes over source and c.
func (d *Device) instantiate(source uintptr, c *capture) (*Graph, error) {
	g := &Graph{uses: c.uses}
	var nodes uintptr
	err := d.call(cu.GraphGetNodes, source, 0, uintptr(unsafe.Pointer(&nodes)))
	if err == nil {
		err = d.call(cu.GraphInstantiate, uintptr(unsafe.Pointer(&g.exec)), source, 0)
	}
	if destroyed := d.destroyGraph(source); destroyed != nil && err == nil { // the executable form lives without it
		err = destroyed
		_ = d.call(cu.GraphExecDestroy, g.exec)
	}
	if err != nil {
		c.drop()
		return nil, err
	}
	g.nodes = int(nodes)
	exec := g.exec
	g.r = d.own("graph", 0, func() error {
		if err := d.call(cu.GraphExecDestroy, exec); err != nil {
			return err
		}
		c.drop()
		return nil
	})
	if len(g.uses)+2 > ledgerSize {
		return nil, errors.Join(refuse("Capture", fmt.Sprintf("a graph that uses %d buffers", len(g.uses)), fmt.Sprintf("at most %d", ledgerSize-2)), g.r.close())
	}
	g.uses = append(g.uses[:len(g.uses):len(g.uses)], Use{r: g.r})
	watch(g, g.r)
	return g, nil
}

// Nodes returns the number of operations.
func (g *Graph) Nodes() int { return g.nodes }

// Upload prepares the device for the first launch.
func (g *Graph) Upload(s *Stream) error { return g.put(s, cu.GraphUpload, g.uses[len(g.uses)-1:]) }

// Launch puts the operations on the stream. It allocates nothing.
func (g *Graph) Launch(s *Stream) error { return g.put(s, cu.GraphLaunch, g.uses) }

func (g *Graph) put(s *Stream, symbol cu.Symbol, uses []Use) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.r.closed.Load() {
		return fmt.Errorf("%w: graph", ErrClosed)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.capture != nil {
		return ErrCapturing
	}
	if err := s.admitGraph(uses); err != nil {
		return err
	}
	s.frame.args[0], s.frame.args[1] = g.exec, s.handle
	defer runtime.KeepAlive(g)
	return s.operate("graph", symbol, 2, uses)
}

// admitGraph is admit for what a graph owns: a buffer whose user closed it is still there for the graph.
func (s *Stream) admitGraph(uses []Use) error {
	if s.ledger.room() <= len(uses) {
		if err := s.makeRoom(len(uses) + 1); err != nil {
			return err
		}
	}
	for i := range uses {
		if err := s.order("graph", uses[i].r, uses[i].writes); err != nil {
			s.withdraw(uses[:i])
			return err
		}
		uses[i].r.owners.Add(1) // the graph has a share, so it is not 0
	}
	return nil
}

// Close destroys the graph when no launch of it is in flight, and lets go of what it used.
func (g *Graph) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.r.close()
}
