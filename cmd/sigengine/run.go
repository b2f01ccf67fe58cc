package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/live"
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/internal/report"
)

// runOptions are the flags of run.
type runOptions struct {
	server  serverFlags
	shape   shapeFlags
	config  string
	journal string
	hgrm    string
	length  time.Duration
	every   time.Duration
	asJSON  bool
}

func newRun(a *app) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run -c FILE",
		Short: "Run the engine against a NATS feed",
		Long: `run subscribes to the feeds of the configuration, computes its signals on every tick and publishes what
fires and passes the gates. It stops on SIGTERM or Ctrl-C: what was received is handled, what was decided
is published, the journal is ended. A second signal leaves at once.

While disconnected from NATS it tries again every 25 ms or so; market data lost meanwhile is marked as a
gap, and signals decided meanwhile are not sent later, because they would be stale.`,
		Example: `  sigengine run -c engine.yaml
  sigengine run -c engine.yaml --server nats://feeds:4222 --creds desk.creds --journal /data/journal
  sigengine run -c engine.yaml --executor gpu --lanes 8
  sigengine run -c engine.yaml --for 1m --json --hgrm latencies/`,
		Args: noArgs,
		RunE: run(func(ctx context.Context, _ []string) error { return a.runEngine(ctx, o) }),
	}
	o.server.add(c)
	o.shape.add(c)
	c.Flags().StringVarP(&o.config, "config", "c", "", "configuration (required)")
	c.Flags().StringVar(&o.journal, "journal", "", "directory for this run's journal, instead of journal.dir")
	c.Flags().StringVar(&o.hgrm, "hgrm", "", "directory for a latency histogram a stage (.hgrm) at the end")
	c.Flags().DurationVar(&o.length, "for", 0, "stop after this long; 0 runs until told to stop")
	c.Flags().DurationVar(&o.every, "status", 10*time.Second, "time between status lines in the log; 0 for none")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print a summary as one JSON object on stdout at the end")
	return c
}

func (a *app) runEngine(ctx context.Context, o runOptions) error {
	if o.config == "" {
		return usagef("run needs a configuration: -c FILE; sigengine run --help shows examples")
	}
	if err := o.shape.check(); err != nil {
		return err
	}
	if err := checkTimes(o.length, o.every); err != nil {
		return err
	}
	if err := checkHgrm(o.hgrm); err != nil {
		return err
	}
	c, err := config.Load(o.config)
	if err != nil {
		return asUsage(err)
	}
	if len(c.Signals) == 0 {
		return usagef("%s has no signals; add some under signals:, or use record to journal a feed", o.config)
	}
	if o.journal != "" {
		c.Journal.Dir = o.journal
	}
	connection, err := o.server.connection(a, c.NATS, "")
	if err != nil {
		return err
	}
	connection.WaitForServer = true
	tune(a.log, c)
	owner := o.shape.owner(a, c.Engine, true)
	defer a.closeDevices(owner)
	l, err := live.Start(live.Options{
		Config: c, Connection: connection, Clock: feed.NewSystemClock(), Log: a.log, Build: buildLine(),
		Shape: o.shape.apply, Place: place(owner), FreeBytes: freeBytes, Explain: explainer(c),
	})
	if err != nil {
		return asLiveFailure(err)
	}
	a.log.Info("running", "signals", len(c.Signals), "feeds", len(c.Feeds), "journal", l.Status().Journal)
	if input, output := l.Connected(); !input || !output {
		a.log.Warn("not connected to a NATS server; trying again until one answers", "input_connected", input, "output_connected", output,
			"hint", "is the server up, and is --server, NATS_URL or nats.url right?")
	}
	return a.untilStopped(ctx, l, ending{length: o.length, every: o.every, hgrm: o.hgrm, asJSON: o.asJSON, began: metrics.ReadProcess()})
}

// asLiveFailure tells wrong usage from a failure while running.
func asLiveFailure(err error) error {
	var file *os.PathError
	if errors.Is(err, live.ErrFeeds) || errors.As(err, &file) {
		return asUsage(err)
	}
	return asRuntimeFailure(err)
}

// ending says when a run ends and what is told then.
type ending struct {
	length, every time.Duration // 0: no end of its own, no status
	hgrm          string        // directory of histograms; empty: none
	asJSON        bool
	began         metrics.Process      // from where the process is accounted for; zero: its start
	add           func(*report.Result) // adds to the summary; nil: nothing
}

// untilStopped waits for the end, which is asked for by ctx, comes after a time, or is the engine's own; then it drains and
// reports.
func (a *app) untilStopped(ctx context.Context, l *live.Live, o ending) error {
	err := a.watch(ctx, l, o.length, o.every)
	a.log.Info("stopping: handling what was received")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainLimit)
	defer cancel()
	if stopErr := l.Stop(drain); err == nil { // what ended the run says more than what it then hinders
		err = stopErr
	}
	status := l.Status()
	process := metrics.ReadProcess()
	process = process.Since(&o.began)
	status.Process = &process
	if o.add != nil {
		o.add(&status)
	}
	if o.hgrm != "" {
		err = errors.Join(err, writeHgrm(o.hgrm, l.Stages()))
	}
	if o.asJSON {
		err = errors.Join(err, a.printJSON(&status))
	} else {
		fmt.Fprint(a.err, status.String())
	}
	return err
}

// drainLimit bounds how long a stop may take.
const drainLimit = 15 * time.Second

// watch returns when the run is to end, with the reason if that is a failure.
func (a *app) watch(ctx context.Context, l *live.Live, length, every time.Duration) error {
	var end, tick <-chan time.Time
	if length > 0 {
		timer := time.NewTimer(length)
		defer timer.Stop()
		end = timer.C
	}
	if every > 0 {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-end:
			return nil
		case <-l.Failed():
			return l.Ended()
		case <-tick:
			s := l.Status()
			input, output := l.Connected()
			total := s.LatencyNs[metrics.StageTotal]
			level := slog.LevelInfo
			if !input || !output {
				level = slog.LevelWarn
			}
			if len(s.GPU.Lost()) > 0 {
				level = slog.LevelWarn
			}
			a.log.Log(ctx, level, "status", "executor", s.GPU.String(), "ticks", s.Ticks, "signals", s.Signals, "rejected", s.Rejected.Sum(), "dropped", s.Dropped, "gaps", s.Gaps,
				"malformed", s.Malformed.Sum(), "p50_us", float64(total.P50Ns)/1e3, "p99_us", float64(total.P99Ns)/1e3,
				"input_connected", input, "output_connected", output)
		}
	}
}

// checkHgrm makes the directory of histograms and tries it: the end of a run is late to learn that it cannot be written.
func checkHgrm(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usagef("--hgrm: %w; name a directory that can be made", err)
	}
	probe, err := os.CreateTemp(dir, ".sigengine-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return usagef("--hgrm: %w; name a directory that this user may write", err)
	}
	return nil
}

// writeHgrm writes a histogram a stage.
func writeHgrm(dir string, stages *metrics.Stages) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for stage := range metrics.StageCount {
		name := metrics.Stage(stage).String()
		file, err := os.Create(filepath.Join(dir, name+".hgrm"))
		if err != nil {
			return err
		}
		if err := errors.Join(stages.WriteHgrm(file, metrics.Stage(stage)), file.Close()); err != nil {
			return err
		}
	}
	return nil
}
