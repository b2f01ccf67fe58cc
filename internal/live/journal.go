package live

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
)

// recorder is a run's journal: a directory of its own under the configured one, named by when the run began, because
// an engine that starts anew knows nothing of the run before.
type recorder struct {
	dir      string
	writer   *journal.Writer
	ticks    *journal.TickAppender
	outcomes *journal.OutcomeAppender
}

// makeRunDir makes a run's directory. Where another run began in the same millisecond it is named after that one, with a
// number.
func makeRunDir(dir string) (string, error) {
	const most = 1000
	err := os.Mkdir(dir, 0o755)
	for n := 2; errors.Is(err, os.ErrExist) && n < most; n++ {
		numbered := fmt.Sprintf("%s-%d", dir, n)
		if err = os.Mkdir(numbered, 0o755); err == nil {
			return numbered, nil
		}
	}
	return dir, err
}

const runNameFormat = "20060102T150405.000Z"

// openJournal makes the run's directory and writes what a replay needs first: build and configuration.
func openJournal(o *Options) (*recorder, error) {
	c := &o.Config.Journal
	nowNs := o.Clock.NowNs()
	dir := filepath.Join(c.Dir, time.Unix(0, nowNs).UTC().Format(runNameFormat))
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("live: journal directory: %w; give one that can be written with --journal or journal.dir", err)
	}
	dir, err := makeRunDir(dir)
	if err != nil {
		return nil, fmt.Errorf("live: journal directory: %w", err)
	}
	options := journal.Options{
		Partition: o.Config.Partition, NowNs: o.Clock.NowNs,
		SegmentBytes: c.SegmentBytes, RetainBytes: c.RetainBytes, SyncEveryNs: int64(c.SyncInterval),
		Sync: map[config.Sync]journal.SyncPolicy{
			config.SyncNone: journal.SyncNone, config.SyncInterval: journal.SyncInterval, config.SyncBlock: journal.SyncBlocks,
		}[c.Sync],
	}
	if c.OnError == config.OnErrorContinue {
		options.OnError = journal.ErrorContinue
	}
	writer, err := journal.OpenWriter(journal.NewDirStore(dir), options)
	if err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	r := &recorder{dir: dir, writer: writer, ticks: writer.Ticks(), outcomes: writer.Outcomes()}
	err = errors.Join(
		r.ticks.Blob("build", []byte(o.Build)),
		r.ticks.Config(setup.Generation, "journal", []byte(o.Config.String())),
	)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("live: %w", err), writer.Close())
	}
	r.ticks.Flush()
	return r, nil
}

// failed reports an error under the stop policy.
func (r *recorder) failed() error {
	if r.writer.Failed() {
		return r.writer.Err()
	}
	return nil
}

// close ends the journal: with an end blob if the engine finished, which tells verify that nothing is missing.
func (r *recorder) close(e *engine.Engine) error {
	if e != nil && r.writer.Err() == nil {
		hash, signals := e.OutputHash()
		text, err := replay.EncodeEnd(replay.End{Signals: signals, OutputHash: hash})
		if err == nil {
			err = r.ticks.Blob(replay.EndBlob, text)
		}
		if err != nil {
			return errors.Join(err, r.writer.Close())
		}
	}
	return r.writer.Close()
}

// discard removes the journal of a run that never began.
func (r *recorder) discard() {
	_ = r.writer.Close() // nothing in it matters
	_ = os.RemoveAll(r.dir)
}
