package live

import (
	"sync/atomic"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/control"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/risk"
	"github.com/sigengine/sigengine/signal"
)

// outside takes readings on a goroutine of its own and sequences the facts that follow.
type outside struct {
	live    *Live
	watch   factWatch
	heardNs atomic.Int64
	late    atomic.Bool
	wake    chan struct{}
	holds   atomic.Uint32        // facts, a bit each
	control *natsconn.Connection // nil: nobody speaks to the engine
	service *control.Service     // nil: likewise

	wantsStream bool // the stream of last signals is not there yet
}

// watchOutside begins to watch and to answer, once the engine runs.
func (l *Live) watchOutside() error {
	w := l.outside
	w.heardNs.Store(l.options.Clock.NowNs())
	err := w.connect()
	if err == nil {
		err = w.serve()
	}
	if err != nil {
		if w.control != nil {
			w.control.Close()
		}
		return err
	}
	go w.run()
	return nil
}

// connect opens the connection that others speak to the engine on, if any may: a request must not wait behind market data.
func (w *outside) connect() error {
	l, d := w.live, &w.live.options.Config.Risk.Deadman
	publish := &l.options.Config.Publish
	operators := &l.options.Config.Control
	spoken := !l.options.Quiet && (operators.Subject != config.OffWord || operators.Heartbeat != config.OffWord)
	if d.After == 0 && l.current == nil && !spoken && (l.output == nil || publish.LastStream == "") {
		return nil
	}
	c := l.options.Connection
	c.Name = "sigengine/" + l.options.instance() + "/control"
	log := l.options.Log
	var said once
	var err error
	if w.control, err = natsconn.Connect(c, natsconn.Handlers{
		Error: func(err error) {
			if said.news(err) {
				log.Warn("control: connection", "error", err)
			}
		},
	}); err != nil {
		return err
	}
	if d.After > 0 {
		if err := w.control.Listen(d.Subject, func() { w.heardNs.Store(l.options.Clock.NowNs()) }); err != nil {
			return err
		}
	}
	if l.current != nil {
		subject := publish.Current + "." + l.options.Config.Partition
		if err := w.control.Answer(subject, l.current.answer); err != nil {
			return err
		}
	}
	if l.output != nil && publish.LastStream != "" {
		w.wantsStream = true
		if w.control.Connected() {
			return w.keepLast()
		}
	}
	return nil
}

// keepLast makes the stream of last signals.
func (w *outside) keepLast() error {
	publish := &w.live.options.Config.Publish
	err := w.control.KeepLast(publish.LastStream, publish.Subject+".>")
	w.wantsStream = err != nil
	return err
}

func (w *outside) run() {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-w.live.done:
			if w.service != nil {
				w.service.Stop()
			}
			if w.control != nil {
				w.control.Close()
			}
			return
		case <-ticker.C:
			if w.wantsStream && w.control.Connected() { // there was no server at the start
				if err := w.keepLast(); err != nil {
					w.wantsStream = false
					w.live.options.Log.Error("control: no stream of last signals", "error", err)
				}
			}
		case <-w.wake:
		}
		for _, f := range w.watch.look(w.read()) {
			w.note(f)
			w.live.options.Log.Warn("risk: a fact changed", "fact", f.fact.String(), "value", f.value)
			if err := w.live.engine.Fact(f.fact, f.value); err != nil {
				break // it has stopped, which done says next
			}
		}
	}
}

// note keeps which facts hold, for operators.
func (w *outside) note(f fact) {
	holds := w.holds.Load() &^ (1 << f.fact)
	if f.fact != feed.FactDecode && f.value != 0 { // that one tells of a moment
		holds |= 1 << f.fact
	}
	w.holds.Store(holds)
}

func (w *outside) read() *readings {
	l := w.live
	r := &readings{
		nowNs: l.options.Clock.NowNs(), heardNs: w.heardNs.Load(), freeBytes: -1, late: w.late.Load(),
		// Where followers take a device's place the signals are the same to the bit, and go on.
		device: l.engine.DeviceLost() != nil && (l.shape.GPU == nil || !l.shape.GPU.Follow),
	}
	if l.journal != nil {
		// Sequenced first: what is written afterwards can only be more of it.
		r.journaled, r.sequenced = true, l.engine.Counts().Sequenced.Load()
		r.written = l.journal.writer.Stats().Ticks
		if free := l.options.FreeBytes; free != nil {
			if n, ok := free(l.journal.dir); ok {
				r.freeBytes = n
			}
		}
	}
	for _, s := range l.sources {
		decode := s.Stats().Decode
		r.unread = append(r.unread, decode.RejectedTotal())
	}
	r.sources = l.numbers
	return r
}

// measured is a sink that lets the latency breaker see when signals are decided and refused.
type measured struct {
	engine.Sink
	refusals engine.RefusalSink // nil: none
	breaker  *risk.Breaker
	outside  *outside
}

// Emit measures, then hands on.
func (m *measured) Emit(pair uint32, body *signal.Body, receiveNs int64) uint8 {
	m.observe(receiveNs)
	if m.Sink == nil {
		return 0
	}
	return m.Sink.Emit(pair, body, receiveNs)
}

// Prepare tells the sink if it wants to know.
func (m *measured) Prepare(pair uint32, signalName, venue, symbol string) {
	if p, ok := m.Sink.(engine.Preparer); ok {
		p.Prepare(pair, signalName, venue, symbol)
	}
}

// Refuse measures, then hands on.
func (m *measured) Refuse(pair uint32, r *signal.Rejection, receiveNs int64) {
	m.observe(receiveNs)
	if m.refusals != nil {
		m.refusals.Refuse(pair, r, receiveNs)
	}
}

func (m *measured) observe(receiveNs int64) {
	if receiveNs == 0 {
		return
	}
	open := m.breaker.Observe(m.outside.live.options.Clock.NowNs() - receiveNs)
	if open == m.outside.late.Load() {
		return
	}
	m.outside.late.Store(open)
	select {
	case m.outside.wake <- struct{}{}:
	default: // it is awake
	}
}
