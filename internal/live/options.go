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
)

// Options describe a live engine.
type Options struct {
	Config     *config.Config
	Connection natsconn.Config // server and login; name is set here
	Clock      feed.Clock
	Log        *slog.Logger
	Build      string      // what the journal says wrote it
	Tap        engine.Sink // sees every decided signal, after it was published; nil: none
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
