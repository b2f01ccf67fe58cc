package main

import (
	"context"
	"time"

	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/snapshot"
)

// followLook is how long a follower that has read everything waits before it looks again.
const followLook = 50 * time.Millisecond

// follow takes snapshots behind a run until that has ended, or the context does.
func (a *app) follow(ctx context.Context, store journal.Store, dir string, options replay.Options, o *snapshotOptions) error {
	options.Cancelled = nil // an interrupt ends it in good order
	out := snapshot.NewDir(o.output)
	due, ended, count := time.Now().Add(o.every), false, 0
	result, err := replay.Follow(store, options, replay.Following{
		Stop: func() bool { return ctx.Err() != nil },
		Due:  func() bool { return !time.Now().Before(due) },
		Put: func(s *snapshot.Snapshot) error {
			began := time.Now()
			path, err := out.Write(s)
			if err != nil {
				return err
			}
			if o.keep > 0 {
				err = out.Keep(o.keep)
			}
			count++
			due = time.Now().Add(o.every)
			a.log.Info("snapshot", "file", path, "tick", s.State.Sequence, "signals", s.State.Signals, "written_in", time.Since(began))
			return err
		},
		Wait: func() bool {
			if ended || ctx.Err() != nil {
				return false
			}
			if ended = !inUse(dir); !ended { // what was written before the writer left is read once more
				select {
				case <-ctx.Done():
				case <-time.After(followLook):
				}
			}
			return true
		},
	})
	if err != nil {
		return asReplayFailure(err)
	}
	a.log.Info("followed", "ticks", result.Ticks, "snapshots", count, "run_ended", ended)
	return nil
}
