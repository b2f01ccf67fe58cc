package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/bench/programs"
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/sim"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/live"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/report"
)

// demoOptions are the flags of demo.
type demoOptions struct {
	shape      shapeFlags
	length     time.Duration
	symbols    int
	rate       float64
	seed       uint64
	perMessage int
	codec      string
	journal    string
	port       int
	asJSON     bool
}

func newDemo(a *app) *cobra.Command {
	var o demoOptions
	c := &cobra.Command{
		Use:   "demo",
		Short: "Try everything in one process: embedded NATS, simulated market, engine, signals",
		Long: `demo starts a NATS server of its own, publishes a simulated market on it (quotes and trades with bursts,
gaps and halts; the same ticks for the same seed), runs the engine with six signals, and prints what fires,
a status line a second, and a summary.

The server listens on the loopback interface: while the demo runs, sigengine tail --server URL, or the nats
CLI, shows the signals too.`,
		Example: `  sigengine demo
  sigengine demo --for 10s --json
  sigengine demo --symbols 512 --rate 200000 --ticks-per-message 32 --codec binary
  sigengine demo --executor gpu --dispatch resident --lanes 4
  sigengine demo --for 30s --journal journals && sigengine verify journals`,
		Args: noArgs,
		RunE: run(func(ctx context.Context, _ []string) error { return a.demo(ctx, o) }),
	}
	o.shape.add(c)
	d := sim.Default()
	c.Flags().DurationVar(&o.length, "for", 0, "stop after this long; 0 runs until Ctrl-C")
	c.Flags().IntVar(&o.symbols, "symbols", d.Instruments, "instruments of the market")
	c.Flags().Float64Var(&o.rate, "rate", d.RatePerSecond, "mean ticks a second, all instruments together")
	c.Flags().Uint64Var(&o.seed, "seed", d.Seed, "of the market")
	c.Flags().StringVar(&o.codec, "codec", "json", "how the market is published: json or binary")
	c.Flags().IntVar(&o.perMessage, "ticks-per-message", 1, "ticks in a message, 1 to 4096")
	c.Flags().StringVar(&o.journal, "journal", "", "directory for the run's journal; none if empty")
	c.Flags().IntVar(&o.port, "port", 0, "port of the embedded server; 0 takes a free one")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print only a summary, as one JSON object, on stdout")
	return c
}

// config makes the demo's configuration.
func (o *demoOptions) config() (*config.Config, error) {
	if o.codec != "json" && o.codec != "binary" {
		return nil, usagef("--codec is %q; want json or binary", o.codec)
	}
	text := "version: 1\npartition: demo\nsignals_file: six.yaml\n" +
		"feeds: [{name: market, subject: " + sim.DefaultPrefix + ".>, codec: " + o.codec + "}]\n"
	c, err := config.Parse("demo", []byte(text), func(string) ([]byte, error) { return []byte(programs.Six), nil })
	if err != nil {
		return nil, err
	}
	c.Journal.Dir = o.journal
	c.Engine.InstrumentsMax = max(c.Engine.InstrumentsMax, o.symbols)
	return c, nil
}

func (a *app) demo(ctx context.Context, o demoOptions) error {
	if err := errors.Join(o.shape.check(), checkTimes(o.length, 0)); err != nil {
		return err
	}
	c, err := o.config()
	if err != nil {
		return err
	}
	clock := feed.NewSystemClock()
	market, err := o.market(clock)
	if err != nil {
		return err
	}
	server, err := natsserver.Start(natsserver.Config{Port: o.port})
	if err != nil {
		return err
	}
	defer server.Close()
	tune(a.log, c)
	owner := o.shape.owner(a, c.Engine, true)
	defer a.closeDevices(owner)
	options := live.Options{
		Config: c, Connection: natsconn.Config{InProcess: server}, Clock: clock, Log: a.log, Build: buildLine(),
		Shape: o.shape.apply, Place: place(owner), Explain: explainer(c),
	}
	if !o.asJSON {
		printer := newSignalPrinter(a.out)
		defer printer.close()
		options.Tap = printer
	}
	l, err := live.Start(options)
	if err != nil {
		return asLiveFailure(err)
	}
	a.log.Info("demo", "server", server.URL(), "signals", strings.Join(names(c), " "), "journal", l.Status().Journal)
	return a.demoMarket(ctx, l, server, market, clock, o)
}

