package live

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/sim"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testnats"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/signal"
)

// conf is a configuration with the six signals, a feed of a codec and a journal.
func conf(t *testing.T, codec, extra string) *config.Config {
	t.Helper()
	text := "version: 1\nsignals_file: ../../bench/programs/six.yaml\n" +
		"feeds: [{name: sim, subject: md.v1.>, codec: " + codec + ", on_full: block}]\n" + extra
	c, err := config.Parse("test.yaml", []byte(text), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	c.Journal.Dir = t.TempDir()
	return c
}

func options(c *config.Config, server *natsserver.Server) Options {
	return Options{
		Config: c, Connection: natsconn.Config{Servers: server.URL()}, Clock: feed.NewSystemClock(),
		Log: slog.New(slog.DiscardHandler), Build: "test",
	}
}

// publishMarket sends ticks of a simulated market as fast as the server takes them.
func publishMarket(t *testing.T, url string, codec sim.Codec, perMessage, ticks int) {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	m, err := sim.New(sim.Default())
	if err != nil {
		t.Fatal(err)
	}
	clock := feed.NewManualClock(0)
	p, err := sim.NewPublisher(sim.PublisherConfig{Market: m, Clock: clock, Send: nc.Publish, Codec: codec, TicksPerMessage: perMessage})
	if err != nil {
		t.Fatal(err)
	}
	for now := int64(0); p.Stats().Ticks < uint64(ticks); now += 1e6 {
		p.Pump(now)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
}

func stop(t *testing.T, l *Live) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := l.Stop(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestLiveEqualsReplay is contract D3: what was decided live is decided again from the journal, in every shape.
func TestLiveEqualsReplay(t *testing.T) {
	for _, test := range []struct {
		name       string
		codec      string
		as         sim.Codec
		perMessage int
		extra      string
	}{
		{"json one a message, fused", "json", sim.JSON, 1, "engine: {mode: fused}\n"},
		{"binary 32 a message, staged, 3 lanes", "binary", sim.Binary, 32, "engine: {mode: staged, lanes: 3}\n"},
		{"json 5 a message, exchange clock", "json", sim.JSON, 5, "clock: exchange\nlate_drop: 1ms\nengine: {mode: fused, lanes: 2}\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := testnats.Start(t, natsserver.Config{})
			consumer, err := nats.Connect(server.URL())
			if err != nil {
				t.Fatal(err)
			}
			defer consumer.Close()
			var received, bad atomic.Uint64
			if _, err := consumer.Subscribe("sig.>", func(m *nats.Msg) {
				received.Add(1)
				if body, _, err := signal.Decode(m.Data); err != nil || !strings.Contains(m.Subject, "."+body.Signal+".") {
					bad.Add(1)
				}
			}); err != nil {
				t.Fatal(err)
			}
			l, err := Start(options(conf(t, test.codec, test.extra), server))
			if err != nil {
				t.Fatal(err)
			}
			const ticks = 30_000
			publishMarket(t, server.URL(), test.as, test.perMessage, ticks)
			waitFor(t, func() bool { return l.Status().Ticks >= ticks })
			stop(t, l)
			status := l.Status()
			if status.Signals < 20 || status.Dropped != 0 || status.Malformed.Sum() != 0 {
				t.Fatalf("unexpected run: %s", status.String())
			}
			if err := consumer.Flush(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, func() bool { return received.Load() == status.Signals-status.PublishErrors })
			if bad.Load() > 0 {
				t.Errorf("%d of %d signals cannot be read", bad.Load(), received.Load())
			}
			verifyRun(t, status.Journal, status.OutputHash, status.Signals)
		})
	}
}

func verifyRun(t *testing.T, dir, hash string, signals uint64) {
	t.Helper()
	store := journal.NewDirStore(dir)
	v, err := replay.Verify(store, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v.Difference != nil || v.EndDiffers != "" || v.Unended || v.Compared != signals || v.OutputHash != hash {
		t.Errorf("verify: difference %v, unended %v, compared %d of %d, hash %s, live %s",
			v.Difference, v.Unended, v.Compared, signals, v.OutputHash, hash)
	}
	for _, shape := range []func(*engine.Config){
		func(c *engine.Config) { c.Mode, c.Batch = engine.ModeFused, 1 },
		func(c *engine.Config) { c.Mode, c.Batch, c.Lanes = engine.ModeStaged, 7, 2 },
	} {
		r, err := replay.Play(store, replay.Options{Shape: shape})
		if err != nil {
			t.Fatal(err)
		}
		if r.OutputHash != hash {
			t.Errorf("replayed hash %s, live %s", r.OutputHash, hash)
		}
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); {
		if time.Now().After(deadline) {
			t.Fatal("waited 20 s in vain")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestKilledRunVerifies: a journal whose writer died ends somewhere; what it holds must still verify.
func TestKilledRunVerifies(t *testing.T) {
	server := testnats.Start(t, natsserver.Config{})
	l, err := Start(options(conf(t, "binary", "engine: {mode: fused}\n"), server))
	if err != nil {
		t.Fatal(err)
	}
	publishMarket(t, server.URL(), sim.Binary, 16, 20_000)
	waitFor(t, func() bool { return l.Status().Ticks >= 20_000 })
	stop(t, l)
	dir := l.Status().Journal
	files, err := filepath.Glob(filepath.Join(dir, "*.sgj"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	verified := 0
	for _, keep := range []int{len(whole) - 1, len(whole) * 3 / 4, len(whole) / 2, len(whole) / 3} {
		if err := os.WriteFile(files[0], whole[:keep], 0o644); err != nil {
			t.Fatal(err)
		}
		v, err := replay.Verify(journal.NewDirStore(dir), replay.Options{})
		if err != nil {
			t.Fatalf("first %d bytes: %v", keep, err)
		}
		if v.Difference != nil || !v.Unended || v.Incomplete == nil {
			t.Errorf("first %d of %d bytes: difference %v, unended %v, incomplete %v", keep, len(whole), v.Difference, v.Unended, v.Incomplete)
		}
		verified += int(v.Compared)
	}
	if verified == 0 {
		t.Error("nothing was compared")
	}
}

// TestTamperedJournalDiffers: verify must see one changed decision. The journal is written anew with another threshold.
func TestTamperedJournalDiffers(t *testing.T) {
	server := testnats.Start(t, natsserver.Config{})
	l, err := Start(options(conf(t, "binary", "engine: {mode: fused}\n"), server))
	if err != nil {
		t.Fatal(err)
	}
	publishMarket(t, server.URL(), sim.Binary, 16, 20_000)
	waitFor(t, func() bool { return l.Status().Ticks >= 20_000 })
	stop(t, l)
	other := conf(t, "binary", "risk: {gates: off}\n")
	v, err := replay.Verify(journal.NewDirStore(l.Status().Journal), replay.Options{Config: other})
	if err != nil {
		t.Fatal(err)
	}
	if v.Difference == nil {
		t.Error("another configuration verified")
	}
}

func TestNoFeeds(t *testing.T) {
	if _, err := Start(Options{Config: config.Default(), Clock: feed.NewSystemClock()}); err == nil {
		t.Error("started without feeds")
	}
}
