package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
)

// openJournal returns the store of a run's journal: path itself, or the only run in it.
func openJournal(path string) (journal.Store, string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", usagef("%w; name the directory of a journal", err)
	}
	if !info.IsDir() {
		return nil, "", usagef("%s is a file; name the directory of a journal", path)
	}
	if hasSegments(path) {
		return journal.NewDirStore(path), path, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, "", asUsage(err)
	}
	var runs []string
	for _, e := range entries {
		if dir := filepath.Join(path, e.Name()); e.IsDir() && hasSegments(dir) {
			runs = append(runs, dir)
		}
	}
	sort.Strings(runs)
	switch len(runs) {
	case 0:
		return nil, "", usagef("%s holds no journal; is it the directory given to --journal?", path)
	case 1:
		return journal.NewDirStore(runs[0]), runs[0], nil
	}
	return nil, "", usagef("%s holds %d runs; name one, such as the last: %s", path, len(runs), runs[len(runs)-1])
}

func hasSegments(dir string) bool {
	files, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.sgj"))
	return err == nil && len(files) > 0
}

// escapeGlob makes a path match itself.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// verification is what verify prints for programs.
type verification struct {
	Same       bool         `json:"same"`
	Ticks      uint64       `json:"ticks"`
	Signals    uint64       `json:"signals"` // compared
	Unended    bool         `json:"unended"` // the run did not end in good order
	InUse      bool         `json:"in_use"`  // the run is still going on
	Unmatched  uint64       `json:"unmatched"`
	FromTick   uint64       `json:"from_tick,omitempty"` // it began after this one, with a snapshot's state
	OutputHash string       `json:"output_hash"`
	Executor   string       `json:"executor"` // what recomputed it
	GPU        *metrics.GPU `json:"gpu,omitempty"`
	ElapsedS   float64      `json:"elapsed_s"`
	Difference string       `json:"difference,omitempty"`
	EndDiffers string       `json:"end_differs,omitempty"`
}

// verifyOptions are the flags of verify.
type verifyOptions struct {
	shape  shapeFlags
	from   string
	asJSON bool
}

func newVerify(a *app) *cobra.Command {
	var o verifyOptions
	c := &cobra.Command{
		Use:   "verify JOURNAL",
		Short: "Recompute a live run and compare every decided signal",
		Long: `verify replays a journal under its own configuration and compares every decided signal with what the live run
decided and recorded. It exits with 1 at the first difference and shows it.

A run that was killed has no end in its journal, and its last signals may be in only one of the two accounts,
because the process had not yet written them; verify says how many.

With --from the ticks up to the snapshot are read and checked, but not computed.`,
		Example: `  sigengine verify journals/20260101T093000.000Z
  sigengine verify journals --executor gpu
  sigengine verify journals --from snapshots
  sigengine verify journals --json`,
		Args: oneArg("JOURNAL"),
		RunE: run(func(ctx context.Context, args []string) error { return a.verify(ctx, args[0], &o) }),
	}
	o.shape.addSize(c)
	c.Flags().StringVar(&o.from, "from", "", "begin from a snapshot: a file, or a directory for the newest in it that fits")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print the outcome as one JSON object")
	return c
}

func (a *app) verify(ctx context.Context, path string, o *verifyOptions) error {
	if err := o.shape.check(); err != nil {
		return err
	}
	store, dir, err := openJournal(path)
	if err != nil {
		return err
	}
	owner := o.shape.owner(a, config.Default().Engine, false)
	defer a.closeDevices(owner)
	started := time.Now()
	progress := newProgress(a.err, 0)
	options := replay.Options{
		Shape: o.shape.apply, Prepare: replayPlace{owner: owner, shape: &o.shape, fused: true}.prepare,
		Done: func(ticks, _ uint64) { progress.ticks(ticks, time.Now()) }, Cancelled: cancelledBy(ctx),
	}
	begin, err := a.beginFrom(store, o.from, &options, started)
	if err != nil {
		return err
	}
	v, err := replay.Verify(store, options)
	progress.end()
	if errors.Is(err, replay.ErrNoConfig) {
		return usagef("%s was recorded without signals, so there is nothing to verify; sigengine replay %s -c FILE computes some", dir, dir)
	}
	if err != nil {
		return asReplayFailure(err)
	}
	out := verification{
		Same: v.Difference == nil, Ticks: v.Ticks, Signals: v.Compared, Unended: v.Unended, Unmatched: v.Unmatched,
		FromTick: v.Skipped, Executor: v.GPU.Executor(), GPU: v.GPU, OutputHash: v.OutputHash, ElapsedS: time.Since(started).Seconds(),
	}
	out.InUse = v.Unended && inUse(dir)
	if v.Difference != nil {
		out.Difference = v.Difference.String()
	} else if v.EndDiffers != "" {
		out.Same, out.EndDiffers = false, v.EndDiffers
	}
	a.sayLost(&v.Result)
	if o.asJSON {
		if err := a.printJSON(&out); err != nil {
			return err
		}
	} else {
		fmt.Fprint(a.out, begin.saved(&v.Result, time.Now()))
		a.printVerification(&out)
	}
	if v.Difference != nil {
		return differencef("%s does not verify: signal %d was decided differently", dir, v.Difference.Number)
	}
	if v.EndDiffers != "" {
		return differencef("%s does not verify: its end is not that of its signals", dir)
	}
	return nil
}

// inUse reports whether a process still writes a journal: it holds the lock.
func inUse(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "LOCK")); err != nil {
		return false
	}
	lock, err := journal.NewDirStore(dir).Lock()
	if err != nil {
		return errors.Is(err, journal.ErrLocked)
	}
	_ = lock.Close()
	return false
}

func (a *app) printVerification(v *verification) {
	fmt.Fprintf(a.out, "%d ticks, %d signals compared in %.1f s on %s, output %s\n", v.Ticks, v.Signals, v.ElapsedS, v.GPU, v.OutputHash)
	switch {
	case v.InUse:
		fmt.Fprintf(a.out, "the journal is in use: the run is still going on; %d signals at its end are in one account only, so far\n", v.Unmatched)
	case v.Unended:
		fmt.Fprintf(a.out, "the run did not end in good order; %d signals at its end are in one account only\n", v.Unmatched)
	}
	if v.EndDiffers != "" {
		fmt.Fprintln(a.out, v.EndDiffers)
	} else if v.Difference != "" {
		fmt.Fprintf(a.out, "recorded (a) and recomputed (b) differ at %s\n", v.Difference)
	} else {
		fmt.Fprintln(a.out, "same")
	}
}
