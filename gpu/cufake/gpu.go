//go:build !nogpu && linux && (amd64 || arm64)

package cufake

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Results that the fake gives.
const (
	success           = 0
	invalidValue      = 1
	outOfMemory       = 2
	deinitialized     = 4
	invalidDevice     = 101
	invalidImage      = 200
	invalidContext    = 201
	invalidPTX        = 218
	invalidHandle     = 400
	notFound          = 500
	notReady          = 600
	illegalAddress    = 700
	peerEnabled       = 704
	launchFailed      = 719
	captureBroken     = 900
	captureUnmatched  = 903
	captureThread     = 908
	launchTooLarge    = 720
	contextHandleBase = 0xc0de0000
)

func sticky(code int32) bool {
	switch code {
	case 214, 700, 702, 710, 714, 715, 716, 717, 718, 719:
		return true
	}
	return false
}

// Options sets up a GPU.
type Options struct {
	Devices     int             // 0: 1
	MemoryBytes uint64          // of each; 0: 64 MiB
	Missing     []string        // entry points that this driver lacks
	Version     int             // 0: 13000
	Attributes  map[int32]int32 // in place of an H200's

	// SlowContext makes cuCtxSetCurrent take so long that a goroutine which is not kept on its thread goes on on another.
	SlowContext time.Duration
}

// Fault makes a call fail.
type Fault struct {
	Symbol string // "" counts calls of every entry point
	Nth    int    // which call from now, from 1
	Code   int32
	Async  bool // the call succeeds; the device breaks, as by a failing kernel
}

type fault struct {
	Fault
	at int
}

// GPU is a machine with devices and a driver.
type GPU struct {
	options Options
	closed  atomic.Bool
	clock   atomic.Int64 // a step an operation, in place of time

	mu      sync.Mutex
	turn    *sync.Cond // on mu: something finished, broke or was let go
	devices []*device
	objects map[uintptr]any
	current map[int]uintptr // thread to context
	calls   map[string]int
	total   int
	history []string // the calls, the first of them
	faults  []fault
	kernels map[string]Kernel
	next    uintptr
	held    bool
	delay   func(op string) time.Duration
	hosts   []*block  // pinned and managed
	streams []*stream // all that were ever made
}

type device struct {
	ordinal  int
	context  uintptr
	retained int
	sticky   int32
	used     uint64
	next     uintptr
	blocks   []*block
	peers    map[uintptr]bool
}

var (
	slot    = make(chan struct{}, 1)
	present atomic.Pointer[GPU]
)

// New makes a GPU and makes it the process's. It waits until the one before is closed.
func New(o Options) *GPU {
	if o.Devices == 0 {
		o.Devices = 1
	}
	if o.MemoryBytes == 0 {
		o.MemoryBytes = 64 << 20
	}
	if o.Version == 0 {
		o.Version = 13000
	}
	slot <- struct{}{}
	g := &GPU{
		options: o, objects: map[uintptr]any{}, current: map[int]uintptr{}, calls: map[string]int{}, kernels: map[string]Kernel{},
		next: 0x5e00_0000,
	}
	g.turn = sync.NewCond(&g.mu)
	for i := range o.Devices {
		g.devices = append(g.devices, &device{
			ordinal: i, context: contextHandleBase + uintptr(i), peers: map[uintptr]bool{},
			next: 0x00d0_0000_0000_0000 + uintptr(i)<<40, // no host address: touching it there faults
		})
	}
	present.Store(g)
	return g
}

// Close ends the GPU: kernels are told to stop, and the next New goes on.
func (g *GPU) Close() {
	if g.closed.Swap(true) {
		return
	}
	g.mu.Lock()
	g.held = false
	g.turn.Broadcast()
	g.mu.Unlock()
	present.CompareAndSwap(g, nil)
	<-slot
}

// Lookup returns the address of an entry point, as dlsym does.
func (g *GPU) Lookup(name string) (uintptr, error) {
	address, ok := addresses()[name]
	if !ok || slices.Contains(g.options.Missing, name) {
		return 0, fmt.Errorf("cufake: undefined symbol: %s", name)
	}
	return address, nil
}

