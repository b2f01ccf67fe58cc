package natsfeed

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/wire"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testnats"
	"github.com/sigengine/sigengine/ring"
)

const patience = 30 * time.Second

// event is what the consumer of an inlet saw: a tick or a hole.
type event struct {
	tick   feed.Tick
	symbol feed.Symbol
	seq    uint64
	hole   feed.GapReason // not zero: a hole
	lost   uint64
}

// consumer stands in for the sequencer: it polls an inlet and keeps what it sees, discarding queued market data at a
// hole.
type consumer struct {
	inlet  *feed.Inlet
	stop   chan struct{}
	ended  sync.WaitGroup
	mutex  sync.Mutex
	events []event
	done   bool
}

func newInlet(t testing.TB, slots int, full feed.FullPolicy) *feed.Inlet {
	t.Helper()
	in, err := feed.NewInlet(feed.InletConfig{Name: "test", Slots: slots, Instruments: 64, Full: full})
	if err != nil {
		t.Fatal(err)
	}
	in.Connect(3, ring.NewParker())
	return in
}

func consume(t testing.TB, in *feed.Inlet) *consumer {
	c := &consumer{inlet: in, stop: make(chan struct{})}
	c.ended.Go(c.run)
	t.Cleanup(c.leave)
	return c
}

func (c *consumer) leave() {
	select {
	case <-c.stop:
	default:
		close(c.stop)
	}
	c.ended.Wait()
	c.inlet.Abandon()
}

func (c *consumer) run() {
	for {
		ticks, sequences := c.inlet.Poll(64)
		reason, lost, hole := c.inlet.Hole()
		c.mutex.Lock()
		if hole {
			c.events = append(c.events, event{hole: reason, lost: lost})
		}
		for i := range ticks {
			if hole && ticks[i].Kind.IsMarketData() {
				continue
			}
			e := event{tick: ticks[i], seq: sequences[i]}
			if ticks[i].Instrument != feed.AllInstruments {
				e.symbol = c.inlet.Symbols.At(ticks[i].Instrument)
			}
			c.events = append(c.events, e)
		}
		c.inlet.Release(len(ticks))
		c.done = c.inlet.Done()
		c.mutex.Unlock()
		if len(ticks) > 0 {
			continue
		}
		select {
		case <-c.stop:
			return
		case <-time.After(200 * time.Microsecond):
		}
	}
}

// seen returns a copy of the events so far.
func (c *consumer) seen() []event {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]event(nil), c.events...)
}

func (c *consumer) inletDone() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.done
}

func ticksOf(events []event) (ticks []event) {
	for _, e := range events {
		if e.hole == 0 {
			ticks = append(ticks, e)
		}
	}
	return ticks
}

func holesOf(events []event) (holes []event) {
	for _, e := range events {
		if e.hole != 0 {
			holes = append(holes, e)
		}
	}
	return holes
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// quoteJSON is a native JSON quote whose bid says which it is.
func quoteJSON(t testing.TB, number int) []byte {
	t.Helper()
	text, err := wire.AppendJSON(nil, feed.Symbol{Venue: "v", Name: "A"}, feed.Tick{
		ExchangeNs: 1, Kind: feed.KindQuote, F: [4]float64{float64(number), 1, float64(number) + 1, 1},
	}, uint64(number))
	if err != nil || !json.Valid(text) {
		t.Fatalf("%s: %v", text, err)
	}
	return text
}

func haltJSON(t testing.TB) []byte {
	t.Helper()
	text, err := wire.AppendJSON(nil, feed.Symbol{Venue: "v", Name: "A"}, feed.Tick{
		Kind: feed.KindStatus, F: [4]float64{float64(feed.StatusHalt)},
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func jsonSource(in *feed.Inlet) SourceConfig {
	return SourceConfig{
		Subject: "md.>", Inlet: in, Clock: feed.NewManualClock(1234),
		Decoder: wire.NewJSONDecoder(feed.DecoderOptions{Symbols: in.Symbols}),
	}
}

func connectClient(t testing.TB, config natsconn.Config) *Client {
	t.Helper()
	c, err := Connect(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func subscribe(t testing.TB, c *Client, config SourceConfig) *Source {
	t.Helper()
	s, err := c.Subscribe(config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// publisher is a connection to send market data on.
func publisher(t testing.TB, url string) *natsconn.Connection {
	t.Helper()
	c, err := natsconn.Connect(natsconn.Config{Servers: url, WaitForServer: true}, natsconn.Handlers{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	eventually(t, "publisher connected", c.Connected)
	return c
}

func send(t testing.TB, c *natsconn.Connection, subject string, payload []byte) {
	t.Helper()
	if err := c.Publish(subject, payload); err != nil {
		t.Fatal(err)
	}
}

func flush(t testing.TB, c *natsconn.Connection) {
	t.Helper()
	if err := c.Flush(patience); err != nil {
		t.Fatal(err)
	}
}

func startServer(t testing.TB) *natsserver.Server {
	t.Helper()
	return testnats.Start(t, natsserver.Config{})
}
