package simulate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

// checkReplay verifies the journal twice: as it was, and in another shape. It must decide the same signals, and after a good
// end have the same hash.
func checkReplay(run *Run, recorded *Recorded) []Violation {
	j := &judge{run: run, recorded: recorded}
	if len(recorded.Ticks) == 0 {
		return nil
	}
	for _, shape := range []func(*engine.Config){nil, func(c *engine.Config) { c.Lanes, c.Batch = 4, 33 }} {
		v, err := replay.Verify(run.Store, replay.Options{Shape: shape})
		if err != nil {
			j.violation("replay", "%v", err)
			break
		}
		if v.Difference != nil {
			j.violation("replay", "%s", v.Difference)
		} else if v.EndDiffers != "" {
			j.violation("replay", "%s", v.EndDiffers)
		}
		if v.Unended == j.run.Good {
			j.violation("replay", "ended in good order: %t, verify says %t", j.run.Good, !v.Unended)
		}
		if j.run.Good && (v.OutputHash != j.run.Hash || v.Unmatched != 0 || v.Compared != uint64(len(j.run.Emitted))) {
			j.violation("replay", "hash %s of %d signals, decided live %s of %d (%d in one only)",
				v.OutputHash, v.Compared, j.run.Hash, len(j.run.Emitted), v.Unmatched)
		}
		if want := min(v.Signals, uint64(len(j.recorded.Outcomes))); v.Compared != want {
			j.violation("replay", "%d signals compared of %d", v.Compared, want)
		}
	}
	return j.found
}

// takeUp opens a copy of a journal as the next writer would, which cuts a torn tail off, and reads it again: the ticks are
// still there.
func takeUp(store *memstore.Store) error {
	before, err := Read(store)
	if err != nil {
		return err
	}
	next := new(memstore.Store)
	files, err := store.List()
	if err != nil {
		return err
	}
	for _, f := range files {
		next.Set(f.Name, store.Bytes(f.Name))
	}
	writer, err := journal.OpenWriter(next, journalOptions(func() int64 { return 0 }))
	if err != nil {
		return fmt.Errorf("taking up the journal: %w", err)
	}
	if err := writer.Close(); err != nil {
		return fmt.Errorf("closing the journal again: %w", err)
	}
	after, err := Read(next)
	if err != nil {
		return fmt.Errorf("after it was taken up: %w", err)
	}
	if after.Incomplete != nil || !slices.EqualFunc(after.Ticks, before.Ticks, sameTick) || len(after.Outcomes) != len(before.Outcomes) {
		return fmt.Errorf("%w: %d of %d ticks, %d of %d outcomes", errTakenUp, len(after.Ticks), len(before.Ticks), len(after.Outcomes), len(before.Outcomes))
	}
	return nil
}

var errTakenUp = errors.New("simulate: a journal that was taken up lost something")

// CheckSame compares two simulations that must have decided and recorded the same: the same seed again, or with a
// connection that never refuses. bytes asks for the same trace and journal bytes as well.
func CheckSame(a, b *Result, alsoBytes bool) []Violation {
	var found []Violation
	differ := func(run uint64, what string) { found = append(found, Violation{"determinism", run, what}) }
	if len(a.Runs) != len(b.Runs) {
		differ(0, "another number of runs")
		return found
	}
	if alsoBytes && a.Trace != b.Trace {
		differ(0, "another trace")
	}
	if alsoBytes && a.Journal != b.Journal {
		differ(0, "other journal bytes")
	}
	for i, run := range a.Runs {
		other := b.Runs[i]
		if run.Hash != other.Hash || len(run.Emitted) != len(other.Emitted) {
			differ(run.Number, "other decisions")
		}
		for n := range min(len(run.Emitted), len(other.Emitted)) {
			if !bytes.Equal(run.Emitted[n].Encoded, other.Emitted[n].Encoded) {
				differ(run.Number, "another signal")
				break
			}
		}
	}
	return found
}
