package main

import (
	"bufio"
	"context"
	"errors"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/signal"
	"github.com/spf13/cobra"
)

// tailOptions are the flags of tail.
type tailOptions struct {
	server  serverFlags
	config  string
	subject string
	count   uint64
	asJSON  bool
}

func newTail(a *app) *cobra.Command {
	var o tailOptions
	c := &cobra.Command{
		Use:   "tail",
		Short: "Print signals as they come",
		Long: `tail prints every signal published under a subject, in either form, one line each. A hole in the
sequence of a subject, a duplicate, or another engine taking over is reported on stderr: core NATS
does not say when it loses messages, the sequence does.`,
		Example: `  sigengine tail
  sigengine tail --subject 'sig.v1.reversion.binance.*'
  sigengine tail --json --count 100 > signals.jsonl`,
		Args: noArgs,
		RunE: run(func(ctx context.Context, _ []string) error { return a.tail(ctx, o) }),
	}
	o.server.add(c)
	c.Flags().StringVarP(&o.config, "config", "c", "", "take the nats section of this configuration")
	c.Flags().StringVar(&o.subject, "subject", "sig.>", "what to subscribe to")
	c.Flags().Uint64Var(&o.count, "count", 0, "end after this many signals; 0 goes on")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print the signals as JSON, one a line")
	return c
}

// natsSection returns the nats section of a configuration file, the default one without a file.
func natsSection(file string) (config.NATS, error) {
	if file == "" {
		return config.Default().NATS, nil
	}
	c, err := config.Load(file)
	if err != nil {
		return config.NATS{}, err
	}
	return c.NATS, nil
}

func (a *app) tail(ctx context.Context, o tailOptions) error {
	section, err := natsSection(o.config)
	if err != nil {
		return err
	}
	server, err := o.server.connection(a, section, "tail")
	if err != nil {
		return err
	}
	connection, err := a.connectOrUsage(server)
	if err != nil {
		return err
	}
	defer connection.Close()
	printer := &tailPrinter{app: a, out: bufio.NewWriter(a.out), left: o.count, asJSON: o.asJSON, done: make(chan error, 1)}
	subscription, err := connection.Subscribe(o.subject, printer.deliver)
	if errors.Is(err, nats.ErrBadSubject) {
		return usagef("--subject %q is no subject; want names joined by dots, * and > as wildcards", o.subject)
	} else if err != nil {
		return err
	}
	if err := connection.Flush(flushTimeout); err != nil {
		return err
	}
	a.log.Info("listening", "subject", o.subject, "server", connection.Stats().Server)
	select {
	case err = <-printer.done:
	case <-connection.Closed():
		err = errors.New("the server closed the connection for good; check the credentials and the server's log")
	case <-ctx.Done():
		err = errInterrupted
	}
	_ = subscription.Unsubscribe() // the connection closes next
	a.log.Info("ended", "signals", printer.signals.Load(), "missed", printer.missed.Load(), "bad", printer.bad.Load())
	return err
}

// tailPrinter prints what arrives. deliver runs on the subscription's goroutine; the counters may be read from any.
type tailPrinter struct {
	app     *app
	out     *bufio.Writer
	layout  lineLayout
	tracker signal.Tracker
	asJSON  bool
	left    uint64 // signals until the end, 0 for no end
	ended   bool
	scratch []byte
	done    chan error

	signals, missed, bad atomic.Uint64
}

func (p *tailPrinter) deliver(m *nats.Msg) {
	if p.ended {
		return
	}
	body, trailer, err := signal.Decode(m.Data)
	if err != nil {
		p.bad.Add(1)
		p.app.log.Warn("not a signal", "subject", m.Subject, "error", err)
		return
	}
	p.signals.Add(1)
	p.observe(m.Subject, &body, trailer)
	p.scratch = p.scratch[:0]
	if p.asJSON {
		p.scratch = signal.AppendJSON(p.scratch, &body, trailer)
	} else {
		p.scratch = p.layout.appendLine(p.scratch, &body, trailer)
	}
	_, err = p.out.Write(append(p.scratch, '\n'))
	last := p.left == 1
	if p.left > 0 {
		p.left--
	}
	pending, _, pendingErr := m.Sub.Pending() // the message in hand is still counted
	if err == nil && (last || pendingErr != nil || pending <= 1) {
		err = p.out.Flush()
	}
	if err != nil || last {
		p.ended = true
		p.done <- err
	}
}

// observe reports what the sequence of the subject says.
func (p *tailPrinter) observe(subject string, b *signal.Body, t *signal.Trailer) {
	missed, duplicate, restarted := p.tracker.Observe(b, t)
	p.missed.Add(missed)
	if missed == 0 && !duplicate && !restarted {
		return
	}
	// Lines before this one first: whoever reads both sees them in order.
	_ = p.out.Flush() // a write error is met again by the next line
	switch {
	case duplicate:
		p.app.log.Warn("seen before", "subject", subject, "out_seq", b.OutputSequence)
	case restarted:
		p.app.log.Warn("another engine run took over", "subject", subject, "missed_at_least", missed)
	default:
		p.app.log.Warn("signals missed", "subject", subject, "missed", missed)
	}
}
