package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/codec"
	"github.com/sigengine/sigengine/feed/natsfeed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/internal/publish"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/signal"
)

// Live is a running engine.
type Live struct {
	options Options
	startNs int64
	shape   engine.Config
	stages  *metrics.Stages
	engine  *engine.Engine
	journal *recorder // nil: none
	input   *natsfeed.Client
	output  *natsconn.Connection // nil: quiet
	sink    *publish.NATSSink    // nil: quiet
	sources []*natsfeed.Source
	done    chan struct{}
	err     error // of the engine, once done is closed
}

// Start connects and runs. When it returns without error, the sources are subscribed and ticks flow.
func Start(options Options) (*Live, error) {
	if len(options.Config.Feeds) == 0 {
		return nil, ErrFeeds
	}
	l := &Live{options: options, startNs: options.Clock.NowNs(), stages: metrics.NewStages(), done: make(chan struct{})}
	if err := l.start(); err != nil {
		l.undo()
		return nil, err
	}
	go func() {
		defer close(l.done)
		l.err = l.engine.Run(context.Background())
	}()
	return l, nil
}

func (l *Live) start() error {
	shape, _, err := setup.Engine(l.options.Config)
	if err != nil {
		return err
	}
	if l.options.Shape != nil {
		l.options.Shape(&shape)
	}
	l.shape = shape
	if l.options.Config.Journal.Dir != "" {
		if l.journal, err = openJournal(&l.options); err != nil {
			return err
		}
	}
	if err := l.connectOutput(); err != nil {
		return err
	}
	if err := l.makeEngine(); err != nil {
		return err
	}
	return l.connectInput()
}

// connectOutput opens the connection that signals leave by: one of their own, so that they never wait behind input.
func (l *Live) connectOutput() error {
	if l.options.Quiet {
		return nil
	}
	c := l.options.Connection
	c.Name = "sigengine/" + l.options.instance() + "/signals"
	log := l.options.Log
	output, err := natsconn.Connect(c, natsconn.Handlers{
		Disconnected: func(err error) {
			log.Warn("signals: disconnected; signals decided meanwhile are not sent later", "error", err)
		},
		Reconnected: func() { log.Info("signals: connected again") },
		Error:       func(err error) { log.Warn("signals: connection", "error", err) },
	})
	if err != nil {
		return err
	}
	l.output = output
	encoding := publish.JSON
	if l.options.Config.Publish.Format == config.FormatBinary {
		encoding = publish.Binary
	}
	l.sink, err = publish.NewNATSSink(publish.NATSConfig{
		Conn: output, Clock: l.options.Clock, Encoding: encoding, Prefix: l.options.Config.Publish.Subject,
		Instance: l.options.instance(), Epoch: uint64(l.startNs),
		Pairs: l.shape.Instruments * len(l.shape.Desk.Rules),
	})
	return err
}

func (l *Live) makeEngine() error {
	lanes := l.shape.Lanes
	ports := engine.Ports{Clock: l.options.Clock, Timing: engine.NewTiming(l.options.Clock, l.stages, lanes)}
	switch {
	case l.sink == nil:
		ports.Sink = l.options.Tap
	case l.options.Tap == nil:
		ports.Sink = l.sink
	default:
		ports.Sink = sinks{l.sink, l.options.Tap}
	}
	if l.journal != nil {
		ports.Ticks, ports.Outcomes, ports.JournalErr = l.journal.ticks, l.journal.outcomes, l.journal.failed
	}
	var err error
	l.engine, err = engine.New(l.shape, ports)
	return err
}

// connectInput subscribes the feeds.
func (l *Live) connectInput() error {
	c := l.options.Connection
	c.Name = "sigengine/" + l.options.instance() + "/market data"
	var inlets []*feed.Inlet
	for i := range l.options.Config.Feeds {
		f := &l.options.Config.Feeds[i]
		full := feed.FullDrop
		if f.OnFull == config.OnFullBlock {
			full = feed.FullBlock
		}
		inlet, err := feed.NewInlet(feed.InletConfig{
			Name: f.Name, Slots: f.RingTicks, Instruments: l.shape.Instruments, Full: full,
		})
		if err != nil {
			return err
		}
		if err := l.engine.AddInlet(inlet); err != nil {
			return err
		}
		inlets = append(inlets, inlet)
	}
	input, err := natsfeed.Connect(c)
	if err != nil {
		return err
	}
	l.input = input
	for i, inlet := range inlets {
		if err := l.subscribe(&l.options.Config.Feeds[i], inlet); err != nil {
			return err
		}
	}
	return nil
}

func (l *Live) subscribe(f *config.Feed, inlet *feed.Inlet) error {
	decoder, err := codec.New(string(f.Codec), feed.DecoderOptions{
		Source: inlet.Source(), Symbols: inlet.Symbols, Venue: f.Venue, Trades: string(f.Trades),
	})
	if err != nil {
		return err
	}
	source, err := l.input.Subscribe(natsfeed.SourceConfig{
		Subject: f.Subject, Decoder: decoder, Inlet: inlet, Clock: l.options.Clock,
		PendingMessages: f.Pending.Messages, PendingBytes: int(f.Pending.Bytes),
		Decode: l.stages.NewRecorder(metrics.StageDecode),
	})
	if err != nil {
		return err
	}
	l.sources = append(l.sources, source)
	return nil
}

// undo closes what a failed Start had opened.
func (l *Live) undo() {
	if l.engine != nil {
		l.engine.Stop()
		if l.input != nil {
			for _, inlet := range l.engine.Inlets() {
				inlet.Abandon()
			}
		}
	}
	if l.input != nil {
		_ = l.input.Close() // the error of Start matters more
	}
	if l.output != nil {
		l.output.Close()
	}
	if l.journal != nil {
		_ = l.journal.close(nil)
	}
}

// Done is closed when the engine has ended by itself: its journal failed, or its connection was refused.
func (l *Live) Done() <-chan struct{} { return l.done }

// InputClosed is closed when the input connection ended for good without being asked to.
func (l *Live) InputClosed() <-chan struct{} { return l.input.Closed() }

// Command sequences an operator's command.
func (l *Live) Command(c engine.Command) error { return l.engine.Command(c) }

// Stop drains everything in order and closes it. If ctx ends before the sources have drained, what is queued is lost
// and the error says so.
func (l *Live) Stop(ctx context.Context) error {
	drained := make(chan error, 1)
	go func() { drained <- l.input.Drain() }()
	var errs []error
	select {
	case err := <-drained:
		errs = append(errs, err)
	case <-l.done:
		errs = append(errs, l.input.Close())
	case <-ctx.Done():
		errs = append(errs, fmt.Errorf("live: stopped before everything received was handled: %w", context.Cause(ctx)))
		l.engine.Stop()
	}
	select {
	case <-l.done:
	case <-time.After(drainEngine):
		l.engine.Stop()
		<-l.done
	}
	errs = append(errs, l.err)
	if l.output != nil {
		errs = append(errs, l.output.Drain())
	}
	if l.journal != nil {
		errs = append(errs, l.journal.close(l.engine))
	}
	return errors.Join(errs...)
}

// drainEngine is how long an engine whose sources have closed may take to finish.
const drainEngine = 10 * time.Second

// Emit hands a decided signal on.
func (s sinks) Emit(pair uint32, body *signal.Body, receiveNs int64) uint8 {
	result := s.first.Emit(pair, body, receiveNs)
	s.then.Emit(pair, body, receiveNs)
	return result
}
