package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/risk"
)

// latchesFile, in the journal's folder, holds what was killed, reduced and latched last, so that a restart puts it in force
// again.
const latchesFile = "latches.json"

// ErrLatches says that what was in force cannot be known: then nothing may start as if nothing were.
var ErrLatches = errors.New("live: the file of kills and latches cannot be read; look at it, and remove it only if nothing must stay stopped")

// latches keeps the file. One goroutine writes it.
type latches struct {
	path    string
	changed chan risk.Latches // the last one that was not written yet
	done    chan struct{}
	failed  func(error)
}

func newLatches(dir string, failed func(error)) *latches {
	l := &latches{path: filepath.Join(dir, latchesFile), changed: make(chan risk.Latches, 1), done: make(chan struct{}), failed: failed}
	go func() {
		defer close(l.done)
		for now := range l.changed {
			if err := writeLatches(l.path, &now); err != nil {
				l.failed(err)
			}
		}
	}()
	return l
}

// put keeps what is in force now. Desk's goroutine; it does not wait.
func (l *latches) put(now risk.Latches) {
	for {
		select {
		case l.changed <- now:
			return
		default:
		}
		select {
		case <-l.changed: // an older one that nobody needs any more
		default:
		}
	}
}

// close writes what is left.
func (l *latches) close() {
	close(l.changed)
	<-l.done
}

// writeLatches puts a file in the place of the last one: whole, and on the disk.
func writeLatches(path string, now *risk.Latches) error {
	text, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return err
	}
	temporary := path + ".new"
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// readLatches returns what was in force; nothing if there is no file.
func readLatches(dir string) (risk.Latches, error) {
	var l risk.Latches
	text, err := os.ReadFile(filepath.Join(dir, latchesFile))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return l, nil
	case err != nil:
		return l, fmt.Errorf("%w: %w", ErrLatches, err)
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return l, fmt.Errorf("%w: %s: %w", ErrLatches, filepath.Join(dir, latchesFile), err)
	}
	return l, nil
}

// restoresMax is how many commands are queued before an engine runs. Beyond it everything is stopped instead.
const restoresMax = 500

// restores returns the commands that put latches in force again. signal finds a signal's place, below 0 if there is none.
func restores(l *risk.Latches, signal func(string) int) []engine.Command {
	var out []engine.Command
	add := func(verb feed.ControlVerb, scope feed.ControlScope, symbol feed.Symbol, name string) {
		c := engine.Command{Verb: verb, Scope: scope, Symbol: symbol, By: "restart", Reason: "in force when the run before ended"}
		if name != "" {
			if c.Signal = signal(name); c.Signal < 0 {
				return
			}
		}
		out = append(out, c)
	}
	for _, all := range []struct {
		is   bool
		verb feed.ControlVerb
	}{{l.KillAll, feed.ControlKill}, {l.ReduceAll, feed.ControlReduce}, {l.Stopped, feed.ControlLatch}} {
		if all.is {
			add(all.verb, feed.ScopeAll, feed.Symbol{}, "")
		}
	}
	for _, name := range l.KillSignals {
		add(feed.ControlKill, feed.ScopeSignal, feed.Symbol{}, name)
	}
	for _, name := range l.ReduceSignals {
		add(feed.ControlReduce, feed.ScopeSignal, feed.Symbol{}, name)
	}
	for _, symbol := range l.Killed {
		add(feed.ControlKill, feed.ScopeInstrument, symbol, "")
	}
	for _, symbol := range l.Reduced {
		add(feed.ControlReduce, feed.ScopeInstrument, symbol, "")
	}
	for _, t := range l.Tightened {
		limit, known := feed.ParseLimit(t.Limit)
		if !known || !(t.Value > 0) { // what cannot be put in force must not let signals through
			add(feed.ControlKill, feed.ScopeAll, feed.Symbol{}, "")
			continue
		}
		add(feed.ControlTighten, feed.ScopeAll, feed.Symbol{}, "")
		out[len(out)-1].Limit, out[len(out)-1].Value = limit, t.Value
	}
	for _, pair := range l.Pairs {
		add(feed.ControlLatch, feed.ScopeInstrument, pair.Symbol, pair.Signal)
	}
	if len(out) > restoresMax {
		out = out[:0]
		add(feed.ControlKill, feed.ScopeAll, feed.Symbol{}, "")
	}
	return out
}
