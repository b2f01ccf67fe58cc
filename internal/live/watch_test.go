package live

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testnats"
)

// logged is a log that may be read while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestSilentSubject: of two subjects, the one on which nothing comes is named, once.
func TestSilentSubject(t *testing.T) {
	server := testnats.Start(t, natsserver.Config{})
	c := conf(t, "json", "")
	other := config.DefaultFeed()
	other.Name, other.Subject = "other", "md.none.>"
	c.Feeds = append(c.Feeds, other)
	log := &logged{}
	o := options(c, server)
	o.Log, o.silentAfter = slog.New(slog.NewTextHandler(log, nil)), 500*time.Millisecond
	l, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	publishMarket(t, server.URL(), 0, 1, 50)
	waitFor(t, func() bool { return strings.Contains(log.String(), "nothing has come") })
	time.Sleep(3 * lookEvery)
	stop(t, l)
	if text := log.String(); strings.Count(text, "nothing has come") != 1 || !strings.Contains(text, "subject=md.none.>") {
		t.Error(text)
	}
}

// TestRunsOfOneMillisecond: two runs that begin at once have a directory each, and their names tell which was first.
func TestRunsOfOneMillisecond(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "20260101T093000.000Z")
	var names []string
	for range 3 {
		made, err := makeRunDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.Base(made))
	}
	if got := strings.Join(names, " "); got != "20260101T093000.000Z 20260101T093000.000Z-2 20260101T093000.000Z-3" {
		t.Error(got)
	}
	if _, err := makeRunDir(filepath.Join(dir, "none", "run")); !os.IsNotExist(err) {
		t.Error(err)
	}
}
