package natsfeed

import (
	"errors"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/sim"
	"github.com/sigengine/sigengine/feed/venue"
	"github.com/sigengine/sigengine/feed/wire"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testnats"
)

// TestDelivery sends a simulated market through the server in each native form, and wants every tick of it, in order.
func TestDelivery(t *testing.T) {
	for name, c := range map[string]struct {
		codec sim.Codec
		each  int
		full  feed.FullPolicy
		slots int
	}{
		"json":          {sim.JSON, 1, feed.FullDrop, 1 << 15},
		"json arrays":   {sim.JSON, 100, feed.FullDrop, 1 << 15},
		"binary":        {sim.Binary, 1, feed.FullDrop, 1 << 15},
		"binary frames": {sim.Binary, 200, feed.FullDrop, 1 << 15},
		"small ring":    {sim.Binary, 200, feed.FullBlock, 16}, // must wait, must lose nothing
	} {
		t.Run(name, func(t *testing.T) {
			server := startServer(t)
			in := newInlet(t, c.slots, c.full)
			options := feed.DecoderOptions{Symbols: in.Symbols}
			config := jsonSource(in)
			if c.codec == sim.Binary {
				config.Decoder = wire.NewBinaryDecoder(options)
			}
			client := connectClient(t, natsconn.Config{InProcess: server})
			source := subscribe(t, client, config)
			seen := consume(t, in)

			out := publisher(t, server.URL())
			market, reference := newMarket(t), newMarket(t)
			p, err := sim.NewPublisher(sim.PublisherConfig{
				Market: market, Clock: feed.NewManualClock(0), Send: out.Publish, Codec: c.codec, TicksPerMessage: c.each, Session: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			p.Pump(0)
			p.Pump(500_000_000)
			flush(t, out)
			want := int(p.Stats().Ticks)
			eventually(t, "all ticks", func() bool { return len(ticksOf(seen.seen())) >= want })
			events := seen.seen()
			if len(events) != want {
				t.Fatalf("%d ticks and holes for %d ticks: %+v", len(events), want, holesOf(events))
			}
			for i, e := range events {
				var tick feed.Tick
				sequence := reference.Next(&tick)
				if e.symbol != reference.Symbol(int(tick.Instrument)) || e.tick.Kind != tick.Kind || e.tick.F[0] != tick.F[0] && tick.F[0] == tick.F[0] ||
					e.seq != sequence || e.tick.ExchangeNs != tick.ExchangeNs || e.tick.ReceiveNs != 1234 || e.tick.Source != 3 {
					t.Fatalf("tick %d: %+v, want %+v %d", i, e, tick, sequence)
				}
			}
			stats := source.Stats()
			if stats.Messages != p.Stats().Messages || stats.Bytes != p.Stats().Bytes || stats.Decode.Ticks != uint64(want) ||
				stats.Dropped != 0 || stats.StaleTicks != 0 || stats.PendingMessages != 0 || stats.Inlet.Offered != uint64(want) {
				t.Errorf("stats %+v", stats)
			}
			if c.full == feed.FullBlock && stats.Inlet.Blocked == 0 {
				t.Error("a ring of 16 never filled up: the test shows nothing")
			}
		})
	}
}

func newMarket(t *testing.T) *sim.Market {
	t.Helper()
	m, err := sim.New(sim.Default())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDeliveryOfVenueMessages(t *testing.T) {
	server := startServer(t)
	in := newInlet(t, 64, feed.FullDrop)
	config := jsonSource(in)
	decoder, err := venue.NewBinance(venue.Spot, feed.DecoderOptions{Symbols: in.Symbols})
	if err != nil {
		t.Fatal(err)
	}
	config.Decoder = decoder
	source := subscribe(t, connectClient(t, natsconn.Config{Servers: server.URL()}), config)
	seen := consume(t, in)
	out := publisher(t, server.URL())
	send(t, out, "md.binance", []byte(`{"u":400900217,"s":"BNBUSDT","b":"25.35190000","B":"31.21000000","a":"25.36520000","A":"40.66000000"}`))
	send(t, out, "md.binance", []byte(`{"e":"trade","E":1672515782136,"s":"BNBBTC","t":12345,"p":"0.001","q":"100","T":1672515782136,"m":true,"M":true}`))
	send(t, out, "md.binance", []byte(`not json`))
	eventually(t, "three messages", func() bool { return source.Stats().Messages == 3 })
	eventually(t, "two ticks", func() bool { return len(seen.seen()) == 2 })
	events := seen.seen()
	if events[0].tick.F[0] != 25.3519 || events[0].symbol.Name != "BNBUSDT" || events[1].tick.F != [4]float64{0.001, 100, -1} {
		t.Errorf("events %+v", events)
	}
	if stats := source.Stats(); stats.Decode.RejectedTotal() != 1 || stats.Decode.Decoded != 2 {
		t.Errorf("stats %+v", stats.Decode)
	}
}

func TestDrainHandlesWhatCame(t *testing.T) {
	server := startServer(t)
	in := newInlet(t, 1<<12, feed.FullDrop)
	client := connectClient(t, natsconn.Config{Servers: server.URL()})
	source := subscribe(t, client, jsonSource(in))
	out := publisher(t, server.URL())
	for i := range 1000 {
		send(t, out, "md.a", quoteJSON(t, i+1))
	}
	flush(t, out) // the server has them all
	if err := client.Drain(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-source.Done():
	default:
		t.Error("drained, but the source is not done")
	}
	seen := consume(t, in)
	eventually(t, "the inlet is done", seen.inletDone)
	if events := seen.seen(); len(events) != 1000 || events[999].tick.F[0] != 1000 {
		t.Errorf("%d events", len(events))
	}
	if stats := client.Connection(); stats.Disconnects != 0 || stats.Connected {
		t.Errorf("connection %+v", stats)
	}
}

func TestBadCredentials(t *testing.T) {
	server := testnats.Start(t, natsserver.Config{User: "u", Password: "p"})
	_, err := Connect(natsconn.Config{Servers: server.URL(), User: "u", Password: "wrong"})
	var typed *natsconn.Error
	if !errors.As(err, &typed) || !natsconn.IsAuthError(err) || typed.Hint == "" {
		t.Errorf("error %v", err)
	}
}

func TestSubjects(t *testing.T) {
	for _, good := range []string{"md", "md.>", ">", "*", "md.*.x", "md.binance.BRK%2EB", "md.é"} {
		if err := ValidateSubject(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	long := make([]byte, subjectBytesMax+1)
	for i := range long {
		long[i] = 'a'
	}
	server := startServer(t)
	client := connectClient(t, natsconn.Config{Servers: server.URL()})
	for _, bad := range []string{"", ".", "md.", ".md", "md..x", "md x", "md.\t", "md.\n", "md.\x00", "md.>.x", "md.a*", "md.>>", string(long)} {
		in := newInlet(t, 16, feed.FullDrop)
		config := jsonSource(in)
		config.Subject = bad
		if _, err := client.Subscribe(config); !errors.Is(err, ErrSubject) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestSourceConfigErrors(t *testing.T) {
	server := startServer(t)
	client := connectClient(t, natsconn.Config{Servers: server.URL()})
	for name, spoil := range map[string]func(*SourceConfig){
		"no decoder":        func(c *SourceConfig) { c.Decoder = nil },
		"no inlet":          func(c *SourceConfig) { c.Inlet = nil },
		"no clock":          func(c *SourceConfig) { c.Clock = nil },
		"negative messages": func(c *SourceConfig) { c.PendingMessages = -1 },
		"negative bytes":    func(c *SourceConfig) { c.PendingBytes = -1 },
	} {
		config := jsonSource(newInlet(t, 16, feed.FullDrop))
		spoil(&config)
		if _, err := client.Subscribe(config); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
