package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/internal/report"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/signal"
)

// replayOptions are the flags of replay.
type replayOptions struct {
	shape  shapeFlags
	config string
	from   string
	speed  string
	output string
	asJSON bool
}

func newReplay(a *app) *cobra.Command {
	var o replayOptions
	c := &cobra.Command{
		Use:   "replay JOURNAL",
		Short: "Run a journal through the engine again",
		Long: `replay decides again what a journal's ticks lead to, under the journal's own configuration or another, and
prints the hash of the decided signals: the same input and configuration always give the same hash,
whatever the lanes, batches and speed, on the CPU or a GPU.

JOURNAL is the directory of one run, or the directory given to --journal if it holds one run only.`,
		Example: `  sigengine replay journals/20260101T093000.000Z
  sigengine replay journals -c other.yaml -o other.jsonl
  sigengine replay journals --executor gpu --lanes 4
  sigengine replay journals --speed 10 --json
  sigengine replay journals --from snapshots`,
		Args: oneArg("JOURNAL"),
		RunE: run(func(ctx context.Context, args []string) error { return a.replay(ctx, args[0], o) }),
	}
	o.shape.add(c)
	c.Flags().StringVarP(&o.config, "config", "c", "", "configuration to use instead of the journal's own")
	c.Flags().StringVar(&o.from, "from", "", "begin from a snapshot: a file, or a directory for the newest in it that fits")
	c.Flags().StringVar(&o.speed, "speed", "max", "max, or 1 for as recorded, 10 for ten times as quick")
	c.Flags().StringVarP(&o.output, "output", "o", "", "write decided signals to this file, one JSON object a line")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print a summary as one JSON object on stdout")
	return c
}

func (a *app) replay(ctx context.Context, path string, o replayOptions) error {
	if err := o.shape.check(); err != nil {
		return err
	}
	store, dir, err := openJournal(path)
	if err != nil {
		return err
	}
	speed, err := parseSpeed(o.speed)
	if err != nil {
		return err
	}
	clock := feed.NewSystemClock()
	options := replay.Options{Clock: clock, Stages: metrics.NewStages(), Shape: o.shape.apply}
	section := config.Default().Engine
	if o.config != "" {
		if options.Config, err = config.Load(o.config); err != nil {
			return asUsage(err)
		}
		section = options.Config.Engine
	}
	owner := o.shape.owner(a, section, false)
	defer a.closeDevices(owner)
	options.Prepare = replayPlace{owner: owner, shape: &o.shape, paced: speed > 0}.prepare
	if speed > 0 {
		options.Pace = replay.NewPacer(ctx, clock, speed).Wait
	}
	out, err := openOutput(o.output)
	if err != nil {
		return err
	}
	if out != nil {
		options.Sink = out
	}
	started := time.Now()
	begin, err := a.beginFrom(store, o.from, &options, started)
	if err != nil {
		return errors.Join(err, out.close())
	}
	progress := newProgress(a.err, 0)
	options.Done = func(ticks, _ uint64) { progress.ticks(ticks, time.Now()) }
	result, err := playUntil(ctx, store, options)
	progress.end()
	err = errors.Join(err, out.close())
	if err != nil {
		return asReplayFailure(err)
	}
	if err := a.replayed(&result, dir, time.Since(started), options.Stages, o.asJSON); err != nil || o.asJSON {
		return err
	}
	_, err = fmt.Fprint(a.out, begin.saved(&result, time.Now()))
	return err
}

// playUntil replays; an interrupt ends it between two blocks.
func playUntil(ctx context.Context, store journal.Store, options replay.Options) (replay.Result, error) {
	options.Cancelled = cancelledBy(ctx)
	return replay.Play(store, options)
}

// replayed reports a replay.
func (a *app) replayed(r *replay.Result, dir string, elapsed time.Duration, stages *metrics.Stages, asJSON bool) error {
	if r.Incomplete != nil {
		a.log.Warn("the journal ends within a block; everything before was replayed", "reason", r.Incomplete)
	}
	a.sayLost(r)
	mode := "staged"
	if r.Fused {
		mode = "fused"
	}
	out := report.Result{
		Ticks: r.Ticks, Signals: r.Signals, Rejected: r.Rejected, Suppressed: r.Suppressed, Gaps: r.Gaps, Instruments: r.Instruments,
		Executor: r.GPU.Executor(), GPU: r.GPU, Lanes: r.Lanes, Batch: r.Batch, Mode: mode, OutputHash: r.OutputHash, Journal: dir, FromTick: r.Skipped,
		ElapsedS: elapsed.Seconds(), LatencyNs: stages.Snapshot(), Malformed: metrics.Counts{},
	}
	// A recorded tick was received long ago: how long ago is no latency of this run.
	out.LatencyNs[metrics.StageTotal] = metrics.Latency{}
	if asJSON {
		return a.printJSON(&out)
	}
	_, err := fmt.Fprint(a.out, out.String())
	return err
}

// asReplayFailure gives an error of a replay its exit code: what can be put right by other arguments is usage.
func asReplayFailure(err error) error {
	if errors.Is(err, replay.ErrNoConfig) || errors.Is(err, journal.ErrEmpty) || unusable(err) {
		return asUsage(err)
	}
	return asRuntimeFailure(err)
}

// outputFile is a Sink that writes decided signals as lines of JSON.
type outputFile struct {
	file   *os.File
	writer *bufio.Writer
	line   []byte
	err    error
}

// openOutput creates the file; no name, no file.
func openOutput(path string) (*outputFile, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, usagef("-o: %w", err)
	}
	return &outputFile{file: file, writer: bufio.NewWriterSize(file, 1<<16)}, nil
}

// Emit writes one signal.
func (f *outputFile) Emit(_ uint32, body *signal.Body, _ int64) uint8 {
	f.line = append(signal.AppendJSON(f.line[:0], body, nil), '\n')
	if _, err := f.writer.Write(f.line); err != nil && f.err == nil {
		f.err = err
	}
	return 0
}

func (f *outputFile) close() error {
	if f == nil {
		return nil
	}
	return errors.Join(f.err, f.writer.Flush(), f.file.Close())
}
