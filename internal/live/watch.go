package live

import (
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/natsfeed"
)

const (
	lookEvery     = 100 * time.Millisecond
	silentAfter   = 10 * time.Second // a subject without a message since the start is worth a word
	unreadForLong = 10               // looks during which messages came and none could be read
)

// watcher looks after what nobody else tells an operator: each thing is said once, in the log.
type watcher struct {
	l           *Live
	lost        int // devices
	disconnects uint64
	reconnects  uint64
	unread      []int  // by source: looks
	said        []bool // by source
}

// watch looks until the engine has ended.
func (l *Live) watch() {
	defer close(l.watched)
	w := &watcher{l: l, unread: make([]int, len(l.sources)), said: make([]bool, len(l.sources))}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-l.done:
			w.devices()
			return
		case <-ticker.C:
			w.devices()
			w.server()
			for i, source := range l.sources {
				w.source(i, source)
			}
		}
	}
}

// devices tells of lost devices, as long as the engine goes on without them. Where it does not, its error tells.
func (w *watcher) devices() {
	if w.l.shape.GPU == nil || !w.l.shape.GPU.Follow {
		return
	}
	status := w.l.engine.GPU()
	if len(status.Lost()) == w.lost {
		return
	}
	w.lost = len(status.Lost())
	w.l.options.Log.Warn("a GPU was lost; its lanes go on, on the CPU, with the same signals",
		"lost", status.Lost(), "mismatches", status.Mismatches, "executor", status.Executor(),
		"hint", "see nvidia-smi and the kernel's log (dmesg); a new start tries the GPU again")
}

// server tells of the market data's connection.
func (w *watcher) server() {
	c := w.l.input.Connection()
	if c.Disconnects > w.disconnects {
		w.l.options.Log.Warn("market data: the server was lost; trying again", "times", c.Disconnects)
	}
	if c.Reconnects > w.reconnects {
		w.l.options.Log.Info("market data: connected again; what was sent in between is lost and marked as a gap", "server", c.Server)
	}
	w.disconnects, w.reconnects = c.Disconnects, c.Reconnects
}

// source tells of a subject on which nothing comes, or nothing that can be read.
func (w *watcher) source(i int, source *natsfeed.Source) {
	if w.said[i] {
		return
	}
	s, log := source.Stats(), w.l.options.Log
	switch {
	case s.Decode.Ticks > 0:
		w.said[i] = true
	case s.Decode.RejectedTotal() > 0:
		if w.unread[i]++; w.unread[i] >= unreadForLong {
			w.said[i] = true
			log.Warn("no message could be decoded so far", "subject", s.Subject, "messages", s.Messages, "reason", mostly(&s.Decode),
				"hint", "is the codec the one that the feed is written in?")
		}
	case s.Messages == 0 && w.l.options.Clock.NowNs()-w.l.startNs >= int64(w.l.options.silentAfter):
		w.said[i] = true
		log.Warn("nothing has come on this subject since the start", "subject", s.Subject,
			"hint", "is something published there, on this server and account? nats sub shows it")
	}
}

// mostly returns the reason for which most messages were rejected.
func mostly(c *feed.DecodeCounts) string {
	most := feed.Reject(0)
	for reason := range feed.Reject(feed.RejectCount) {
		if c.Rejected[reason] > c.Rejected[most] {
			most = reason
		}
	}
	return most.String()
}
