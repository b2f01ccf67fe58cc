package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/internal/report"
	"github.com/sigengine/sigengine/ring"
	"github.com/sigengine/sigengine/signal"
)

// signalPrinter prints decided signals on a goroutine of its own. The engine never waits for it: what a slow terminal
// cannot take is counted and left out.
type signalPrinter struct {
	ring    *ring.Ring[signal.Body]
	parker  *ring.Parker
	skipped atomic.Uint64
	out     io.Writer
	done    chan struct{}
}

var _ engine.Sink = (*signalPrinter)(nil)

const printerSlots = 1024

func newSignalPrinter(out io.Writer) *signalPrinter {
	r, err := ring.New(make([]signal.Body, printerSlots))
	if err != nil {
		panic(err) // the constant is a power of two
	}
	p := &signalPrinter{ring: r, parker: ring.NewParker(), out: out, done: make(chan struct{})}
	go p.print()
	return p
}

// Emit queues a signal for printing.
func (p *signalPrinter) Emit(_ uint32, body *signal.Body, _ int64) uint8 {
	slot, ok := p.ring.Claim()
	if !ok {
		p.skipped.Add(1)
		return 0
	}
	*slot = *body
	p.ring.CommitWake(1, p.parker)
	return 0
}

func (p *signalPrinter) print() {
	defer close(p.done)
	var layout lineLayout
	var line []byte
	waiter := ring.NewWaiter(ring.Park, p.parker)
	for {
		bodies := p.ring.Poll()
		for i := range bodies {
			line = append(layout.appendLine(line[:0], &bodies[i], nil), '\n')
			_, _ = p.out.Write(line) // a closed terminal ends the demo by a signal
		}
		p.ring.Release(len(bodies))
		switch {
		case len(bodies) > 0:
			waiter.Busy()
		case p.ring.Closed():
			waiter.Busy()
			return
		default:
			waiter.Idle(100 * time.Millisecond)
		}
	}
}

// close prints what is queued. The engine has ended.
func (p *signalPrinter) close() {
	p.ring.Close()
	p.parker.Wake()
	<-p.done
	if n := p.skipped.Load(); n > 0 {
		fmt.Fprintf(p.out, "(%d signals not shown: the terminal was too slow)\n", n)
	}
}

// statusLine says what happened since before.
func statusLine(before, now *report.Result) string {
	seconds := max(now.ElapsedS-before.ElapsedS, 1e-3)
	stage := func(s metrics.Stage) string {
		l := now.LatencyNs[s]
		return fmt.Sprintf("%s %.1f/%.1f", s, float64(l.P50Ns)/1e3, float64(l.P99Ns)/1e3)
	}
	return fmt.Sprintf("-- %.0f s  %.0f ticks/s  %d signals  %d refused  %d dropped  %d gaps | us p50/p99: %s  %s  %s  %s  %s",
		now.ElapsedS, float64(now.Ticks-before.Ticks)/seconds, now.Signals, now.Rejected.Sum(), now.Dropped, now.Gaps,
		stage(metrics.StageDecode), stage(metrics.StageRing), stage(metrics.StageProgram), stage(metrics.StageRisk), stage(metrics.StageTotal))
}
