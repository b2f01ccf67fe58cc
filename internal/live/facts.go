package live

import (
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
)

// factWatch turns what clocks, disks and devices say into facts: a fact when something begins, and when it ends. It decides
// from readings alone; who takes them is in outside.go.
type factWatch struct {
	risk   *config.Risk
	holds  [feed.FactCount]bool
	lag    mark // the journal had not written what was sequenced at
	unread []mark
}

// mark is a count at a time.
type mark struct {
	atNs  int64
	count uint64
}

// readings are taken together.
type readings struct {
	nowNs     int64
	heardNs   int64 // when the supervisor was last heard, or the engine began
	sequenced uint64
	written   uint64 // by the journal
	journaled bool   // there is a journal
	freeBytes int64  // of the journal's disk; below 0: not known
	device    bool   // one failed or computed wrongly, and nothing took its place
	late      bool   // the latency breaker is open
	unread    []uint64
	sources   []uint16 // whose counts unread are
}

// fact is one to sequence.
type fact struct {
	fact  feed.Fact
	value float64
}

// look compares readings with those before and returns the facts that have changed.
func (w *factWatch) look(r *readings) []fact {
	var out []fact
	change := func(which feed.Fact, holds bool) {
		if holds == w.holds[which] {
			return
		}
		w.holds[which] = holds
		value := 0.0
		if holds {
			value = 1
		}
		out = append(out, fact{which, value})
	}
	change(feed.FactDeadman, w.risk.Deadman.After > 0 && r.nowNs-r.heardNs > int64(w.risk.Deadman.After))
	change(feed.FactRecorder, w.trails(r))
	change(feed.FactDisk, w.risk.DiskFree > 0 && r.freeBytes >= 0 && r.freeBytes < w.risk.DiskFree)
	change(feed.FactDevice, r.device)
	change(feed.FactLatency, r.late)
	return w.decode(r, out)
}

// trails reports whether the journal has not written for longer than it may what was sequenced then.
func (w *factWatch) trails(r *readings) bool {
	if w.risk.JournalLag == 0 || !r.journaled {
		return false
	}
	if r.written >= w.lag.count || w.lag.atNs == 0 {
		w.lag = mark{r.nowNs, r.sequenced}
	}
	return r.nowNs-w.lag.atNs > int64(w.risk.JournalLag)
}

// decode finds the sources that sent too much that could not be read.
func (w *factWatch) decode(r *readings, out []fact) []fact {
	if w.risk.DecodeErrors == 0 {
		return out
	}
	for i, count := range r.unread {
		if i == len(w.unread) {
			w.unread = append(w.unread, mark{atNs: r.nowNs, count: 0})
		}
		m := &w.unread[i]
		if count-m.count >= uint64(w.risk.DecodeErrors) {
			out = append(out, fact{feed.FactDecode, float64(r.sources[i])})
			*m = mark{r.nowNs, count}
		}
		if r.nowNs-m.atNs >= int64(w.risk.DecodeWindow) {
			*m = mark{r.nowNs, count}
		}
	}
	return out
}

// watchEvery is how often readings are taken. The breaker wakes the watcher by itself.
const watchEvery = 50 * time.Millisecond
