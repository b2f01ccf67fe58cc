package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/snapshot"
)

// snapshotOptions are the flags of snapshot.
type snapshotOptions struct {
	at     uint64
	config string
	from   string
	output string
	every  time.Duration
	keep   int
	asJSON bool
}

// snapshotReport is what snapshot prints for programs.
type snapshotReport struct {
	Path     string  `json:"path"`
	Run      uint64  `json:"run"`
	Sequence uint64  `json:"sequence"` // of the last tick in it
	EngineNs string  `json:"engine_ns"`
	Signals  uint64  `json:"signals"`
	Bytes    int64   `json:"bytes"`
	Ticks    uint64  `json:"ticks"` // replayed for it
	ElapsedS float64 `json:"elapsed_s"`
}

func newSnapshot(a *app) *cobra.Command {
	var o snapshotOptions
	c := &cobra.Command{
		Use:   "snapshot JOURNAL -o DIR",
		Short: "Save the engine's state after a tick of a journal",
		Long: `snapshot replays a journal on the CPU up to a tick, and saves what the engine knew then. replay and verify begin
there with --from DIR, and give what they give from the beginning, sooner.

A snapshot is used only by the build that made it, for the journal, the signals and the gates it was made of; lanes,
batches, mode and executor may differ. DIR may hold many: the newest that is whole and fits is used.

With --every it stays behind a run that is going on, in a process of its own, and saves the state again and again; it
ends when the run does, or when it is interrupted, with a last one.`,
		Example: `  sigengine snapshot journals/20260101T093000.000Z -o snapshots
  sigengine snapshot journals --at 5000000 -o snapshots
  sigengine snapshot journals --from snapshots -o snapshots
  sigengine snapshot journals/20260101T093000.000Z --every 1m --keep 3 -o snapshots`,
		Args: oneArg("JOURNAL"),
		RunE: run(func(ctx context.Context, args []string) error { return a.snapshot(ctx, args[0], &o) }),
	}
	c.Flags().Uint64Var(&o.at, "at", 0, "sequence of the last tick in it; 0: the journal's last")
	c.Flags().StringVarP(&o.config, "config", "c", "", "configuration to use instead of the journal's own")
	c.Flags().StringVar(&o.from, "from", "", "begin from a snapshot: a file, or a directory for the newest in it that fits")
	c.Flags().StringVarP(&o.output, "output", "o", "", "directory that the snapshot is put into")
	c.Flags().DurationVar(&o.every, "every", 0, "follow a run that is going on and save the state this often")
	c.Flags().IntVar(&o.keep, "keep", 0, "with --every: remove all snapshots of DIR but so many, written last; 0: none is removed")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print the outcome as one JSON object")
	return c
}

func (a *app) snapshot(ctx context.Context, path string, o *snapshotOptions) error {
	if o.output == "" {
		return usagef("say where to put the snapshot with -o DIR")
	}
	if o.every < 0 || o.keep < 0 || o.every == 0 && o.keep > 0 || o.every > 0 && o.at > 0 {
		return usagef("--keep goes with --every, --at does not, and none is negative")
	}
	store, dir, err := openJournal(path)
	if err != nil {
		return err
	}
	options := replay.Options{Build: buildLine(), Cancelled: cancelledBy(ctx)}
	if o.config != "" {
		if options.Config, err = config.Load(o.config); err != nil {
			return asUsage(err)
		}
	}
	started := time.Now()
	begin, err := a.beginFrom(store, o.from, &options, started)
	if err != nil {
		return err
	}
	if o.every > 0 {
		return a.follow(ctx, store, dir, options, o)
	}
	progress := newProgress(a.err, 0)
	options.Done = func(ticks, _ uint64) { progress.ticks(ticks, time.Now()) }
	s, result, err := replay.TakeSnapshot(store, options, o.at)
	progress.end()
	ended := time.Now()
	if err != nil {
		return asReplayFailure(err)
	}
	if result.Incomplete != nil {
		a.log.Warn("the journal ends within a block; everything before was replayed", "reason", result.Incomplete)
	}
	file, err := snapshot.NewDir(o.output).Write(s)
	if err != nil {
		return asRuntimeFailure(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return asRuntimeFailure(err)
	}
	out := snapshotReport{
		Path: file, Run: s.Run, Sequence: s.State.Sequence, EngineNs: fmt.Sprint(s.State.EngineNs), Signals: s.State.Signals,
		Bytes: info.Size(), Ticks: result.Ticks, ElapsedS: time.Since(started).Seconds(),
	}
	if o.asJSON {
		return a.printJSON(&out)
	}
	_, err = fmt.Fprintf(a.out, "%s\nthe state after tick %d of run %d: %d signals decided, %d bytes, %d ticks replayed in %.1f s\n%s",
		out.Path, out.Sequence, out.Run, out.Signals, out.Bytes, out.Ticks, out.ElapsedS, begin.saved(&result, ended))
	return err
}

// cancelledBy is asked by a replay between two blocks.
func cancelledBy(ctx context.Context) func() error {
	return func() error {
		if ctx.Err() != nil {
			return errInterrupted
		}
		return nil
	}
}

// beginning is how a replay from a snapshot began.
type beginning struct {
	path     string
	started  time.Time
	restored time.Time
}

// beginFrom sets a replay's options to begin from a snapshot: a file, or the newest of a directory that fits. No path: from
// the beginning, and the result is nil.
func (a *app) beginFrom(store journal.Store, path string, options *replay.Options, started time.Time) (*beginning, error) {
	options.Build = buildLine()
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, usagef("--from: %w", err)
	}
	if info.IsDir() {
		var skipped []snapshot.Skipped
		dir := path
		options.From, path, skipped, err = replay.NewestFor(store, snapshot.NewDir(dir), options.Config, options.Build)
		for _, s := range skipped {
			a.log.Warn("a snapshot is not used", "file", s.Path, "reason", s.Why)
		}
	} else {
		options.From, err = snapshot.ReadFile(path)
	}
	if err != nil {
		return nil, asReplayFailure(fmt.Errorf("--from: %w", err))
	}
	b := &beginning{path: path, started: started}
	options.Restored = func(uint64) { b.restored = time.Now() }
	return b, nil
}

// saved says what beginning from a snapshot was worth.
func (b *beginning) saved(r *replay.Result, ended time.Time) string {
	if b == nil {
		return ""
	}
	text := fmt.Sprintf("began after tick %d, with the state of %s, %.3f s after the start", r.Skipped, b.path, b.restored.Sub(b.started).Seconds())
	if took := ended.Sub(b.restored).Seconds(); r.Ticks > 0 && took > 0 {
		text += fmt.Sprintf("; as fast as the %d ticks since, those before would have taken about %.1f s",
			r.Ticks, took/float64(r.Ticks)*float64(r.Skipped))
	}
	return text + "\n"
}

// unusable reports whether an error is of a snapshot that cannot be used: another argument puts it right.
func unusable(err error) bool {
	for _, known := range []error{snapshot.ErrNone, snapshot.ErrForeign, snapshot.ErrDamaged, snapshot.ErrVersion} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}