// market makes the simulated market, opening now.
func (o *demoOptions) market(clock feed.Clock) (*sim.Market, error) {
	m := sim.Default()
	m.Seed, m.Instruments, m.RatePerSecond, m.StartNs = o.seed, o.symbols, o.rate, clock.NowNs()
	market, err := sim.New(m)
	if err != nil {
		return nil, usagef("%w (--symbols, --rate)", err)
	}
	return market, nil
}

func names(c *config.Config) []string {
	var out []string
	for i := range c.Signals {
		out = append(out, c.Signals[i].Name)
	}
	return out
}

// demoMarket publishes the market until the end, then stops the engine and reports.
func (a *app) demoMarket(ctx context.Context, l *live.Live, server *natsserver.Server, market *sim.Market, clock feed.Clock, o demoOptions) error {
	feeder, err := natsconn.Connect(natsconn.Config{Servers: server.URL(), Name: "sigengine/demo market"}, natsconn.Handlers{})
	if err != nil {
		return err
	}
	codec := sim.JSON
	if o.codec == "binary" {
		codec = sim.Binary
	}
	publisher, err := sim.NewPublisher(sim.PublisherConfig{
		Market: market, Clock: clock, Send: feeder.Publish, Codec: codec, TicksPerMessage: o.perMessage, Session: uint64(clock.NowNs()),
	})
	if err != nil {
		return usagef("%w (--ticks-per-message)", err)
	}
	marketCtx, closeMarket := context.WithCancel(ctx)
	if o.length > 0 {
		marketCtx, closeMarket = context.WithTimeout(ctx, o.length)
	}
	defer closeMarket()
	done := make(chan sim.PublisherStats, 1)
	go func() { done <- publishMarket(marketCtx, publisher) }()
	a.demoStatus(marketCtx, l, o.asJSON)
	closeMarket()
	stats := <-done
	err = feeder.Drain()
	failed := a.untilStopped(stoppedContext(ctx), l, ending{asJSON: o.asJSON, add: func(r *report.Result) {
		r.Market = marketOf(&stats, r.Decoded)
		a.sayOverload(r, o)
	}})
	return errors.Join(err, failed)
}

// marketOf says what the market sent and what became of it.
func marketOf(stats *sim.PublisherStats, decoded uint64) *report.Market {
	return &report.Market{
		Ticks: stats.Ticks, Messages: stats.Messages, Late: stats.LateTicks, Lost: stats.Ticks - min(stats.Ticks, decoded),
		BehindS: float64(stats.BehindNs) / 1e9,
	}
}

const (
	hintOverload = "lower --rate, or send several ticks a message (--ticks-per-message 32 --codec binary)"
	behindMostS  = 0.1
)

// sayOverload warns when the market was more than the machine could do.
func (a *app) sayOverload(r *report.Result, o demoOptions) {
	if r.Market.Lost == 0 && r.Dropped == 0 && r.Market.BehindS < behindMostS {
		return
	}
	a.log.Warn("the market was more than this machine can do", "rate", o.rate, "sent", r.Market.Ticks, "decoded", r.Decoded,
		"lost_by_nats", r.Market.Lost, "dropped", r.Dropped, "behind_s", r.Market.BehindS, "hint", hintOverload)
}

// stoppedContext is a context that has ended, for a run that is over.
func stoppedContext(ctx context.Context) context.Context {
	ended, cancel := context.WithCancel(context.WithoutCancel(ctx))
	cancel()
	return ended
}

// publishMarket sends what is due until the context ends.
func publishMarket(ctx context.Context, p *sim.Publisher) sim.PublisherStats {
	p.Run(ctx.Done())
	return p.Stats()
}

// demoStatus prints a line a second until the market closes or the engine ends.
func (a *app) demoStatus(ctx context.Context, l *live.Live, quiet bool) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	before := l.Status()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.Failed():
			return
		case <-ticker.C:
			now := l.Status()
			if now.Dropped > 0 && before.Dropped == 0 {
				a.log.Warn("ticks are dropped: they come quicker than this machine takes them", "dropped", now.Dropped, "hint", hintOverload)
			}
			if !quiet {
				fmt.Fprintln(a.err, statusLine(&before, &now))
			}
			before = now
		}
	}
}