// Inject adds a fault.
func (g *GPU) Inject(f Fault) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.total
	if f.Symbol != "" {
		at = g.calls[f.Symbol]
	}
	g.faults = append(g.faults, fault{f, at + f.Nth})
}

// Calls returns how often an entry point was called; of "", all of them.
func (g *GPU) Calls(symbol string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if symbol == "" {
		return g.total
	}
	return g.calls[symbol]
}

const historyMax = 10000

// History returns the entry points called, in order, the first ten thousand.
func (g *GPU) History() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.history)
}

// Break makes a device fail for good, as a failing kernel does.
func (g *GPU) Break(ordinal int, code int32) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.devices[ordinal].sticky = code
	g.turn.Broadcast()
}

// Hold stops all streams before their next operation, until Release.
func (g *GPU) Hold() { g.hold(true) }

// Release lets streams go on.
func (g *GPU) Release() { g.hold(false) }

func (g *GPU) hold(h bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = h
	g.turn.Broadcast()
}

// Delay makes each operation of a stream take as long as f says; nil: no longer than it does.
func (g *GPU) Delay(f func(op string) time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.delay = f
}

// Leaks lists what was not given back, in no order of meaning but always the same. It waits for what destroyed streams still do.
func (g *GPU) Leaks() (all []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.streams {
		if s.ended {
			_ = g.drain(s)
		}
	}
	for _, d := range g.devices {
		if d.retained != 0 {
			all = append(all, fmt.Sprintf("primary context of device %d retained %d times", d.ordinal, d.retained))
		}
		for _, b := range d.blocks {
			all = append(all, fmt.Sprintf("device memory %#x, %d bytes", b.address, len(b.data)))
		}
	}
	for _, b := range g.hosts {
		all = append(all, fmt.Sprintf("host memory, %d bytes", len(b.data)))
	}
	for h, o := range g.objects {
		all = append(all, fmt.Sprintf("%T %#x", o, h))
	}
	slices.Sort(all)
	return all
}

// enter counts a call and says whether it fails. g.mu is held.
func (g *GPU) enter(symbol string) int32 {
	g.calls[symbol]++
	g.total++
	if len(g.history) < historyMax {
		g.history = append(g.history, symbol)
	}
	for _, f := range g.faults {
		n := g.total
		if f.Symbol != "" {
			n = g.calls[symbol]
		}
		if f.Symbol != "" && f.Symbol != symbol || n != f.at {
			continue
		}
		if sticky(f.Code) {
			d := g.device()
			if d == nil {
				d = g.devices[0]
			}
			d.sticky = f.Code
			g.turn.Broadcast()
		}
		// A release that reports an earlier failure releases all the same.
		if !f.Async && !(sticky(f.Code) && symbol == "cuDevicePrimaryCtxRelease_v2") {
			return f.Code
		}
	}
	return success
}

// device returns the device whose context is current on this thread, or nil.
func (g *GPU) device() *device {
	c := g.current[syscall.Gettid()]
	for _, d := range g.devices {
		if d.context == c && d.retained > 0 {
			return d
		}
	}
	return nil
}

// plain runs an entry point that needs no context.
func plain(symbol string, f func(g *GPU) int32) int32 {
	g := present.Load()
	if g == nil {
		return deinitialized
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.enter(symbol); r != success {
		return r
	}
	return f(g)
}

// inContext runs an entry point that needs a context.
func inContext(symbol string, f func(g *GPU, d *device) int32) int32 {
	return plain(symbol, func(g *GPU) int32 {
		d := g.device()
		switch {
		case d == nil:
			return invalidContext
		case d.sticky != 0:
			return d.sticky
		}
		return f(g, d)
	})
}

// add makes a handle.
func (g *GPU) add(o any) uintptr {
	g.next += 64
	g.objects[g.next] = o
	return g.next
}

// object finds what a handle means.
func object[T any](g *GPU, h uintptr) (T, bool) {
	o, ok := g.objects[h].(T)
	return o, ok
}

func out[T any](p *T, v T) int32 {
	if p == nil {
		return invalidValue
	}
	*p = v
	return success
}
