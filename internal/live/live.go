package live

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
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
	output  *natsconn.Connection   // nil: quiet
	sink    *publish.NATSSink      // nil: quiet
	rejects *publish.RejectionSink // nil: rejections are only counted
	sources []*natsfeed.Source
	numbers []uint16 // of the sources, as ticks carry them
	outside *outside
	current *current // nil: nobody may ask
	latches *latches // nil: no journal
	inForce atomic.Pointer[told]
	done    chan struct{}
	err     error // of the engine, once done is closed
	failed  chan struct{}
	watched chan struct{} // closed when nothing more is said
}

// Start connects and runs. When it returns without error, the sources are subscribed and ticks flow.
func Start(options Options) (*Live, error) {
	if len(options.Config.Feeds) == 0 {
		return nil, ErrFeeds
	}
	if options.silentAfter == 0 {
		options.silentAfter = silentAfter
	}
	l := &Live{options: options, startNs: options.Clock.NowNs(), stages: metrics.NewStages(), done: make(chan struct{}), failed: make(chan struct{})}
	l.watched = make(chan struct{})
	if err := l.start(); err != nil {
		l.undo()
		return nil, err
	}
	go func() {
		defer close(l.done)
		l.err = l.engine.Run(context.Background())
	}()
	go l.supervise()
	go l.watch()
	if err := l.watchOutside(); err != nil {
		ctx, cancel := context.WithTimeout(context.Background(), drainEngine)
		defer cancel()
		return nil, errors.Join(err, l.Stop(ctx))
	}
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
	if l.options.Place != nil {
		if err := l.options.Place(&shape); err != nil {
			return err
		}
	}
	shape.ShrinkLanes()
	l.shape = shape
	if err := l.connectOutput(); err != nil {
		return err
	}
	if err := l.connectInput(); err != nil {
		return err
	}
	if l.options.Config.Journal.Dir != "" { // last of what can fail, so that a failed start leaves no empty journal
		if l.journal, err = openJournal(&l.options); err != nil {
			return err
		}
	}
	if err := l.makeEngine(); err != nil {
		return err
	}
	if err := l.restore(); err != nil {
		return err
	}
	return l.addFeeds()
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
	if err := l.addRisk(&ports); err != nil {
		return err
	}
	var err error
	l.engine, err = engine.New(l.shape, ports)
	return err
}

// connectInput opens the connection that market data comes by.
func (l *Live) connectInput() error {
	c := l.options.Connection
	c.Name = "sigengine/" + l.options.instance() + "/market data"
	var err error
	l.input, err = natsfeed.Connect(c)
	return err
}

// addFeeds gives the engine an inlet a feed, then subscribes them.
func (l *Live) addFeeds() error {
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
	if err := l.addFills(); err != nil {
		return err
	}
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
	return l.listen(f.Subject, decoder, inlet, f.Pending)
}

// listen subscribes a source.
func (l *Live) listen(subject string, decoder feed.Decoder, inlet *feed.Inlet, pending config.Pending) error {
	source, err := l.input.Subscribe(natsfeed.SourceConfig{
		Subject: subject, Decoder: decoder, Inlet: inlet, Clock: l.options.Clock,
		PendingMessages: pending.Messages, PendingBytes: int(pending.Bytes),
		Decode: l.stages.NewRecorder(metrics.StageDecode),
	})
	if err != nil {
		return err
	}
	l.sources, l.numbers = append(l.sources, source), append(l.numbers, inlet.Source())
	return nil
}

// undo closes what a failed Start had opened.
func (l *Live) undo() {
	if l.engine != nil {
		l.engine.Stop()
		_ = l.engine.Discard() // the error of Start matters more
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
	if l.latches != nil {
		l.latches.close()
	}
	if l.journal != nil {
		l.journal.discard()
	}
}

// ErrRefused says that the server ended a connection for good, which it does when it refuses the login.
var ErrRefused = errors.New("live: the server ended the connection for good; check the credentials and their rights")

// Ended returns why a run that was not stopped has ended, or nil while it runs: the engine's own error, or a connection
// that will not come back.
func (l *Live) Ended() error {
	select {
	case <-l.done:
		if l.err != nil {
			return l.err
		}
		return errors.New("live: the engine ended")
	case <-l.input.Closed():
		return fmt.Errorf("%w (market data): %v", ErrRefused, l.input.LastError())
	default:
	}
	if l.output == nil {
		return nil
	}
	select {
	case <-l.output.Closed():
		return fmt.Errorf("%w (signals): %v", ErrRefused, l.output.LastError())
	default:
		return nil
	}
}

// Failed is closed soon after the run has ended without being stopped; Ended then says why.
func (l *Live) Failed() <-chan struct{} { return l.failed }

// supervise closes failed when a part has ended.
func (l *Live) supervise() {
	output := make(<-chan struct{})
	if l.output != nil {
		output = l.output.Closed()
	}
	select {
	case <-l.done:
	case <-l.input.Closed():
	case <-output:
	}
	close(l.failed)
}

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
	<-l.watched
	errs = append(errs, l.err)
	if l.output != nil {
		errs = append(errs, l.output.Drain())
	}
	if l.latches != nil {
		l.latches.close()
	}
	if l.journal != nil {
		ended := l.engine
		if l.err != nil {
			ended = nil // it did not end in good order, and the journal must not say that it did
		}
		errs = append(errs, l.journal.close(ended))
	}
	return errors.Join(errs...)
}

// drainEngine is how long an engine whose sources have closed may take to finish.
const drainEngine = 10 * time.Second
