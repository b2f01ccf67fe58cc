package live

import (
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/signal"
)

// Options describe a live engine.
type Options struct {
	Config     *config.Config
	Connection natsconn.Config // server and login; name is set here
	Clock      feed.Clock
	Log        *slog.Logger
	Build      string // what the journal says wrote it
	// Explain says how signals are computed, of all if names is empty, for operators who ask. nil: nobody says.
	Explain func(names []string) (string, error)
	Tap     engine.Sink // sees every decided signal, after it was published; nil: none
	// FreeBytes returns what may still be written to a folder's file system; nil: not known, and the gate disk is off.
	FreeBytes func(dir string) (int64, bool)
	// Quiet publishes nothing: for record, and for measuring without a bus.
	Quiet bool
	// Shape changes the engine's configuration before it is made; nil: as configured.
	Shape func(*engine.Config)
	// Place says where the program runs, when everything else is known; an error ends the start. nil: the CPU.
	Place func(*engine.Config) error

	silentAfter time.Duration // tests are impatient; 0: silentAfter
}

// ErrFeeds says that there is nothing to listen to.
var ErrFeeds = errors.New("live: the configuration has no feeds; add one under the key feeds")

// instance returns the name under which signals are published.
func (o *Options) instance() string {
	if o.Config.Publish.Instance != "" {
		return o.Config.Publish.Instance
	}
	if name, err := os.Hostname(); err == nil && name != "" {
		return name
	}
	return "sigengine"
}

// sinks hands a decided signal to the publisher, then to the tap. The publisher's result counts.
type sinks struct {
	first, then engine.Sink
}

// Emit hands a decided signal on.
func (s sinks) Emit(pair uint32, body *signal.Body, receiveNs int64) uint8 {
	result := s.first.Emit(pair, body, receiveNs)
	s.then.Emit(pair, body, receiveNs)
	return result
}

// Prepare tells the sinks that want to know of a pair.
func (s sinks) Prepare(pair uint32, signalName, venue, symbol string) {
	for _, sink := range []engine.Sink{s.first, s.then} {
		if p, ok := sink.(engine.Preparer); ok {
			p.Prepare(pair, signalName, venue, symbol)
		}
	}
}
